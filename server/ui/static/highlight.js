/** Splits a query into pieces `{ text, from, kind }`; each kind has a colour. */

export const KEYWORDS = (
  "ALL AND AS ASC ASCENDING BY CALL CASE CONTAINS COUNT COLLECT DESC DESCENDING DISTINCT ELSE END ENDS EXISTS EXPLAIN FALSE " +
  "IN IS LIMIT MATCH NONE NOT NULL ON OPTIONAL OR ORDER PROFILE RETURN SINGLE SKIP STARTS THEN TRUE UNION UNWIND USING " +
  "WHEN WHERE WITH XOR YIELD ANY"
).split(" ");
const WORDS = new Set(KEYWORDS);
const MOST = 20_000;
const TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>'(?:\\[\s\S]|[^'\\])*(?:'|$)|"(?:\\[\s\S]|[^"\\])*(?:"|$))|(?<name>:\s*(?:`[^`]*`|[\p{L}_][\p{L}\p{N}_]*)|`[^`]*`)|(?<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|(?<parameter>\$[\p{L}\p{N}_]+)|(?<word>[\p{L}_][\p{L}\p{N}_]*)/gu;

/** Return the pieces of a query in order, including the text between tokens; a very long query is a single piece. */
export function pieces(text) {
  if (text.length > MOST) return [{ text, from: 0, kind: "" }];
  const found = [];
  let done = 0;
  for (const match of text.matchAll(TOKEN)) {
    let kind = Object.entries(match.groups).find(([, value]) => value !== undefined)[0];
    if (kind === "word") kind = WORDS.has(match[0].toUpperCase()) ? "keyword" : "";
    if (!kind) continue;
    if (match.index > done) found.push({ text: text.slice(done, match.index), from: done, kind: "" });
    found.push({ text: match[0], from: match.index, kind });
    done = match.index + match[0].length;
  }
  if (done < text.length) found.push({ text: text.slice(done), from: done, kind: "" });
  return found;
}

/** Return the pieces of a query, cut at the ends of the spans; each has its own class and that of the first span around it. */
export function marked(text, spans) {
  const cuts = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].sort((first, second) => first - second);
  const parts = [];
  for (const piece of pieces(text)) {
    let from = piece.from;
    const end = piece.from + piece.text.length;
    for (const to of [...cuts.filter((place) => place > from && place < end), end]) {
      const around = spans.find((span) => span.from <= from && span.to >= to);
      parts.push({ text: text.slice(from, to), kind: [piece.kind, around?.kind].filter(Boolean).join(" ") });
      from = to;
    }
  }
  return parts;
}
