"""A server with the page on the bundled graph and one with hostile names, a browser, and axe."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.loading.load import load_file
from graphground.graphs.storage.home import Home
from tests.server.ui.hostile_graph import hostile_graph
from tests.support.browser import CHROMIUM, Page, browser_page
from tests.support.node_packages import FOLDER, NotInstalled, install
from tests.support.serving import http_server
from tests.support.small_graph import written

OPENING_SECONDS = 110


@pytest.fixture(scope="session")
def page_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A data folder with the bundled graph, and a graph whose names are attacks."""
    folder = tmp_path_factory.mktemp("page")
    home = Home(folder / "home").make()
    load_file(written(folder, hostile_graph(), "hostile.json"), home, name="hostile")
    yield home
    end_engine(home, kill=True)


def open_graph(address: str, graph: str) -> None:
    """Have the server open a graph: the engine takes longer to start than a page is waited for."""
    arguments = {"query": "RETURN 1 AS one", "graph": graph, "timeout_s": OPENING_SECONDS}
    request = urllib.request.Request(
        f"{address}api/call/execute_cypher", json.dumps(arguments).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=OPENING_SECONDS) as answer:
        opened = json.load(answer)
    assert opened["ok"], opened


@pytest.fixture(scope="session")
def page_address(page_home: Home) -> Iterator[str]:
    """The address of the page, such as `http://127.0.0.1:41234/ui/`."""
    with http_server(page_home.folder, "--ui") as mcp:
        address = mcp.replace("/mcp", "/ui/")
        for graph in ("nba", "hostile"):
            open_graph(address, graph)
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Page]:
    """A browser for all tests; each takes its own tab."""
    if CHROMIUM is None:
        pytest.skip("the page in a browser: needs Chromium (Debian's package chromium)")
    with browser_page() as page:
        yield page


@pytest.fixture
def tab(chromium: Page) -> Page:
    """A fresh tab, 1280 pixels wide, in light colours."""
    chromium.fresh()
    return chromium


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which checks the accessibility of a page."""
    if shutil.which("npm") is None:
        pytest.skip("axe-core: needs npm")
    try:
        install()
    except NotInstalled as error:
        pytest.skip(f"axe-core: {error}")
    return (FOLDER / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


Violations = Callable[[Page], list[str]]


@pytest.fixture(scope="session")
def violations(axe: str) -> Violations:
    """What axe finds wrong with the page that is shown: `violations(tab)` is empty if nothing is."""

    def found(page: Page) -> list[str]:
        page.evaluate(f"{axe}; true")
        answer: dict[str, Any] = page.call(
            "Runtime.evaluate",
            awaitPromise=True,
            returnByValue=True,
            expression="axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations.map((rule) => "
            "`${rule.id}: ${rule.help}: ${rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))}`))",
        )
        return list(answer["result"]["value"])

    return found


def ready(page: Page, view: str) -> None:
    """Wait until a view is there and has loaded its data."""
    page.wait(f"document.querySelector('.view.{view}[data-ready]')")
