/** The graphs: size, kind of database, and whether it can be reached. */

import { count, counted, cut, element } from "../dom.js";

const AGAIN_MILLISECONDS = 3000;

export async function show(place, { graphs, address, read, report, failed, signal }) {
  place.append(element("h1", {}, "Graphs"));
  if (!graphs.length) {
    place.append(element("p", {}, "No graph is open. Load one with ", element("code", {}, "graphground graphs load FILE"), "."));
    return;
  }
  const cards = new Map(graphs.map((graph) => [graph.name, card(graph, address)]));
  place.append(element("ul", { class: "cards" }, [...cards.values()].map(({ item }) => item)));
  report(counted(graphs.length, "graph"));
  let problems = "";
  const look = async () => {
    const away = [];
    for (const state of await read("health")) {
      const shown = cards.get(state.name);
      if (shown === undefined) continue;
      shown.health.className = `health ${state.problem ? "bad" : "good"}`;
      shown.health.replaceChildren(...sentencesOn(state).map((line) => element("p", {}, line)));
      if (state.problem) away.push(cut(state.name, 60));
    }
    if (away.join() === problems) return;
    problems = away.join();
    report(away.length ? `Not available: ${away.join(", ")}.` : "All graphs are available.");
  };
  await look();
  const timer = setInterval(() => document.hidden || look().catch(failed), AGAIN_MILLISECONDS);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function card(graph, address) {
  const health = element("div", { class: "health" }, "…");
  const links = [
    ["schema", "Schema"],
    ["search", "Search"],
    ["query", "Query"],
    ["question", "Question"],
  ].map(([view, title]) => element("a", { href: address(view, graph.name), "aria-label": `${title} of ${graph.name}` }, title));
  const item = element(
    "li",
    {},
    element("h2", {}, graph.name),
    graph.description ? element("p", {}, graph.description) : null,
    element(
      "dl",
      {},
      [
        ["Nodes", count(graph.nodes)],
        ["Relationships", count(graph.relationships)],
        ["Database", graph.engine],
      ].map(([key, value]) => element("div", {}, element("dt", {}, key), element("dd", {}, value))),
    ),
    health,
    element("p", { class: "links" }, links),
  );
  return { item, health };
}

/** Return a graph's state in sentences. */
function sentencesOn({ problem, opened, index, statistics, write_protected: refuses }) {
  if (problem) return [`Not available: ${problem}`];
  return [
    opened ? "Available, and open." : "Available; opened when it is first used.",
    index ? `Entity index of ${counted(index, "text")}: names, aliases and other values.` : null,
    statistics === false ? "Statistics are being collected." : null,
    refuses === true ? "The database itself refuses writes." : null,
    refuses === false ? "The database would accept writes: this server alone refuses them." : null,
  ].filter(Boolean);
}
