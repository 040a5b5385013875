/** Entity search as you type: for each candidate how it matched, and the verdict on the whole mention. */

import { counted, cut, element } from "../dom.js";

const MODES = [
  ["auto", "spelling, then meaning"],
  ["fuzzy", "spelling alone"],
  ["vector", "meaning alone"],
];
const REASONS = {
  exact: "the same text",
  alias: "one of its other names",
  fuzzy: "a similar spelling",
  vector: "a similar meaning",
};
const VERDICTS = {
  found: "Found: this is the entity.",
  ambiguous: "Ambiguous: several entities may be meant.",
  not_found: "Not found: no node has this name. The candidates are only the nearest names.",
};

export async function show(place, context) {
  const { graph, parameters, call, read, remember, report, focus, failed, signal } = context;
  const mention = element("input", { type: "search", id: "mention", autocomplete: "off", spellcheck: "false", maxlength: 1000, value: parameters.get("q") ?? "" });
  const label = element("select", { id: "label" }, element("option", { value: "" }, "every label"));
  const mode = element("select", { id: "mode" }, MODES.map(([value, title]) => element("option", { value }, title)));
  const results = element("div", { id: "results" });
  place.append(
    element("h1", {}, graph === null ? "Search" : `Search in ${graph}`),
    element(
      "form",
      { class: "row", role: "search", onsubmit: (event) => event.preventDefault() },
      element("label", { class: "wide" }, "Name ", mention),
      element("label", {}, "Label ", label),
      element("label", {}, "By ", mode),
    ),
    results,
  );
  focus(mention);
  const { labels } = await read("schema", { graph });
  label.append(...labels.map(({ name }) => element("option", { value: name, selected: name === parameters.get("label") }, cut(name, 60))));

  let searching = false;
  let waiting = false;
  async function search() {
    if (searching) {
      waiting = true;
      return;
    }
    searching = true;
    do {
      waiting = false;
      const text = mention.value.trim();
      remember({ q: text, ...(label.value ? { label: label.value } : {}) });
      if (!text) {
        results.replaceChildren();
        continue;
      }
      try {
        const answer = await call("find_entities", {
          mentions: [text],
          graph,
          mode: mode.value,
          limit: 10,
          ...(label.value ? { label: label.value } : {}),
        });
        results.replaceChildren(...shownMention(answer.mentions[0], context), ...(answer.warning ? [element("p", { class: "quiet" }, answer.warning)] : []));
        const [{ verdict, candidates }] = answer.mentions;
        report(`${VERDICTS[verdict]} ${counted(candidates.length, "candidate")}${candidates.length ? `, first ${cut(candidates[0].name, 100)}` : ""}.`);
      } catch (error) {
        failed(error);
      }
    } while (waiting && !signal.aborted);
    searching = false;
  }
  for (const control of [mention, label, mode]) control.addEventListener("input", search);
  if (mention.value) await search();
}

/** Return the elements for the verdict on a mention and its candidates. */
export function shownMention({ mention, verdict, candidates, same_name: same }, { address, graph }) {
  return [
    element("p", { class: `verdict ${verdict}` }, element("strong", {}, cut(mention, 200)), ` ${VERDICTS[verdict]}`, same > 1 ? ` ${same} entities have this name.` : ""),
    element("ol", { class: "candidates" }, candidates.map((candidate) => shownCandidate(candidate, address, graph))),
  ];
}

function shownCandidate({ name, label, property, score, match, description, cypher, matched, relationships = [] }, address, graph) {
  const pattern = cypher;
  const query = `MATCH ${pattern}\nRETURN n`;
  return element(
    "li",
    {},
    element("div", {}, element("strong", {}, cut(name, 300)), " ", element("span", { class: "tag" }, cut(label, 60))),
    element(
      "div",
      { class: "quiet" },
      `${REASONS[match]}${matched ? `, “${cut(matched, 100)}”` : ""}, in the property ${property}; score ${score.toFixed(2)}`,
    ),
    description ? element("div", {}, cut(description, 300)) : null,
    relationships.length ? element("ul", { class: "plain" }, relationships.map((text) => element("li", {}, element("code", {}, cut(text, 200))))) : null,
    pattern
      ? element("div", { class: "pattern" }, element("code", {}, cut(pattern, 300)), " ", element("a", { href: address("query", graph, { q: query }), "aria-label": `Query this node: ${cut(name, 100)}` }, "Query this node"))
      : null,
  );
}
