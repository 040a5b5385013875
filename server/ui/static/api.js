/** Requests to the server: tool calls, as MCP clients make them, and requests that only the page makes. */

/** A failure of a tool: its fields are `error`, `message`, `nearest`, `next` and `diagnostics`. */
export class Failure extends Error {
  constructor(fields) {
    super(fields.message);
    Object.assign(this, { error: "", nearest: [], next: "", diagnostics: [] }, fields);
  }
}

/** The server does not answer. */
export class Unreachable extends Error {}

/** The server requires a token, or has refused the token that was sent. */
export class TokenNeeded extends Error {}

/** The server refuses the request whatever the token is, for example because of its Origin header. */
export class Refused extends Failure {}

const TOKEN = "graphground-token";
const PAGE = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Keep the token until the tab is closed. */
export function useToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

/** Whether a token is kept. If the server still responds that it requires a token, it has refused this token. */
export function hasToken() {
  return sessionStorage.getItem(TOKEN) !== null;
}

/** The failures of tools whose `next` is advice for people; that of other failures says what an agent should call. */
const FOR_PEOPLE = ["internal_error", "no_graph", "request_too_long"];

/** Run a tool: `await call("find_entities", { mentions: ["Heat"], graph: "films" })`. */
export async function call(tool, args, signal) {
  try {
    return await send(`api/call/${tool}`, { method: "POST", body: JSON.stringify(args), signal });
  } catch (error) {
    if (error instanceof Failure && error.error && !FOR_PEOPLE.includes(error.error)) error.next = "";
    throw error;
  }
}

/** Read data for the page: `await read("graphs")`; arguments are sent in the body of the request. */
export function read(path, args, signal) {
  return send(`api/${path}`, args === undefined ? { signal } : { method: "POST", body: JSON.stringify(args), signal });
}

/**
 * Follow server-sent events until the stream ends: `await follow("work", signal, ({ id, event, data }) => …)`.
 *
 * The browser's own EventSource is not used, because it cannot send the token.
 */
export async function follow(path, signal, onEvent) {
  let response;
  try {
    response = await fetch(`api/${path}`, { headers: headersFor({}), credentials: "omit", signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("The server does not answer.");
  }
  await checkStatus(response);
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const messages = (rest + value).split("\n\n");
    rest = messages.pop();
    for (const message of messages) {
      const fields = message.split("\n").map((line) => line.split(/: (.*)/s, 2));
      const received = Object.fromEntries(fields.filter(([name]) => name !== ""));
      if (received.data !== undefined) onEvent(received);
    }
  }
}

function headersFor(request) {
  const token = sessionStorage.getItem(TOKEN);
  const headers = { "X-Graphground-Page": PAGE, ...(request.body ? { "Content-Type": "application/json" } : {}) };
  return token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
}

/** Throw the failure that the status of a response means, if it is an error. */
async function checkStatus(response) {
  const { ok, status, statusText, headers } = response;
  if (ok) return;
  // With this header, 403 is about the token: a scope is missing. Otherwise the Origin or the Host header is refused.
  if (status === 401 || (status === 403 && headers.has("WWW-Authenticate"))) {
    throw new TokenNeeded("The server requires a token.");
  }
  if (status !== 403) throw new Failure({ message: `The server answered ${status} ${statusText}.` });
  const reason = (await response.text().catch(() => "")).split("\n")[0].slice(0, 200);
  throw new Refused({
    message: `The server refused this request (403${reason ? `: ${reason}` : ""}).`,
    next: "If the server is to accept the address of this page, name its host with --allowed-host.",
  });
}

async function send(address, request) {
  const headers = headersFor(request);
  let response;
  try {
    response = await fetch(address, { ...request, headers, credentials: "omit" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("The server does not answer.");
  }
  await checkStatus(response);
  let answer;
  try {
    answer = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("The server's answer was interrupted.");
  }
  if (!answer.ok) throw new Failure(answer.failure);
  return answer.answer;
}

/** Return whether the server responds again. */
export async function answers() {
  try {
    return (await fetch("../health", { credentials: "omit" })).ok;
  } catch {
    return false;
  }
}
