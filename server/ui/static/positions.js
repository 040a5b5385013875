/** Lines and columns of diagnostics, which count letters from 1, as offsets into a JavaScript string. */

/** The offset of a line and a column; a letter outside the basic plane is one column, and two units of a string. */
export function offsetOf(text, line, column) {
  let start = 0;
  for (let number = 1; number < line; number += 1) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  const letters = Array.from(text.slice(start, end < 0 ? text.length : end));
  return start + letters.slice(0, column - 1).join("").length;
}

/** Where a diagnostic stands: `{ from, to }`, never empty unless the text is. */
export function spanOf(text, diagnostic) {
  let from = offsetOf(text, diagnostic.line, diagnostic.column);
  let to = Math.max(from, offsetOf(text, diagnostic.end_line, diagnostic.end_column));
  if (from === to) {
    if (to < text.length && text[to] !== "\n") to += 1;
    else if (from > 0) from -= 1;
  }
  return { from, to };
}

/** What a suggestion replaces: nothing where a diagnostic has no extent, such as a missing word. */
export function replacedSpan(text, diagnostic) {
  const from = offsetOf(text, diagnostic.line, diagnostic.column);
  return { from, to: Math.max(from, offsetOf(text, diagnostic.end_line, diagnostic.end_column)) };
}
