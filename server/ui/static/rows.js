/** The answer to a query: its rows as a table, the graph behind the rows, and further rows of a truncated answer. */

import { chart } from "./chart.js";
import { atWork, count, counted, cut, element, isAtWork } from "./dom.js";
import { pattern } from "./pattern.js";
import { table } from "./table.js";
import { isElement, textOf } from "./values.js";

const PAGE = 10_000;
const MOST_EXPANDED = 50;

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
  const shown = table({ columns: answer.columns, rows, name: `${graph ?? "rows"}-rows`, report, addressOf: (node) => context.address("query", graph, queryFor(node)) });
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
      const [{ drawing: drawGraph, graphIn }, { labels }] = await Promise.all([import("./drawing.js"), read("schema", { graph })]);
      const naming = (names) => labels.find(({ name, naming: key }) => key && names.includes(name))?.naming;
      const found = graphIn(await rowsToDraw(), naming);
      if (!place.isConnected) return;
      drawing?.stop();
      drawing = null;
      if (!found.nodes.length) behind.replaceChildren(element("p", {}, "The rows come from no nodes that could be drawn."));
      else behind.replaceChildren((drawing = drawGraph(found, { label: "Nodes and relationships of the rows", report, details: (node) => factsOn(node, labels), expand: (node) => expanded(node, graphIn, naming), chosen: ({ name, label }, links) => report(`${cut(name, 100)}, ${cut(label, 100)}: ${counted(links.length, "relationship")}.`) })).frame);
      report(found.nodes.length ? `Drawn: ${counted(found.nodes.length, "node")}.` : "The rows come from nothing that can be drawn.");
    } catch (error) {
      context.failed(error);
    } finally {
      atWork(draw, false);
    }
  }

  /** Return the rows if they hold nodes or relationships, else the same rows with those that they come from. */
  async function rowsToDraw() {
    if (rows.some((row) => row.some(isElement))) return rows;
    const all = [];
    for (const each of await read("drawn", { graph, query, ...(parameters ? { parameters } : {}) })) {
      const most = Math.max(1, Math.min(limit, rows.length));
      all.push(...(await call("execute_cypher", { query: each, graph, limit: most, ...(timeout ? { timeout_s: timeout } : {}), ...(parameters ? { parameters } : {}) })).rows);
    }
    return all;
  }

  function factsOn({ name, label, labels: all, key, properties = {} }, known) {
    if (key === undefined) return [element("p", {}, `Nodes with the label ${cut(label, 100)}.`)];
    const reserved = new Set(known.filter((each) => all.includes(each.name)).flatMap((each) => each.reserved));
    const shownProperties = Object.entries(properties).filter(([each]) => !reserved.has(each));
    return [
      element("p", {}, all.map((each) => element("span", { class: "tag" }, cut(each, 100)))),
      element("dl", { class: "facts" }, shownProperties.map(([each, value]) => [element("dt", {}, cut(each, 100)), element("dd", {}, cut(textOf(value), 1000))])),
      element("p", {}, element("a", { href: context.address("query", graph, queryFor({ labels: all, id: key })), "aria-label": `Query this node: ${cut(name, 100)}` }, "Query this node")),
    ];
  }

  async function expanded({ labels: all, key }, graphIn, naming) {
    try {
      const { q, p } = queryFor({ labels: all, id: key });
      const answered = await call("execute_cypher", { query: q.replace("RETURN n", `MATCH (n)-[r]-(m)\nRETURN n, r, m LIMIT ${MOST_EXPANDED}`), graph, limit: MOST_EXPANDED, parameters: JSON.parse(p) });
      return graphIn(answered.rows, naming);
    } catch (error) {
      context.failed(error);
      return null;
    }
  }

  more.addEventListener("click", () => readOn(rows.length + limit).catch(context.failed));
  say();
  const figure = rows.length && !truncated ? chart(answer.columns, rows) : null;
  place.replaceChildren(figures, ...(rows.length ? [shown.frame] : []), element("p", { class: "row" }, more, draw), ...(figure ? [figure] : []), behind);
  if (!rows.length) {
    draw.hidden = true;
    read("pattern", { graph, query, ...(parameters ? { parameters } : {}) }).then(
      (found) => found !== null && place.isConnected && behind.replaceChildren((drawing = pattern(found)).frame),
      context.failed,
    );
  }
  report(`${counted(rows.length, "row")}.`);
  if (truncated && cursor) await readOn(limit);
  else if (rows.some((row) => row.some(isElement))) await drawMatches();
  return () => {
    shown.stop();
    drawing?.stop();
  };
}

/** Return the address parameters of a query for one node: `{ q: "MATCH (n:Team) WHERE elementId(n) = $id RETURN n", p: … }`. */
function queryFor({ labels, id }) {
  const label = labels?.length ? `:${/^[\p{L}_][\p{L}\p{N}_]*$/u.test(labels[0]) ? labels[0] : `\`${labels[0].replaceAll("`", "``")}\``}` : "";
  return { q: `MATCH (n${label}) WHERE elementId(n) = $id\nRETURN n`, p: JSON.stringify({ id }) };
}
