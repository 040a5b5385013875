/** Facts about a label: its counts, its properties with their fill and common values, and its relationships. */

import { count, cut, element } from "./dom.js";

/** Return the elements that describe a label; `choose(name)` is called when the user chooses the label at the other end of a pattern. */
export function about(label, schema, { graph, address }, choose) {
  const variable = label.name[0]?.toLowerCase().match(/[a-z]/)?.[0] ?? "n";
  const query = `MATCH (${variable}:${label.quoted})\nRETURN ${variable} LIMIT 25`;
  return [
    label.description ? element("p", {}, label.description) : null,
    element("p", {}, `Nodes: ${count(label.count)}.`, label.namesakes ? ` ${count(label.namesakes)} share their name with another node.` : ""),
    element("p", {}, element("a", { href: address("query", graph, { q: query }), "aria-label": `Query these nodes: ${cut(label.name, 100)}` }, "Query these nodes")),
    element("h3", {}, "Properties"),
    properties(label.properties.filter(({ name }) => !label.reserved.includes(name)), label.naming),
    element("h3", {}, "Relationships"),
    element("ul", { class: "plain" }, touching(label, schema).map((pattern) => relationship(pattern, label.name, choose))),
  ].filter(Boolean);
}

/** Return the patterns that begin or end at a label. */
export function touching(label, schema) {
  return schema.patterns.filter((pattern) => pattern.start === label.name || pattern.end === label.name);
}

/** Return the relationships of a label in one line: `playsFor → Team, ← receivesAward Player`. */
export function inShort(label, schema, most) {
  const patterns = touching(label, schema);
  const texts = patterns.slice(0, most).map(({ type, start, end, symmetric }) => {
    const parts = start === label.name ? [type, symmetric ? "—" : "→", end] : ["←", type, start];
    return parts.map((part) => cut(part, 40)).join("\u00a0"); // no line break before or after an arrow
  });
  return [...texts, ...(patterns.length > most ? [`and ${patterns.length - most} more`] : [])].join(", ");
}

function relationship(pattern, label, choose) {
  const direction = pattern.symmetric ? "—" : "→";
  const other = (name) =>
    name === label ? "" : element("button", { type: "button", class: "other", "aria-label": `Show ${cut(name, 100)}`, onclick: () => choose(name) }, cut(name, 100));
  return element(
    "li",
    {},
    element("code", {}, "(", other(pattern.start), `)—[${pattern.type}]${direction}(`, other(pattern.end), ")"),
    ` ${count(pattern.count)}`,
    pattern.properties.length ? properties(pattern.properties, null) : null,
  );
}

function properties(listed, naming) {
  if (!listed.length) return element("p", {}, "None.");
  return element(
    "ul",
    { class: "properties" },
    listed.map((property) =>
      element(
        "li",
        {},
        element("div", {}, element("code", {}, property.name), ` ${property.type}`, property.name === naming ? ", names the node" : ""),
        property.fill === undefined ? null : fill(property),
        property.common?.length
          ? element("div", { class: "samples" }, property.common.map(([value, times]) => element("span", {}, `${cut(value ?? "null", 60)}${times > 1 ? ` ×${count(times)}` : ""}`)))
          : null,
      ),
    ),
  );
}

function fill({ fill: share, distinct, least, greatest }) {
  const meter = element("meter", { min: 0, max: 1, value: share, "aria-label": "Share with a value" });
  const range = least !== null && greatest !== null ? `, ${cut(least, 30)} to ${cut(greatest, 30)}` : "";
  const different = distinct === null ? "" : `, ${count(distinct)} distinct`;
  return element("div", { class: "fill" }, meter, ` ${(100 * share).toFixed(share > 0.995 && share < 1 ? 2 : 0)} % filled${different}${range}`);
}
