/** What the theme leaves out for keyboards and screen readers: names, and a tab stop for each part that scrolls. */
function complete() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  document.querySelectorAll("th:empty").forEach((cell) => cell.replaceWith(document.createElement("td")));
  document.querySelectorAll(".md-code__nav").forEach((each, place) => each.setAttribute("aria-label", `Code ${place + 1}`));
  for (const part of document.querySelectorAll(".md-typeset pre > code, .md-typeset table, .md-typeset__scrollwrap, .md-sidebar__scrollwrap")) {
    if (part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 1) part.setAttribute("tabindex", "0");
  }
}
addEventListener("load", () => {
  complete();
  new MutationObserver((changes) => changes.some(({ addedNodes }) => addedNodes.length) && complete()).observe(document.querySelector("article"), { childList: true, subtree: true });
});
addEventListener("resize", complete);

/** Start the theme's script (search, copy buttons, the switch to dark) at the first sign of a reader. */
const SIGNS = ["pointermove", "pointerdown", "keydown", "focusin", "scroll"];
document.documentElement.classList.replace("no-js", "js"); // the search is shown
let focused = null;
const remember = ({ target }) => { focused = target; };
function start() {
  for (const sign of SIGNS) removeEventListener(sign, start);
  const script = document.querySelector("script[data-src]");
  const onload = () => {
    document.dispatchEvent(new Event("DOMContentLoaded")); // the script waits for it
    removeEventListener("focusin", remember);
    focused?.focus(); // the script has taken the focus from the search
    focused?.dispatchEvent(new Event("keyup")); // what is typed there already is searched for
  };
  script.replaceWith(Object.assign(document.createElement("script"), { src: script.dataset.src, onload }));
}
addEventListener("focusin", remember);
for (const sign of SIGNS) addEventListener(sign, start, { passive: true });
if (location.search) start(); // a link from the search, whose words are to be highlighted
