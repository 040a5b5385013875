/** The editor: completion from the schema, diagnostics while typing, rows as a table and as a graph. */

import { Failure } from "../api.js";
import { atWork, cut, element, painted } from "../dom.js";

const LIMITS = [100, 1_000, 10_000, 100_000];
const [HISTORY, MOST_REMEMBERED] = ["graphground-queries", 30];
/** Hints that compare a query with its question, and the view of queries has no question. */
const ABOUT_QUESTION = ["extra_sort_column"];
const EXAMPLES_MILLISECONDS = 500;
const NO_SCHEMA = { labels: [], patterns: [], functions: [] };

export async function show(place, context) {
  const { graph, parameters, call, read, remember, report, focus, clearAlarm, failed, signal } = context;
  let schema = NO_SCHEMA;
  let stop = () => {};
  let running = false;
  let again = false;
  const limit = element("select", { id: "limit" }, LIMITS.map((rows) => element("option", { value: rows }, rows.toLocaleString("en"))));
  const seconds = element("input", { id: "seconds", type: "number", min: 0.1, max: 600, step: "any", value: 30 });
  const parameterInput = element("input", {
    id: "parameters",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: '{"name": "…"}',
    value: parameters.get("p") ?? "",
    oninput: check,
  });
  const run = element("button", { type: "submit", class: "main" }, "Run");
  const results = element("section", { class: "results", "aria-label": "Answer" });
  const past = element("details", { class: "past", hidden: true });
  const keys = element("p", { class: "quiet keys", id: "editor-keys" }, "Control+Enter runs, Control+Space completes, Control+. applies the fix at the caret.");
  const given = parameters.get("q") ?? "";
  const plain = element("textarea", { id: "query", "aria-label": "Cypher query", spellcheck: "false", autocapitalize: "off" }, given);
  const plainFrame = element("div", { class: "editor" }, plain, keys);
  let queryEditor = null;
  let runQuery = null;
  place.append(
    element("h1", {}, graph === null ? "Query" : `Query ${graph}`),
    plainFrame,
    element(
      "form",
      {
        class: "row",
        onsubmit: (event) => {
          event.preventDefault();
          execute();
        },
      },
      run,
      element("label", {}, "Maximum rows ", limit),
      element("label", {}, "Maximum seconds ", seconds),
      element("label", { class: "wide" }, "Parameters ", parameterInput),
    ),
    past,
    results,
  );
  showHistory();
  focus(plain);
  let checking = false;
  let waiting = false;
  const reading = read("schema", { graph }).then((found) => {
    schema = found;
    if (!given) results.replaceChildren(element("h2", {}, "Examples"), element("ul", { class: "plain" }, examples(schema).map((query) => element("li", {}, link(query, graph, context)))));
  });
  // The library of the editor is large: without a query to show in it, the examples are painted first, unless they are late.
  const opening = given ? open() : Promise.race([reading.catch(() => {}), new Promise((late) => setTimeout(late, EXAMPLES_MILLISECONDS))]).then(open);
  opening.catch(() => {}); // reported where it is awaited

  /** Put the editor in place of the plain text when the view has been painted. */
  async function open() {
    await painted();
    const [{ editor }, rows] = await Promise.all([import("../editor.js"), import("../rows.js"), import("../libraries/editor.js")]);
    await painted(); // what is typed while the library starts is shown
    if (signal.aborted) return;
    const hadFocus = document.activeElement === plain;
    queryEditor = editor({ value: plain.value, caret: plain.selectionEnd, keys, schema: () => schema, check, run: execute, report });
    runQuery = rows.runQuery;
    plainFrame.replaceWith(queryEditor.frame);
    if (hadFocus) queryEditor.focus();
  }

  /** Check the current text; while a check is running, only the newest text waits. */
  async function check() {
    waiting = true;
    if (checking || !queryEditor) return;
    checking = true;
    while (waiting && !signal.aborted) {
      waiting = false;
      const text = queryEditor.text;
      if (text.trim() === "") {
        queryEditor.show(text, { diagnostics: [] });
        continue;
      }
      try {
        queryEditor.show(text, withoutQuestion(await call("validate_cypher", { query: text, graph, ...withParameters() })), true);
      } catch (error) {
        failed(error);
      }
    }
    checking = false;
  }

  /** Return the parameters as an argument of a tool, `{ parameters: { name: "Heat" } }`; empty if none are given. */
  function withParameters() {
    const text = parameterInput.value.trim();
    const found = objectIn(text);
    parameterInput.setAttribute("aria-invalid", text !== "" && found === null);
    return found === null ? {} : { parameters: found };
  }

  async function execute() {
    await opening.catch(() => {});
    if (!queryEditor) return;
    const query = queryEditor.text;
    if (running) {
      again = true; // the newest text runs next
      return;
    }
    if (query.trim() === "") {
      queryEditor.focus();
      return;
    }
    clearAlarm();
    if (parameterInput.value.trim() !== "" && objectIn(parameterInput.value) === null) {
      parameterInput.focus();
      return failed(new Failure({ message: "The parameters are not a JSON object.", next: 'Write them as {"name": "Heat", "year": 1995}.' }));
    }
    running = true;
    atWork(run, true);
    remember({ q: query, ...(parameterInput.value.trim() === "" ? {} : { p: parameterInput.value }) });
    stop();
    stop = () => {};
    try {
      stop = await runQuery({ query, ...withParameters(), limit: Number(limit.value), timeout: Number(seconds.value) || 30 }, context, results, (answer) =>
        queryEditor.show(query, { ...withoutQuestion(answer), valid: undefined }),
      );
    } catch (error) {
      if (error.diagnostics?.length) queryEditor.show(query, { diagnostics: error.diagnostics, valid: false });
      failed(error);
    } finally {
      running = false;
      atWork(run, false);
    }
    keep(query);
    if (again && !signal.aborted) {
      again = false;
      if (queryEditor.text !== query) await execute();
    }
  }

  /** Keep a query in this browser, newest first. */
  function keep(query) {
    const others = kept(graph).filter((each) => each !== query);
    localStorage.setItem(`${HISTORY} ${graph}`, JSON.stringify([query, ...others].slice(0, MOST_REMEMBERED)));
    showHistory();
  }

  function showHistory() {
    const queries = kept(graph);
    past.hidden = !queries.length;
    past.replaceChildren(
      element("summary", {}, "History"),
      element("ul", { class: "plain" }, queries.map((query) => element("li", {}, link(query, graph, context)))),
      element("button", { type: "button", onclick: () => { localStorage.removeItem(`${HISTORY} ${graph}`); past.open = false; showHistory(); } }, "Clear"),
    );
  }

  await reading;
  await opening;
  if (queryEditor?.text) {
    await check();
    if (given && !queryEditor.failing) execute();
  }
  return () => {
    queryEditor?.stop();
    stop();
  };
}

function kept(graph) {
  try {
    return JSON.parse(localStorage.getItem(`${HISTORY} ${graph}`)) ?? [];
  } catch {
    return []; // another program has written there
  }
}

/** Return a link that opens a query and runs it. */
function link(query, graph, { address }) {
  return element("a", { href: address("query", graph, { q: query }) }, element("code", {}, cut(query.replace(/\s+/gu, " "), 160)));
}

/** Return queries that suit any graph with this schema: nodes of the commonest label, its neighbours, counts. */
function examples({ labels, patterns }) {
  const most = (items) => items.reduce((best, item) => ((item.count ?? 0) > (best?.count ?? -1) ? item : best), null);
  const label = most(labels);
  const pattern = most(patterns);
  const byName = labels.find(({ name }) => name === pattern?.end);
  return [
    label && `MATCH (n:${label.quoted})\nRETURN n LIMIT 25`,
    pattern && `MATCH (a)-[r:${pattern.quoted}]->(b)\nRETURN a, r, b LIMIT 25`,
    pattern && byName?.naming && `MATCH ()-[:${pattern.quoted}]->(n:${byName.quoted})\nRETURN n.\`${byName.naming}\` AS name, count(*) AS times ORDER BY times DESC LIMIT 10`,
    `MATCH (n)\nRETURN labels(n) AS labels, count(*) AS nodes ORDER BY nodes DESC`,
  ].filter(Boolean);
}

function withoutQuestion(answer) {
  return { ...answer, diagnostics: (answer.diagnostics ?? []).filter(({ code }) => !ABOUT_QUESTION.includes(code)) };
}

function objectIn(text) {
  try {
    const found = JSON.parse(text);
    return found !== null && typeof found === "object" && !Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}
