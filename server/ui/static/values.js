/** The values of rows: as the text of a cell, as CSV, and their sort order. */

/** Return a value in one line: texts unchanged, nodes by label and name, relationships by type, other values as JSON. */
export function textOf(value) {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return `[${value.map(textOf).join(", ")}]`;
  if (typeof value === "object") {
    if (Array.isArray(value.labels)) {
      const { name, title } = value.properties ?? {};
      return `(${value.labels.map((label) => `:${label}`).join("")} ${name ?? title ?? ""})`;
    }
    if (value.type !== undefined && value.start !== undefined) return `[:${value.type}]`;
    return JSON.stringify(value);
  }
  return String(value);
}

/** Return whether a value is a node, a relationship or a path. */
export function isElement(value) {
  return value !== null && typeof value === "object" && (Array.isArray(value.labels) || Array.isArray(value.nodes) || (value.type !== undefined && value.start !== undefined));
}

/** Return a whole value for reading: JSON with line breaks, or the text itself. */
export function wholeOf(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Compare two values: numbers, then texts, then the rest; null is last. */
export function compare(first, second) {
  const ranks = [first, second].map((value) => (value === null || value === undefined ? 3 : typeof value === "number" ? 0 : typeof value === "string" ? 1 : 2));
  if (ranks[0] !== ranks[1]) return ranks[0] - ranks[1];
  if (ranks[0] === 0) return first - second;
  if (ranks[0] === 3) return 0;
  const [left, right] = ranks[0] === 1 ? [first, second] : [textOf(first), textOf(second)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The characters with which a formula of a spreadsheet begins. */
const FORMULA = /^[=+\-@\t\r]/u;

/** Return rows as CSV (RFC 4180). A text that a spreadsheet would run as a formula is preceded by an apostrophe. */
export function csv(columns, rows) {
  return [columns, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

function field(value) {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
