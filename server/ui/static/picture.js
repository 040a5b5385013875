/** Pictures to zoom, move and click: SVG, sent by the server as nested lists and created element by element. */

import { drawn, element } from "./dom.js";

const ALLOWED = new Set(["svg", "title", "defs", "marker", "path", "rect", "g", "text"]);
const STEP = 1.25;
const LEAST = 0.05;
const MOST = 6;
/** The least scale at which a picture is first shown as a whole: below it, its letters are smaller than six pixels. */
const OVERVIEW = 0.5;
/** The scale of a picture that is first shown in part. */
const READABLE = 0.9;
const DRAGGED_PIXELS = 4;
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const MOVED_PIXELS = 40;

function build([tag, attributes, content]) {
  if (!ALLOWED.has(tag)) return null;
  return drawn(tag, attributes, content.map((part) => (typeof part === "string" ? part : build(part))));
}

/** Return whether a whole picture is readable at that width. */
export function readableIn(tree, width) {
  return width / Number(tree[1].viewBox.split(" ")[2]) >= OVERVIEW;
}

/**
 * A picture in a frame with its buttons: `picture(answer.picture, { label: "Schema", boxes: ["Team"], first, choose })`.
 *
 * `choose(box)` is called when a box is clicked, or when Enter is pressed on it. A picture that is too large to be read
 * as a whole is first shown around the box `first`. `mark(box)` marks a box as chosen and moves it into view.
 */
export function picture(tree, { label, boxes, first, choose }) {
  const svg = build(tree);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", label);
  svg.querySelector("title")?.remove();
  const groups = [...svg.querySelectorAll(".box")];
  const byName = new Map(groups.map((group) => [boxes[Number(group.dataset.box)], group]));
  const canvas = element(
    "div",
    { class: "canvas", tabindex: 0, role: "group", "aria-label": `${label}: arrow keys move it, plus and minus zoom, Tab goes to its boxes` },
    svg,
  );
  const frame = element(
    "div",
    { class: "picture" },
    element(
      "div",
      { class: "tools", role: "group", "aria-label": "Zoom" },
      element("button", { type: "button", "aria-label": "Zoom in", onclick: () => zoom(STEP) }, "+"),
      element("button", { type: "button", "aria-label": "Zoom out", onclick: () => zoom(1 / STEP) }, "−"),
      element("button", { type: "button", "aria-label": "Show all", onclick: fit }, "all"),
    ),
    canvas,
  );
  const view = { x: 0, y: 0, scale: 1 };
  const fingers = new Map();
  let size = null;
  let touched = false; // after the user has moved or zoomed the picture, resizing the window keeps the place and the scale
  let dragged = false;
  let frameRequested = false;

  for (const group of groups) {
    group.setAttribute("role", "button");
    group.setAttribute("tabindex", -1);
    group.addEventListener("click", () => dragged || chosen(group));
  }
  enterAt(byName.get(first) ?? groups[0]);

  /** Make one box reachable with the Tab key; the arrow keys go on from there. */
  function enterAt(group) {
    svg.querySelector(".box[tabindex='0']")?.setAttribute("tabindex", -1);
    group?.setAttribute("tabindex", 0);
  }

  function chosen(group) {
    mark(group);
    const number = Number(group.dataset.box);
    choose(boxes[number], number);
  }

  function mark(group) {
    svg.querySelector(".chosen")?.classList.remove("chosen");
    group.classList.add("chosen");
    enterAt(group);
  }

  function place() {
    if (frameRequested) return;
    frameRequested = true;
    requestAnimationFrame(() => {
      frameRequested = false;
      svg.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    });
  }

  function scaleOfAll() {
    return Math.min(canvas.clientWidth / width, canvas.clientHeight / height, 1.2) || 1;
  }

  function fit() {
    view.scale = scaleOfAll();
    view.x = (canvas.clientWidth - width * view.scale) / 2;
    view.y = (canvas.clientHeight - height * view.scale) / 2;
    place();
  }

  /** Show the whole picture if it is readable, else the part around a box. */
  function begin() {
    const group = svg.querySelector(".chosen") ?? byName.get(first);
    if (!group || scaleOfAll() >= OVERVIEW) return fit();
    view.scale = READABLE;
    centre(group);
  }

  function middleOf(group) {
    const [x, y, wide, high] = ["x", "y", "width", "height"].map((name) => Number(group.querySelector("rect").getAttribute(name)));
    return { x: x + wide / 2, y: y + high / 2 };
  }

  function centre(group) {
    const { x, y } = middleOf(group);
    view.x = within(canvas.clientWidth, width * view.scale, canvas.clientWidth / 2 - x * view.scale);
    view.y = within(canvas.clientHeight, height * view.scale, canvas.clientHeight / 2 - y * view.scale);
    place();
  }

  /** Return the picture's position along one side: centred if all of it fits, else so that no space beside it stays empty. */
  function within(room, long, desired) {
    return long <= room ? (room - long) / 2 : Math.min(0, Math.max(room - long, desired));
  }

  function reveal(group) {
    const { x, y } = middleOf(group);
    const [left, top] = [view.x + x * view.scale, view.y + y * view.scale];
    if (left < 0 || top < 0 || left > canvas.clientWidth || top > canvas.clientHeight) centre(group);
  }

  function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    const scale = Math.max(LEAST, Math.min(MOST, view.scale * factor));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    touched = true;
    place();
  }

  function move(x, y) {
    view.x += x;
    view.y += y;
    touched = true;
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
    if (fingers.size === 0) {
      dragged = false;
      addEventListener("pointerup", lifted);
      addEventListener("pointercancel", lifted);
    }
    const at = { x: event.clientX, y: event.clientY };
    fingers.set(event.pointerId, { start: at, at });
  });
  canvas.addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (finger === undefined) return;
    const now = { x: event.clientX, y: event.clientY };
    const share = 1 / fingers.size; // each of two fingers moves the picture by half of its own movement
    const step = { x: now.x - finger.at.x, y: now.y - finger.at.y };
    const other = [...fingers.values()].find((known) => known !== finger);
    if (!dragged && (other || distance(finger.start, now) > DRAGGED_PIXELS)) {
      dragged = true;
      canvas.setPointerCapture(event.pointerId);
    }
    move(step.x * share, step.y * share);
    if (other) {
      const { left, top } = canvas.getBoundingClientRect();
      const factor = distance(now, other.at) / Math.max(1, distance(finger.at, other.at));
      zoom(factor, (now.x + other.at.x) / 2 - left, (now.y + other.at.y) / 2 - top);
    }
    finger.at = now;
  });

  function lifted(event) {
    fingers.delete(event.pointerId);
    if (fingers.size > 0) return;
    removeEventListener("pointerup", lifted);
    removeEventListener("pointercancel", lifted);
  }

  canvas.addEventListener("keydown", (event) => {
    const group = event.target.closest(".box");
    const way = WAYS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (group && (event.key === "Enter" || event.key === " ")) chosen(group);
    else if (group && event.key === "Escape") canvas.focus();
    else if (group && way) nextTo(group, way)?.focus();
    else if (way) move(-MOVED_PIXELS * way[0], -MOVED_PIXELS * way[1]);
    else if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });

  /** Return the nearest box in a direction; boxes off to the side count as farther away. */
  function nextTo(group, [right, down]) {
    const from = middleOf(group);
    let best = null;
    let least = Infinity;
    for (const other of groups) {
      const { x, y } = middleOf(other);
      const ahead = (x - from.x) * right + (y - from.y) * down;
      const aside = Math.abs((x - from.x) * down) + Math.abs((y - from.y) * right);
      if (other !== group && ahead > 0 && ahead + 2 * aside < least) [best, least] = [other, ahead + 2 * aside];
    }
    return best;
  }

  canvas.addEventListener("focusin", (event) => {
    const group = event.target.closest(".box");
    if (!group) return;
    enterAt(group);
    canvas.scrollTo(0, 0); // the browser scrolls to the focused element; the picture is moved instead
    if (group.matches(":focus-visible")) reveal(group);
  });
  const sizes = new ResizeObserver(() => {
    const now = { width: canvas.clientWidth, height: canvas.clientHeight };
    if (!touched || size === null) begin();
    else move((now.width - size.width) / 2, (now.height - size.height) / 2);
    size = now;
  });
  sizes.observe(canvas);
  return {
    frame,
    mark: (name) => {
      const group = byName.get(name);
      if (!group) return;
      mark(group);
      if (size !== null) reveal(group);
    },
    stop: () => sizes.disconnect(),
  };
}

function distance(first, second) {
  return Math.hypot(first.x - second.x, first.y - second.y);
}
