"""Measures the frames of a drawing of 500 nodes while it is moved with the mouse, in a headless Chromium.

    python -m benchmarks.server.drawing

The output is, in milliseconds, the median and the 95th percentile of the time between two frames while the whole
drawing is moved, while a node with one relationship is dragged, and while one with many is.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.server.ui.test_views import DRAWING, open_view, press, show_all
from tests.support.browser import Page, browser_page
from tests.support.serving import http_server

STEPS = 100
RECORD = """
(() => {
window.frames = []; window.recording = true; let last = performance.now();
const next = (now) => { frames.push(now - last); last = now; if (recording) requestAnimationFrame(next); };
requestAnimationFrame(next);
})()
"""
RESULT = "window.recording = false; window.frames.slice(3).sort((one, other) => one - other)"
PLACE = """
(() => {
  const canvas = document.querySelector('.canvas'), { left, top, width, height } = canvas.getBoundingClientRect();
  const inside = canvas.cy.nodes().map((node) => ({ degree: node.degree(), ...node.renderedPosition() }))
    .filter(({ x, y }) => x > 60 && y > 60 && x < width - 60 && y < height - 60)
    .sort((one, other) => one.degree - other.degree);
  const { x, y } = inside.at(%d);
  return [left + x, top + y];
})()
"""


def drag(page: Page, x: float, y: float) -> tuple[float, float]:
    """Press the mouse at a place, move it in a small circuit and release it; return median and 95th percentile."""
    mouse = {"button": "left", "buttons": 1, "clickCount": 1}
    page.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **mouse)
    page.evaluate(RECORD)
    for step in range(STEPS):
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + step % 50, y=y + step % 30, **mouse)
    frames = page.evaluate(RESULT)
    page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, **mouse)
    return frames[len(frames) // 2], frames[len(frames) * 95 // 100]


def main() -> None:
    """Print the figures."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home,
        http_server(Path(home), "--ui", "--graph", "nba") as mcp,
        browser_page() as page,
    ):
        page.fresh()
        open_view(page, mcp.replace("/mcp", "/ui/"), "graphs")
        page.call("Runtime.evaluate", awaitPromise=True, expression=DRAWING)
        press(page, "Draw every node")
        show_all(page, 500)
        left, top = page.evaluate(
            "(({ left, top }) => [left + 8, top + 8])(document.querySelector('.canvas').getBoundingClientRect())"
        )
        for what, place in (
            ("the drawing", (left, top)),
            ("a node with one", page.evaluate(PLACE % 0)),
            ("a node with many", page.evaluate(PLACE % -1)),
        ):
            median, high = drag(page, *place)
            print(f"{what:18} {median:6.1f} {high:6.1f} ms a frame")


if __name__ == "__main__":
    main()
