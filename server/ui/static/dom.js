/** Elements made without HTML: every text becomes a text node, so nothing of a graph is ever read as markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * element("button", { type: "button", class: "small", onclick: run }, "Run")
 *
 * Keys that begin with "on" are listeners, true and false set and leave out an attribute, all others are attributes.
 */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
export function drawn(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined).map(shown));
  return made;
}

function shown(child) {
  return child instanceof Node ? child : isolated(String(child));
}

/** Bidirectional controls of a text, which could reorder what surrounds it. */
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text node; characters that would reorder the text around it are made visible. */
export function isolated(text) {
  return document.createTextNode(text.replace(REORDERING, "\ufffd"));
}

/** A text of at most so many characters. */
export function cut(text, most) {
  const letters = Array.from(text.length > 4 * most ? text.slice(0, 4 * most) : text);
  return letters.length > most || text.length > 4 * most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

/** 4,327 */
export function count(number) {
  return number === null || number === undefined ? "unknown" : Number(number).toLocaleString("en");
}

/** "1 row", "2 rows"; a plural without an s is given. */
export function counted(number, noun, plural = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** Mark a button as at work or not. It stays focusable: a button that is disabled loses the focus. */
export function atWork(button, busy) {
  if (busy) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

/** Whether a button is at work, so that it does nothing when it is pressed. */
export function isAtWork(button) {
  return button.hasAttribute("aria-disabled");
}
