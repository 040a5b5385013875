/** The schema as a picture or as a list; a label shows its counts, the fill of its properties and their common values. */

import { count, counted, cut, element } from "../dom.js";
import { about, inShort, touching } from "../label.js";

const AGAIN_MILLISECONDS = 1500;
const MOST_REQUESTS = 200;
const MOST_IN_SHORT = 8;
/** On a narrower screen, or with more labels, the schema is first shown as a list. */
const [LEAST_WIDTH, MOST_LABELS] = [600, 60];
const FORMS = { picture: "Picture", list: "List" };
let drawGraph = null; // its library is large, and a list does without it

export async function show(place, context) {
  const { graph, parameters, read, remember, report, failed, signal } = context;
  place.append(element("h1", {}, graph === null ? "Schema" : `Schema of ${graph}`));
  let schema = await read("schema", { graph });
  const note = element("p", { class: "quiet" });
  const drawing = element("div");
  let requestedForm = parameters.get("form");
  if (!(requestedForm in FORMS)) requestedForm = null;
  let form = requestedForm ?? ((place.clientWidth >= LEAST_WIDTH || schema.labels.length < 4) && schema.labels.length <= MOST_LABELS ? "picture" : "list");
  let chosen = parameters.get("label");
  const unfolded = new Set();
  let shown = null;
  const forms = Object.entries(FORMS).map(([name, title]) => element("button", { type: "button", "data-form": name, onclick: () => showAs(name) }, title));
  place.append(note, element("div", { class: "row", role: "group", "aria-label": "Form of the schema" }, forms), drawing);

  async function draw() {
    if (form === "picture") drawGraph ??= (await import("../drawing.js")).drawing;
    if (signal.aborted) return;
    const focused = drawing.contains(document.activeElement);
    shown?.stop();
    const { labels, patterns } = schema;
    const collecting = schema.expected && !schema.statistics ? " Statistics are being collected." : "";
    const numbers = `${counted(labels.length, "label")}, ${counted(patterns.length, "pattern")}.`;
    note.textContent = `${numbers} Choose a label to see its properties.${collecting}${schema.note ? ` ${schema.note}` : ""}`;
    for (const button of forms) button.setAttribute("aria-pressed", button.dataset.form === form);
    shown = form === "picture" ? asPicture() : asList();
    drawing.replaceChildren(...shown.made);
    if (labelNamed(chosen)) shown.choose(labelNamed(chosen));
    if (focused) drawing.querySelector("[tabindex='0'], summary")?.focus();
  }

  function asPicture() {
    const nodes = schema.labels.map(({ name, count: size }) => ({ id: name, label: name, name: size === null ? name : `${name} (${count(size)})`, relationships: false }));
    const links = schema.patterns.map(({ type, start, end, symmetric, count: size }) => ({ id: `${start} ${type} ${end}`, start, end, type: size === null ? type : `${type} (${count(size)})`, symmetric }));
    const known = new Set(schema.labels.map(({ name }) => name));
    const figure = drawGraph(
      { nodes, links: links.filter(({ start, end }) => known.has(start) && known.has(end)) },
      { label: "Schema", report, first: chosen, details: ({ id }) => about(labelNamed(id), schema, context, follow), chosen: ({ id }) => announce(labelNamed(id)) },
    );
    return { made: [figure.frame], stop: figure.stop, choose: ({ name }) => figure.mark(name), focus: () => drawing.querySelector(".details").focus() };
  }

  /** Show the labels as a list, with their relationships in short; each label unfolds. */
  function asList() {
    const items = new Map(schema.labels.map((label) => [label.name, folded(label)]));
    return {
      made: [element("ul", { class: "plain labels" }, [...items.values()].map((item) => element("li", {}, item)))],
      stop: () => {},
      choose: ({ name }) => {
        items.get(name).open = true;
      },
      focus: () => items.get(chosen).firstChild.focus(),
    };
  }

  function folded(label) {
    const content = element("div", { class: "about" });
    const item = element(
      "details",
      { open: unfolded.has(label.name) },
      element(
        "summary",
        {},
        element("h2", {}, cut(label.name, 200)),
        label.count === null ? "" : ` ${counted(label.count, "node")}`,
        element("span", { class: "quiet" }, inShort(label, schema, MOST_IN_SHORT)),
      ),
      content,
    );
    item.addEventListener("toggle", () => {
      if (!item.open) return unfolded.delete(label.name);
      unfolded.add(label.name);
      if (!content.hasChildNodes()) content.append(...about(label, schema, context, follow));
      announce(label);
    });
    return item;
  }

  function labelNamed(name) {
    return schema.labels.find((label) => label.name === name);
  }

  function announce(label) {
    chosen = label.name;
    remember(address());
    const properties = label.properties.filter(({ name }) => !label.reserved.includes(name)).length;
    const facts = [
      ...(label.count === null ? [] : [counted(label.count, "node")]),
      counted(properties, "property", "properties"),
      counted(touching(label, schema).length, "pattern"),
    ];
    report(`${cut(label.name, 100)}: ${facts.join(", ")}.`);
  }

  function address() {
    return { ...(labelNamed(chosen) ? { label: chosen } : {}), ...(requestedForm === null ? {} : { form: requestedForm }) };
  }

  function choose(name) {
    const label = labelNamed(name);
    if (!label) return;
    announce(label);
    shown.choose(label);
  }

  /** Choose the label at the other end of a relationship, and go to its details. */
  function follow(name) {
    choose(name);
    shown.focus();
  }

  function showAs(name) {
    form = requestedForm = name;
    remember(address());
    draw().catch(failed);
  }

  await draw();
  report(`The schema has ${counted(schema.labels.length, "label")}.`);
  update();
  return () => shown?.stop();

  /** Request the schema until it is current and its statistics have been collected, a bounded number of times. */
  async function update() {
    try {
      for (let tries = 0; (schema.note || (schema.expected && !schema.statistics)) && tries < MOST_REQUESTS; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLISECONDS));
        if (signal.aborted) return;
        const newer = await read("schema", { graph });
        if (newer.statistics !== schema.statistics || newer.note !== schema.note) {
          schema = newer;
          await draw();
        }
      }
    } catch (error) {
      failed(error);
    }
  }
}
