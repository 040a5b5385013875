/** The agent at work: every tool call of connected clients, as it comes; a saved trace can be opened beside them. */

import { follow, TokenNeeded, Unreachable } from "../api.js";
import { counted, cut, element } from "../dom.js";
import { recordsIn } from "../saved.js";
import { textOf } from "../values.js";

const MOST_SHOWN = 500;
const LONGEST_BLOCK = 50_000;
const MOST_ROWS = 20;
const LONGEST_CELL = 200;
const ALL = "";

export async function show(place, context) {
  const { read, report, failed, signal } = context;
  let events = [];
  let running = [];
  let saved = null;
  const session = element("select", { onchange: showAll }, element("option", { value: ALL }, "all"));
  const filter = element("input", { type: "search", autocomplete: "off", maxlength: 200, oninput: showAll });
  const failures = element("input", { type: "checkbox", onchange: showAll });
  const file = element("input", { type: "file", class: "unseen", accept: ".jsonl,.json,.txt,.html", onchange: openFile });
  const live = element("button", { type: "button", hidden: true, onclick: showLive }, "Back to the live calls");
  const list = element("ol", { class: "calls", "aria-label": "Calls" });
  const about = element("p", {});
  const busy = element("ol", { class: "calls running", "aria-label": "Calls that run", hidden: true });
  const left = element("p", { class: "quiet" });
  place.append(
    element("h1", {}, "Calls of connected clients"),
    element(
      "div",
      { class: "row controls" },
      element("label", {}, "Session ", session),
      element("label", {}, "Contains ", filter),
      element("label", {}, failures, " Failed only"),
      element("button", { type: "button", onclick: () => keep("jsonl", "jsonl") }, "Export JSON Lines"),
      element("button", { type: "button", onclick: () => keep("markdown", "md") }, "Export transcript"),
      element("label", { class: "button" }, "Open a trace or report", file),
      live,
    ),
    about,
    left,
    busy,
    list,
  );
  list.addEventListener("keydown", (event) => {
    const items = [...list.children];
    const at = items.indexOf(event.target.closest("summary")?.closest("li"));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (at < 0 || items[to] === undefined) return;
    event.preventDefault();
    items[to].querySelector("summary").focus();
  });
  const ticking = setInterval(showRunning, 1000);
  watch();
  showAll();

  /** Follow the calls until the user leaves; after a break, those that were missed are asked for. */
  async function watch() {
    let after = 0;
    let of = "";
    while (!signal.aborted) {
      try {
        await follow(`work?after=${after}&of=${of}`, signal, ({ event, id, data }) => {
          if (event === "recorder") {
            if (of !== "" && data !== of) {
              events = []; // the server was started anew
              showAll();
            }
            of = data;
            return;
          }
          if (event === "running") {
            running = JSON.parse(data).map((record) => eventOf(JSON.stringify(record)));
            showRunning();
            return;
          }
          after = Number(id);
          const found = eventOf(data);
          events.push(found);
          if (events.length > 2 * MOST_SHOWN) events = events.slice(-MOST_SHOWN);
          if (saved === null) addLive(found);
        });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof TokenNeeded || error instanceof Unreachable) return failed(error);
        report("The connection was lost; reconnecting.");
      }
      running = [];
      showRunning();
      await new Promise((done) => setTimeout(done, 1000));
    }
  }

  /** The calls that run, with the seconds since each began. */
  function showRunning() {
    if (signal.aborted) return clearInterval(ticking);
    busy.hidden = saved !== null || !running.length;
    busy.replaceChildren(
      ...running.map((found) =>
        element(
          "li",
          {},
          element("strong", {}, cut(found.name, 60)),
          " ",
          element("span", { class: "tag" }, `running for ${Math.max(0, Math.round((Date.now() - Date.parse(found.time)) / 1000))} s`),
          " ",
          element("code", {}, cut(askedOf(found).replace(/\s+/g, " "), 120)),
        ),
      ),
    );
  }

  function addLive(found) {
    offerSession(found);
    if (!chosen(found)) return count();
    list.prepend(shown(found, context));
    while (list.children.length > MOST_SHOWN) list.lastElementChild.remove();
    count();
  }

  function showAll() {
    const all = saved ?? events;
    for (const found of all) offerSession(found);
    const matching = all.filter(chosen);
    list.replaceChildren(...matching.slice(-MOST_SHOWN).reverse().map((found) => shown(found, context)));
    left.replaceChildren(
      ...(matching.length > MOST_SHOWN ? [`The last ${MOST_SHOWN} of ${matching.length} are shown.`] : []),
    );
    count();
  }

  function count() {
    const all = (saved ?? events).length;
    report(all === 0 ? "No calls yet. Calls of this server's MCP clients appear here as they arrive." : counted(all, "call"));
  }

  function chosen(found) {
    if (session.value !== ALL && found.session !== session.value) return false;
    if (failures.checked && !found.failed) return false;
    return filter.value === "" || found.line.toLowerCase().includes(filter.value.toLowerCase());
  }

  function offerSession(found) {
    if (found.session === "" || [...session.options].some((option) => option.value === found.session)) return;
    const name = found.client ? `${found.session} (${cut(found.client, 40)})` : found.session;
    session.append(element("option", { value: found.session }, name));
  }

  async function keep(form, ending) {
    try {
      const { text } = await read("export", { form, session: session.value === ALL ? null : session.value });
      const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      const link = element("a", { href: address, download: `calls${session.value ? `-${session.value}` : ""}.${ending}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      report(`Exported ${text.length.toLocaleString("en")} characters.`);
    } catch (error) {
      failed(error);
    }
  }

  async function openFile() {
    const [opened] = file.files;
    if (opened === undefined) return;
    let found;
    try {
      found = recordsIn(await opened.text());
    } catch {
      return report(`${opened.name} is no trace and no report.`);
    }
    saved = found.lines.map(eventOf);
    about.replaceChildren(found.about);
    live.hidden = false;
    session.replaceChildren(element("option", { value: ALL }, "all"));
    showAll();
  }

  function showLive() {
    saved = null;
    about.replaceChildren();
    live.hidden = true;
    file.value = "";
    file.focus();
    session.replaceChildren(element("option", { value: ALL }, "all"));
    showAll();
  }
}

/** The event in a line, whatever wrote it: agents have a role, an input and an output. */
function eventOf(line) {
  let record;
  try {
    record = JSON.parse(line);
  } catch {
    record = null;
  }
  if (record === null || typeof record !== "object" || Array.isArray(record)) {
    return { line, session: "", client: "", name: "a line that is not a JSON object", more: {}, answer: line, failed: false };
  }
  const { kind, time, session, client, name, tool, role, arguments: args, input, answer, output, text, failed, seconds, ...more } = record;
  const word = (value) => (typeof value === "string" ? value : "");
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
    tokens: (more.tokens_in ?? 0) + (more.tokens_out ?? more.tokens ?? 0),
    more,
  };
}

/** The query of a call, or its arguments. */
function askedOf({ arguments: args }) {
  if (typeof args?.query === "string" && args.query) return args.query;
  return args === undefined ? "" : JSON.stringify(args);
}

function shown(found, context) {
  const query = typeof found.arguments?.query === "string" ? found.arguments.query : "";
  const asked = askedOf(found);
  const body = element("div", { class: "call" });
  const facts = [
    String(found.time).replace(/^.*T|Z$/g, ""),
    found.failed ? "failed" : "ok",
    found.seconds === null ? null : `${(found.seconds * 1000).toFixed(1)} ms`,
    found.tokens ? counted(found.tokens, "token") : null,
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
      element("code", {}, cut(asked.replace(/\s+/g, " "), 120)),
    ),
    body,
  );
  details.addEventListener("toggle", () => details.open && !body.hasChildNodes() && body.append(...parts(found, query, context).flat()));
  return element("li", {}, details);
}

function parts(found, query, { go, graphs }) {
  const made = []; // of elements, and of lists of them
  if (query) {
    const wanted = found.arguments.graph;
    const graph = graphs.some(({ name }) => name === wanted) ? wanted : (graphs[0]?.name ?? null);
    made.push(
      block("Query", query),
      element("button", { type: "button", onclick: () => go("query", graph, { q: query }) }, "Open in the editor"),
    );
  }
  const rest = Object.fromEntries(Object.entries(found.arguments ?? {}).filter(([key]) => key !== "query"));
  if (typeof found.arguments !== "object") made.push(block("Asked", String(found.arguments ?? "")));
  else if (Object.keys(rest).length) made.push(block("Arguments", JSON.stringify(rest, null, 2)));
  if (found.answer !== undefined) made.push(...answered(found.answer));
  const others = Object.entries(found.more).filter(([key]) => !key.startsWith("tokens"));
  if (others.length) made.push(block("Also recorded", JSON.stringify(Object.fromEntries(others), null, 2)));
  return made;
}

/** An answer: its diagnostics as sentences, its rows as a table, and what remains as JSON. */
function answered(answer) {
  if (answer === null || typeof answer !== "object" || Array.isArray(answer)) {
    return [block("Answer", typeof answer === "string" ? answer : JSON.stringify(answer, null, 1))];
  }
  const made = [];
  const rest = { ...answer };
  if (Array.isArray(answer.diagnostics)) {
    delete rest.diagnostics;
    made.push(
      element(
        "ul",
        { class: "findings" },
        answer.diagnostics.map((each) =>
          element("li", { class: ["error", "warning", "hint"].find((known) => known === each?.severity) }, `${each?.severity} ${each?.code}: ${each?.message}`),
        ),
      ),
    );
  }
  if (Array.isArray(answer.columns) && Array.isArray(answer.rows) && answer.rows.every(Array.isArray)) {
    delete rest.columns;
    delete rest.rows;
    made.push(element("h2", {}, "Answer"), tableOf(answer));
  }
  if (Object.keys(rest).length) made.push(block(made.length ? "Rest of the answer" : "Answer", JSON.stringify(rest, null, 1)));
  return made;
}

function tableOf({ columns, rows }) {
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
    more > 0 ? element("p", { class: "quiet" }, `and ${counted(more, "more row")}; open the query in the editor for all.`) : null,
  );
}

function block(title, text) {
  return [element("h2", {}, title), element("pre", { tabindex: 0 }, cut(text, LONGEST_BLOCK))];
}
