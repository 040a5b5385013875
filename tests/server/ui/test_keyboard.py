"""The page by keyboard alone: each control can be reached, has a name and is visible, no action loses the focus, and
results are announced.
"""

from __future__ import annotations

import json
from typing import Any

from tests.server.ui.conftest import ready, show_every_call
from tests.server.ui.test_views import BOSTON, QUERY_TEXT, QUESTION, VIEWPORT, open_view, press, run
from tests.support.browser import Page

MOST_STOPS = 150
CONTROL = 2
LOOKS = """
((control) => [control, control.parentElement, control.firstElementChild].filter(Boolean).map((part) => {
  const { outlineStyle, outlineWidth, boxShadow, borderColor, stroke, strokeWidth, fill } = getComputedStyle(part);
  return [outlineStyle, outlineWidth, boxShadow, borderColor, stroke, strokeWidth, fill].join();
}).join('|'))
"""
STEP = f"""
(() => {{
  const at = document.activeElement;
  if (at === document.body || at === window.walked?.[0]?.at) return null;
  const {{ left, right, top, bottom, width, height }} = (at.matches('.unseen') ? at.parentElement : at).getBoundingClientRect();
  const seen = width > 4 && height > 4 && right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
  (window.walked ??= []).push({{ at, looks: {LOOKS}(at) }});
  return {{ seen, html: at.outerHTML.slice(0, 120) }};
}})()
"""
PROBLEMS = f"""
(() => {{
  const walked = window.walked;
  window.walked = undefined;
  const reached = walked.map(({{ at }}) => at);
  const follows = (first, second) => first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING;
  const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  const found = {{
    'no visible focus': walked.filter(({{ at, looks }}) => at !== document.activeElement && {LOOKS}(at) === looks).map(({{ at }}) => at),
    'out of order': reached.filter((at, place) => place > 0 && !follows(reached[place - 1], at)),
    'not reached': controls.filter((each) => each.checkVisibility() && each.tabIndex >= 0 && !reached.includes(each)),
  }};
  return Object.entries(found).flatMap(([what, elements]) => elements.map((each) => `${{what}}: ${{each.outerHTML.slice(0, 120)}}`));
}})()
"""


def named(page: Page) -> tuple[str, str]:
    """Return the role and the name that a screen reader gives the focused element."""
    element = page.call("Runtime.evaluate", expression="document.activeElement")["result"]["objectId"]
    [node, *_] = page.call("Accessibility.getPartialAXTree", objectId=element, fetchRelatives=False)["nodes"]
    value: Any = node.get("name", {}).get("value", "")
    return node["role"]["value"], value


def walk(page: Page, view: str) -> None:
    """Press Tab from the first control to the last, and check each control."""
    page.call(
        "Emulation.setFocusEmulationEnabled", enabled=True
    )  # otherwise Tab may move the focus from the page to the browser
    page.evaluate("window.walked = undefined; document.querySelector('.skip').focus()")
    for _ in range(MOST_STOPS):
        stop = page.evaluate(STEP)
        if stop is None:
            break
        role, name = named(page)
        assert name, (view, role, stop["html"])
        assert stop["seen"], (view, name, stop["html"])
        page.press("Tab")
    else:
        raise AssertionError(f"{view}: more than {MOST_STOPS} stops")
    assert page.evaluate(PROBLEMS) == [], view


def test_tab_reaches_each_control_of_every_view_in_order_with_a_name_and_a_visible_focus(
    chromium: Page, page_address: str
) -> None:
    chromium.fresh(width=400, dark=True)
    open_view(chromium, page_address, "graphs")
    walk(chromium, "graphs")
    open_view(chromium, page_address, "schema", label="Player")
    chromium.wait("document.querySelector('.labels [open] meter')")  # its arrival would replace the walked controls
    walk(chromium, "schema as a list")
    open_view(chromium, page_address, "schema", label="Player", form="picture")
    walk(chromium, "schema as a picture")
    open_view(chromium, page_address, "search", q="lebron jmes")
    walk(chromium, "search")
    open_view(chromium, page_address, "query", q=BOSTON.replace("Team", "Taem"))
    chromium.wait("document.querySelector('.findings .fix')")
    walk(chromium, "query with a mistake")
    open_view(chromium, page_address, "query", q=BOSTON)
    run(chromium)
    press(chromium, "Show as a graph")
    chromium.wait("document.querySelector('.behind .canvas')")
    walk(chromium, "rows")
    open_view(chromium, page_address, "question", q=QUESTION)
    walk(chromium, "question")
    open_view(chromium, page_address, "work")
    show_every_call(chromium)
    chromium.evaluate("document.querySelector('.calls details').open = true")
    chromium.wait("document.querySelector('.call pre')")
    walk(chromium, "calls")
    assert chromium.errors == []


def tab_to(page: Page, name: str) -> None:
    """Press Tab until a control whose name begins with `name` has the focus."""
    for _ in range(MOST_STOPS):
        page.press("Tab")
        if page.evaluate("document.activeElement !== document.body") and named(page)[1].startswith(name):
            return
    raise AssertionError(f"no control is named {name}")


def listen(page: Page) -> None:
    """Record all texts of the status line from now on, because an announcement may replace another quickly."""
    page.evaluate(
        "(() => { const status = document.getElementById('status'); window.heard = [];"
        " new MutationObserver(() => window.heard.push(status.textContent))"
        ".observe(status, { childList: true, characterData: true, subtree: true }); })()"
    )


def announced(page: Page, text: str) -> None:
    """Wait until the status line begins with a text; a text that it has shown since `listen` counts too.

    Screen readers read the status line aloud.
    """
    assert page.evaluate("document.getElementById('status').getAttribute('role')") == "status"
    page.wait(
        "[...(window.heard ?? []), document.getElementById('status').textContent]"
        f".some((announcement) => announcement.startsWith({json.dumps(text)}))"
    )


def press_enter(page: Page) -> None:
    """Clear the status line and press Enter, so that the next announcement is a new one."""
    page.evaluate("document.getElementById('status').replaceChildren()")
    page.press("Enter")


def focused(page: Page) -> str:
    return named(page)[1]


def test_a_query_is_written_fixed_and_run_and_its_rows_are_read_without_a_mouse(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "graphs")
    tab_to(tab, "Query of nba")
    tab.press("Enter")
    ready(tab, "query")
    assert focused(tab) == "Cypher query"
    tab.type("MATCH (t:Taem) RETURN t.name")
    tab.press("Escape")
    announced(tab, "Not valid. ")
    tab_to(tab, "1:10")
    tab.press("Enter")
    assert focused(tab) == "Cypher query"
    tab.press(".", CONTROL)
    tab.wait(f"({QUERY_TEXT}).includes('t:Team')")
    tab.press("Escape")
    announced(tab, "Valid")
    tab.press("Enter", CONTROL)
    announced(tab, "30 rows.")
    assert focused(tab) == "Cypher query"
    tab_to(tab, "Run")
    press_enter(tab)
    announced(tab, "30 rows.")
    assert focused(tab) == "Run", "a button that has been pressed keeps the focus"
    tab_to(tab, "Maximum seconds")
    press_enter(tab)
    announced(tab, "30 rows.")
    tab_to(tab, "Rows")
    tab.press("ArrowDown")
    tab.press("Enter")
    second = tab.evaluate("document.querySelector('.rows [aria-rowindex=\"3\"] [role=gridcell]').textContent")
    announced(tab, f"t.name: {second}")
    assert tab.evaluate("document.querySelector('.value').textContent") == second
    tab.press("Escape")
    assert tab.evaluate("document.querySelector('.value').hidden")
    tab.press("ArrowUp")
    tab.press("ArrowUp")
    tab.press("Enter")
    announced(tab, "Sorted by t.name, ascending.")
    tab.press("End", CONTROL)
    tab.press("Enter")
    announced(tab, "t.name: Washington Wizards")
    assert tab.evaluate("document.querySelector('.active').getBoundingClientRect().bottom <= innerHeight")
    tab_to(tab, "Show as a graph")
    tab.press("Enter")
    announced(tab, "Drawn: 30 nodes.")
    assert focused(tab) == "Show as a graph"
    tab_to(tab, "Nodes and relationships of the rows")
    before = tab.evaluate(VIEWPORT)
    tab.press("+")
    tab.wait(f"{VIEWPORT} !== {json.dumps(before)}")
    tab_to(tab, "Find a node")
    tab.press("ArrowDown")
    tab.wait("document.querySelector('.behind .details h2')")
    announced(tab, tab.evaluate("document.querySelector('.behind .details h2').textContent"))
    assert focused(tab) == "Find a node"


def test_the_other_views_are_used_without_a_mouse_and_announce_what_they_show(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "schema", form="list")
    tab.wait("!document.querySelector('main').textContent.includes('being collected')")  # the list is then drawn again
    tab_to(tab, "Team")
    tab.press("Enter")
    announced(tab, "Team: 30 nodes")
    tab_to(tab, "Show Player")
    tab.press("Enter")
    announced(tab, "Player: 403 nodes")
    assert focused(tab).startswith("Player"), "the focus is on the label that was chosen"
    tab_to(tab, "Graph")  # the focus wraps around; "graphground" is the first control
    tab_to(tab, "Search")
    tab.press("Enter")
    ready(tab, "search")
    tab.type("lebron jmes")
    announced(tab, "Found: this is the entity.")
    tab_to(tab, "Graph")
    tab_to(tab, "Question")
    tab.press("Enter")
    ready(tab, "question")
    listen(tab)
    tab.type(QUESTION + "\n")
    announced(tab, "Names in the question")
    tab.wait("document.querySelector('.answer .rows [role=row]')")
    tab_to(tab, "How this was grounded")
    tab.press("Enter")
    tab_to(tab, "Run suggestion 2")
    tab.press("Enter")
    tab.wait(
        "document.querySelectorAll('.suggestions pre')[1].textContent === document.querySelector('.answer .ran')?.textContent"
    )
    assert focused(tab) == "Run suggestion 2"
    open_view(tab, page_address, "work")
    show_every_call(tab)
    tab.evaluate("document.querySelector('.calls summary').focus()")
    tab.press("ArrowDown")
    tab.press("Enter")
    tab.wait("document.querySelector('.calls > li:nth-child(2) details').open")
    tab.press("End")
    tab.wait("document.activeElement === document.querySelector('.calls > li:last-child summary')")


def test_the_focus_stays_on_the_choice_of_a_graph_and_is_never_lost_after_an_error(
    tab: Page, page_address: str
) -> None:
    open_view(tab, page_address, "query")
    tab.evaluate("document.getElementById('graph').focus()")
    tab.evaluate("document.querySelector('.view').removeAttribute('data-ready')")
    tab.press("ArrowDown")
    tab.wait("location.hash.startsWith('#/query/') && location.hash !== '#/query/nba'")
    tab.wait("document.querySelector('.view.query[data-ready], #alarm p')")
    assert focused(tab) == "Graph"
    tab.visit(f"{page_address}#/schema/nab")
    tab.wait("document.querySelector('#alarm a')")
    assert tab.evaluate("document.getElementById('alarm').getAttribute('role')") == "alert"
    tab.evaluate("document.querySelector('#alarm a').focus()")
    tab.press("Enter")
    ready(tab, "schema")
    tab.wait("document.activeElement.id === 'main'")
