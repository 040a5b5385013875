"""The view in a browser with real answers, in two hosts: one written for these tests, and the official host."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from graphground.server.application import Application
from graphground.server.apps.extension import view_contents
from graphground.server.protocol import tool_result
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources
from tests.server.apps.conftest import Shown, View
from tests.server.ui.hostile_graph import HOSTILE_NAMES

QUERY = "MATCH (p:Player)-[:playsFor]->(t:Team {name: 'Chicago Bulls'}) RETURN p.name AS player, t.name AS team"


@pytest.fixture(scope="module")
def application(data_folder: Path) -> Iterator[Application]:
    application = Application(partial(graph_sources, Settings(home=str(data_folder), graph=("nba",))))
    yield application
    application.close()


def answered(application: Application, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a tool, as JSON, as a client receives it."""
    result = tool_result(application.call(tool, arguments))
    result.pop("resultType")
    return result


def test_the_schema_is_shown_as_text(shown_once: Shown, application: Application) -> None:
    page = shown_once(view_contents(), {}, answered(application, "get_schema", {}))
    view = View(page)
    view.wait("document.querySelector('pre')")
    assert "Schema of nba" in view.text
    assert "(:Player" in view.evaluate("document.querySelector('pre').textContent")
    assert page.errors == []


def test_rows_are_shown_as_a_table(shown: Shown, application: Application) -> None:
    arguments = {"query": QUERY}
    result = answered(application, "execute_cypher", arguments)
    page = shown(view_contents(), arguments, result)
    view = View(page)
    view.wait("document.querySelector('tbody tr')")
    cells = view.evaluate(
        "[...document.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((c) => c.innerText))"
    )
    assert cells == result["structuredContent"]["rows"]
    assert view.evaluate("[...document.querySelectorAll('th')].map((head) => head.innerText)") == ["player", "team"]
    assert page.errors == []
    origins = {request.split("/")[2] for request in page.requests if request.startswith("http")}
    assert len(origins) == 2, "the host and the sandbox, nothing else"


def test_a_failure_is_shown_with_the_next_step(shown_once: Shown, application: Application) -> None:
    page = shown_once(view_contents(), {}, answered(application, "get_schema", {"graph": "nab"}))
    view = View(page)
    view.wait("document.querySelector('h1')")
    assert "The call failed" in view.text
    assert "There is no graph 'nab'" in view.text
    assert "{" not in view.text


def test_many_rows_are_shown_in_parts(shown_once: Shown) -> None:
    rows = [[number, f"name {number}"] for number in range(500)]
    result = {
        "content": [],
        "structuredContent": {"columns": ["n", "name"], "rows": rows, "truncated": True, "total": 9000},
    }
    view = View(shown_once(view_contents(), {}, result))
    view.wait("document.querySelectorAll('tbody tr').length === 200")
    assert "500 rows of 9000" in view.text
    view.evaluate("document.querySelector('button').click()")
    view.evaluate("document.querySelector('button').click()")
    assert view.evaluate("document.querySelectorAll('tbody tr').length") == 500
    assert view.evaluate("document.querySelector('button')") is None


ATTACKS = [
    *HOSTILE_NAMES,
    "</script><script>document.title='attacked'</script>",
    "<svg><script>document.title='attacked'</script></svg>",
]


def test_hostile_names_are_text_in_table_and_messages(shown: Shown) -> None:
    result = {
        "content": [],
        "structuredContent": {
            "columns": ATTACKS,
            "rows": [ATTACKS, [{name: [name]} for name in ATTACKS]],
            "diagnostics": [{"severity": "warning", "message": name} for name in ATTACKS],
        },
    }
    page = shown(view_contents(), {}, result)
    view = View(page)
    view.wait("document.querySelectorAll('tbody tr').length === 2")
    assert view.evaluate("document.title") == "graphground"
    assert view.evaluate("document.querySelectorAll('main script, main img, main a, main iframe').length") == 0
    first = view.evaluate("document.querySelector('td').innerText")
    assert first == ATTACKS[0]
    assert "\u202e" not in view.text
    assert page.errors == []


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "text", "text": "just text"}]},
        {"content": [], "structuredContent": {}},
        {"content": [], "structuredContent": {"columns": ["a"], "rows": [[1, 2, 3], []]}},
        {"content": [{"type": "text", "text": "not JSON"}], "isError": True},
    ],
    ids=range(4),
)
def test_unexpected_answers_cause_no_script_error(shown_once: Shown, result: dict[str, Any]) -> None:
    page = shown_once(view_contents(), {}, result)
    View(page).wait("!document.getElementById('status')")
    assert [error for error in page.errors if "'source': 'security'" not in error] == []


def test_the_host_can_change_the_theme_end_the_view_and_grant_full_screen(shown: Shown) -> None:
    context = {
        "theme": "light",
        "displayMode": "inline",
        "availableDisplayModes": ["inline", "fullscreen"],
        "styles": {"variables": {"--color-background-primary": "rgb(1, 2, 3)"}},
    }
    result = {"content": [], "structuredContent": {"columns": ["a"], "rows": [[1]]}}
    page = shown(view_contents(), {}, result, context)
    view = View(page)
    view.wait("document.querySelector('table')")
    assert view.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(1, 2, 3)"
    page.evaluate("window.host.change({theme: 'dark'})")
    view.wait("document.documentElement.style.colorScheme === 'dark'")
    view.evaluate("[...document.querySelectorAll('button')].at(-1).click()")
    page.wait("window.host.modes()[0] === 'fullscreen'")
    view.wait("!document.querySelector('button')")
    ended = page.call(
        "Runtime.evaluate",
        awaitPromise=True,
        returnByValue=True,
        expression="window.host.teardown().then((answer) => JSON.stringify(answer))",
    )
    assert "error" not in json.loads(ended["result"]["value"])
    assert page.errors == []


def test_the_view_fits_and_axe_finds_no_problem(shown_once: Shown, application: Application, axe: str) -> None:
    arguments = {"query": QUERY}
    result = answered(application, "execute_cypher", arguments)
    page = shown_once(view_contents(), arguments, result, dark=True, width=380)
    view = View(page)
    view.wait("document.querySelector('tbody tr')")
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
    view.evaluate(f"{axe}; true")
    found = view.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations.map((rule) => "
        "`${rule.id}: ${rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))}`))",
        wait=True,
    )
    assert found == []


def test_the_document_is_one_file_with_its_own_security_policy(tmp_path: Path) -> None:
    text = view_contents()["text"]
    assert "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-" in text
    assert "unsafe" not in text
    for part in ("src=", "href=", "@import", "url(http", "innerHTML", "eval("):
        assert part not in text, part
    assert len(text) < 20_000
