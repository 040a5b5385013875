/**
 * A drawing of nodes and relationships, to zoom, drag, hide and expand: Cytoscape.js places them by forces.
 *
 * `drawing({ nodes: [{ id, label, name }], links: [{ start, end, type }] }, { label, details, expand })` returns
 * `{ frame, mark, add, stop }`. `details(node, links)` returns the elements of the panel beside the drawing, and
 * `expand(node)` more nodes and links. More than 300 nodes are drawn as one circle for each label.
 */

import { counted, cut, element } from "./dom.js";
import { cytoscape } from "./libraries/graph.js";

const COLOURS = ["#2b5fa8", "#2f7d5b", "#94600f", "#6b5ca5", "#b3402f", "#2a7780", "#7a6a4f", "#a3487c"];
const [MOST_NODES, MOST_AT_REQUEST] = [300, 1_000];
const STEP = 1.25;
const [LEAST, MOST] = [0.05, 5];
/** On a narrow screen, the least scale at which a drawing is first shown as a whole, and the scale of one in part. */
const [OVERVIEW, READABLE, LARGEST] = [0.8, 0.9, 1.3];
const MOVED_PIXELS = 40;
const NARROW = 640;
const WAYS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Return the nodes and links in the values of rows: `graphIn(rows, naming)`; `naming(labels)` is the property that names a node. */
export function graphIn(rows, naming) {
  const nodes = new Map();
  const links = new Map();
  const take = (value) => {
    if (value === null || typeof value !== "object") return;
    if (Array.isArray(value)) value.forEach(take);
    else if (Array.isArray(value.nodes) && Array.isArray(value.relationships)) [...value.nodes, ...value.relationships].forEach(take);
    else if (Array.isArray(value.labels) && value.id !== undefined) nodes.set(String(value.id), nodeOf(value, naming));
    else if (value.type !== undefined && value.start !== undefined && value.end !== undefined)
      links.set(String(value.id), { ...value, id: String(value.id), start: String(value.start), end: String(value.end) });
  };
  rows.forEach(take);
  return { nodes: [...nodes.values()], links: [...links.values()].filter(({ start, end }) => nodes.has(start) && nodes.has(end)) };
}

function nodeOf({ id, labels, properties = {} }, naming) {
  const key = [naming(labels), "name", "title"].find((each) => each && properties[each] !== undefined && properties[each] !== null);
  return { id: String(id), key: id, labels, label: labels[0] ?? "", properties, name: key === undefined ? String(id) : String(properties[key]) };
}

/** Return the graph with one node for each label: `Player (403)`. */
function aggregated({ nodes, links }) {
  const groups = new Map();
  for (const node of nodes) groups.set(node.label, [...(groups.get(node.label) ?? []), node]);
  const labelOf = new Map(nodes.map(({ id, label }) => [id, label]));
  const between = new Map();
  for (const { start, end, type } of links) {
    const key = JSON.stringify([labelOf.get(start), type, labelOf.get(end)]);
    between.set(key, (between.get(key) ?? 0) + 1);
  }
  return {
    nodes: [...groups].map(([label, members]) => ({ id: label, label, name: `${label} (${members.length})`, members })),
    links: [...between].map(([key, times]) => {
      const [start, type, end] = JSON.parse(key);
      return { id: key, start, end, type: `${type} (${times})` };
    }),
  };
}

export function drawing(graph, { label, details = () => [], expand = null, first = null, chosen = () => {}, report = () => {} }) {
  const canvas = element("div", { class: "canvas", tabindex: 0, role: "application", "aria-label": `${label}: arrow keys move it, plus and minus zoom, 0 shows all` });
  const panel = element("section", { class: "details", "aria-label": "The chosen node", tabindex: -1 });
  const legend = element("div", { class: "chips", role: "group", "aria-label": "Labels: press to hide or show" });
  const finder = element("select", { "aria-label": "Find a node", onchange: () => finder.value && select(finder.value, true) });
  const caption = element("select", { "aria-label": "Caption of the nodes", onchange: restyle });
  const note = element("p", { class: "quiet", hidden: true });
  const frame = element(
    "div",
    { class: "split" },
    element(
      "div",
      { class: "picture" },
      element(
        "div",
        { class: "tools", role: "group", "aria-label": "Drawing" },
        finder,
        caption,
        element("button", { type: "button", "aria-label": "Zoom in", onclick: () => zoom(STEP) }, "+"),
        element("button", { type: "button", "aria-label": "Zoom out", onclick: () => zoom(1 / STEP) }, "−"),
        element("button", { type: "button", "aria-label": "Show all", onclick: fit }, "all"),
        element("button", { type: "button", "aria-label": "Arrange again", onclick: () => arrange(false) }, "arrange"),
      ),
      note,
      canvas,
      legend,
    ),
    panel,
  );
  const hiddenLabels = new Set();
  let whole = graph;
  let shown = graph;
  let everyNode = false;
  let touched = false; // after the user has moved or zoomed the drawing, resizing the window keeps the place and the scale
  let before = null;
  let fingersApart = 1;
  const cy = cytoscape({ container: canvas, layout: { name: "preset" }, minZoom: LEAST, maxZoom: MOST, userZoomingEnabled: false, selectionType: "single", boxSelectionEnabled: false, pixelRatio: "auto", textureOnViewport: graph.nodes.length > 150 });
  canvas.cy = cy; // for tests and for the console

  function colourOf(name) {
    const names = [...new Set(shown.nodes.map((node) => node.label))].sort();
    return COLOURS[names.indexOf(name) % COLOURS.length];
  }

  function captionOf(node) {
    const value = caption.value && node.properties ? node.properties[caption.value] : node.name;
    return cut(String(value ?? node.name), 60);
  }

  function restyle() {
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const [text, quiet, page, accent] = ["--text", "--quiet", "--page", "--accent"].map(colour);
    for (const node of cy.nodes()) node.data({ caption: captionOf(node.data("node")), colour: colourOf(node.data("node").label) });
    cy.style([
      { selector: "node", style: { label: "data(caption)", "background-color": "data(colour)", width: "data(size)", height: "data(size)", color: text, "font-size": 12, "font-family": "ui-sans-serif, system-ui, sans-serif", "text-valign": "bottom", "text-margin-y": 3, "text-wrap": "wrap", "text-max-width": 130, "text-background-color": page, "text-background-opacity": 0.75, "min-zoomed-font-size": 5, "overlay-opacity": 0 } },
      { selector: "edge", style: { label: "data(type)", width: 1.5, "line-color": quiet, "target-arrow-color": quiet, "target-arrow-shape": "data(head)", "curve-style": "bezier", color: quiet, "font-size": 10, "text-rotation": "autorotate", "text-background-color": page, "text-background-opacity": 0.85, "min-zoomed-font-size": 6, "overlay-opacity": 0 } },
      { selector: "node:selected", style: { "border-width": 4, "border-color": accent, "font-weight": "bold" } },
      { selector: "node:selected, .near", style: { "z-index": 9 } },
      { selector: "edge.near", style: { width: 3, color: text } },
      { selector: ".hidden", style: { display: "none" } },
    ]).update();
  }

  /** Put the elements of the shown graph into the drawing, and remove the others. */
  function fill() {
    shown = whole.nodes.length > (everyNode ? MOST_AT_REQUEST : MOST_NODES) ? aggregated(whole) : whole;
    note.hidden = shown === whole;
    note.replaceChildren(
      `${counted(whole.nodes.length, "node")} are drawn as one circle for each label. Choose a circle to see its nodes. `,
      whole.nodes.length <= MOST_AT_REQUEST ? element("button", { type: "button", onclick: drawEvery }, "Draw every node") : "",
    );
    const degree = new Map();
    for (const { start, end } of shown.links) for (const id of [start, end]) degree.set(id, (degree.get(id) ?? 0) + 1);
    const present = new Set(shown.nodes.map(({ id }) => id));
    cy.nodes().filter((node) => !present.has(node.id())).remove();
    cy.add(
      shown.nodes
        .filter(({ id }) => cy.getElementById(id).empty())
        .map((node) => ({ group: "nodes", classes: hiddenLabels.has(node.label) ? "hidden" : "", data: { id: node.id, node, caption: "", colour: "", size: 22 + 4 * Math.min(6, Math.log2(1 + (node.members?.length ?? degree.get(node.id) ?? 0))) } })),
    );
    cy.add(
      shown.links
        .map((link, number) => ({ group: "edges", data: { id: `link ${link.id ?? number}`, source: link.start, target: link.end, type: cut(link.type, 60), head: link.symmetric ? "none" : "triangle" } }))
        .filter(({ data }) => cy.getElementById(data.id).empty()),
    );
    const options = [...shown.nodes].sort((one, other) => one.name.localeCompare(other.name));
    finder.replaceChildren(element("option", { value: "" }, "find a node…"), ...options.map(({ id, name }) => element("option", { value: id }, cut(name, 60))));
    const kept = caption.value;
    const keys = [...new Set(shown.nodes.flatMap(({ properties = {} }) => Object.keys(properties)))].sort();
    caption.hidden = !keys.length;
    caption.replaceChildren(element("option", { value: "" }, "caption: name"), ...keys.map((key) => element("option", { value: key, selected: key === kept }, `caption: ${cut(key, 40)}`)));
    const labels = Map.groupBy ? Map.groupBy(shown.nodes, (node) => node.label) : new Map(shown.nodes.map((node) => [node.label, [node]]));
    legend.hidden = labels.size < 2;
    legend.replaceChildren(...[...labels.keys()].sort().map(chip));
    restyle();
  }

  function drawEvery() {
    everyNode = true;
    panel.replaceChildren();
    fill();
    arrange(true);
    canvas.focus();
    report(`Drawn: ${counted(shown.nodes.length, "node")}.`);
  }

  /** Return the button that hides the nodes of a label. */
  function chip(name) {
    const dot = element("span", { class: "dot" });
    dot.style.backgroundColor = colourOf(name);
    const button = element("button", { type: "button", "aria-pressed": String(!hiddenLabels.has(name)), onclick: () => toggle(name, button) }, dot, ` ${cut(name || "no label", 60)}`);
    return button;
  }

  function toggle(name, button) {
    if (!hiddenLabels.delete(name)) hiddenLabels.add(name);
    button.setAttribute("aria-pressed", String(!hiddenLabels.has(name)));
    cy.nodes().filter((node) => node.data("node").label === name).toggleClass("hidden", hiddenLabels.has(name));
    report(`${cut(name, 60)}: ${hiddenLabels.has(name) ? "hidden" : "shown"}.`);
  }

  /** Place the nodes; those that are already placed stay near their places unless `anew`. */
  function arrange(anew) {
    const many = cy.nodes().length;
    cy.layout({ name: "fcose", animate: false, fit: false, randomize: anew, quality: many > 150 ? "default" : "proof", nodeDimensionsIncludeLabels: true, idealEdgeLength: 110, nodeSeparation: 110, nodeRepulsion: 9000, packComponents: false }).run();
    begin();
  }

  function fit() {
    cy.fit(cy.elements(":visible"), 24);
    if (cy.zoom() > LARGEST) {
      cy.zoom(LARGEST);
      cy.center(cy.elements(":visible"));
    }
  }

  /** Show the whole drawing if it is readable, else the part around a node. */
  function begin() {
    if (!canvas.clientWidth) return;
    cy.resize();
    fit();
    if (cy.zoom() >= OVERVIEW || innerWidth > NARROW) return;
    const start = cy.$("node:selected")[0] ?? (first === null ? undefined : cy.getElementById(first)[0]) ?? cy.nodes().max((node) => node.degree()).ele;
    if (!start) return;
    cy.zoom(READABLE);
    cy.center(start);
  }

  function zoom(factor, position = { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 }) {
    touched = true;
    cy.zoom({ level: Math.max(LEAST, Math.min(MOST, cy.zoom() * factor)), renderedPosition: position });
  }

  /** Zoom by two fingers, around the middle between them; Cytoscape takes two near fingers for a menu. */
  function pinch(event) {
    if (event.touches.length !== 2) return;
    event.stopPropagation();
    event.preventDefault();
    const [one, other] = event.touches;
    const apart = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    const { left, top } = canvas.getBoundingClientRect();
    if (event.type === "touchmove") zoom(apart / fingersApart, { x: (one.clientX + other.clientX) / 2 - left, y: (one.clientY + other.clientY) / 2 - top });
    fingersApart = apart;
  }

  function select(id, centre = false) {
    const node = cy.getElementById(id);
    if (node.empty()) return;
    cy.elements().unselect().removeClass("near");
    node.select();
    node.connectedEdges().addClass("near");
    if (centre) cy.center(node);
    finder.value = id;
    show(node.data("node"));
  }

  function show(node) {
    const links = shown.links.filter(({ start, end }) => start === node.id || end === node.id);
    const names = new Map(shown.nodes.map(({ id, name }) => [id, name]));
    const buttons = node.members
      ? []
      : [
          expand ? element("button", { type: "button", onclick: () => grow(node) }, "Expand") : null,
          details.hides === false ? null : element("button", { type: "button", onclick: () => hide(node) }, "Hide"),
        ];
    panel.replaceChildren(
      element("h2", {}, cut(node.name, 300)),
      ...details(node, links),
      element("p", { class: "row" }, buttons),
      node.members ? element("ul", { class: "plain" }, node.members.slice(0, 100).map(({ name }) => element("li", {}, cut(name, 200)))) : "",
      ...(node.relationships === false
        ? []
        : [
            element(
              "ul",
              { class: "plain" },
              links.slice(0, 200).map(({ start, end, type }) => {
                const other = start === node.id ? end : start;
                return element("li", {}, element("code", {}, start === node.id ? `—[${type}]→` : `←[${type}]—`), " ", element("button", { type: "button", class: "other", onclick: () => select(other, true) }, cut(names.get(other) ?? "", 200)));
              }),
            ),
          ]),
    );
    chosen(node, links);
  }

  async function grow(node) {
    const more = await expand(node);
    if (more === null) return;
    const had = new Set(whole.nodes.map(({ id }) => id));
    const known = new Set(whole.links.map(({ id }) => id));
    const fresh = more.nodes.filter(({ id }) => !had.has(id));
    whole = { nodes: [...whole.nodes, ...fresh], links: [...whole.links, ...more.links.filter(({ id }) => !known.has(id))] };
    const at = cy.getElementById(node.id).position();
    fill();
    fresh.forEach(({ id }, number) => cy.getElementById(id).position({ x: at.x + 60 * Math.cos(number), y: at.y + 60 * Math.sin(number) }));
    if (fresh.length) arrange(false);
    select(shown === whole ? node.id : node.label);
    report(`${counted(fresh.length, "new node")}.`);
  }

  function hide(node) {
    cy.getElementById(node.id).addClass("hidden").unselect();
    panel.replaceChildren();
    canvas.focus();
    report(`${cut(node.name, 100)}: hidden.`);
  }

  cy.on("tap", "node", ({ target }) => select(target.id()));
  cy.on("dbltap", "node", ({ target }) => expand && !target.data("node").members && grow(target.data("node")));
  cy.on("dragpan pinchzoom scrollzoom", () => { touched = true; });
  // While a node is dragged, only it and its relationships are drawn again: Cytoscape would draw all elements in each
  // frame until its textures are complete, which takes 60 ms and more for 500 nodes.
  const renderer = cy.renderer();
  const { redrawHint } = renderer;
  cy.on("drag", () => { renderer.redrawHint = (layer, wanted) => layer === "eles" || redrawHint.call(renderer, layer, wanted); });
  cy.on("free", () => {
    renderer.redrawHint = redrawHint;
    cy.forceRender();
  });
  canvas.addEventListener("focus", () => cy.userZoomingEnabled(true));
  canvas.addEventListener("blur", () => cy.userZoomingEnabled(false));
  canvas.addEventListener("pointerdown", () => canvas.focus({ preventScroll: true }));
  canvas.addEventListener("touchstart", pinch, { capture: true, passive: false });
  canvas.addEventListener("touchmove", pinch, { capture: true, passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = WAYS[event.key];
    if (way) cy.panBy({ x: way[0] * MOVED_PIXELS, y: way[1] * MOVED_PIXELS });
    else if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") fit();
    else return;
    touched = touched || event.key !== "0";
    event.preventDefault();
  });
  const sizes = new ResizeObserver(() => {
    const now = `${canvas.clientWidth} ${canvas.clientHeight}`;
    if (now === before || !canvas.clientWidth) return;
    const begun = before !== null;
    before = now;
    cy.resize();
    if (!begun) arrange(true);
    else if (!touched) begin();
  });
  fill();
  sizes.observe(canvas);
  DARK.addEventListener("change", restyle);
  return {
    frame,
    mark: (id) => select(id),
    stop() {
      sizes.disconnect();
      DARK.removeEventListener("change", restyle);
      cy.destroy();
    },
  };
}
