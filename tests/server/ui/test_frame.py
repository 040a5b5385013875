"""The frame of the page in a real browser: the list of graphs, and addresses with an unknown graph or view."""

import pytest

from tests.server.ui.conftest import ready
from tests.support.browser import Page

pytestmark = pytest.mark.timeout(300)
"""A long limit: the first test waits for an engine, a server and a browser."""


def test_the_graphs_are_shown_with_size_and_health(tab: Page, page_address: str) -> None:
    tab.visit(page_address)
    ready(tab, "graphs")
    text = tab.evaluate("document.querySelector('main').innerText")
    assert "nba" in text
    assert "541" in text
    assert "2,823" in text
    tab.wait("document.querySelectorAll('.health.good').length === 2")
    assert tab.errors == []
    assert {request.split("/ui/")[0] for request in tab.requests} == {page_address.removesuffix("/ui/")}


def test_an_unknown_graph_in_the_address_is_reported_with_the_existing_graphs(tab: Page, page_address: str) -> None:
    tab.visit(f"{page_address}#/graphs/nab")
    tab.wait("document.querySelector('#alarm a')")
    assert "There is no graph “nab”" in tab.evaluate("document.querySelector('#alarm').innerText")
    tab.click("#alarm a")
    ready(tab, "graphs")
    assert tab.evaluate("document.querySelector('#alarm').innerText") == ""


def test_an_unknown_view_is_reported(tab: Page, page_address: str) -> None:
    tab.visit(f"{page_address}#/%E0%A4%A/%%")
    tab.wait("document.querySelector('#alarm p')")
    assert "There is no view" in tab.evaluate("document.querySelector('#alarm').innerText")
    assert tab.errors == []
