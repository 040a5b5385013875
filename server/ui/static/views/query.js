/** The editor: completion from the schema, diagnostics while typing, rows as a table and as a graph. */

import { Failure } from "../api.js";
import { atWork, element } from "../dom.js";
import { editor } from "../editor.js";
import { runQuery } from "../rows.js";

const LIMITS = [100, 1_000, 10_000, 100_000];
const NO_SCHEMA = { labels: [], patterns: [], functions: [] };

export async function show(place, context) {
  const { graph, parameters, call, read, remember, report, focus, clearAlarm, failed, signal } = context;
  let schema = NO_SCHEMA;
  let stop = () => {};
  let running = false;
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
  const queryEditor = editor({ value: parameters.get("q") ?? "", schema: () => schema, check, run: execute, report });
  place.append(
    element("h1", {}, graph === null ? "Query" : `Query ${graph}`),
    queryEditor.frame,
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
    results,
  );
  focus(queryEditor);
  let checking = false;
  let waiting = false;

  /** Check the current text; while a check is running, only the newest text waits. */
  async function check() {
    waiting = true;
    if (checking) return;
    checking = true;
    while (waiting && !signal.aborted) {
      waiting = false;
      const text = queryEditor.text;
      if (text.trim() === "") {
        queryEditor.show(text, { diagnostics: [] });
        continue;
      }
      try {
        queryEditor.show(text, await call("validate_cypher", { query: text, graph, ...withParameters() }), true);
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
    const query = queryEditor.text;
    if (running) return;
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
        queryEditor.show(query, { ...answer, valid: undefined }),
      );
    } catch (error) {
      if (error.diagnostics?.length) queryEditor.show(query, { diagnostics: error.diagnostics, valid: false });
      failed(error);
    } finally {
      running = false;
      atWork(run, false);
    }
  }

  schema = await read("schema", { graph });
  if (queryEditor.text) await check();
  return () => {
    queryEditor.stop();
    stop();
  };
}

function objectIn(text) {
  try {
    const found = JSON.parse(text);
    return found !== null && typeof found === "object" && !Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}
