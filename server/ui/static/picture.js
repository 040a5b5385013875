/** Pictures to zoom, pan and click: SVG that the server sends as nested lists, and that is made here element by element. */

import { drawn, element } from "./dom.js";

const ALLOWED = new Set(["svg", "title", "defs", "marker", "path", "rect", "g", "text"]);
const STEP = 1.25;
const LEAST = 0.05;
const MOST = 6;

function made([tag, attributes, content]) {
  if (!ALLOWED.has(tag)) return null;
  return drawn(tag, attributes, content.map((part) => (typeof part === "string" ? part : made(part))));
}

/**
 * A picture in a frame with its buttons: `picture(answer.picture, { label: "Schema", boxes: ["Team"], choose })`.
 *
 * `choose(box)` is called when a box is clicked, or when Enter is pressed on it.
 */
export function picture(tree, { label, boxes, choose }) {
  const svg = made(tree);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", label);
  svg.querySelector("title")?.remove();
  for (const box of svg.querySelectorAll(".box")) {
    const name = boxes[Number(box.dataset.box)];
    box.setAttribute("role", "button");
    const chosen = () => {
      for (const other of svg.querySelectorAll(".chosen")) other.classList.remove("chosen");
      box.classList.add("chosen");
      choose(name, Number(box.dataset.box));
    };
    box.addEventListener("click", () => frame.dataset.dragged !== "true" && chosen());
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      chosen();
    });
  }
  const canvas = element("div", { class: "canvas", tabindex: 0, role: "group", "aria-label": `${label}: arrow keys move it, plus and minus zoom` }, svg);
  const frame = element(
    "div",
    { class: "picture" },
    canvas,
    element(
      "div",
      { class: "tools" },
      element("button", { type: "button", "aria-label": "Zoom in", onclick: () => zoom(STEP) }, "+"),
      element("button", { type: "button", "aria-label": "Zoom out", onclick: () => zoom(1 / STEP) }, "−"),
      element("button", { type: "button", "aria-label": "Show all", onclick: () => fit() }, "all"),
    ),
  );
  const view = { x: 0, y: 0, scale: 1 };
  let asked = false;

  function place() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      svg.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    });
  }

  function fit() {
    const { clientWidth, clientHeight } = canvas;
    view.scale = Math.min(clientWidth / width, clientHeight / height, 1.2) || 1;
    view.x = (clientWidth - width * view.scale) / 2;
    view.y = (clientHeight - height * view.scale) / 2;
    place();
  }

  function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    const scale = Math.max(LEAST, Math.min(MOST, view.scale * factor));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    place();
  }

  function move(x, y) {
    view.x += x;
    view.y += y;
    place();
  }

  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas && !canvas.contains(document.activeElement)) return;
      event.preventDefault();
      const { left, top } = canvas.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 400), event.clientX - left, event.clientY - top);
    },
    { passive: false },
  );
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    frame.dataset.dragged = "false";
    const last = { x: event.clientX, y: event.clientY };
    const begun = { ...last };
    const dragged = (moved) => {
      if (Math.hypot(moved.clientX - begun.x, moved.clientY - begun.y) > 4 && frame.dataset.dragged === "false") {
        frame.dataset.dragged = "true";
        canvas.setPointerCapture(moved.pointerId);
      }
      move(moved.clientX - last.x, moved.clientY - last.y);
      last.x = moved.clientX;
      last.y = moved.clientY;
    };
    const ended = () => {
      canvas.removeEventListener("pointermove", dragged);
      removeEventListener("pointerup", ended);
      removeEventListener("pointercancel", ended);
    };
    canvas.addEventListener("pointermove", dragged);
    addEventListener("pointerup", ended);
    addEventListener("pointercancel", ended);
  });
  canvas.addEventListener("keydown", (event) => {
    const ways = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
    if (ways[event.key]) move(...ways[event.key]);
    else if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("focusin", (event) => {
    const box = event.target.closest?.(".box");
    if (!box || !box.matches(":focus-visible")) return;
    canvas.scrollTo(0, 0); // the browser scrolls to what has the focus; the picture is moved instead
    const shown = box.getBoundingClientRect();
    const window_ = canvas.getBoundingClientRect();
    if (shown.left < window_.left || shown.right > window_.right || shown.top < window_.top || shown.bottom > window_.bottom) {
      move(
        (window_.left + window_.right - shown.left - shown.right) / 2,
        (window_.top + window_.bottom - shown.top - shown.bottom) / 2,
      );
    }
  });
  const sizes = new ResizeObserver(fit);
  sizes.observe(canvas);
  return { frame, fit, stop: () => sizes.disconnect() };
}
