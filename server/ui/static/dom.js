/** Creates elements without HTML: every text becomes a text node, so no text from a graph is parsed as markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * element("button", { type: "button", class: "small", onclick: run }, "Run")
 *
 * Keys that begin with "on" are listeners, all others are attributes; false leaves an attribute out.
 */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Create an SVG element, with arguments like those of `element`. */
export function drawn(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined).map(shown));
  return node;
}

function shown(child) {
  return child instanceof Node ? child : isolated(String(child));
}

/** Bidirectional control characters, which could reorder the surrounding text. */
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Return a text node in which characters that would reorder the surrounding text are visible. */
export function isolated(text) {
  return document.createTextNode(text.replace(REORDERING, "\ufffd"));
}

/** Return the text, cut to the given number of characters. */
export function cut(text, most) {
  const letters = Array.from(text.length > 4 * most ? text.slice(0, 4 * most) : text);
  return letters.length > most || text.length > 4 * most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

/** Return a number with separators: `4,327`. */
export function count(number) {
  return number === null || number === undefined ? "unknown" : Number(number).toLocaleString("en");
}

/** Return a number with its noun: `1 row`, `2 rows`; an irregular plural is passed. */
export function counted(number, noun, plural = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** Mark a button as busy or not. It is not disabled, because a disabled button loses the focus. */
export function atWork(button, busy) {
  if (busy) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

/** Return whether a button is busy, and so ignores being pressed. */
export function isAtWork(button) {
  return button.hasAttribute("aria-disabled");
}

/** Wait until the browser has painted; a hidden tab is not painted, and does not wait. */
export function painted() {
  return new Promise((done) => (document.hidden ? done() : requestAnimationFrame(() => setTimeout(done))));
}
