"""Compares the page with small pages made with NiceGUI and Dash: size, start, first paint, content security policy.

    python -m benchmarks.server.page_alternatives [--rounds 7]

Each library is installed by pip into a separate environment in a temporary folder. The library's page resembles the
view of queries: it has a field for a query, a table of 100 rows and, with Dash, a graph. `usable` in the output is the
time until these parts are shown.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.server.page import QUERY
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from tests.server.ui.conftest import open_graph
from tests.support.browser import Page, browser_page
from tests.support.serving import http_server

INSTALL_SECONDS, START_SECONDS = 300, 60
SIZES = """
import importlib.metadata, json, pathlib
sizes = {each.metadata["Name"].lower().replace("_", "-"): sum(
    path.stat().st_size for path in map(pathlib.Path, map(each.locate_file, each.files or [])) if path.is_file())
    for each in importlib.metadata.distributions()}
print(json.dumps({name: size for name, size in sizes.items() if name not in ("pip", "setuptools")}))
"""
NICEGUI = """
import sys
from nicegui import ui

@ui.page("/")
def page():
    ui.codemirror("MATCH (t:Team) RETURN t.name", language="SQL")
    ui.aggrid({"columnDefs": [{"field": "name"}], "rowData": [{"name": f"name {row}"} for row in range(100)]})

ui.run(port=int(sys.argv[1]), host="127.0.0.1", show=False, reload=False)
"""
DASH = """
import sys
from dash import Dash, dcc, html
from dash_ag_grid import AgGrid
from dash_cytoscape import Cytoscape

app = Dash(__name__)
app.layout = html.Div([
    dcc.Textarea(value="MATCH (t:Team) RETURN t.name"),
    AgGrid(columnDefs=[{"field": "name"}], rowData=[{"name": f"name {row}"} for row in range(100)]),
    Cytoscape(elements=[{"data": {"id": "a"}}, {"data": {"id": "b"}}, {"data": {"source": "a", "target": "b"}}]),
])
app.run(port=int(sys.argv[1]), host="127.0.0.1")
"""


@dataclass(frozen=True)
class Library:
    """A library: the packages to install, a program that serves a page, and a test whether the page is usable."""

    name: str
    packages: tuple[str, ...]
    program: str
    usable: str


LIBRARIES = (
    Library(
        "NiceGUI", ("nicegui",), NICEGUI, "document.querySelector('.cm-content') && document.querySelector('.ag-row')"
    ),
    Library(
        "Dash",
        ("dash", "dash-cytoscape", "dash-ag-grid"),
        DASH,
        "document.querySelector('.ag-row') && document.querySelector('canvas')",
    ),
)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def served(python: Path, program: Path) -> Iterator[str]:
    """Run the program of a library, and yield the address of its page once the server answers."""
    port, begin = free_port(), time.perf_counter()
    process = subprocess.Popen([python, program, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
                break
            except urllib.error.URLError:
                assert time.perf_counter() - begin < START_SECONDS, "the server does not answer"
                time.sleep(0.02)
        print(f"  start to the first answer {time.perf_counter() - begin:.2f} s")
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(timeout=20)


def install(library: Library, folder: Path) -> Path:
    """Install a library, print its size, and return the path of its Python interpreter."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", *library.packages], check=True, timeout=INSTALL_SECONDS)
    sizes = json.loads(subprocess.run([python, "-c", SIZES], check=True, capture_output=True, text=True).stdout)
    listed = Path("requirements/run.txt").read_text(encoding="utf-8").lower().splitlines()
    ours = {line.split("==")[0].split("[")[0] for line in listed if "==" in line}
    added = {name: size for name, size in sizes.items() if name not in ours}
    print(f"  {len(sizes)} packages, {sum(sizes.values()) / 1e6:.0f} MB with bytecode")
    print(f"  {len(added)} packages, {sum(added.values()) / 1e6:.0f} MB that graphground does not need itself")
    return python


def measure(page: Page, address: str, usable: str, rounds: int) -> None:
    """Print the times until the first paint and until the page is usable, and the number and size of its requests."""
    paints, ready = [], []
    for _ in range(rounds):
        page.fresh()
        page.visit(address)
        page.wait(usable)
        ready.append(page.evaluate("performance.now()"))
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"))
    sizes = page.evaluate("performance.getEntriesByType('resource').map((each) => each.encodedBodySize)")
    known_paints = [paint for paint in paints if paint is not None]
    print(f"  first paint {statistics.median(known_paints):.0f} ms, at worst {max(known_paints):.0f} ms")
    print(f"  usable {statistics.median(ready):.0f} ms, at worst {max(ready):.0f} ms")
    print(f"  {len(sizes)} requests, {sum(sizes) / 1e6:.2f} MB")


def policy(address: str) -> None:
    """Print the page's content security policy, and the numbers of its inline scripts and styles."""
    with urllib.request.urlopen(address, timeout=10) as answer:
        text, header = answer.read().decode(), answer.headers.get("Content-Security-Policy", "none")
    print(f"  inline: {text.count('<script>')} scripts, {text.count('<style')} styles; policy: {header}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print(f"load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, browser_page() as page:
        for library in LIBRARIES:
            print(library.name)
            python = install(library, Path(folder) / library.name)
            program = Path(folder) / f"{library.name.lower()}_page.py"
            program.write_text(library.program, encoding="utf-8")
            with served(python, program) as address:
                policy(address)
                measure(page, address, library.usable, rounds)
        print("graphground")
        home = Home(Path(folder) / "home").make()
        try:
            with http_server(home.folder, "--ui") as mcp:
                address = mcp.replace("/mcp", "/ui/")
                open_graph(address, "nba")
                policy(address)
                shown = f"{address}#/query/nba?{urllib.parse.urlencode({'q': QUERY})}"
                measure(page, shown, "document.querySelector('.view.query[data-ready]')", rounds)
        finally:
            end_engine(home, kill=True)


if __name__ == "__main__":
    main()
