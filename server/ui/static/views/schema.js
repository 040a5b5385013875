/** The schema as a picture; a click on a label shows its counts, the fill of its properties and their common values. */

import { count, counted, cut, element } from "../dom.js";
import { picture } from "../picture.js";

const AGAIN_MILLISECONDS = 1500;
const MOST_ASKED = 200;

export async function show(place, context) {
  const { graph, parameters, read, remember, report, failed, signal } = context;
  place.append(element("h1", {}, graph === null ? "Schema" : `Schema of ${graph}`));
  let schema = await read("schema", { graph });
  const note = element("p", { class: "quiet" });
  const drawing = element("div");
  const details = element("section", { class: "details", "aria-label": "Details", "aria-live": "polite" });
  place.append(note, element("div", { class: "split" }, drawing, details));
  let shown = null;

  function draw() {
    shown?.stop();
    const { labels, patterns } = schema;
    note.textContent = `${counted(labels.length, "label")}, ${counted(patterns.length, "pattern")}. Choose a label for its properties.${
      schema.expected && !schema.statistics ? " Figures are being collected." : ""
    }`;
    shown = picture(schema.picture, { label: "Schema", boxes: schema.boxes, choose });
    drawing.replaceChildren(shown.frame);
    const listed = element(
      "p",
      { class: "chips" },
      labels.map((label) => element("button", { type: "button", onclick: () => choose(label.name) }, cut(label.name, 60))),
    );
    drawing.append(listed);
  }

  function choose(name) {
    const label = schema.labels.find((known) => known.name === name);
    if (!label) return;
    remember({ label: name });
    details.replaceChildren(...about(label, schema, context));
  }

  draw();
  choose(parameters.get("label"));
  report(`The schema has ${counted(schema.labels.length, "label")}.`);
  collectFigures();
  return () => shown?.stop();

  /** Ask for the figures until they have been collected, a bounded number of times. */
  async function collectFigures() {
    try {
      for (let asked = 0; schema.expected && !schema.statistics && asked < MOST_ASKED; asked += 1) {
        await new Promise((done) => setTimeout(done, AGAIN_MILLISECONDS));
        if (signal.aborted) return;
        const newer = await read("schema", { graph });
        if (newer.statistics) {
          schema = newer;
          draw();
          choose(new URLSearchParams(location.hash.split("?")[1] ?? "").get("label"));
        }
      }
    } catch (error) {
      failed(error);
    }
  }
}

function about(label, schema, { graph, address }) {
  const variable = label.name[0]?.toLowerCase().match(/[a-z]/)?.[0] ?? "n";
  const query = `MATCH (${variable}:${label.quoted})\nRETURN ${variable} LIMIT 25`;
  const touching = schema.patterns.filter((pattern) => pattern.start === label.name || pattern.end === label.name);
  return [
    element("h2", {}, cut(label.name, 200)),
    label.description ? element("p", {}, label.description) : null,
    element("p", {}, `Nodes: ${count(label.count)}.`, label.namesakes ? ` ${count(label.namesakes)} share their name with another.` : ""),
    element("p", {}, element("a", { href: address("query", graph, { q: query }) }, "Query these nodes")),
    element("h3", {}, "Properties"),
    properties(label.properties.filter(({ name }) => !label.reserved.includes(name)), label.naming),
    element("h3", {}, "Relationships"),
    element("ul", { class: "plain" }, touching.map((pattern) => relationship(pattern, label.name))),
  ].filter(Boolean);
}

function relationship(pattern, label) {
  const direction = pattern.symmetric ? ["—", "—"] : ["—", "→"];
  return element(
    "li",
    {},
    element("code", {}, `(${pattern.start === label ? "" : pattern.start})${direction[0]}[${pattern.type}]${direction[1]}(${pattern.end === label ? "" : pattern.end})`),
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
  const meter = element("meter", { min: 0, max: 1, value: share, "aria-label": "Share of nodes with a value" });
  const range = least !== null && greatest !== null ? `, ${cut(least, 30)} to ${cut(greatest, 30)}` : "";
  const different = distinct === null ? "" : `, ${count(distinct)} distinct`;
  return element("div", { class: "fill" }, meter, ` ${(100 * share).toFixed(share > 0.995 && share < 1 ? 2 : 0)} % filled${different}${range}`);
}
