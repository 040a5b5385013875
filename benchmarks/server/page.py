"""Measures the page in headless Chromium (paint, typing, pictures, rows), or takes the documentation's screenshots.

    python -m benchmarks.server.page [--rounds 9] [--screenshots docs/images]

The page shows the bundled graph, and the engine is running. The times of the first paint and until a view is
interactive begin with the navigation, in a new tab without a cache; a view is interactive once it has its data and
controls. The time of typing is from a letter to the diagnostics of the text. The time between two frames is measured
while a picture of 500 nodes is moved, and while 100,000 rows are scrolled.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from tests.server.ui.conftest import open_graph
from tests.server.ui.test_work import called
from tests.support.browser import Page, browser_page
from tests.support.serving import http_server

QUERY = (
    "MATCH (p:Player)-[r:playsFor]->(t:Team {name: 'Boston Celtics'})\nWHERE r.start_year > 1980\nRETURN p.name, t.name"
)
WRONG = "MATCH (p:Player)-[r:playsFor]->(t:Taem)\nWHERE t.name = 'Boston Celtics' AND r.start > 2010\nRETURN p.name, r.start_year"
QUESTION = "Which teams did LeBron James play for?"
TYPING = """
(async () => {
  const area = document.getElementById('query'), verdict = document.querySelector('.verdict-line'), taken = [];
  for (const letter of %s) {
    const begin = performance.now();
    const shown = new Promise((done) => { new MutationObserver((_, it) => { it.disconnect(); done(); })
      .observe(verdict, { childList: true }); });
    area.setRangeText(letter, area.value.length, area.value.length, 'end');
    area.dispatchEvent(new Event('input'));
    await shown;
    taken.push(performance.now() - begin);
  }
  return taken;
})()
"""
FRAMES = """
(async () => {
  %s
  const frames = [];
  let last = await new Promise(requestAnimationFrame);
  for (let step = 0; step < 60; step += 1) {
    move(step);
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
  }
  return frames;
})()
"""
PICTURE = """
  const { picture } = await import('./picture.js');
  const boxes = [], arrows = [];
  for (let number = 0; number < 500; number += 1) {
    const x = (number %% 25) * 190, y = Math.floor(number / 25) * 140;
    boxes.push(['g', { class: 'box', 'data-box': number }, [
      ['rect', { x, y, width: 120, height: 48, rx: 8, stroke: '#2b5fa8', 'stroke-width': 2 }, []],
      ['text', { class: 'title', x: x + 12, y: y + 18 }, ['Node ' + number]],
      ['text', { class: 'line', x: x + 12, y: y + 35 }, ['Player']]]]);
    const other = (number * 37) %% 500;
    arrows.push(['g', { class: 'arrow' }, [['path', { d: `M${x} ${y}L${(other %% 25) * 190} ${Math.floor(other / 25) * 140}` }, []]]]);
  }
  const tree = ['svg', { viewBox: '0 0 4800 2900', width: 4800, height: 2900 }, [...arrows, ...boxes]];
  const shown = picture(tree, { label: 'Nodes', boxes: boxes.map((_, number) => number), choose: () => {} });
  document.querySelector('main').replaceChildren(shown.frame);
  await new Promise(requestAnimationFrame);
  const canvas = shown.frame.querySelector('.canvas');
  const move = (step) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key: step %% 10 ? 'ArrowLeft' : '+' }));
""".replace("%%", "%")
ROWS = """
  const { table } = await import('./table.js');
  const rows = Array.from({ length: 100000 }, (_, number) => [number, `name ${number}`, number / 7]);
  const shown = table({ columns: ['number', 'name', 'share'], rows, name: 'rows', report: () => {} });
  document.querySelector('main').replaceChildren(shown.frame);
  await new Promise(requestAnimationFrame);
  const box = shown.frame.querySelector('.scroller');
  const move = (step) => { box.scrollTop = step * 40000; };
"""
SORTING = """
(() => { const begin = performance.now(); document.querySelector('.head [role=columnheader]:nth-child(2) button').click();
  return performance.now() - begin; })()
"""

EMPTY = """MATCH (p:Player)-[:playsFor]->(t:Team {name: 'Boston Celtics'})
WHERE p.height_cm > 300
RETURN p.name, t.name"""
CALLS = (
    ("validate_cypher", {"query": "MATCH (t:Taem) RETURN t.name", "graph": "nba"}),
    ("get_schema", {"graph": "nab"}),
    ("execute_cypher", {"query": "MATCH (t:Team) RETURN t.name ORDER BY t.name LIMIT 3", "graph": "nba"}),
)
"""The last tool calls before the screenshot of the view of calls."""


def run_script(page: Page, script: str) -> Any:
    """Run a script in the page, and return its value or the value of its promise."""
    answer = page.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
    assert "exceptionDetails" not in answer, answer["exceptionDetails"]
    return answer["result"]["value"]


def opened(page: Page, address: str, view: str, **fresh: Any) -> dict[str, float]:
    """Open a view in a new tab; return the milliseconds to the first paint and until the view is interactive."""
    page.fresh(**fresh)
    page.visit(address)
    page.wait(f"document.querySelector('.view.{view}[data-ready]')")
    paint, ready = page.evaluate(
        "[performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null, "
        "performance.getEntriesByName('ready')[0].startTime]"
    )
    return {"paint": paint, "interactive": ready}


def print_times(name: str, values: Sequence[float], bar: str) -> None:
    """Print the median and the largest of `values`, in milliseconds, and the bar."""
    print(f"{name:<44} {statistics.median(values):8.1f} ms, at worst {max(values):8.1f} ms   (bar: {bar})")


def measure(page: Page, address: str, rounds: int) -> None:
    """Measure and print every figure."""
    views = {"graphs": "", "schema": "#/schema/nba", "query": f"#/query/nba?q={quote(QUERY)}"}
    for view, path in views.items():
        found = [opened(page, address + path, view) for _ in range(rounds)]
        print_times(f"{view}: first paint", [times["paint"] for times in found if times["paint"]], "500")
        print_times(f"{view}: interactive", [times["interactive"] for times in found], "1500")
    opened(page, f"{address}#/query/nba", "query")
    print_times("typing to diagnostics", run_script(page, TYPING % json.dumps(QUERY)), "50 at the median")
    opened(page, f"{address}#/graphs", "graphs")
    print_times("500 nodes: time between frames", run_script(page, FRAMES % PICTURE), "fluid: 33")
    opened(page, f"{address}#/graphs", "graphs")
    print_times("100,000 rows: time between frames", run_script(page, FRAMES % ROWS), "fluid: 33")
    print_times("100,000 rows: sorting by a text", [page.evaluate(SORTING)], "1000")


def screenshots(page: Page, address: str, folder: Path) -> None:
    """Take the documentation's screenshots, and write them into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    opened(page, f"{address}#/schema/nba?label=Team", "schema", width=1280, height=800)
    page.wait("document.querySelector('.details meter')")
    page.screenshot(folder / "page-schema.png")
    opened(page, f"{address}#/query/nba?q={quote(WRONG)}", "query", width=1180, height=700, dark=True)
    page.wait("document.querySelector('.findings li')")
    page.screenshot(folder / "page-query.png")
    opened(page, f"{address}#/question/nba?q={quote(QUESTION)}", "question", width=1180, height=760)
    page.screenshot(folder / "page-question.png")
    opened(page, f"{address}#/query/nba?q={quote(EMPTY)}", "query", width=1180, height=620)
    page.press("Enter", 2)
    page.wait("document.querySelector('.chain svg')")
    page.screenshot(folder / "page-empty.png")
    called(address.replace("/ui/", "/mcp"), ("find_entities", {"mentions": ["lebron jmes"]}), *CALLS)
    opened(page, f"{address}#/work", "work", width=1180, height=700, dark=True)
    page.wait(f"document.querySelectorAll('.calls > li').length === {len(CALLS) + 1}")
    page.click(".calls details summary")
    page.wait("document.querySelector('.call pre')")
    page.screenshot(folder / "page-calls.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Home(Path(folder) / "home").make()
        try:
            with http_server(home.folder, "--ui") as mcp, browser_page() as page:
                address = mcp.replace("/mcp", "/ui/")
                open_graph(address, "nba")
                if parsed.screenshots:
                    screenshots(page, address, parsed.screenshots)
                else:
                    print(f"load {os.getloadavg()[0]:.1f}")
                    measure(page, address, parsed.rounds)
        finally:
            end_engine(home, kill=True)


if __name__ == "__main__":
    main()
