/**
 * An editor for Cypher: a text area over a layer that shows the same text with colours, underlined diagnostics and, at
 * the caret, completions. As a text area it supports keyboards, screen readers and all writing systems.
 */

import { completions } from "./completion.js";
import { counted, cut, element } from "./dom.js";
import { marked } from "./highlight.js";
import { replacedSpan, spanOf } from "./positions.js";

const SPOKEN_MILLISECONDS = 1000;
const SEVERITIES = { error: "Error", warning: "Warning", hint: "Hint" };

/**
 * `editor({ value, schema, check, run, report })`: `check(text)` is called at every change, `run()` for Control+Enter,
 * and `report(text)` with text that a screen reader is to read.
 */
export function editor({ value, schema, check, run, report }) {
  const layer = element("pre", { class: "layer", "aria-hidden": "true" });
  const list = element("ul", { class: "options", id: "options", role: "listbox", "aria-label": "Completions", hidden: true });
  const area = element("textarea", {
    id: "query",
    "aria-label": "Cypher query",
    "aria-autocomplete": "list",
    "aria-controls": "options",
    "aria-describedby": "editor-keys",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "soft",
  });
  const findings = element("ul", { class: "findings", "aria-label": "Diagnostics" });
  const verdict = element("p", { class: "verdict-line" });
  const frame = element(
    "div",
    { class: "editor" },
    element("div", { class: "stack" }, layer, area, list),
    element("p", { class: "quiet keys", id: "editor-keys" }, "Control+Enter runs, Control+Space completes, Control+. applies the fix at the caret."),
    verdict,
    findings,
  );
  area.value = value;
  let diagnostics = [];
  let shownFor = "";
  let options = [];
  let chosen = 0;
  let from = 0;
  let later = 0;

  function paint() {
    const text = area.value;
    const spans = shownFor === text ? diagnostics.map((diagnostic) => ({ ...spanOf(text, diagnostic), kind: diagnostic.severity })) : [];
    layer.replaceChildren(
      ...marked(text, spans.sort((first, second) => first.to - first.from - (second.to - second.from))).map(({ text: part, kind }) =>
        kind ? element("span", { class: kind }, document.createTextNode(part)) : document.createTextNode(part),
      ),
      document.createTextNode("\n"),
    );
  }

  function changed() {
    paint();
    complete(false);
    check(area.value);
  }

  /** Replace a part of the text so that undo brings it back. */
  function replace(start, end, text) {
    area.focus();
    area.setSelectionRange(start, end);
    if (!document.execCommand("insertText", false, text)) {
      area.setRangeText(text, start, end, "end");
      changed();
    }
  }

  function fix(diagnostic, suggestion) {
    if (shownFor !== area.value) return; // the text has changed since
    const { from: start, to } = replacedSpan(area.value, diagnostic);
    replace(start, to, suggestion);
  }

  /** Show the diagnostics of a text, unless it has changed meanwhile; `spoken` reports them when the user pauses. */
  function show(text, answer, spoken = false) {
    if (text !== area.value) return;
    diagnostics = answer.diagnostics ?? [];
    shownFor = text;
    paint();
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    const verdictText = text.trim() === "" ? "" : answer.valid === false || errors ? "Not valid." : diagnostics.length ? `Valid; ${counted(diagnostics.length, "finding")}.` : "Valid.";
    verdict.textContent = verdictText;
    clearTimeout(later);
    if (spoken && verdictText) later = setTimeout(() => report(`${verdictText} ${cut(diagnostics[0]?.message.split("\n")[0] ?? "", 300)}`.trim()), SPOKEN_MILLISECONDS);
    findings.replaceChildren(
      ...diagnostics.map((diagnostic) => finding(diagnostic)),
      ...(answer.suggested_query && answer.suggested_query !== text
        ? [
            element(
              "li",
              { class: "whole" },
              element("button", { type: "button", class: "fix", onclick: () => replace(0, area.value.length, answer.suggested_query) }, "Fix all"),
              " ",
              element("code", {}, cut(answer.suggested_query, 2000)),
            ),
          ]
        : []),
    );
  }

  function finding(diagnostic) {
    const { severity, message, line, column, suggestions = [], code } = diagnostic;
    const [sentence] = message.split("\n");
    return element(
      "li",
      { class: severity, "data-code": code },
      element("strong", {}, SEVERITIES[severity]),
      " ",
      element(
        "button",
        {
          type: "button",
          class: "place",
          "aria-label": `${line}:${column}, go to this line and column`,
          onclick: () => {
            const { from: start, to } = spanOf(area.value, diagnostic);
            area.focus();
            area.setSelectionRange(start, to);
          },
        },
        `${line}:${column}`,
      ),
      ` ${cut(sentence, 600)} `,
      suggestions.slice(0, 5).map((suggestion) => [
        element("button", { type: "button", class: "fix", "aria-label": suggestion.trim() ? `Replace with ${cut(suggestion, 200)}` : "Remove", onclick: () => fix(diagnostic, suggestion) }, cut(suggestion.trim() || "remove", 120)),
        " ",
      ]),
    );
  }

  function complete(requested) {
    const offset = area.selectionStart;
    const found = offset === area.selectionEnd ? completions(area.value, offset, schema()) : { options: [] };
    const typed = area.value.slice(found.from, offset);
    const after = area.value[found.from - 1];
    options = requested || typed.length >= 2 || (typed.length <= 1 && [":", ".", "{"].includes(after)) ? found.options : [];
    from = found.from;
    chosen = 0;
    list.hidden = options.length === 0;
    if (list.hidden) {
      area.removeAttribute("aria-activedescendant");
      return;
    }
    list.replaceChildren(
      ...options.map(({ text, name, kind, detail }, number) =>
        element(
          "li",
          { role: "option", id: `option-${number}`, "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); accept(number); } },
          element("span", { class: `kind ${kind}` }, cut(name ?? text, 60)),
          element("span", { class: "quiet" }, ` ${kind}${detail ? `: ${cut(detail, 50)}` : ""}`),
        ),
      ),
    );
    const { left, bottom } = caretPlace(from);
    const around = list.parentElement.getBoundingClientRect();
    list.style.left = `${Math.max(0, Math.min(left - around.left, around.width - Math.min(320, around.width)))}px`;
    list.style.top = `${bottom - around.top + 2}px`;
    choose(0);
  }

  function choose(number) {
    list.children[chosen]?.setAttribute("aria-selected", "false");
    chosen = (number + options.length) % options.length;
    const option = list.children[chosen];
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", option.id);
  }

  function accept(number) {
    const { text } = options[number];
    const end = area.selectionStart;
    close();
    replace(from, end, text);
    close();
  }

  function close() {
    options = [];
    list.hidden = true;
    area.removeAttribute("aria-activedescendant");
  }

  /** Return the position of a letter on the screen, which is its position in the layer. */
  function caretPlace(offset) {
    const walker = document.createTreeWalker(layer, NodeFilter.SHOW_TEXT);
    let rest = offset;
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (rest <= node.data.length) {
        const range = document.createRange();
        range.setStart(node, rest);
        range.setEnd(node, rest);
        const boxes = range.getClientRects();
        return boxes[boxes.length - 1] ?? range.getBoundingClientRect();
      }
      rest -= node.data.length;
    }
    return layer.getBoundingClientRect();
  }

  area.addEventListener("input", changed);
  area.addEventListener("blur", close);
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key === "Enter") run();
    else if (command && event.key === " ") complete(true);
    else if (command && event.key === ".") fixHere();
    else if (!options.length) return;
    else if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter" || event.key === "Tab") accept(chosen);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });

  function fixHere() {
    const caret = area.selectionStart;
    const here = diagnostics.find((diagnostic) => {
      const { from: start, to } = spanOf(area.value, diagnostic);
      return start <= caret && caret <= to && diagnostic.suggestions?.length;
    });
    if (here) fix(here, here.suggestions[0]);
  }

  paint();
  return {
    frame,
    show,
    /** Remove the diagnostics, because the check failed. */
    clear: () => show(area.value, { diagnostics: [] }),
    focus: (how) => area.focus(how),
    stop: () => clearTimeout(later),
    get text() {
      return area.value;
    },
    set text(text) {
      replace(0, area.value.length, text);
    },
  };
}
