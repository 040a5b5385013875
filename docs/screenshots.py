"""Takes the pictures of the page for the documentation: `python -m docs.screenshots`.

Needs Chromium. It starts a server with the bundled graph in the data folder `GRAPHGROUND_HOME`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from urllib.parse import quote

from tests.server.ui.test_work import called
from tests.support.browser import Page, browser_page
from tests.support.serving import http_server

IMAGES = Path(__file__).parent / "images"
DRAFTED = "MATCH (p:Player)-[r:draftedBy]->(t:Team) WHERE t.name STARTS WITH 'B' RETURN p, r, t"
TALL = "MATCH (p:Player)-[:playsFor]->(t:Team) WHERE p.height_cm > 300 RETURN t.name"
WRONG = "MATCH (p:Playr)<-[:playsFor]-(t:Team)\nWHERE p.name = 'Lebron James'\nRETURN t.name"
COUNTED = (
    "MATCH (p:Player)-[:draftedBy]->(t:Team) RETURN t.name AS team, count(p) AS players ORDER BY players DESC LIMIT 8"
)
CALLS = (
    ("find_entities", {"mentions": ["Lebron Jmaes"]}),
    ("validate_cypher", {"query": WRONG}),
    ("execute_cypher", {"query": "MATCH (p:Player {name: 'LeBron James'})-[:playsFor]->(t:Team) RETURN t.name"}),
)
NODES = "document.querySelector('.canvas')?.cy?.nodes()"
VIEWS = {
    "schema": ("schema/nba?form=picture&label=Team", "document.querySelector('.details meter')", 900),
    "query": (f"query/nba?q={quote(WRONG)}", "document.querySelector('.findings .fix')", 620),
    "empty": (f"query/nba?q={quote(TALL)}", "document.querySelector('.chain svg')", 900),
    "graph": (f"query/nba?q={quote(DRAFTED)}", f"{NODES}?.length > 2", 1700),
    "chart": (f"query/nba?q={quote(COUNTED)}", "document.querySelector('.chart')", 1000),
    "question": (
        f"question/nba?q={quote('Which awards did LeBron James receive?')}",
        "document.querySelector('.answer .rows [role=row]')",
        620,
    ),
    "doubt": (
        f"question/nba?q={quote('Who won the most awards?')}",
        "document.querySelector('.readings, .answer .rows [role=row]')",
        620,
    ),
    "calls": ("work", "document.querySelectorAll('.calls > li').length >= 3", 620),
}


def take(page: Page, address: str, name: str) -> None:
    """Write the picture of one view."""
    view, ready, height = VIEWS[name]
    page.fresh(width=1280, height=height)
    page.visit(f"{address}#/{view}")
    page.wait(ready)
    if name == "graph":
        page.evaluate(f"{NODES}.max((node) => node.degree()).ele.emit('tap') && 1")
        page.evaluate("document.querySelector('.behind').scrollIntoView() || 1")
    if name == "calls":
        page.evaluate("document.querySelector('.calls details').open = true")
    page.call("Runtime.evaluate", awaitPromise=True, expression="new Promise((done) => setTimeout(done, 500))")
    assert page.errors == [], page.errors
    page.screenshot(IMAGES / f"page-{name}.png")


def main() -> None:
    """Start the server, make the calls of an agent, and take every picture."""
    with tempfile.TemporaryDirectory() as home, http_server(Path(home), "--ui", "--graph", "nba") as mcp:
        address = mcp.replace("/mcp", "/ui/")
        called(mcp, *((tool, {"graph": "nba", **arguments}) for tool, arguments in CALLS))
        with browser_page() as page:
            for name in VIEWS:
                take(page, address, name)


if __name__ == "__main__":
    main()
