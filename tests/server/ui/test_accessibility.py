"""Every view with content is accessible and fits, on wide and narrow screens, in light and dark colours."""

from __future__ import annotations

import pytest

from tests.server.ui.conftest import Violations, show_every_call
from tests.server.ui.test_views import BOSTON, QUESTION, open_view, replace_query, run
from tests.support.browser import Page

NOTHING = "MATCH (p:Player)-[:playsFor]->(t:Team) WHERE p.height_cm > 300 RETURN t.name"


@pytest.mark.parametrize(
    ("width", "dark"),
    [
        pytest.param(1280, False, id="wide-light"),
        pytest.param(400, True, id="narrow-dark", marks=pytest.mark.long),
        pytest.param(1280, True, id="wide-dark", marks=pytest.mark.long),
        pytest.param(400, False, id="narrow-light", marks=pytest.mark.long),
    ],
)
def test_every_view_is_accessible_and_fits(
    chromium: Page, page_address: str, violations: Violations, width: int, dark: bool
) -> None:
    chromium.fresh(width=width, dark=dark)

    def check(view: str) -> None:
        assert violations(chromium) == [], view
        assert chromium.evaluate("document.documentElement.scrollWidth <= innerWidth"), view

    open_view(chromium, page_address, "graphs")
    chromium.wait("document.querySelector('.health.bad')")
    check("graphs")
    open_view(chromium, page_address, "schema", label="Player")
    check("schema")
    open_view(chromium, page_address, "search", q="lebron jmes")
    check("search")
    open_view(chromium, page_address, "query", q="MATCH (t:Taem) RETURN t.name")
    chromium.wait("document.querySelector('.findings li')")
    check("diagnostics")
    replace_query(chromium, BOSTON)
    chromium.press("Escape")
    run(chromium)
    chromium.click(".rows [role=gridcell]")
    check("rows")
    replace_query(chromium, NOTHING)
    chromium.press("Escape")
    run(chromium)
    chromium.wait("document.querySelector('.chain svg')")
    check("the pattern of an empty answer")
    open_view(chromium, page_address, "question", q=QUESTION)
    check("question")
    open_view(chromium, page_address, "work")
    show_every_call(chromium)
    chromium.evaluate(
        "[...document.querySelectorAll('.calls details')].slice(0, 4).forEach((each) => { each.open = true; })"
    )
    chromium.wait("document.querySelector('.call pre')")
    check("calls")
    assert chromium.errors == []
