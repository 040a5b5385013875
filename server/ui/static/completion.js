/** Completions of a query from the schema: labels after `(n:`, types in `[:`, properties after `n.` and in `{`. */

export const KEYWORDS = (
  "ALL AND AS ASC ASCENDING BY CALL CASE CONTAINS COUNT COLLECT DESC DESCENDING DISTINCT ELSE END ENDS EXISTS EXPLAIN FALSE " +
  "IN IS LIMIT MATCH NONE NOT NULL ON OPTIONAL OR ORDER PROFILE RETURN SINGLE SKIP STARTS THEN TRUE UNION UNWIND USING " +
  "WHEN WHERE WITH XOR YIELD ANY"
).split(" ");

const MOST = 40;
const WORD = /[\p{L}\p{N}_]*$/u;
const NODE = /\(\s*(?:(?<variable>[\p{L}_][\p{L}\p{N}_]*)\s*)?:\s*(?:`(?<quoted>[^`]+)`|(?<label>[\p{L}_][\p{L}\p{N}_]*))/gu;
const RELATIONSHIP = /\[\s*(?:(?<variable>[\p{L}_][\p{L}\p{N}_]*)\s*)?:\s*(?:`(?<quoted>[^`]+)`|(?<label>[\p{L}_][\p{L}\p{N}_]*))/gu;

/** `completions("MATCH (t:Te", 11, schema)` is `{ from: 9, options: [{ text: "Team", kind: "label" }] }`. */
export function completions(text, offset, schema) {
  const before = text.slice(0, offset);
  if (inString(before)) return { from: offset, options: [] };
  const typed = before.match(WORD)[0];
  const from = offset - typed.length;
  const head = before.slice(0, from);
  const options = optionsAt(head, text, schema);
  const typedLower = typed.toLowerCase();
  if (typed && options.some(({ name, text: inserted }) => (name ?? inserted) === typed)) return { from, options: [] };
  const fitting = options.filter(({ name, text: inserted }) => (name ?? inserted).toLowerCase().includes(typedLower));
  const begins = ({ name, text: inserted }) => ((name ?? inserted).toLowerCase().startsWith(typedLower) ? 0 : 1);
  const sorted = fitting.map((option, place) => ({ option, place })).sort((first, second) => begins(first.option) - begins(second.option) || first.place - second.place);
  return { from, options: sorted.slice(0, MOST).map(({ option }) => option) };
}

function optionsAt(head, text, schema) {
  if (/\[[^\]()]*[:|]\s*!?$/u.test(head)) return types(schema);
  if (/\([^()[\]{}]*[:&|]\s*!?$/u.test(head)) return schema.labels.map((label) => ({ text: label.quoted, name: label.name, kind: "label", detail: label.description ?? "" }));
  const variable = head.match(/([\p{L}_][\p{L}\p{N}_]*)\.$/u)?.[1];
  if (variable !== undefined) return propertiesOf(variable, text, schema);
  if (head.endsWith(".")) return [];
  const map = head.match(/([([])([^()[\]]*)\{[^{}]*(?:[{,]\s*)?$/u);
  if (map && /[{,]\s*$/u.test(head)) return propertiesIn(map[1] + map[2], schema);
  const variables = [...new Set([...text.matchAll(/[([]\s*([\p{L}_][\p{L}\p{N}_]*)\s*[:){\]]/gu)].map((match) => match[1]))];
  return [
    ...variables.map((name) => ({ text: name, kind: "variable", detail: "" })),
    ...KEYWORDS.map((word) => ({ text: word, kind: "keyword", detail: "" })),
    ...schema.functions.map((name) => ({ text: `${name}(`, name, kind: "function", detail: "" })),
  ];
}

function inString(before) {
  const bare = before.replace(/\\./gsu, "").replace(/'[^']*'|"[^"]*"|`[^`]*`/gsu, "");
  return /['"]/u.test(bare) || /\/\/[^\n]*$/u.test(bare);
}

function types(schema) {
  const seen = new Map();
  for (const { type, quoted, start, end } of schema.patterns) {
    const ends = `${start} → ${end}`;
    if (seen.has(type)) seen.get(type).detail += `, ${ends}`;
    else seen.set(type, { text: quoted, name: type, kind: "type", detail: ends });
  }
  return [...seen.values()];
}

function named(properties) {
  return properties.map(({ name, quoted, type }) => ({ text: quoted, name, kind: "property", detail: type }));
}

function ofOwner(name, relationship, schema) {
  const owners = relationship ? schema.patterns.filter(({ type }) => type === name) : schema.labels.filter((label) => label.name === name);
  return owners.flatMap(({ properties }) => properties);
}

function propertiesOf(variable, text, schema) {
  const found = [];
  for (const [pattern, relationship] of [[NODE, false], [RELATIONSHIP, true]]) {
    for (const { groups } of text.matchAll(pattern)) {
      if (groups.variable === variable) found.push(...ofOwner(groups.quoted ?? groups.label, relationship, schema));
    }
  }
  const all = found.length ? found : schema.labels.flatMap(({ properties }) => properties);
  return distinct(named(all));
}

function propertiesIn(opened, schema) {
  const relationship = opened.startsWith("[");
  const match = [...opened.matchAll(relationship ? RELATIONSHIP : NODE)].at(-1);
  const name = match?.groups.quoted ?? match?.groups.label;
  return distinct(named(name === undefined ? schema.labels.flatMap(({ properties }) => properties) : ofOwner(name, relationship, schema)));
}

function distinct(options) {
  return [...new Map(options.map((option) => [option.text, option])).values()];
}
