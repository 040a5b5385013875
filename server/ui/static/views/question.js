/** A question answered without a model, step by step: names, schema, suggestions, the chosen query, its rows. */

import { counted, cut, element } from "../dom.js";
import { runQuery } from "../rows.js";
import { shownMention } from "./search.js";

const ROWS = 1_000;

export async function show(place, context) {
  const { graph, parameters, remember, signal } = context;
  const question = element("input", { type: "search", id: "question", autocomplete: "off", maxlength: 2000, value: parameters.get("q") ?? "" });
  const ask = element("button", { type: "submit", class: "main" }, "Ask");
  const steps = element("ol", { class: "steps" });
  let stop = () => {};
  let asked = 0;
  place.append(
    element("h1", {}, graph === null ? "Question" : `A question to ${graph}`),
    element("p", { class: "quiet" }, "No language model is used: these are the tools that an agent has, one after the other."),
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
    steps,
  );
  question.focus();
  if (question.value) await answer();
  return () => stop();

  async function answer() {
    const text = question.value.trim();
    if (!text) return;
    const number = (asked += 1);
    const current = () => number === asked && !signal.aborted;
    remember({ q: text });
    stop();
    stop = () => {};
    steps.replaceChildren();
    document.getElementById("alarm").replaceChildren();
    await step("Names in the question", "find_entities", { question: text, graph }, (found) =>
      found.mentions.length ? found.mentions.flatMap((mention) => shownMention(mention, context)) : [element("p", {}, "It names nothing in the graph.")],
    );
    if (!current()) return;
    await step("The schema that it needs", "get_filtered_schema", { question: text, graph }, ({ schema, whole, tokens, left_out: left = [] }) => [
      element("p", {}, whole ? "Nothing could be left out." : `About ${counted(tokens, "token")}.${left.length ? ` Left out: ${cut(left.join(", "), 400)}.` : ""}`),
      element("pre", { tabindex: 0 }, schema),
    ]);
    if (!current()) return;
    const suggested = await step("Queries that it may mean", "suggest_queries", { question: text, graph }, ({ candidates }) => [
      element("ol", { class: "suggestions" }, candidates.map((candidate, place_) => suggestion(candidate, place_, text, current))),
    ]);
    if (!current() || !suggested?.candidates.length) return;
    await run(suggested.candidates[0].cypher, text, current);
  }

  function suggestion({ cypher, reason, rows, other_direction: other }, place_, text, current) {
    return element(
      "li",
      {},
      element("p", {}, reason, rows === undefined || rows === null ? "" : `; matches ${counted(rows, "node")}`),
      element("pre", { tabindex: 0 }, cypher),
      other ? element("p", { class: "quiet" }, "In the opposite direction: ", element("code", {}, other)) : null,
      element(
        "p",
        { class: "row" },
        element("button", { type: "button", "aria-label": `Run suggestion ${place_ + 1}`, onclick: () => run(cypher, text, current).catch(context.failed) }, "Run"),
        element("a", { href: context.address("query", graph, { q: cypher }), "aria-label": `Edit suggestion ${place_ + 1}` }, "Edit"),
      ),
    );
  }

  /** Call a tool and show its answer as a step; a failure is shown in its place, and the next step follows. */
  async function step(title, tool, args, shown) {
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

  async function run(cypher, text, current) {
    steps.querySelector("li.answer")?.remove();
    const rows = element("div");
    const remarks = element("ul", { class: "findings" });
    steps.append(
      element("li", { class: "answer", "data-tool": "execute_cypher" }, element("h2", {}, "The chosen query and its rows"), element("pre", { tabindex: 0 }, cypher), remarks, rows),
    );
    stop();
    const stopRows = await runQuery({ query: cypher, question: text, limit: ROWS }, context, rows, ({ diagnostics = [] }) =>
      remarks.replaceChildren(...diagnostics.map(({ severity, message }) => element("li", { class: severity }, cut(message.split("\n")[0], 600)))),
    );
    if (current()) stop = stopRows;
    else stopRows();
  }
}
