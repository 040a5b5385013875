/**
 * A question and its answer: first the rows, or the readings to choose from if the answer is doubtful; below them, folded,
 * the steps: names, schema, suggestions. If the server has a language model, it writes the query, which is checked,
 * repaired and run, and puts the rows into words.
 */

import { counted, cut, element } from "../dom.js";
import { runQuery } from "../rows.js";
import { shownMention } from "./search.js";

const ROWS = 1_000;
const MOST_READINGS = 5;
const ATTEMPTS = 3;
const ROWS_TO_MODEL = 20;

export async function show(place, context) {
  const { graph, parameters, read, remember, report, focus, clearAlarm, signal } = context;
  const model = await read("model");
  const question = element("input", { type: "search", id: "question", autocomplete: "off", maxlength: 2000, value: parameters.get("q") ?? "" });
  const ask = element("button", { type: "submit", class: "main" }, "Ask");
  const steps = element("ol", { class: "steps" });
  const outcome = element("section", { class: "outcome", "aria-label": "Answer" });
  const grounding = element("details", { class: "grounding", hidden: true }, element("summary", {}, "How this was grounded"), steps);
  let stop = () => {};
  let latest = 0;
  place.append(
    element("h1", {}, graph === null ? "Question" : `A question about ${graph}`),
    element("p", { class: "quiet" }, aboutModel(model)),
    ...(model?.problem ? [element("p", { class: "failure" }, `The model is not available: ${model.problem}.`)] : []),
    element(
      "form",
      {
        class: "row",
        onsubmit: (event) => {
          event.preventDefault();
          answer();
        },
      },
      element("label", { class: "wide" }, "Question ", question),
      ask,
    ),
    outcome,
    grounding,
  );
  focus(question);
  if (question.value) await answer();
  return () => stop();

  async function answer() {
    const text = question.value.trim();
    if (!text) return;
    const number = (latest += 1);
    const current = () => number === latest && !signal.aborted;
    remember({ q: text });
    stop();
    stop = () => {};
    steps.replaceChildren();
    outcome.replaceChildren(element("p", { class: "quiet" }, "Grounding the question…"));
    grounding.hidden = false;
    clearAlarm();
    await step("Names in the question", "find_entities", { question: text, graph }, (found) =>
      found.mentions.length ? found.mentions.flatMap((mention) => shownMention(mention, context)) : [element("p", {}, "The question names nothing in the graph.")],
    );
    if (!current()) return;
    await step("The schema for the question", "get_filtered_schema", { question: text, graph }, ({ schema, whole, left_out: left = [] }) => [
      element("p", {}, schemaExtent(whole, left)),
      element("pre", { tabindex: 0 }, schema),
    ]);
    if (!current()) return;
    const suggested = await step("Suggested queries", "ground_question", { question: text, graph, limit: 3 }, ({ queries, unknown_words: unknown = [] }) => [
      unknown.length ? element("p", { class: "quiet" }, `Nothing in this graph says: ${unknown.join(", ")}.`) : null,
      element("ol", { class: "suggestions" }, queries.map((candidate, place_) => suggestion(candidate, place_, text, current))),
    ]);
    if (!current()) return;
    if (model && !model.problem) await answerWithModel(text, current);
    else if (!suggested?.queries.length) outcome.replaceChildren(element("p", {}, "No query suits this question: its words name nothing that this graph holds."));
    else if (!suggested.ask) await run(suggested.queries[0].cypher, text, current, sentence(suggested.queries[0].reason));
    else askBack(suggested.queries, text, current);
  }

  /** Show a doubtful answer as a question: the readings to choose from. */
  function askBack(queries, text, current) {
    const readings = queries.slice(0, MOST_READINGS).map(({ cypher, reason }) =>
      element("li", {}, element("button", { type: "button", onclick: () => run(cypher, text, current, sentence(reason)).catch(context.failed) }, cut(sentence(reason), 300)), element("div", {}, element("code", { class: "quiet" }, cut(cypher, 400)))),
    );
    outcome.replaceChildren(element("section", { class: "readings", "aria-label": "Readings of the question" }, element("h2", {}, "Which of these do you mean?"), element("ul", { class: "plain" }, readings), element("p", { class: "quiet" }, "None of them is sure to be what you asked.")));
    report(`The question is not clear: ${counted(readings.length, "reading")} to choose from.`);
  }

  /** Let the model write a query, send its problems back to the model at most twice, and let the model put the rows into words. */
  async function answerWithModel(text, current) {
    const attempts = [];
    for (let number = 1; number <= ATTEMPTS && current(); number += 1) {
      const title = number === 1 ? "The model’s query" : `The model’s query, attempt ${number}`;
      const written = await step(title, model.model, () => read("model/query", { graph, question: text, attempts }), ({ query, text: words, ...cost }) => [
        query ? element("pre", { tabindex: 0 }, query) : element("p", { class: "failure" }, `The model wrote no query: ${cut(words, 600)}`),
        costOf(cost),
      ]);
      if (!current() || !written?.query) return;
      const checked = await step("The check of this query", "validate_cypher", { query: written.query, graph, question: text }, ({ valid, diagnostics = [], suggested_query: repaired }) => [
        element("p", {}, valid ? (diagnostics.length ? `Valid; ${counted(diagnostics.length, "finding")}:` : "Valid.") : repaired ? "Not valid; repaired:" : "Not valid."),
        ...(!valid && repaired ? [element("pre", { tabindex: 0 }, repaired)] : []),
        element("ul", { class: "findings" }, diagnostics.map(finding)),
      ]);
      if (!current() || checked === null) return;
      const query = checked.valid ? written.query : checked.suggested_query;
      let problems = (checked.diagnostics ?? []).map(({ message }) => message).join("\n");
      if (query) {
        const answer = await run(query, text, current, `The query of ${model.model}`).catch((error) => {
          if (error.error === undefined || error.error === "graph_unavailable") throw error;
          problems = error.message;
          return null;
        });
        if (!current()) return;
        const repeated = attempts.some((earlier) => earlier.query === written.query);
        if (answer && (answer.rows.length || repeated || number === ATTEMPTS)) return sayInWords(text, query, answer);
        if (answer) problems = (answer.diagnostics ?? []).map(({ message }) => message).join("\n") || "The query returns no rows.";
      }
      attempts.push({ query: written.query, problems: problems.slice(0, 20_000) });
    }
    if (current()) outcome.replaceChildren(element("p", { class: "failure" }, `In ${ATTEMPTS} attempts the model wrote no query that returns rows.`));
  }

  async function sayInWords(text, query, { columns, rows, total, truncated }) {
    const shown = { question: text, query, columns, rows: rows.slice(0, ROWS_TO_MODEL), total: total ?? rows.length, more: Boolean(truncated) && total === undefined };
    const said = await step("The answer in words", model.model, () => read("model/words", shown), ({ text: words, ...cost }) => [element("p", {}, words), costOf(cost)]);
    if (said) outcome.prepend(element("p", { class: "words" }, said.text));
  }

  function suggestion({ cypher, reason, rows, confidence }, place_, text, current) {
    return element(
      "li",
      {},
      element("p", {}, reason, rows === undefined || rows === null ? "" : `; matches ${counted(rows, "node")}`),
      element("pre", { tabindex: 0 }, cypher),
      element("p", { class: "quiet" }, `${Math.round(100 * confidence)} % sure that this was asked.`),
      element(
        "p",
        { class: "row" },
        element("button", { type: "button", "aria-label": `Run suggestion ${place_ + 1}`, onclick: () => run(cypher, text, current, sentence(reason)).catch(context.failed) }, "Run"),
        element("a", { href: context.address("query", graph, { q: cypher }), "aria-label": `Edit suggestion ${place_ + 1}` }, "Edit"),
      ),
    );
  }

  /** Call a tool and show its answer or its failure as a step; `args` are its arguments, or a function that is called instead. */
  async function step(title, tool, args, shown) {
    report(`${title}…`);
    const content = element("div", {}, element("p", { class: "quiet" }, "…"));
    steps.append(element("li", { "data-tool": tool }, element("h2", {}, title), element("p", { class: "quiet" }, element("code", {}, tool)), content));
    try {
      const found = await (typeof args === "function" ? args() : context.call(tool, args));
      content.replaceChildren(...shown(found));
      return found;
    } catch (error) {
      if (error.error === undefined || error.error === "graph_unavailable") throw error;
      content.replaceChildren(
        element("p", { class: "failure" }, error.message),
        ...(error.nearest.length ? [element("p", {}, `Nearest: ${cut(error.nearest.join(", "), 400)}.`)] : []),
      );
      return null;
    }
  }

  /** Run a query and show its rows as the answer; return the tool's answer. */
  async function run(cypher, text, current, title) {
    outcome.querySelectorAll(".answer, .words, :scope > p").forEach((each) => each.remove());
    const rows = element("div");
    const remarks = element("ul", { class: "findings" });
    outcome.append(
      element("div", { class: "answer", "data-tool": "execute_cypher" }, element("h2", {}, title), rows, remarks, element("details", {}, element("summary", {}, "The query"), element("pre", { class: "ran", tabindex: 0 }, cypher), element("a", { href: context.address("query", graph, { q: cypher }) }, "Edit this query"))),
    );
    stop();
    let answered = null;
    const stopRows = await runQuery({ query: cypher, question: text, limit: ROWS }, context, rows, (answer) => {
      answered = answer;
      remarks.replaceChildren(...(answer.diagnostics ?? []).map(finding));
    });
    if (current()) stop = stopRows;
    else stopRows();
    return answered;
  }
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function schemaExtent(whole, left) {
  if (whole) return "This is the whole schema: the question matches nothing in it, or the part that it needs is not shorter.";
  return left.length ? `Left out: ${cut(left.join(", "), 400)}.` : "Nothing is left out.";
}

function aboutModel(model) {
  if (!model || model.problem) return "No language model is used: the answer comes from the tools that an agent has.";
  return `The tools ground the question; then ${model.model} at ${model.where} writes the query. The model receives the question, the part of the schema that the question needs, the names found, suggested queries, the problems of its own queries, and up to ${ROWS_TO_MODEL} rows.`;
}

function finding({ severity, message }) {
  return element("li", { class: severity }, cut(message.split("\n")[0], 600));
}

function costOf({ tokens, seconds }) {
  return element("p", { class: "quiet" }, `${counted(tokens, "token")}, ${seconds.toFixed(1)} s.`);
}
