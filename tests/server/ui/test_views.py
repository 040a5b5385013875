"""Each view of the page in a real browser: actions by mouse and keyboard, and the content shown afterwards."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote

from tests.server.ui.conftest import ready
from tests.support.browser import Page

BOSTON = "MATCH (p:Player)-[r:playsFor]->(t:Team {name: 'Boston Celtics'}) RETURN p.name, p.height_cm AS height, t.name"
ROWS = (
    "[...document.querySelectorAll('.rows [role=row]')].map((row) => [...row.children].map((cell) => cell.textContent))"
)
DRAWN = """
(() => {
  const grid = document.querySelector('.scroller');
  const rows = grid?.querySelectorAll('.rows [role=row]').length ?? 0;
  const inSight = grid && rows ? Math.ceil(grid.clientHeight / grid.querySelector('.rows [role=row]').offsetHeight) : 1;
  return rows >= Math.min(grid?.ariaRowCount - 1, inSight);
})()
"""
"""Whether all visible rows are drawn: a new table first draws a few, and the others in the browser's next frame."""
NODES = "document.querySelector('.canvas').cy.nodes()"
IN_SIGHT = f"""
(() => {{
  const {{ clientWidth, clientHeight }} = document.querySelector('.canvas');
  return {NODES}.filter((node) => {{
    const box = node.renderedBoundingBox({{ includeLabels: true }});
    return box.x1 >= -1 && box.y1 >= -1 && box.x2 <= clientWidth + 1 && box.y2 <= clientHeight + 1;
  }}).map((node) => node.data('caption'));
}})()
"""
"""The captions of the nodes that are wholly in sight."""
VIEWPORT = "JSON.stringify([document.querySelector('.canvas').cy.zoom(), document.querySelector('.canvas').cy.pan()])"
QUERY_TEXT = "[...document.querySelectorAll('#query .cm-line')].map((line) => line.textContent).join('\\n')"
UNDERLINED = (
    "[...document.querySelectorAll('.cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-hint')]"
    ".map((part) => part.textContent)"
)
QUESTION = "Which teams did LeBron James play for?"


def text_of(page: Page, selector: str) -> str:
    return str(page.evaluate(f"document.querySelector({json.dumps(selector)}).innerText"))


def open_view(page: Page, address: str, view: str, graph: str = "nba", **parameters: str) -> None:
    """Open a view and wait until it has loaded its data."""
    # A change of the hash alone does not load a new document.
    page.evaluate("document.querySelector('.view')?.removeAttribute('data-ready')")
    more = "&".join(f"{key}={quote(value)}" for key, value in parameters.items())
    page.visit(f"{address}#/{view}/{graph if view != 'graphs' else ''}{'?' + more if more else ''}")
    ready(page, view)


def rows_of(page: Page) -> list[list[str]]:
    """Wait until all visible rows are drawn, and return their cells."""
    page.wait(DRAWN)
    return list(page.evaluate(ROWS))


def replace_query(page: Page, text: str) -> None:
    """Type another query in place of the current one."""
    page.evaluate("document.getElementById('query').focus()")
    page.press("a", 2)
    page.type(text)


def run(page: Page) -> None:
    """Run the query by keyboard and wait for its rows."""
    page.wait("!document.querySelector('button.main[aria-disabled]')")
    page.evaluate("document.querySelector('.results').replaceChildren(); document.getElementById('query').focus()")
    page.press("Enter", 2)
    page.wait("document.querySelector('.results p') && !document.querySelector('button.main[aria-disabled]')")


def middle_of_canvas(page: Page) -> tuple[float, float]:
    """Return the point in the middle of the picture, in pixels from the left and top of the window."""
    x, y = page.evaluate(
        "(({ x, y, width, height }) => [x + width / 2, y + height / 2])"
        "(document.querySelector('.canvas').getBoundingClientRect())"
    )
    return x, y


def show_all(page: Page, nodes: int) -> None:
    """Wait for the first arrangement of a drawing, which on a narrow screen shows a part of it, and show all of it."""
    page.wait(f"({IN_SIGHT}).length > 0")
    page.click("[aria-label='Show all']")
    page.wait(f"({IN_SIGHT}).length === {nodes}")


def test_the_schema_is_a_picture_whose_labels_show_their_statistics(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "schema", form="picture")
    assert tab.evaluate(f"{NODES}.length") == 7
    tab.evaluate("document.querySelector('.canvas').cy.getElementById('Team').emit('tap') && 1")
    tab.wait("document.querySelector('.details h2')")
    details = text_of(tab, ".details")
    assert details.startswith("Team")
    assert "Nodes: 30." in details
    assert "playsFor" in details
    tab.wait("document.querySelector('.details meter')")  # once the figures are collected, the schema is drawn again
    assert "% filled" in text_of(tab, ".details")
    show_all(tab, 7)
    assert "label=Team" in tab.evaluate("location.hash")


def test_the_picture_is_zoomed_and_moved_by_buttons_keys_and_mouse(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "schema", form="picture", label="Team")
    tab.wait("document.querySelector('.details meter')")  # their arrival would replace the picture
    show_all(tab, 7)
    before = tab.evaluate(VIEWPORT)
    tab.click("[aria-label='Zoom in']")
    tab.wait(f"{VIEWPORT} !== {json.dumps(before)}")
    zoomed = tab.evaluate(VIEWPORT)
    tab.evaluate("document.querySelector('.canvas').focus()")
    tab.press("ArrowLeft")
    tab.wait(f"{VIEWPORT} !== {json.dumps(zoomed)}")
    x, y = middle_of_canvas(tab)
    team = "document.querySelector('.canvas').cy.getElementById('Team')"
    tab.evaluate(f"document.querySelector('.canvas').cy.center({team}) && 1")
    place = tab.evaluate(f"JSON.stringify({team}.position())")
    for kind, right, down in (("mousePressed", 0, 0), ("mouseMoved", 50, 20), ("mouseReleased", 50, 20)):
        tab.call("Input.dispatchMouseEvent", type=kind, x=x + right, y=y + down, button="left", buttons=1, clickCount=1)
    tab.wait(f"JSON.stringify({team}.position()) !== {json.dumps(place)}")
    # The dragged node is drawn in the layer that stays as it is during a drag, where it was let go.
    tab.wait(
        f"(({{ x, y }}) => document.querySelector('.canvas [data-id=\"layer2-node\"]').getContext('2d')"
        f".getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data[3] === 255)({team}.renderedPosition())"
    )
    tab.evaluate("document.querySelector('.canvas').focus()")
    tab.press("0")
    tab.wait(f"({IN_SIGHT}).length === 7")


def test_labels_are_hidden_and_a_node_is_expanded_into_its_neighbours(tab: Page, page_address: str) -> None:
    query = (
        "MATCH (p:Player)-[r:playsFor]->(t:Team {name: 'Boston Celtics'})-[s:hasHomeVenue]->(v) "
        "RETURN p, r, t, s, v LIMIT 1"
    )
    players = f"{NODES}.filter((node) => node.data('node').label === 'Player')"
    open_view(tab, page_address, "query", q=query)
    tab.wait(f"document.querySelector('.canvas') && {NODES}.length === 3")
    tab.evaluate(
        "[...document.querySelectorAll('.picture .chips button')].find((each) => each.textContent.includes('Player')).click()"
    )
    # Cytoscape brings the style of nodes up to date when it draws its next frame.
    tab.wait(f"{players}.filter(':visible').length === 0")
    tab.evaluate(f"{NODES}.filter((node) => node.data('caption') === 'Boston Celtics')[0].emit('tap') && 1")
    tab.wait("document.querySelector('.behind .facts')")
    assert "inception_year" in text_of(tab, ".behind .facts")
    tab.evaluate(
        "[...document.querySelectorAll('.behind button')].find((each) => each.textContent === 'Expand').click()"
    )
    tab.wait(f"{players}.length > 20")
    tab.wait(f"{players}.filter(':visible').length === 0")  # a hidden label stays hidden
    tab.click(".behind .details a")
    tab.wait(f"({QUERY_TEXT}).includes('elementId(n) = $id')")  # the link runs what it shows
    tab.wait("document.querySelector('.rows [role=gridcell]')?.textContent.includes('Boston Celtics')")


def test_the_drawing_obeys_the_limit_and_the_order_of_the_rows(tab: Page, page_address: str) -> None:
    query = "MATCH (p:Player)-[:playsFor]->(t:Team) RETURN t.name, count(p) AS players ORDER BY players DESC LIMIT 2"
    open_view(tab, page_address, "query", q=query)
    tab.wait("document.querySelectorAll('.rows [role=row]').length === 2")
    names = {row[0] for row in rows_of(tab)}
    press(tab, "Show as a graph")
    tab.wait("document.querySelector('.canvas')")
    teams = f"{NODES}.filter((node) => node.data('node').label === 'Team').map((node) => node.data('caption'))"
    assert set(tab.evaluate(teams)) == names


DRAWING = """
import('./drawing.js').then(({ drawing }) => {
  const nodes = Array.from({ length: 500 }, (_, place) => ({ id: `n${place}`, label: place % 3 ? 'Film' : 'Person', name: `${place}` }));
  const links = nodes.slice(1).map(({ id }, place) => ({ id: `l${place}`, start: id, end: `n${Math.floor(place / 3)}`, type: 'knows' }));
  document.querySelector('main').replaceChildren(drawing({ nodes, links }, { label: 'Many' }).frame);
  return true;
})
"""


def test_more_than_three_hundred_nodes_are_drawn_as_one_circle_for_each_label(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "graphs")
    tab.call("Runtime.evaluate", awaitPromise=True, expression=DRAWING)
    captions = tab.evaluate(f"{NODES}.map((node) => node.data('caption')).sort()")
    assert captions == ["Film (333)", "Person (167)"]
    show_all(tab, 2)
    press(tab, "Draw every node")
    show_all(tab, 500)


CHARTS = """
import('./chart.js').then(({ chart }) => {
  const shown = [
    chart(['team', 'players'], [['Bulls', 30], ['Heat', 20]]),
    chart(['year', 'films'], [[1990, 3], [1991, 5], [1992, 4]]),
    chart(['height'], Array.from({ length: 30 }, (_, place) => [180 + place])),
    chart(['name', 'team'], [['Jordan', 'Bulls'], ['James', 'Heat']]),
  ];
  document.querySelector('main').replaceChildren(...shown.filter(Boolean));
  return true;
})
"""


def test_columns_that_allow_a_chart_are_drawn_as_bars_a_line_or_a_histogram(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "graphs")
    tab.call("Runtime.evaluate", awaitPromise=True, expression=CHARTS)
    titles = tab.evaluate("[...document.querySelectorAll('.chart')].map((each) => each.getAttribute('aria-label'))")
    assert titles == ["players by team", "films over year", "How often each height occurs"]
    clipped = (
        "[...document.querySelectorAll('.chart text')].filter((text) => { const box = text.getBBox();"
        " const all = text.ownerSVGElement.viewBox.baseVal;"
        " return box.x < 0 || box.x + box.width > all.width || box.y + box.height > all.height; }).length"
    )
    assert tab.evaluate(clipped) == 0


def test_rows_are_filtered_by_the_values_of_a_column(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "query", q="MATCH (t:Team) RETURN t.name AS team, t.inception_year > 1970 AS young")
    tab.wait("document.querySelector('.facets .chips button')")
    tab.click(".facets .chips button")
    tab.wait("document.querySelector('.scroller').ariaRowCount < 31")
    assert len({row[1] for row in rows_of(tab)}) == 1
    tab.click(".facets .chips button")
    tab.wait("document.querySelector('.scroller').ariaRowCount === '31'")


def press(page: Page, name: str) -> None:
    """Press the button with this text."""
    page.evaluate(
        f"[...document.querySelectorAll('button')].find((each) => each.textContent === {json.dumps(name)}).click()"
    )


def test_typing_a_name_shows_matching_entities_with_the_reason_and_the_verdict(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "search")
    assert tab.evaluate("document.activeElement.id") == "mention"
    tab.type("lebron")
    tab.type(" jmes")
    tab.wait("document.querySelector('.verdict strong')?.textContent === 'lebron jmes'")
    results = text_of(tab, "#results")
    assert "LeBron James" in results
    assert "a similar spelling" in results
    tab.evaluate("document.getElementById('mention').select()")
    tab.type("LeBron James")
    tab.wait("document.querySelector('.verdict.found strong')?.textContent === 'LeBron James'")
    assert "the same text" in text_of(tab, "#results")
    tab.click(".candidates a")
    ready(tab, "query")
    assert "(n:Player {name: 'LeBron James'})" in tab.evaluate(QUERY_TEXT)


def test_the_editor_completes_labels_types_and_properties_from_the_schema(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "query")
    steps = (
        ("MATCH (p:Pla", "Player"),
        (")-[:playsF", "playsFor"),
        ("]->(t:Tea", "Team"),
        (") WHERE p.height", "height_cm"),
    )
    for typed, expected in steps:
        tab.type(typed)
        tab.wait(
            "document.querySelector('.cm-tooltip-autocomplete [aria-selected] .cm-completionLabel')?.textContent"
            f" === {json.dumps(expected)}"
        )
        active = tab.evaluate("document.getElementById('query').getAttribute('aria-activedescendant')")
        assert tab.evaluate(f"document.getElementById({json.dumps(active)}).getAttribute('aria-selected')") == "true"
        tab.press("Tab")
    expected = "MATCH (p:Player)-[:playsFor]->(t:Team) WHERE p.height_cm"
    assert tab.evaluate(QUERY_TEXT) == expected
    assert not tab.evaluate("document.querySelector('.cm-tooltip-autocomplete')")


def test_text_typed_before_the_editor_is_loaded_stays_and_is_checked(tab: Page, page_address: str) -> None:
    tab.call("Fetch.enable", patterns=[{"urlPattern": "*/libraries/editor.js"}])
    tab.visit(f"{page_address}#/query/nba")
    tab.wait("document.activeElement.matches('textarea#query')")
    tab.wait("document.querySelector('.results li')")  # the examples do not wait for the editor
    tab.type("MATCH (t:Taem) RETURN t")
    tab.call("Fetch.disable")
    ready(tab, "query")
    tab.wait("document.querySelector('.cm-lintRange-error')")
    tab.type(" LIMIT 1")
    assert tab.evaluate(QUERY_TEXT) == "MATCH (t:Taem) RETURN t LIMIT 1"


def test_diagnostics_are_underlined_at_their_position_and_fixed_by_a_click(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "query")
    tab.type("/* 𝔘😀 */ MATCH (t:Taem) WHERE t.nam = 'Boston Celtics' RETURN t.name")
    tab.press("Escape")
    tab.wait("document.querySelectorAll('.cm-lintRange-error').length === 2")
    assert tab.evaluate(UNDERLINED) == ["Taem", "nam"]
    tab.click(".findings .error .fix")
    # The marks of the corrected text vanish at once, but the list is of the earlier text until the next check.
    tab.wait("document.querySelectorAll('.findings .error').length === 1")
    assert "(t:Team)" in tab.evaluate(QUERY_TEXT)
    tab.click(".findings .place")
    tab.press(".", 2)
    tab.wait("document.querySelector('.verdict-line').textContent.startsWith('Valid')")
    assert "t.name = " in tab.evaluate(QUERY_TEXT)
    replace_query(tab, "MATCH (t:Taem)<-[:playsFor]-(p:Playr) RETURN p.name")
    tab.wait("document.querySelector('.findings .whole button')")
    tab.click(".findings .whole button")
    tab.wait("document.querySelector('.verdict-line').textContent.startsWith('Valid')")


def test_rows_are_sorted_copied_saved_and_drawn_as_a_graph(tab: Page, page_address: str, tmp_path: Path) -> None:
    tab.browser("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    tab.browser("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path), eventsEnabled=True)
    open_view(tab, page_address, "query", q=BOSTON)
    run(tab)
    tab.click(".head [role=columnheader]:nth-child(2) button")
    heights = [int(row[1]) for row in rows_of(tab) if row[1] != "null"]
    assert heights == sorted(heights)
    tab.click(".head [role=columnheader]:nth-child(2) button")
    rows = rows_of(tab)
    heights = [int(row[1]) for row in rows if row[1] != "null"]
    assert heights == sorted(heights, reverse=True)
    assert tab.evaluate("document.querySelectorAll('[aria-sort=descending]').length") == 1
    tab.call("Page.bringToFront")  # only the focused page may use the clipboard
    buttons = {"Copy": 0, "CSV": 1, "JSON": 2}
    for name, place in buttons.items():
        tab.evaluate(f"document.querySelectorAll('.table > .row button')[{place}].click()")
        tab.wait(
            f"document.getElementById('status').textContent.match(/{'Copied' if name == 'Copy' else name.lower()}/)"
        )
    copied = tab.call("Runtime.evaluate", expression="navigator.clipboard.readText()", awaitPromise=True)
    lines = copied["result"]["value"].splitlines()
    assert lines[:2] == ["p.name\theight\tt.name", "\t".join(rows[0])]
    saved = tab.saved(tmp_path / "nba-rows.csv").decode().split("\r\n")
    assert saved[:2] == ["p.name,height,t.name", ",".join(rows[0])]
    records = json.loads(tab.saved(tmp_path / "nba-rows.json"))
    assert len(records) == len(lines) - 1 == len(saved) - 2
    assert records[0] == {"p.name": rows[0][0], "height": int(rows[0][1]), "t.name": "Boston Celtics"}
    tab.click(".rows [role=gridcell]")
    assert text_of(tab, ".value") == rows[0][0]
    press(tab, "Show as a graph")
    tab.wait("document.querySelector('.canvas')")
    assert tab.evaluate(f"{NODES}.length") > 20
    tab.evaluate(f"{NODES}[0].emit('tap') && 1")
    tab.wait("document.querySelector('.behind .details h2')")
    assert "playsFor" in text_of(tab, ".behind .details")


def test_an_empty_answer_is_explained_at_the_part_of_the_pattern_that_matches_nothing(
    tab: Page, page_address: str
) -> None:
    open_view(
        tab, page_address, "query", q="MATCH (p:Player)-[:playsFor]->(t:Team) WHERE p.height_cm > 300 RETURN t.name"
    )
    run(tab)
    assert "0 rows" in text_of(tab, ".results")
    tab.wait("document.querySelector('.findings li')")
    assert "300" in " ".join(tab.evaluate(UNDERLINED))
    tab.wait("document.querySelector('.chain svg')")
    marked = tab.evaluate("[...document.querySelectorAll('.chain .failing text')].map((part) => part.textContent)")
    assert marked[:2] == ["p:Player", "p.height_cm > 300"]
    assert re.fullmatch(r"✕ 0 of \d+", marked[2])
    assert "p.height_cm > 300" in tab.evaluate("document.querySelector('.chain svg').getAttribute('aria-label')")
    tab.click(".pattern-figure summary")
    assert "0 of" in text_of(tab, ".pattern-figure ol")


TABLE = """
import('./table.js').then(({ table }) => {
  const rows = Array.from({ length: 100000 }, (_, number) => [number + 1, `text ${(number * 7919) % 100000}`]);
  const { frame } = table({ columns: ['number', 'text'], rows, name: 'rows', report: () => {} });
  document.querySelector('main').replaceChildren(frame);
  return true;
})
"""


def test_a_hundred_thousand_rows_are_shown_without_a_hundred_thousand_elements(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "graphs")
    tab.call("Runtime.evaluate", expression=TABLE, awaitPromise=True)
    tab.wait("document.querySelector('.rows [role=row]')")
    assert tab.evaluate("document.querySelectorAll('.rows [role=row]').length") < 100
    tab.evaluate("(() => { const box = document.querySelector('.scroller'); box.scrollTop = box.scrollHeight; })()")
    tab.wait("document.querySelector('.rows [role=row]:last-child [role=gridcell]').textContent === '100000'")
    tab.click(".head button")
    tab.click(".head button")
    tab.wait("document.querySelector('.rows [role=gridcell]').textContent === '100000'")
    assert tab.evaluate("document.querySelector('.scroller').getAttribute('aria-rowcount')") == "100001"


def test_rows_that_an_answer_omits_are_read_up_to_the_limit(tab: Page, page_address: str) -> None:
    text = "x" * 900
    open_view(tab, page_address, "query", q=f"UNWIND range(1, 6000) AS number RETURN number, '{text}' AS text")
    tab.evaluate("document.getElementById('limit').value = '10000'")
    run(tab)
    tab.wait("document.querySelector('.results p').textContent.startsWith('6,000 rows.')")


def test_a_query_that_times_out_is_reported_and_the_next_query_runs(tab: Page, page_address: str) -> None:
    slow = "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b UNWIND range(1, 300) AS c RETURN sum(a * b * c) AS s"
    open_view(tab, page_address, "query")
    tab.evaluate("document.getElementById('seconds').value = '0.5'")
    replace_query(tab, slow)
    tab.press("Enter", 2)
    tab.wait("document.querySelector('#alarm p') && !document.querySelector('button.main[aria-disabled]')")
    assert "time" in text_of(tab, "#alarm")
    tab.evaluate("document.getElementById('seconds').value = '30'")
    replace_query(tab, "MATCH (t:Team) RETURN count(t) AS teams")
    run(tab)
    tab.wait("document.querySelector('.rows [role=gridcell]')?.textContent === '30'")
    assert text_of(tab, "#alarm") == ""


def test_a_question_is_grounded_step_by_step_and_answered(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "question")
    tab.type(QUESTION + "\n")
    tab.wait("document.querySelector('.answer .rows [role=row]')")
    steps = tab.evaluate("[...document.querySelectorAll('.steps > li')].map((step) => step.dataset.tool)")
    assert steps == ["find_entities", "get_filtered_schema", "ground_question"]
    assert not tab.evaluate("document.querySelector('.grounding').open"), "the rows come first"
    extent = tab.evaluate("document.querySelector('[data-tool=get_filtered_schema] div p').textContent")  # it is folded
    assert extent.startswith("Left out: ")
    assert "unknown" not in extent
    assert {row[0] for row in rows_of(tab)} >= {"Cleveland Cavaliers", "Miami Heat", "Los Angeles Lakers"}
    tab.click("[aria-label='Run suggestion 2']")
    second = tab.evaluate("document.querySelectorAll('.suggestions pre')[1].textContent")
    tab.wait(f"document.querySelector('.answer .ran')?.textContent === {json.dumps(second)}")
    tab.wait("document.querySelector('.answer .results, .answer .table, .answer p')")


DOUBT = """
(() => {
  const send = window.fetch;
  window.fetch = async (address, request) => {
    const response = await send(address, request);
    if (!String(address).endsWith('ground_question')) return response;
    const body = await response.json();
    body.answer.ask = 'Do you mean this?';
    return new Response(JSON.stringify(body));
  };
})()
"""
"""Adds a question to the user to each answer of `ground_question`, whatever the ranking is sure of."""


def test_a_doubtful_answer_is_a_question_with_the_readings_to_choose_from(tab: Page, page_address: str) -> None:
    open_view(tab, page_address, "question")
    tab.evaluate(DOUBT)
    tab.type(QUESTION + "\n")
    tab.wait("document.querySelectorAll('.readings button').length > 1")
    assert not tab.evaluate("document.querySelector('.answer')"), "no answer is shown as if it were sure"
    reading, first = text_of(tab, ".readings button"), text_of(tab, ".readings .first")
    tab.click(".readings button")
    tab.wait("document.querySelector('.answer .rows [role=row]')")
    assert text_of(tab, ".answer h2") == reading
    assert first.partition(", ")[0] in {row[0] for row in rows_of(tab)}
