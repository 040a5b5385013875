/** Converts lines and columns of diagnostics, which count characters from 1, to offsets into a JavaScript string. */

/** Return the offset of a line and a column; a character outside the basic plane is one column and two string units. */
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

/** Return the span of a diagnostic, `{ from, to }`; it is empty only if the text is empty. */
export function spanOf(text, diagnostic) {
  let from = offsetOf(text, diagnostic.line, diagnostic.column);
  let to = Math.max(from, offsetOf(text, diagnostic.end_line, diagnostic.end_column));
  if (from === to) {
    if (to < text.length && text[to] !== "\n") to += 1;
    else if (from > 0) from -= 1;
  }
  return { from, to };
}

/** Return the span that a suggestion replaces: empty for a diagnostic without extent, such as a missing word. */
export function replacedSpan(text, diagnostic) {
  const from = offsetOf(text, diagnostic.line, diagnostic.column);
  return { from, to: Math.max(from, offsetOf(text, diagnostic.end_line, diagnostic.end_column)) };
}
