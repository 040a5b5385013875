/** A table that creates elements only for the visible rows, so that 100,000 rows are as fast as 100. */

import { counted, cut, element } from "./dom.js";
import { compare, csv, textOf, wholeOf } from "./values.js";

const ROW_PIXELS = 27;
const BEYOND = 8;
const LONGEST_CELL = 300;
const LOOKED_AT = 200;
/** Columns with at most this many different values have facets, in answers of at least so many rows. */
const [MOST_FACETS, FEWEST_ROWS, MOST_FACETED] = [12, 10, 10_000];

let tables = 0;

/** Copy a text if the browser offers no clipboard, as over plain HTTP from another machine. */
function copySelected(text) {
  const area = element("textarea", { class: "unseen", "aria-label": "Copied text" });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}

/**
 * `table({ columns, rows, name, report, addressOf })` returns `{ frame, add, focus, stop }`; `name` is for saved files, and
 * `addressOf(node)` the address that a node links to.
 *
 * The table is a grid with one Tab stop: arrow keys, Home, End, Page Up and Page Down go from cell to cell, from the first row up
 * to the headings. Enter sorts by a heading, or shows a whole value, which Escape closes.
 */
export function table({ columns, rows, name, report, addressOf = null }) {
  let order = null;
  let sorted = { column: -1, way: 0 };
  const wanted = new Map(); // the values chosen as facets, by column
  let shown = [0, 0];
  let active = { row: 0, column: 0 }; // row -1 holds the headings
  const prefix = `cell-${(tables += 1)}`;
  const body = element("div", { class: "rows", role: "rowgroup" });
  const head = element("div", { class: "head", role: "rowgroup" });
  const scroller = element(
    "div",
    {
      class: "scroller",
      tabindex: 0,
      role: "grid",
      "aria-label": "Rows",
      "aria-description": "Arrow keys go from cell to cell. Enter shows a whole value, or sorts by a heading.",
      "aria-rowcount": rows.length + 1,
      "aria-colcount": columns.length,
    },
    head,
    body,
  );
  const value = element("pre", { class: "value", tabindex: 0, hidden: true, "aria-label": "The chosen value" });
  const frame = element(
    "div",
    { class: "table" },
    element(
      "div",
      { class: "row" },
      element("button", { type: "button", onclick: copy }, "Copy"),
      element("button", { type: "button", onclick: () => save("csv", "text/csv", csv(columns, all())) }, "CSV"),
      element("button", { type: "button", onclick: () => save("json", "application/json", JSON.stringify(all().map(record))) }, "JSON"),
    ),
    scroller,
    value,
    facets(),
  );
  const titles = columns.map((column, number) =>
    element("button", { type: "button", tabindex: -1, onclick: () => sort(number) }, cut(column, 60)),
  );
  const headers = titles.map((title, number) => element("div", { role: "columnheader", class: rows.length && rows.slice(0, LOOKED_AT).every((row) => typeof row[number] === "number") ? "number" : null, id: `${prefix}-h-${number}`, "aria-sort": "none" }, title));
  head.append(element("div", { role: "row", class: "cells", "aria-rowindex": 1 }, headers));
  setWidths();

  function setWidths() {
    const widths = columns.map((column, number) => {
      const longest = rows.slice(0, LOOKED_AT).reduce((most, row) => Math.max(most, Math.min(textOf(row[number]).length, 45)), 0);
      const width = Math.max(6, Math.min(column.length + 4, 30), longest + 3);
      return `minmax(${width}ch, ${width}fr)`; // a share in another proportion would make every column wider
    });
    scroller.style.setProperty("--columns", widths.join(" "));
  }

  const size = () => (order === null ? rows.length : order.length);
  const rowAt = (number) => rows[order === null ? number : order[number]];
  const all = () => (order === null ? rows : Array.from(order, (number) => rows[number]));
  const record = (row) => Object.fromEntries(columns.map((column, number) => [column, row[number]]));

  function paint() {
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW_PIXELS) - BEYOND);
    const last = Math.min(size(), Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW_PIXELS) + BEYOND);
    if (first === shown[0] && last === shown[1]) return;
    shown = [first, last];
    const lines = [];
    for (let number = first; number < last; number += 1) lines.push(line(number));
    body.replaceChildren(...lines);
    markActive();
  }

  function idOf({ row, column }) {
    return `${prefix}-${row < 0 ? "h" : row}-${column}`;
  }

  function markActive() {
    scroller.querySelector(".active")?.classList.remove("active");
    const cell = document.getElementById(idOf(active));
    cell?.classList.add("active");
    if (cell) scroller.setAttribute("aria-activedescendant", cell.id);
    else scroller.removeAttribute("aria-activedescendant");
    return cell;
  }

  /** Go to a cell, or to the nearest existing cell. */
  function goTo(row, column) {
    active = { row: Math.max(-1, Math.min(size() - 1, row)), column: Math.max(0, Math.min(columns.length - 1, column)) };
    const top = active.row * ROW_PIXELS;
    const room = scroller.clientHeight - head.offsetHeight;
    if (active.row >= 0) scroller.scrollTop = Math.min(top, Math.max(scroller.scrollTop, top + ROW_PIXELS - room));
    paint();
    markActive()?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function pressed(event) {
    if (event.target.closest("button") || event.altKey || event.metaKey) return;
    const { row, column } = active;
    const page = Math.max(1, Math.floor((scroller.clientHeight - head.offsetHeight) / ROW_PIXELS) - 1);
    const ways = {
      ArrowUp: () => goTo(row - 1, column),
      ArrowDown: () => goTo(row + 1, column),
      ArrowLeft: () => goTo(row, column - 1),
      ArrowRight: () => goTo(row, column + 1),
      PageUp: () => goTo(Math.max(0, row - page), column),
      PageDown: () => goTo(row + page, column),
      Home: () => goTo(event.ctrlKey ? 0 : row, 0),
      End: () => goTo(event.ctrlKey ? size() - 1 : row, columns.length - 1),
      Enter: () => (row < 0 ? sort(column) : showValue(row, column)),
      " ": () => (row < 0 ? sort(column) : showValue(row, column)),
    };
    if (!ways[event.key] || !columns.length) return;
    event.preventDefault();
    ways[event.key]();
  }

  function showValue(row, column) {
    const whole = wholeOf(rowAt(row)[column]);
    value.hidden = false;
    value.replaceChildren(document.createTextNode(whole));
    report(`${columns[column]}: ${cut(whole, 300)}`);
  }

  function closeValue(event) {
    if (event.key !== "Escape" || value.hidden) return;
    event.preventDefault();
    if (document.activeElement === value) scroller.focus();
    value.hidden = true;
  }

  function line(number) {
    const row = rowAt(number);
    const cells = element(
      "div",
      { role: "row", class: "cells", "aria-rowindex": number + 2 },
      row.map((content, column) =>
        element("div", { role: "gridcell", id: idOf({ row: number, column }), class: content === null ? "null" : typeof content }, linked(content)),
      ),
    );
    cells.style.top = `${number * ROW_PIXELS}px`;
    cells.addEventListener("click", (event) => {
      const cell = event.target.closest("[role=gridcell]");
      if (cell === null || event.target.closest("a")) return;
      const column = [...cells.children].indexOf(cell);
      goTo(number, column);
      showValue(number, column);
    });
    return cells;
  }

  /** Return the text of a value; a node is a link to itself. */
  function linked(content) {
    const text = cut(textOf(content), LONGEST_CELL);
    if (addressOf === null || content === null || !Array.isArray(content?.labels)) return text;
    return element("a", { href: addressOf(content), tabindex: -1 }, text);
  }

  function resize() {
    body.style.height = `${size() * ROW_PIXELS}px`;
    scroller.setAttribute("aria-rowcount", size() + 1);
    shown = [0, 0];
    paint();
  }

  /** Sort ascending, then descending, then restore the order of the answer. */
  function sort(column) {
    const way = sorted.column === column ? { 1: -1, "-1": 0, 0: 1 }[sorted.way] : 1;
    sorted = { column, way };
    arrange();
    scroller.scrollTop = 0;
    report(way === 0 ? "In the order of the answer." : `Sorted by ${columns[column]}, ${way === 1 ? "ascending" : "descending"}.`);
  }

  function arrange() {
    const { column, way } = sorted;
    headers.forEach((header, number) => {
      const current = number === column ? way : 0;
      header.setAttribute("aria-sort", current === 1 ? "ascending" : current === -1 ? "descending" : "none");
    });
    order = null;
    if (way !== 0 || wanted.size) {
      const all = Uint32Array.from(rows, (_, number) => number);
      order = wanted.size ? all.filter((number) => [...wanted].every(([each, texts]) => texts.has(textOf(rows[number][each])))) : all;
    }
    if (way !== 0) {
      order = order.sort((first, second) => way * compare(rows[first][column], rows[second][column]) || first - second);
    }
    resize();
  }

  /** Return the columns with few different values, each with buttons that keep the rows with a value. */
  function facets() {
    if (rows.length < FEWEST_ROWS || rows.length > MOST_FACETED) return "";
    const groups = columns.map((title, column) => {
      const times = new Map();
      for (const row of rows) {
        const text = textOf(row[column]);
        times.set(text, (times.get(text) ?? 0) + 1);
        if (times.size > MOST_FACETS) return null;
      }
      if (times.size < 2 || times.size === rows.length) return null;
      const buttons = [...times].sort((one, other) => other[1] - one[1]).map(([text, number]) => {
        const button = element("button", { type: "button", "aria-pressed": "false", onclick: () => choose(column, text, button) }, `${cut(text, 60)} ${number}`);
        return button;
      });
      return element("div", { class: "chips", role: "group", "aria-label": `Rows by ${cut(title, 60)}` }, element("span", { class: "quiet" }, cut(title, 60)), buttons);
    });
    return groups.some(Boolean) ? element("details", { class: "facets" }, element("summary", {}, "Filter by value"), groups) : "";
  }

  function choose(column, text, button) {
    const texts = wanted.get(column) ?? new Set();
    if (!texts.delete(text)) texts.add(text);
    if (texts.size) wanted.set(column, texts);
    else wanted.delete(column);
    button.setAttribute("aria-pressed", String(texts.has(text)));
    arrange();
    scroller.scrollTop = 0;
    report(`${counted(size(), "row")} of ${counted(rows.length, "row")}.`);
  }

  async function copy() {
    const text = [columns, ...all()].map((row) => row.map((cell) => textOf(cell).replace(/[\t\r\n]+/gu, " ")).join("\t")).join("\n");
    const copied = navigator.clipboard ? await navigator.clipboard.writeText(text).then(() => true, () => false) : copySelected(text);
    report(copied ? `Copied ${counted(size(), "row")}.` : "The browser does not let this page copy: save the rows as CSV instead.");
  }

  function save(ending, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = element("a", { href: address, download: `${name}.${ending}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    report(`Saved ${counted(size(), "row")} as ${name}.${ending}.`);
  }

  scroller.addEventListener("scroll", paint, { passive: true });
  scroller.addEventListener("keydown", pressed);
  frame.addEventListener("keydown", closeValue);
  const sizes = new ResizeObserver(paint);
  sizes.observe(scroller);
  resize();
  return {
    frame,
    /** Add rows below the existing ones. */
    add(more) {
      for (const row of more) rows.push(row);
      arrange();
    },
    focus: () => scroller.focus(),
    stop: () => sizes.disconnect(),
  };
}
