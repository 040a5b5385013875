/** What the theme leaves out for keyboards and screen readers: names, and a tab stop for each part that scrolls. */
function complete() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  document.querySelectorAll("th:empty").forEach((cell) => cell.replaceWith(document.createElement("td")));
  document.querySelectorAll(".md-code__nav").forEach((each, place) => each.setAttribute("aria-label", `Code ${place + 1}`));
  for (const part of document.querySelectorAll(".md-typeset pre > code, .md-typeset__table > table, .md-typeset__scrollwrap, .md-sidebar__scrollwrap")) {
    if (part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 1) part.setAttribute("tabindex", "0");
  }
}
addEventListener("load", () => {
  complete();
  new MutationObserver((changes) => changes.some(({ addedNodes }) => addedNodes.length) && complete()).observe(document.querySelector("article"), { childList: true, subtree: true });
});
addEventListener("resize", complete);
