"use strict";
/**
 * The view of MCP Apps: it receives a tool's answer from the host, and shows the answer.
 *
 * Messages are JSON-RPC by postMessage, as in the specification of 2026-01-26. Every text from a graph becomes a text
 * node.
 */

const VERSION = "2026-01-26";
const MOST_ROWS = 200;
const LONGEST_CELL = 300;
const LONGEST_TEXT = 100000;
/** Control characters, and characters that are invisible or reorder their neighbours. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

const main = document.getElementById("main");
const waiting = new Map();
let number = 0;
let host = {};

function send(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
  number += 1;
  send({ id: number, method, params });
  return new Promise((resolve, reject) => waiting.set(number, { resolve, reject }));
}

window.addEventListener("message", (event) => {
  const message = event.data;
  if (event.source !== window.parent || message === null || typeof message !== "object" || message.jsonrpc !== "2.0") return;
  if (message.method === undefined) {
    const pending = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) pending?.reject(new Error(String(message.error.message)));
    else pending?.resolve(message.result ?? {});
  } else if (message.id !== undefined) {
    answer(message);
  } else {
    RECEIVED[message.method]?.(message.params ?? {});
  }
});

function answer({ id, method }) {
  if (method === "ping" || method === "ui/resource-teardown") send({ id, result: {} });
  else send({ id, error: { code: -32601, message: "Method not found" } });
}

const RECEIVED = {
  "ui/notifications/tool-result": show,
  "ui/notifications/tool-cancelled": ({ reason }) => say(`Cancelled${typeof reason === "string" && reason ? `: ${reason}` : "."}`),
  "ui/notifications/host-context-changed": adopt,
};

/** Use the host's theme and colours, and remember its display modes. */
function adopt(context) {
  host = { ...host, ...context };
  if (host.theme === "light" || host.theme === "dark") document.documentElement.style.colorScheme = host.theme;
  for (const [name, value] of Object.entries(host.styles?.variables ?? {})) {
    if (/^--[a-z0-9-]+$/.test(name) && typeof value === "string") document.documentElement.style.setProperty(name, value);
  }
}

function create(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map((child) => (child instanceof Node ? child : text(child))));
  return element;
}

/** Return a text node in which invisible characters are shown as codes. */
function text(value) {
  const code = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return document.createTextNode(String(value).replace(UNSEEN, code));
}

function say(words) {
  main.replaceChildren(create("p", { id: "status", role: "status" }, words));
}

function show(result) {
  const content = result.structuredContent;
  if (result.isError || content === null || typeof content !== "object") return showText(result);
  if (Array.isArray(content.columns) && Array.isArray(content.rows)) showRows(content);
  else if (typeof content.schema === "string") showSchema(content);
  else showText(result);
}

function showText({ content, isError }) {
  const words = (Array.isArray(content) ? content : []).map((part) => (typeof part?.text === "string" ? part.text : "")).join("\n");
  let shown = words;
  if (isError) {
    try {
      const failure = JSON.parse(words);
      shown = [failure.message, failure.next].filter((part) => typeof part === "string" && part).join("\n");
    } catch {
      shown = words; // plain text, from the client or another server
    }
  }
  const title = isError ? [create("h1", {}, "The call failed")] : [];
  main.replaceChildren(...title, create("pre", { tabindex: "0" }, cut(shown, LONGEST_TEXT)));
}

function showSchema({ graph, schema, left_out: leftOut }) {
  const parts = [create("h1", {}, `Schema of ${graph}`)];
  if (Array.isArray(leftOut) && leftOut.length) parts.push(create("p", { class: "quiet" }, `Left out: ${leftOut.join(", ")}`));
  main.replaceChildren(...parts, create("pre", { tabindex: "0" }, cut(schema, LONGEST_TEXT)), ...controls());
}

function showRows(content) {
  const { rows, columns, truncated, total } = content;
  const count = `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
  const more = truncated ? (typeof total === "number" ? ` of ${total}` : ", and there are more") : "";
  const parts = [create("h1", {}, `${count}${more}`)];
  for (const diagnostic of Array.isArray(content.diagnostics) ? content.diagnostics.slice(0, 5) : []) {
    parts.push(create("p", { class: "quiet" }, `${diagnostic?.severity}: ${cut(String(diagnostic?.message), 600)}`));
  }
  if (rows.length) parts.push(table(columns, rows, `${count}${more}`));
  main.replaceChildren(...parts, ...controls());
}

function table(columns, rows, title) {
  const head = create("tr", {}, ...columns.map((column) => create("th", { scope: "col" }, cut(String(column), LONGEST_CELL))));
  const body = create("tbody", {});
  const shown = create("table", {}, create("caption", {}, title), create("thead", {}, head), body);
  const frame = create("div", { class: "rows", tabindex: "0", role: "region", "aria-label": "Rows" }, shown);
  const button = create("button", { type: "button" }, "Show more rows");
  const outer = create("div", {}, frame);
  const add = () => {
    const next = rows.slice(body.rows.length, body.rows.length + MOST_ROWS);
    body.append(...next.map((row) => create("tr", {}, ...(Array.isArray(row) ? row : [row]).map(cell))));
    if (body.rows.length < rows.length) outer.append(button);
    else button.remove();
  };
  button.addEventListener("click", add);
  add();
  return outer;
}

function cell(value) {
  const words = typeof value === "string" ? value : JSON.stringify(value);
  return create("td", typeof value === "number" ? { class: "number" } : {}, cut(words, LONGEST_CELL));
}

function cut(words, most) {
  return words.length > most ? `${words.slice(0, most)}… (of ${words.length} characters)` : words;
}

/** Return a button for the whole screen, if the host offers that mode. */
function controls() {
  if (!host.availableDisplayModes?.includes("fullscreen") || host.displayMode === "fullscreen") return [];
  const button = create("button", { type: "button" }, "Full screen");
  button.addEventListener("click", async () => {
    const { mode } = await request("ui/request-display-mode", { mode: "fullscreen" }).catch(() => ({}));
    if (mode === "fullscreen") button.remove();
  });
  return [button];
}

function reportSize() {
  const box = document.body.getBoundingClientRect();
  send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(box.width), height: Math.ceil(box.height) } });
}

async function start() {
  const { hostContext } = await request("ui/initialize", {
    protocolVersion: VERSION,
    appInfo: { name: "graphground", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  adopt(hostContext ?? {});
  send({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(reportSize).observe(document.body);
}

start().catch((error) => say(`The host did not accept this view: ${error.message}`));
