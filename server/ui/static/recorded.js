/** A recorded call: the content of a line of a trace, and the elements that show its request and its answer. */

import { counted, cut, element } from "./dom.js";
import { textOf } from "./values.js";

const LONGEST_BLOCK = 50_000;
const MOST_ROWS = 20;
const LONGEST_CELL = 200;
const LONGEST_ADDRESS = 20_000;
const SEVERITIES = ["error", "warning", "hint"];

/** Return the event in a line of any program's trace; the lines of agents have a role, an input and an output. */
export function eventOf(line) {
  let record;
  try {
    record = JSON.parse(line);
  } catch {
    record = null;
  }
  if (!isObject(record)) {
    return { line, session: "", client: "", name: "a line that is not a JSON object", more: {}, answer: line, failed: false };
  }
  const { kind, time, session, client, name, tool, role, arguments: args, input, answer, output, text, failed, seconds, ...more } = record;
  const word = (value) => (typeof value === "string" ? value : "");
  const number = (value) => (typeof value === "number" ? value : 0);
  return {
    line,
    time: time ?? "",
    session: word(session),
    client: word(client),
    name: word(name) || word(tool) || word(role) || word(kind) || "event",
    arguments: args ?? input,
    answer: answer ?? output ?? text,
    failed: failed === true,
    seconds: typeof seconds === "number" ? seconds : null,
    tokens: number(more.tokens_in) + number(more.tokens_out ?? more.tokens),
    more,
  };
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Return the query of a call, its question, or its arguments. */
export function requestOf({ arguments: args }) {
  for (const text of [args?.query, args?.question]) if (typeof text === "string" && text) return text;
  return args === undefined ? "" : JSON.stringify(args);
}

/** Return a call as an item that unfolds. */
export function shownCall(found, context) {
  const body = element("div", { class: "call" });
  const facts = [
    timeOf(found.time),
    found.failed ? "failed" : "ok",
    found.seconds === null || found.seconds === undefined ? null : `${(found.seconds * 1000).toFixed(1)} ms`,
    found.tokens ? counted(found.tokens, "token") : null,
    found.session ? `session ${cut(found.session, 20)}` : null,
  ].filter(Boolean);
  const details = element(
    "details",
    { class: found.failed ? "failed" : "ok" },
    element(
      "summary",
      {},
      element("strong", {}, cut(found.name, 60)),
      " ",
      element("span", { class: "quiet" }, facts.join(" · ")),
      " ",
      element("code", {}, cut(requestOf(found).replace(/\s+/g, " "), 120)),
    ),
    body,
  );
  details.addEventListener("toggle", () => details.open && !body.hasChildNodes() && body.append(...parts(found, context).flat()));
  return element("li", {}, details);
}

/** Return a time in the user's time zone, with the day unless it is today; text that is not a time is unchanged. */
function timeOf(text) {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return cut(String(text), 40);
  const day = time.toDateString() === new Date().toDateString() ? "" : `${time.toLocaleDateString("sv")} `;
  return `${day}${time.toTimeString().slice(0, 8)}`;
}

/** Return how a call can be repeated on this page: the button's text, the view and its parameters. */
function again({ name, arguments: args }) {
  if (!isObject(args)) return null;
  const text = (value) => (typeof value === "string" && value !== "" ? value : null);
  const label = text(args.label) ? { label: args.label } : {};
  const mention = text(Array.isArray(args.mentions) ? args.mentions[0] : null);
  if (text(args.query)) {
    const parameters = isObject(args.parameters) && Object.keys(args.parameters).length ? { p: JSON.stringify(args.parameters) } : {};
    return ["Open in the editor", "query", { q: args.query, ...parameters }];
  }
  if (mention) return ["Open in the search", "search", { q: mention, ...label }];
  if (text(args.question)) return ["Open as a question", "question", { q: args.question }];
  return name === "get_schema" ? ["Open the schema", "schema", {}] : null;
}

function parts(found, { go, graphs }) {
  const blocks = []; // elements, and lists of elements
  const args = found.arguments;
  const target = again(found);
  if (typeof args?.query === "string" && args.query) blocks.push(block("Query", args.query));
  if (target && JSON.stringify(target[2]).length <= LONGEST_ADDRESS) {
    const [title, view, parameters] = target;
    const graph = graphs.some(({ name }) => name === args.graph) ? args.graph : (graphs[0]?.name ?? null);
    blocks.push(element("button", { type: "button", onclick: () => go(view, graph, parameters) }, title));
  }
  if (isObject(args)) {
    const rest = Object.fromEntries(Object.entries(args).filter(([key]) => key !== "query"));
    if (Object.keys(rest).length) blocks.push(block("Arguments", JSON.stringify(rest, null, 2)));
  } else if (args !== undefined && args !== null) blocks.push(block("Request", textOf(args)));
  if (found.answer !== undefined) blocks.push(...answered(found));
  const others = Object.entries(found.more).filter(([key]) => !key.startsWith("tokens"));
  if (others.length) blocks.push(block("Also recorded", JSON.stringify(Object.fromEntries(others), null, 2)));
  return blocks;
}

/** Return an answer: a failure and diagnostics as sentences, rows and candidates as a table, other fields as JSON. */
function answered({ answer, failed, arguments: args }) {
  if (!isObject(answer)) return [block("Answer", typeof answer === "string" ? answer : JSON.stringify(answer, null, 1))];
  const blocks = [];
  const rest = { ...answer };
  const take = (...names) => names.forEach((name) => delete rest[name]);
  if (failed && typeof answer.message === "string") {
    take("error", "message", "nearest", "next");
    const nearest = Array.isArray(answer.nearest) && answer.nearest.length ? ` Nearest: ${answer.nearest.map(textOf).join(", ")}.` : "";
    const next = typeof answer.next === "string" && answer.next ? ` ${answer.next}` : "";
    blocks.push(element("p", { class: "failure" }, cut(`${textOf(answer.error)}: ${answer.message}${nearest}${next}`, LONGEST_BLOCK)));
  }
  if (Array.isArray(answer.diagnostics)) {
    take("diagnostics");
    if (answer.diagnostics.length) blocks.push(element("ul", { class: "findings" }, answer.diagnostics.map(finding)));
  }
  if (Array.isArray(answer.columns) && Array.isArray(answer.rows) && answer.rows.every(Array.isArray)) {
    take("columns", "rows");
    blocks.push(element("h2", {}, "Rows"), tableOf(answer, typeof args?.query === "string" ? "; open the query in the editor for all" : ""));
  }
  for (const [name, records] of Object.entries({ mentions: flattened(answer.mentions), candidates: answer.candidates })) {
    if (!Array.isArray(records) || !records.length || !records.every(isObject)) continue;
    take(name);
    blocks.push(element("h2", {}, "Candidates"), tableOf(fromRecords(records)));
  }
  if (typeof answer.schema === "string") {
    take("schema");
    blocks.push(block("Schema", answer.schema));
  }
  if (Object.keys(rest).length) blocks.push(block(blocks.length ? "Rest of the answer" : "Answer", JSON.stringify(rest, null, 1)));
  return blocks;
}

function finding(diagnostic) {
  const { severity, code, message } = isObject(diagnostic) ? diagnostic : { severity: "", code: "", message: textOf(diagnostic) };
  return element("li", { class: SEVERITIES.find((known) => known === severity) }, cut(`${textOf(severity)} ${textOf(code)}: ${textOf(message)}`, LONGEST_BLOCK));
}

/** Return a record for each candidate of each mention, and for each mention without candidates. */
function flattened(mentions) {
  if (!Array.isArray(mentions) || !mentions.every(isObject)) return null;
  return mentions.flatMap(({ candidates, ...mention }) => {
    const found = Array.isArray(candidates) ? candidates.filter(isObject) : [];
    return found.length ? found.map((candidate) => ({ ...mention, ...candidate })) : [mention];
  });
}

function fromRecords(records) {
  const columns = [...new Set(records.flatMap(Object.keys))];
  return { columns, rows: records.map((record) => columns.map((column) => record[column] ?? "")) };
}

function tableOf({ columns, rows }, advice = "") {
  const more = rows.length - MOST_ROWS;
  return element(
    "div",
    { class: "small-table", tabindex: 0, role: "group", "aria-label": "Rows of the answer" },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, columns.map((column) => element("th", { scope: "col" }, cut(textOf(column), LONGEST_CELL))))),
      element(
        "tbody",
        {},
        rows.slice(0, MOST_ROWS).map((row) => element("tr", {}, row.map((value) => element("td", {}, cut(textOf(value), LONGEST_CELL))))),
      ),
    ),
    more > 0 ? element("p", { class: "quiet" }, `and ${counted(more, "more row")}${advice}.`) : null,
  );
}

function block(title, text) {
  return [element("h2", {}, title), element("pre", { tabindex: 0 }, cut(text, LONGEST_BLOCK))];
}
