/**
 * A chart of rows where their columns allow one: bars for a text and a number, a line for two numbers of which the first
 * rises, a histogram for a column of numbers alone.
 */

import { count, cut, drawn, element } from "./dom.js";
import { textOf } from "./values.js";

const [MOST_BARS, MOST_POINTS, FEWEST_VALUES, BINS] = [40, 5_000, 12, 20];
const [WIDTH, BAR, HEIGHT, LETTER] = [640, 22, 240, 7.2];

/** Return a figure with the chart of these rows, or null if none fits. */
export function chart(columns, rows) {
  const numeric = columns.map((_, column) => rows.length > 1 && rows.every((row) => typeof row[column] === "number" && Number.isFinite(row[column])));
  const found = columns.length === 2 && numeric[1] ? pairs(columns, rows, numeric[0]) : columns.length === 1 && numeric[0] && rows.length >= FEWEST_VALUES ? histogram(columns, rows) : null;
  if (found === null) return null;
  const picture = drawn("svg", { role: "img", "aria-label": found.title, viewBox: `0 0 ${WIDTH} ${found.height}`, class: "chart" }, found.parts);
  return element("details", { class: "chart-figure", open: true }, element("summary", {}, found.title), picture);
}

function pairs(columns, rows, rising) {
  const sorted = rising && rows.every((row, place) => place === 0 || rows[place - 1][0] < row[0]);
  if (sorted && rows.length >= 3 && rows.length <= MOST_POINTS) return line(columns, rows);
  if (rising || rows.length > MOST_BARS || !rows.every((row) => ["string", "boolean"].includes(typeof row[0]))) return null;
  return bars(`${columns[1]} by ${columns[0]}`, rows.map(([name, value]) => [textOf(name), value]));
}

function bars(title, items) {
  const names = items.map(([name]) => cut(name, 34));
  const left = Math.max(...names.map((name) => name.length)) * LETTER + 12;
  const [least, most] = [Math.min(0, ...items.map(([, value]) => value)), Math.max(0, ...items.map(([, value]) => value))];
  const longest = Math.max(...items.map(([, value]) => count(value).length)) * LETTER + 8;
  const scale = (WIDTH - left - longest) / (most - least || 1);
  const zero = left - least * scale;
  const parts = items.map(([, value], place) => [
    drawn("text", { x: left - 8, y: place * BAR + 16, "text-anchor": "end" }, names[place]),
    drawn("rect", { x: Math.min(zero, zero + value * scale), y: place * BAR + 4, width: Math.max(1, Math.abs(value * scale)), height: BAR - 6, rx: 2 }),
    drawn("text", { class: "number", x: Math.max(zero, zero + value * scale) + 5, y: place * BAR + 16 }, count(value)),
  ]);
  return { title, height: items.length * BAR + 6, parts };
}

function line([across, up], rows) {
  const [xs, ys] = [0, 1].map((column) => rows.map((row) => row[column]));
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const left = Math.max(...[low, high].map((value) => count(value).length)) * LETTER + 10;
  const x = (value) => left + ((value - xs[0]) / (xs.at(-1) - xs[0] || 1)) * (WIDTH - left - 16);
  const y = (value) => 12 + (1 - (value - low) / (high - low || 1)) * (HEIGHT - 50);
  const points = rows.map(([one, other]) => `${x(one).toFixed(1)},${y(other).toFixed(1)}`);
  return {
    title: `${up} over ${across}`,
    height: HEIGHT,
    parts: [
      drawn("path", { class: "axis", d: `M${left},12 V${HEIGHT - 38} H${WIDTH - 16}` }),
      drawn("path", { class: "line", d: `M${points.join(" L")}` }),
      rows.length <= 60 ? rows.map(([one, other]) => drawn("circle", { cx: x(one), cy: y(other), r: 3 })) : null,
      drawn("text", { x: left - 6, y: 18, "text-anchor": "end" }, count(high)),
      drawn("text", { x: left - 6, y: HEIGHT - 38, "text-anchor": "end" }, count(low)),
      drawn("text", { x: left, y: HEIGHT - 18 }, plain(xs[0])),
      drawn("text", { x: WIDTH - 16, y: HEIGHT - 18, "text-anchor": "end" }, plain(xs.at(-1))),
    ],
  };
}

function histogram([column], rows) {
  const values = rows.map(([value]) => value);
  const [low, high] = [values.reduce((one, other) => Math.min(one, other)), values.reduce((one, other) => Math.max(one, other))];
  if (low === high) return null;
  const whole = values.every(Number.isInteger);
  const step = whole ? Math.max(1, Math.ceil((high - low + 1) / BINS)) : (high - low) / BINS;
  const bins = new Array(Math.min(BINS, Math.floor((high - low) / step) + 1)).fill(0);
  for (const value of values) bins[Math.min(bins.length - 1, Math.floor((value - low) / step))] += 1;
  const from = (place) => low + place * step;
  const name = (place) => (whole ? (step === 1 ? plain(from(place)) : `${plain(from(place))} to ${plain(from(place) + step - 1)}`) : `from ${from(place).toPrecision(4)}`);
  return bars(`How often each ${column} occurs`, bins.map((times, place) => [name(place), times]));
}

/** Return a number without separators, because it may be a year. */
function plain(number) {
  return String(number);
}
