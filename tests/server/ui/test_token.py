"""The page of a server that requires a token asks for it, and never puts it into an address."""

from __future__ import annotations

from urllib.parse import urlsplit

from tests.server.ui.conftest import TOKEN, ready
from tests.server.ui.test_views import text_of
from tests.support.browser import Page


def test_the_page_asks_for_the_token_that_the_server_requires(tab: Page, page_with_token: str) -> None:
    tab.visit(page_with_token)
    tab.wait("document.querySelector('.token input')")
    tab.type("another-token-altogether\n")
    tab.wait("document.querySelector('#alarm p')?.textContent === 'The server refused this token.'")
    tab.wait("document.activeElement === document.querySelector('.token input')")
    tab.type(f"{TOKEN}\n")
    ready(tab, "graphs")
    assert "nba" in text_of(tab, "main")
    tokens = {urlsplit(request).query for request in tab.requests}
    assert tokens == {""}, "a token never stands in an address"
    # The browser reports each request that the server refused.
    tab.errors[:] = [error for error in tab.errors if "'source': 'network'" not in error]
