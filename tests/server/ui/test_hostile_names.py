"""Names that contain markup are shown as text in every view, and do not change the page."""

from __future__ import annotations

from tests.server.ui.hostile_graph import HOSTILE_NAMES
from tests.server.ui.test_views import NODES, open_view, replace_query, rows_of, run, text_of
from tests.support.browser import Page


def assert_untouched(page: Page, address: str) -> None:
    """Check that no part of a name was run, loaded or turned into an element."""
    assert "attacked" not in page.evaluate("document.title")
    made = "main script, main img:not([class]), main iframe, main b, main [onload], main [onerror]"
    assert page.evaluate(f"document.querySelectorAll('{made}').length") == 0
    links = page.evaluate("[...document.querySelectorAll('main a')].map((link) => link.protocol)")
    assert set(links) <= {"http:"}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert all(request.startswith(address.removesuffix("/ui/")) for request in page.requests), page.requests


def test_names_in_rows_and_their_graph_are_text(tab: Page, page_address: str) -> None:
    open_view(
        tab, page_address, "query", "hostile", q="MATCH (t:Thing) RETURN t.name AS name, t.tags AS tags ORDER BY name"
    )
    run(tab)
    cells = [row[0] for row in rows_of(tab)]
    assert len(cells) == len(HOSTILE_NAMES)
    assert "<script>document.title = 'attacked'</script>" in cells
    assert max(map(len, cells)) <= 300, "a long text is cut in its cell"
    assert not any("\u202e" in cell for cell in cells), "nothing reorders what surrounds it"
    tab.click(".rows [role=gridcell]")
    replace_query(tab, "MATCH (a:Thing)-[r:leads_to]->(b:Thing) RETURN a, r, b")
    tab.press("Escape")
    run(tab)
    tab.wait(f"document.querySelector('.canvas') && {NODES}.length === 11")
    tab.evaluate(f"{NODES}.forEach((node) => {{ node.emit('tap'); }}) && 1")
    tab.wait("document.querySelector('.behind .details h2')")
    assert_untouched(tab, page_address)


def test_names_in_schema_search_and_question_are_text(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "schema", "hostile", label="Thing")
    tab.wait("document.querySelector('.details h2')")
    assert_untouched(tab, page_address)
    for name in HOSTILE_NAMES[:6]:
        open_view(tab, page_address, "search", "hostile", q=name)
        tab.wait("document.querySelector('#results .verdict') || document.querySelector('#alarm p')")
        assert_untouched(tab, page_address)
    open_view(tab, page_address, "question", "hostile", q=f"What does {HOSTILE_NAMES[0]} lead to?")
    assert_untouched(tab, page_address)


def test_hostile_texts_in_the_pattern_of_an_empty_answer_are_text(tab: Page, page_address: str) -> None:
    hostile = "<script>document.title='attacked'</script>" + "\u202e" + "x" * 500
    quoted = hostile.replace("'", "\\'")
    open_view(
        tab, page_address, "query", "hostile", q=f"MATCH (t:Thing {{name: '{quoted}'}})-[:leads_to]->(u) RETURN u"
    )
    run(tab)
    tab.wait("document.querySelector('.chain svg')")
    assert "<script>" in tab.evaluate("document.querySelector('.chain .failing .filter').textContent")
    assert_untouched(tab, page_address)


def test_a_hostile_address_is_text(tab: Page, page_address: str) -> None:
    tab.visit(f"{page_address}#/query/%3Cimg%20src=x%3E?q=%3Cscript%3E")
    tab.wait("document.querySelector('#alarm p')")
    assert "There is no graph “<img src=x>”" in text_of(tab, "#alarm")
    assert_untouched(tab, page_address)
