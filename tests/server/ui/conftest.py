"""Fixtures of the tests of the page: two servers, a browser, and axe.

One server has the bundled graph, a graph with hostile names, an unreachable database, and a trace that it watches. The
other server requires a token.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.loading.load import load_file
from graphground.graphs.storage.home import Home
from graphground.server.traces.event import Event
from tests.server.ui.hostile_graph import HOSTILE_NAMES, hostile_graph
from tests.support.browser import Page
from tests.support.data_folders import copied
from tests.support.serving import http_server
from tests.support.small_graph import written

OPENING_SECONDS, TEST_SECONDS = 110, 300
TOKEN = "a-token-that-nobody-guesses"
UNREACHABLE = '[graphs.away]\nuri = "bolt://127.0.0.1:1"\n'


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests of this folder a long time limit: the first waits for an engine, a server and a browser."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TEST_SECONDS))


@pytest.fixture(scope="session")
def page_home(bundled_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Yield a data folder with the bundled graph, and with a graph whose names are attacks."""
    folder = tmp_path_factory.mktemp("page")
    home = copied(bundled_home, folder / "home")
    load_file(written(folder, hostile_graph(), "hostile.json"), home, name="hostile")
    yield home
    end_engine(home, kill=True)


def open_graph(address: str, graph: str) -> None:
    """Make the server open a graph now, because starting the engine takes longer than a page waits."""
    arguments = {"query": "RETURN 1 AS one", "graph": graph, "timeout_s": OPENING_SECONDS}
    request = urllib.request.Request(
        f"{address}api/call/execute_cypher", json.dumps(arguments).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=OPENING_SECONDS) as answer:
        opened = json.load(answer)
    assert opened["ok"], opened


@pytest.fixture(scope="session")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the trace of another server, with a secret and with names that are attacks; the trace can grow."""
    path = tmp_path_factory.mktemp("watched") / "other.jsonl"
    attacks = [
        Event(session="other", client=name, name=name, arguments={name: name}, answer=name) for name in HOSTILE_NAMES
    ]
    secret = Event(
        session="other", name="login", arguments={"password": "correct-horse"}, answer="correct-horse", failed=True
    )
    path.write_bytes(b"".join(event.as_line() for event in [*attacks, secret]))
    return path


@pytest.fixture(scope="session")
def page_address(page_home: Home, trace: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of the page, such as `http://127.0.0.1:41234/ui/`."""
    settings = tmp_path_factory.mktemp("settings") / "settings.toml"
    settings.write_text(UNREACHABLE, encoding="utf-8")
    graphs = [word for name in ("nba", "hostile", "away") for word in ("--graph", name)]
    with http_server(page_home.folder, "--ui", "--watch", str(trace), "--settings", str(settings), *graphs) as mcp:
        address = mcp.replace("/mcp", "/ui/")
        for graph in ("nba", "hostile"):
            open_graph(address, graph)
        yield address


@pytest.fixture(scope="session")
def page_with_token(page_home: Home, page_address: str) -> Iterator[str]:
    """Yield the address of a page that requires `TOKEN`."""
    with http_server(page_home.folder, "--ui", "--graph", "nba", more={"GRAPHGROUND_TOKEN": TOKEN}) as mcp:
        yield mcp.replace("/mcp", "/ui/")


@pytest.fixture(
    params=[
        pytest.param((1280, False), id="wide-light"),
        pytest.param((1280, True), id="wide-dark", marks=pytest.mark.long),
        pytest.param((400, False), id="narrow-light", marks=pytest.mark.long),
        pytest.param((400, True), id="narrow-dark", marks=pytest.mark.long),
    ]
)
def tab(chromium: Page, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Yield a fresh tab, 1280 pixels wide in light colours; an error of the page or on its console fails the test.

    In `.ci/slow`, the tests that use this fixture are repeated in dark colours and at 400 pixels.
    """
    width, dark = request.param
    chromium.fresh(width=width, dark=dark)
    yield chromium
    assert chromium.errors == []


Violations = Callable[[Page], list[str]]


@pytest.fixture(scope="session")
def violations(axe: str) -> Violations:
    """Return a function that lists the problems axe finds on the page: `violations(tab)` is empty if there are none."""

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


def show_every_call(page: Page) -> None:
    """Wait until the view of calls shows the last call of the watched trace, and each call that the server recorded.

    The calls arrive in parts, and each part moves the calls that are shown already.
    """
    page.wait("document.querySelector('ol[aria-label=Calls]').textContent.includes('login')")
    recorded = page.call(
        "Runtime.evaluate",
        awaitPromise=True,
        returnByValue=True,
        expression="import('./api.js').then((api) => api.read('export', { form: 'jsonl', session: null }))"
        ".then(({ text }) => text.trim().split('\\n').length)",
    )["result"]["value"]
    page.wait(f"document.querySelectorAll('ol[aria-label=Calls] > li').length >= {recorded}")


def ready(page: Page, view: str) -> None:
    """Wait until a view exists and has loaded its data."""
    page.wait(f"document.querySelector('.view.{view}[data-ready]')")
