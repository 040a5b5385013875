/**
 * A question and its answer: first the rows, or the readings to choose from if the answer is doubtful; below them, folded,
 * the steps: names, schema, suggestions.
 */

import { count, counted, cut, element } from "../dom.js";
import { runQuery } from "../rows.js";
import { shownMention } from "./search.js";

const ROWS = 1_000;
const MOST_READINGS = 5;
const FIRST_ANSWERS = 3;

/** The first rows as text, by which a reader tells the readings apart: `Boston, Brooklyn and 3 more`. */
function firstAnswers(first, rows) {
  const shown = first.slice(0, FIRST_ANSWERS).map((row) => row.join(": "));
  const more = (rows ?? shown.length) - shown.length;
  return more > 0 && shown.length ? `${shown.join(", ")} and ${count(more)} more` : shown.join(", ");
}

export async function show(place, context) {
  const { graph, parameters, remember, report, focus, clearAlarm, signal } = context;
  const question = element("input", { type: "search", id: "question", autocomplete: "off", maxlength: 2000, value: parameters.get("q") ?? "" });
  const ask = element("button", { type: "submit", class: "main" }, "Ask");
  const steps = element("ol", { class: "steps" });
  const outcome = element("section", { class: "outcome", "aria-label": "Answer" });
  const grounding = element("details", { class: "grounding", hidden: true }, element("summary", {}, "How this was grounded"), steps);
  let stop = () => {};
  let latest = 0;
  place.append(
    element("h1", {}, graph === null ? "Question" : `A question about ${graph}`),
    element("p", { class: "quiet" }, "The tools that an agent has find the answer; no language model is used."),
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
    if (!suggested?.queries.length) outcome.replaceChildren(element("p", {}, "No query suits this question: its words name nothing that this graph holds."));
    else if (!suggested.ask) await run(suggested.queries[0].cypher, text, current, sentence(suggested.queries[0].reason));
    else askBack(suggested.queries, text, current);
  }

  /** Show a doubtful answer as a question: the readings to choose from. */
  function askBack(queries, text, current) {
    const readings = queries.slice(0, MOST_READINGS).map(({ cypher, reason, rows, first_rows: first = [] }) =>
      element("li", {}, element("button", { type: "button", onclick: () => run(cypher, text, current, sentence(reason)).catch(context.failed) }, cut(sentence(reason), 300)), element("div", { class: "first" }, firstAnswers(first, rows)), element("div", {}, element("code", { class: "quiet" }, cut(cypher, 400)))),
    );
    outcome.replaceChildren(element("section", { class: "readings", "aria-label": "Readings of the question" }, element("h2", {}, "Which of these do you mean?"), element("ul", { class: "plain" }, readings), element("p", { class: "quiet" }, "None of them is sure to be what you asked.")));
    report(`The question is not clear: ${counted(readings.length, "reading")} to choose from.`);
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

  /** Call a tool and show its answer or its failure as a step. */
  async function step(title, tool, args, shown) {
    report(`${title}…`);
    const content = element("div", {}, element("p", { class: "quiet" }, "…"));
    steps.append(element("li", { "data-tool": tool }, element("h2", {}, title), element("p", { class: "quiet" }, element("code", {}, tool)), content));
    try {
      const found = await context.call(tool, args);
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

  /** Run a query and show its rows as the answer. */
  async function run(cypher, text, current, title) {
    outcome.querySelectorAll(".answer, :scope > p").forEach((each) => each.remove());
    const rows = element("div");
    const remarks = element("ul", { class: "findings" });
    outcome.append(
      element("div", { class: "answer", "data-tool": "execute_cypher" }, element("h2", {}, title), rows, remarks, element("details", {}, element("summary", {}, "The query"), element("pre", { class: "ran", tabindex: 0 }, cypher), element("a", { href: context.address("query", graph, { q: cypher }) }, "Edit this query"))),
    );
    stop();
    const stopRows = await runQuery({ query: cypher, question: text, limit: ROWS }, context, rows, ({ diagnostics = [] }) => {
      remarks.replaceChildren(...diagnostics.map(finding));
    });
    if (current()) stop = stopRows;
    else stopRows();
  }
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function schemaExtent(whole, left) {
  if (whole) return "This is the whole schema: the question matches nothing in it, or the part that it needs is not shorter.";
  return left.length ? `Left out: ${cut(left.join(", "), 400)}.` : "Nothing is left out.";
}

function finding({ severity, message }) {
  return element("li", { class: severity }, cut(message.split("\n")[0], 600));
}
