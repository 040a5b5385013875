"""Failures while the page is open: a stopped server, an unreachable database."""

from __future__ import annotations

from graphground.graphs.storage.home import Home
from tests.server.ui.conftest import ready
from tests.server.ui.test_views import QUERY_TEXT, open_view, text_of
from tests.support.browser import Page
from tests.support.ports import free_port
from tests.support.serving import http_server


def test_a_stopped_server_is_reported_and_the_page_works_again_after_its_restart(
    tab: Page, page_home: Home, page_address: str
) -> None:
    options = ("--ui", "--port", str(free_port()), "--graph", "nba")
    with http_server(page_home.folder, *options) as address:
        page = address.replace("/mcp", "/ui/")
        open_view(tab, page, "query")
        tab.type("MATCH (t:Team) RETURN count(t)")
        tab.wait("document.querySelector('.verdict-line').textContent === 'Valid.'")
    tab.type(" ")
    tab.wait("document.querySelector('#alarm p')")
    assert "does not answer" in text_of(tab, "#alarm")
    assert tab.evaluate(QUERY_TEXT) == "MATCH (t:Team) RETURN count(t) "
    with http_server(page_home.folder, *options):
        tab.wait("!document.querySelector('#alarm p')")
        tab.type(" AS teams")
        tab.wait("document.querySelector('.verdict-line').textContent === 'Valid.'")
        assert tab.evaluate(QUERY_TEXT) == "MATCH (t:Team) RETURN count(t)  AS teams"
    # The browser reports each request that no server answered.
    tab.errors[:] = [error for error in tab.errors if "'source': 'network'" not in error]


def test_an_unreachable_database_is_reported_and_the_others_continue(tab: Page, page_address: str) -> None:
    tab.visit(page_address)
    tab.wait("document.querySelector('.health.bad') && document.querySelector('.health.good')")
    assert "Not available" in text_of(tab, ".health.bad")
    tab.visit(f"{page_address}#/schema/away")
    tab.wait("document.querySelector('#alarm a')")
    assert "127.0.0.1:1" in text_of(tab, "#alarm")
    tab.evaluate("[...document.querySelectorAll('#alarm a')].find((link) => link.textContent === 'nba').click()")
    ready(tab, "schema")
    assert text_of(tab, "#alarm") == ""
