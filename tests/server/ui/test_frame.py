"""The frame of the page in a real browser: the list of graphs, unknown addresses, and the note on a schema."""

import json
from typing import Any

import pytest

from graphground.graphs.graph import Graph
from graphground.server.ui.routes import schema_for_page
from graphground.tools.tool import PARTIAL, STALE
from tests.server.ui.conftest import ready
from tests.server.ui.test_views import text_of
from tests.support.browser import Page
from tests.support.films import FILMS
from tests.support.unsettled_schemas import PartialSchema, SlowSchema


def test_the_graphs_are_shown_with_size_and_health(tab: Page, page_address: str) -> None:
    tab.visit(page_address)
    ready(tab, "graphs")
    text = tab.evaluate("document.querySelector('main').innerText")
    assert "nba" in text
    assert "541" in text
    assert "2,823" in text
    tab.wait("document.querySelectorAll('.health.good').length === 2")
    assert {request.split("/ui/")[0] for request in tab.requests} == {page_address.removesuffix("/ui/")}


def test_an_unknown_graph_in_the_address_is_reported_with_the_existing_graphs(tab: Page, page_address: str) -> None:
    tab.visit(f"{page_address}#/graphs/nab")
    tab.wait("document.querySelector('#alarm a')")
    assert "There is no graph “nab”.\n\nChoose another graph: nba hostile away" in text_of(tab, "#alarm")
    tab.click("#alarm a")
    ready(tab, "graphs")
    assert tab.evaluate("document.querySelector('#alarm').innerText") == ""


def test_an_unknown_view_is_reported(tab: Page, page_address: str) -> None:
    tab.visit(f"{page_address}#/%E0%A4%A/%%")
    tab.wait("document.querySelector('#alarm p')")
    assert "There is no view" in tab.evaluate("document.querySelector('#alarm').innerText")


def answering(tab: Page, address: str, body: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
    """Open the page, and let every later request of the page be answered like this; then open a graph's address."""
    tab.visit(address)
    ready(tab, "graphs")
    text = body if isinstance(body, str) else json.dumps(body)
    response = f"new Response({json.dumps(text)}, {json.dumps({'status': status, 'headers': headers or {}})})"
    tab.evaluate(f"window.fetch = async () => {response}; location.hash = '#/graphs/nab'; true")


def test_if_no_graph_is_open_the_page_says_how_to_load_one(tab: Page, page_address: str) -> None:
    answering(tab, page_address, {"ok": True, "answer": {"graphs": []}})
    tab.wait("document.querySelector('#alarm p')")
    assert [line.strip() for line in text_of(tab, "#alarm").split("\n\n")] == [
        "There is no graph “nab”.",
        "No graph is open. Load one with: graphground graphs load FILE",
    ]


@pytest.mark.parametrize(
    ("error", "nearest", "shown"),
    [
        ("graph_unavailable", ["nba"], "It failed.\n\nChoose another graph: nba\n\nTry again"),
        ("internal_error", [], "It failed.\n\nCall list_graphs again."),
    ],
)
def test_a_person_does_not_see_the_next_step_that_is_meant_for_an_agent(
    tab: Page, page_address: str, error: str, nearest: list[str], shown: str
) -> None:
    failure = {"error": error, "message": "It failed.", "nearest": nearest, "next": "Call list_graphs again."}
    answering(tab, page_address, {"ok": False, "failure": failure})
    tab.wait("document.querySelector('#alarm p')")
    assert [line.strip() for line in text_of(tab, "#alarm").split("\n\n")] == shown.split("\n\n")


def test_a_refused_origin_is_reported_and_only_a_refused_token_is_asked_for(tab: Page, page_address: str) -> None:
    answering(tab, page_address, "Invalid Origin header", 403)
    tab.wait("document.querySelector('#alarm p')")
    assert text_of(tab, "#alarm").startswith("The server refused this request (403: Invalid Origin header).")
    assert "--allowed-host" in text_of(tab, "#alarm")
    assert not tab.evaluate("document.querySelector('.token input')")
    tab.visit("about:blank")
    answering(tab, page_address, "{}", 403, {"WWW-Authenticate": "Bearer"})
    tab.wait("document.querySelector('.token input')")


@pytest.mark.parametrize(("definition", "note"), [(PartialSchema(), PARTIAL), (SlowSchema(), STALE), (FILMS, "")])
def test_a_schema_that_is_not_current_is_marked(definition: Any, note: str) -> None:
    assert schema_for_page(Graph("films", definition))["note"] == note
