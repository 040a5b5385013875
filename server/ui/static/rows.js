/** The answer to a query: its rows as a table, the graph behind the rows, and further rows of a truncated answer. */

import { atWork, count, counted, cut, element, isAtWork } from "./dom.js";
import { pattern } from "./pattern.js";
import { picture } from "./picture.js";
import { table } from "./table.js";

const PAGE = 10_000;

/**
 * Run a query and show its rows in `place`: `await runQuery({ query, limit, timeout }, context, place, onAnswer)`.
 *
 * Returns a function that stops the observers of the shown rows.
 */
export async function runQuery({ query, question, parameters, limit, timeout }, context, place, onAnswer = () => {}) {
  const { graph, call, read, report, signal } = context;
  place.replaceChildren(element("p", { class: "quiet" }, "Running…"));
  report("Running…");
  let answer;
  try {
    answer = await call("execute_cypher", {
      query,
      graph,
      limit,
      ...(timeout ? { timeout_s: timeout } : {}),
      ...(parameters ? { parameters } : {}),
      ...(question ? { question } : {}),
    });
  } catch (error) {
    place.replaceChildren();
    report("");
    throw error;
  }
  onAnswer(answer);
  const rows = answer.rows;
  const figures = element("p", {});
  const shown = table({ columns: answer.columns, rows, name: `${graph ?? "rows"}-rows`, report });
  const more = element("button", { type: "button", hidden: true }, "Next rows");
  const behind = element("div", { class: "behind" });
  const draw = element("button", { type: "button", onclick: drawMatches }, "Show as a graph");
  let { cursor, truncated, total } = answer;
  let drawing = null;

  function say() {
    const of = total ? ` of ${count(total)}` : "";
    figures.replaceChildren(
      `${counted(rows.length, "row")}${truncated ? `${of}; there are more` : ""}. ${answer.elapsed_ms} ms in the database.`,
    );
    const hadFocus = document.activeElement === more;
    more.hidden = !(truncated && cursor);
    if (hadFocus && more.hidden) shown.focus();
  }

  /** Read the next rows, up to the requested limit. */
  async function readOn(most) {
    if (isAtWork(more)) return;
    atWork(more, true);
    try {
      while (truncated && cursor && rows.length < most && !signal.aborted) {
        const next = await call("execute_cypher", { cursor, limit: Math.min(PAGE, most - rows.length) });
        shown.add(next.rows);
        ({ cursor, truncated } = next);
        say();
      }
    } finally {
      atWork(more, false);
      report(`${counted(rows.length, "row")}.`);
    }
  }

  async function drawMatches() {
    if (isAtWork(draw)) return;
    atWork(draw, true);
    try {
      const found = await read("matches", { graph, query, most: Math.min(limit, 500), ...(parameters ? { parameters } : {}) });
      drawing?.stop();
      behind.replaceChildren(...shownMatches(found, context, (drawnMatches) => { drawing = drawnMatches; }));
      report(found === null ? "The query matches nothing that can be drawn." : `Drawn: ${counted(found.nodes.length, "node")}.`);
    } catch (error) {
      context.failed(error);
    } finally {
      atWork(draw, false);
    }
  }

  more.addEventListener("click", () => readOn(rows.length + limit).catch(context.failed));
  say();
  place.replaceChildren(figures, ...(rows.length ? [shown.frame] : []), element("p", { class: "row" }, more, draw), behind);
  if (!rows.length) {
    draw.hidden = true;
    read("pattern", { graph, query, ...(parameters ? { parameters } : {}) }).then(
      (found) => found !== null && place.isConnected && behind.replaceChildren((drawing = pattern(found)).frame),
      context.failed,
    );
  }
  report(`${counted(rows.length, "row")}.`);
  if (truncated && cursor) await readOn(limit);
  return () => {
    shown.stop();
    drawing?.stop();
  };
}

/** Return a picture of the nodes and relationships behind rows, with a list of the chosen node's relationships. */
function shownMatches(found, context, keep) {
  if (found === null) return [element("p", {}, "The query matches no nodes that could be drawn.")];
  const details = element("section", { class: "details", "aria-label": "The chosen node" });
  const names = new Map(found.nodes.map((node) => [node.id, node]));
  const degrees = new Map(found.nodes.map(({ id }) => [id, 0]));
  for (const { start, end } of found.links) for (const id of [start, end]) degrees.set(id, (degrees.get(id) ?? 0) + 1);
  const drawnMatches = picture(found.picture, {
    label: "Nodes and relationships of the rows",
    boxes: found.nodes.map(({ id }) => id),
    first: [...degrees].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0],
    choose: (id) => {
      const node = names.get(id);
      const links = found.links.filter(({ start, end }) => start === id || end === id);
      details.replaceChildren(
        element("h3", {}, cut(node.name, 300)),
        element("p", {}, cut(node.label, 100)),
        element(
          "ul",
          { class: "plain" },
          links.map(({ start, end, type }) =>
            element("li", {}, element("code", {}, start === id ? `—[${type}]→` : `←[${type}]—`), ` ${cut(names.get(start === id ? end : start)?.name ?? "", 200)}`),
          ),
        ),
      );
      context.report(`${cut(node.name, 100)}, ${cut(node.label, 100)}: ${counted(links.length, "relationship")}.`);
    },
  });
  keep(drawnMatches);
  return [element("div", { class: "split" }, drawnMatches.frame, details)];
}
