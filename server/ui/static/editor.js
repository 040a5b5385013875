/** The editor for Cypher: CodeMirror with completions from the schema, and with our diagnostics as its linter. */

import { completions, KEYWORDS } from "./completion.js";
import { counted, cut, element } from "./dom.js";
import {
  acceptCompletion, autocompletion, bracketMatching, defaultKeymap, EditorState, EditorView, highlightSpecialChars, history,
  historyKeymap, keymap, Prec, setDiagnostics, startCompletion, StreamLanguage, syntaxHighlighting, tagHighlighter, tags,
} from "./libraries/editor.js";
import { replacedSpan, spanOf } from "./positions.js";

const SPOKEN_MILLISECONDS = 1000;
const SEVERITIES = { error: "Error", warning: "Warning", hint: "Hint" };
const WORDS = new Set(KEYWORDS);
/** The tokens of Cypher that have a colour. */
const TOKENS = [
  [/^\/\/.*/u, "comment"],
  [/^'(?:\\.|[^'\\])*'?|^"(?:\\.|[^"\\])*"?/u, "string"],
  [/^`[^`]*`?/u, "typeName"],
  [/^\$[\p{L}\p{N}_]+/u, "number"],
  [/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/u, "number"],
];
const CYPHER = StreamLanguage.define({
  name: "cypher",
  startState: () => ({ comment: false, name: false }),
  token(stream, state) {
    if (state.comment || stream.match("/*")) {
      state.comment = !stream.match(/^.*?\*\//u);
      if (state.comment) stream.skipToEnd();
      return "comment";
    }
    for (const [pattern, kind] of TOKENS) if (stream.match(pattern)) return kind;
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u);
    if (word) {
      const kind = state.name ? "typeName" : WORDS.has(word[0].toUpperCase()) ? "keyword" : null;
      state.name = false;
      return kind;
    }
    const letter = stream.next();
    if (!/\s/u.test(letter)) state.name = letter === ":";
    return null;
  },
  languageData: { closeBrackets: { brackets: ["(", "[", "{"] } },
});
const COLOURS = tagHighlighter([
  { tag: tags.keyword, class: "keyword" },
  { tag: tags.string, class: "string" },
  { tag: tags.number, class: "number" },
  { tag: tags.typeName, class: "name" },
  { tag: tags.comment, class: "comment" },
]);

/**
 * `editor({ value, schema, check, run, report })`: `check(text)` is called at every change, `run()` for Control+Enter,
 * and `report(text)` with text that a screen reader is to read; `keys` is the element that names the keys.
 */
export function editor({ value, caret = 0, keys, schema, check, run, report }) {
  const findings = element("ul", { class: "findings", "aria-label": "Diagnostics" });
  const verdict = element("p", { class: "verdict-line" });
  let diagnostics = [];
  let shownFor = "";
  let later = 0;
  const does = (action) => () => {
    action();
    return true;
  };
  const view = new EditorView({
    state: EditorState.create({
      doc: value,
      selection: { anchor: caret },
      extensions: [
        Prec.highest(keymap.of([
          { key: "Mod-Enter", run: does(() => run()) },
          { key: "Mod-.", run: does(fixHere) },
          { key: "Mod-Space", run: startCompletion },
          { key: "Tab", run: acceptCompletion },
        ])),
        history(),
        highlightSpecialChars(),
        bracketMatching(),
        autocompletion({ override: [complete], icons: false, interactionDelay: 0, activateOnTypingDelay: 0 }),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        CYPHER,
        syntaxHighlighting(COLOURS),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ id: "query", "aria-label": "Cypher query", "aria-describedby": "editor-keys", spellcheck: "false", autocapitalize: "off" }),
        EditorView.domEventHandlers({ beforeinput: replaceSelection }),
        EditorView.updateListener.of((update) => update.docChanged && check(textOf())),
      ],
    }),
  });
  const frame = element("div", { class: "editor" }, view.dom, keys, verdict, findings);

  function textOf() {
    return view.state.doc.toString();
  }

  /** Type over a selection. The browser itself would keep its colours as inline styles, which the security policy refuses. */
  function replaceSelection(event, { state }) {
    if (event.inputType !== "insertText" || event.data === null || state.selection.main.empty) return false;
    view.dispatch(state.update(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true }));
    return true;
  }

  /** Return the completions at the caret in CodeMirror's form; without a request, only where a name begins. */
  function complete({ state, pos, explicit }) {
    const text = state.doc.toString();
    const { from, options } = completions(text, pos, schema());
    const typed = pos - from;
    if (!options.length || !(explicit || typed >= 2 || [":", ".", "{"].includes(text[from - 1]))) return null;
    return {
      from,
      filter: false,
      options: options.map(({ text: apply, name, kind, detail }) => ({ label: cut(name ?? apply, 60), apply, detail: `${kind}${detail ? `: ${cut(detail, 50)}` : ""}` })),
    };
  }

  function replace(from, to, insert) {
    view.focus();
    view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.fix" });
  }

  function fix(diagnostic, suggestion) {
    if (shownFor !== textOf()) return; // the text has changed since
    const { from, to } = replacedSpan(textOf(), diagnostic);
    replace(from, to, suggestion);
  }

  /** Show the diagnostics of a text, unless it has changed meanwhile; `spoken` reports them when the user pauses. */
  function show(text, answer, spoken = false) {
    if (text !== textOf()) return;
    diagnostics = answer.diagnostics ?? [];
    shownFor = text;
    const marks = diagnostics.map((each) => ({ ...spanOf(text, each), severity: each.severity, message: cut(each.message, 600), renderMessage: () => element("span", {}, cut(each.message.split("\n")[0], 600)) }));
    view.dispatch(setDiagnostics(view.state, marks));
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
              element("button", { type: "button", class: "fix", onclick: () => replace(0, textOf().length, answer.suggested_query) }, "Fix all"),
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
            const { from: start, to } = spanOf(textOf(), diagnostic);
            view.focus();
            view.dispatch({ selection: { anchor: start, head: to }, scrollIntoView: true });
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

  function fixHere() {
    const caret = view.state.selection.main.head;
    const here = diagnostics.find((diagnostic) => {
      const { from, to } = spanOf(textOf(), diagnostic);
      return from <= caret && caret <= to && diagnostic.suggestions?.length;
    });
    if (here) fix(here, here.suggestions[0]);
  }

  return {
    frame,
    show,
    focus: () => view.focus(),
    stop() {
      clearTimeout(later);
      view.destroy();
    },
    /** Whether the newest check found an error. */
    get failing() {
      return diagnostics.some(({ severity }) => severity === "error");
    },
    get text() {
      return textOf();
    },
    set text(text) {
      replace(0, textOf().length, text);
    },
  };
}
