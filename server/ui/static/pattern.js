/**
 * The pattern of a query whose answer is empty: each path as a chain, from left to right or, on a narrow screen, from
 * top to bottom, with the number of matches up to each point and a mark on the part that fails.
 */

import { count, cut, drawn, element } from "./dom.js";

const LETTER = 7.9; // the width in pixels of a letter of the monospaced font at 13 pixels
const LONGEST = 30;
const PADDING = 14;
const LINE = 20;
const LINK = 56; // the least length of an arrow
const GAP = 26; // pixels between two paths
const FOOT = 24; // for the count under a node

/** `pattern({ paths, conditions, most_counted })` returns `{ frame, stop }`; `stop()` ends the observers of the figure. */
export function pattern({ paths, conditions, most_counted: most }) {
  const canvas = element("div", { class: "chain" });
  const points = [...paths.flat(), ...conditions];
  const failing = points.filter((point) => point.failing);
  const summary = failing.length
    ? `Nothing matches at ${failing.map(name).join(" and ")}.`
    : "The pattern matches nothing; the part that fails was not found.";
  const frame = element(
    "figure",
    { class: "pattern-figure" },
    element("figcaption", {}, element("strong", {}, "Why no rows? "), summary),
    canvas,
    conditions.length
      ? element("p", { class: "conditions" }, "Conditions on the whole pattern: ", conditions.map((condition) => [element("code", { class: condition.failing ? "failing" : null }, `${condition.failing ? "✕ " : ""}${cut(condition.text, 200)}`), " "]))
      : null,
    element(
      "details",
      {},
      element("summary", {}, "The counts as text"),
      element("ol", {}, points.map((point) => element("li", {}, `${name(point)}: ${countsInWords(point, most)}`))),
    ),
  );
  const make = (upright) => {
    canvas.replaceChildren(picture(paths, upright, most, summary));
    return Number(canvas.firstChild.getAttribute("width"));
  };
  let shown = null;
  const fit = () => {
    const room = canvas.clientWidth;
    if (room === 0 || room === shown) return;
    shown = room;
    if (make(false) > room) make(true);
  };
  const sizes = new ResizeObserver(fit);
  sizes.observe(canvas);
  return { frame, stop: () => sizes.disconnect() };
}

function name({ kind, text, filters, direction }) {
  const inside = cut([text, ...filters].filter(Boolean).join(", "), 200);
  if (kind === "node") return `(${inside})`;
  if (kind === "group") return inside;
  return `${direction === "left" ? "<" : ""}-[${inside}]-${direction === "right" ? ">" : ""}`;
}

/** Return the counts of a point in words. */
function countsInWords({ kind, alone, of, count: matches, failing }, most) {
  const parts = [];
  if (alone !== null) parts.push(of === null ? `alone: ${upTo(alone, most)}` : `alone: ${upTo(alone, most)} of ${upTo(of, most)}`);
  if (matches !== null) parts.push(`up to here: ${upTo(matches, most)} ${matches === 1 ? "match" : "matches"}`);
  if (failing) parts.push(kind === "node" ? "nothing matches here" : "leaves nothing");
  return parts.join("; ") || "not counted";
}

function upTo(number, most) {
  return number > most ? `more than ${count(most)}` : count(number);
}

/** Return the text under a node: the matches up to it, or those of the node alone if it was not counted up to here. */
function foot({ alone, of, count: matches }, most) {
  if (matches !== null) return `${upTo(matches, most)} ${matches === 1 ? "match" : "matches"} so far`;
  if (alone === null) return "";
  return of === null ? `alone: ${upTo(alone, most)}` : `${upTo(alone, most)} of ${upTo(of, most)}`;
}

function linesOf({ text, filters, kind }) {
  const title = text || (kind === "node" ? "any node" : "");
  return [title, ...filters].map((line) => cut(line.replace(/\s+/gu, " "), LONGEST));
}

function picture(paths, upright, most, label) {
  const chains = paths.map((path) => chain(path, upright, most));
  let [x, y, width, height] = [0, 0, 0, 0];
  const placed = chains.map((drawnChain) => {
    const group = drawn("g", { transform: `translate(${x} ${y})` }, drawnChain.parts);
    width = Math.max(width, x + drawnChain.width);
    height = Math.max(height, y + drawnChain.height);
    y += drawnChain.height + GAP;
    return group;
  });
  return drawn("svg", { role: "img", "aria-label": label, width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}` }, placed);
}

/** Return the elements of one path, and their size. */
function chain(path, upright, most) {
  const nodes = path.map((point) => {
    const lines = linesOf(point);
    const longest = Math.max(...lines.map((line) => Array.from(line).length), 3);
    const box = point.kind !== "relationship";
    return {
      point,
      lines,
      box,
      // the count under a node may be longer than its title
      width: box ? Math.max(longest, foot(point, most).length - 1) * LETTER + 2 * PADDING : longest * LETTER + LINK,
      height: lines.length * LINE + (box ? 14 : 0),
    };
  });
  const middle = Math.max(...nodes.map((item) => (item.box ? item.height / 2 : item.height + 8)), 20) + 2;
  const widest = Math.max(...nodes.map((item) => item.width));
  const parts = [];
  let at = 2;
  let low = 0;
  for (const item of nodes) {
    const { point, box } = item;
    const state = point.failing ? "failing" : point.count === 0 || (point.count === null && point.alone === null && point.kind !== "relationship") ? "unreached" : "reached";
    if (box) {
      const left = upright ? 2 : at;
      const top = upright ? at : middle - item.height / 2;
      parts.push(nodeBox(item, left, top, state, most));
      low = Math.max(low, top + item.height + FOOT);
      at += upright ? item.height + FOOT : item.width;
    } else if (upright) {
      const length = Math.max(item.height + 14, 44);
      parts.push(link(item, 2 + 28, at, 2 + 28, at + length, state, true));
      at += length;
    } else {
      parts.push(link(item, at, middle, at + item.width, middle, state, false));
      at += item.width;
    }
  }
  return { parts, width: upright ? widest + 60 : at + 2, height: upright ? at : low };
}

function nodeBox({ point, lines, width, height }, left, top, state, most) {
  const below = foot(point, most);
  return drawn(
    "g",
    { class: `point ${state}` },
    drawn("rect", { x: left, y: top, width, height, rx: 12 }),
    lines.map((line, number) => drawn("text", { class: number ? "filter" : "title", x: left + PADDING, y: top + 7 + LINE * number + 14 }, line)),
    below ? drawn("text", { class: "foot", x: left + PADDING, y: top + height + 17 }, `${state === "failing" ? "✕ " : ""}${below}`) : null,
  );
}

/** Return an arrow with its text above it, or to its right if the path runs down. */
function link({ point, lines, height }, x1, y1, x2, y2, state, upright) {
  const [start, end] = upright ? [y1 + 2, y2 - 2] : [x1 + 4, x2 - 4];
  const head = (place, way) =>
    upright ? `M${x1 - 5},${place - 8 * way} L${x1},${place} L${x1 + 5},${place - 8 * way}` : `M${place - 8 * way},${y1 - 5} L${place},${y1} L${place - 8 * way},${y1 + 5}`;
  const shaft = upright ? `M${x1},${start} L${x1},${end}` : `M${start},${y1} L${end},${y1}`;
  const heads = point.direction === "right" ? head(end, 1) : point.direction === "left" ? head(start, -1) : "";
  return drawn(
    "g",
    { class: `point link ${state}` },
    drawn("path", { d: `${shaft} ${heads}`.trim() }),
    lines.map((line, number) =>
      drawn(
        "text",
        {
          class: number ? "filter" : "title",
          x: upright ? x1 + 16 : (x1 + x2) / 2,
          y: upright ? (y1 + y2) / 2 + LINE * (number - (lines.length - 1) / 2) + 4 : y1 - height + LINE * number + 10,
          "text-anchor": upright ? "start" : "middle",
        },
        number === 0 && state === "failing" ? `✕ ${line}` : line,
      ),
    ),
  );
}
