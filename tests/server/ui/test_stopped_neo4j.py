"""A real Neo4j that is stopped while a page is open, and started again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.entities.own_index import OwnIndex
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.tools.find_entities import FindEntitiesRequest, find_entities
from graphground.tools.get_schema import GetSchemaRequest, get_schema
from tests.server.test_moving_database import served_from
from tests.server.ui.test_views import QUERY_TEXT, open_view, replace_query, run, text_of
from tests.support.browser import Page
from tests.support.neo4j_server import Neo4jServer, Neo4jServers, seeded
from tests.support.serving import http_server

pytestmark = [pytest.mark.restarts_neo4j, pytest.mark.timeout(300)]
"""A long limit: a Neo4j is started again."""

CELL = "document.querySelector('.rows [role=gridcell]')?.textContent"


@pytest.fixture
def shop(neo4j_5: Neo4jServer, tmp_path: Path) -> Iterator[str]:
    """Yield the address of a page that shows the database."""
    seeded(
        neo4j_5,
        "MATCH (n) DETACH DELETE n",  # the test repeats on the same server
        "UNWIND ['Lyon', 'Bergen', 'Bath'] AS city CREATE (:Customer {name: 'Shop of ' + city, city: city})",
    )
    options = ("--ui", "--uri", neo4j_5.uri, "--user", neo4j_5.user, "--name", "shop")
    with http_server(tmp_path / "home", *options, more={"NEO4J_PASSWORD": neo4j_5.password}) as mcp:
        yield mcp.replace("/mcp", "/ui/")


@pytest.fixture
def graphs(shop: str, neo4j_5: Neo4jServer, tmp_path: Path) -> Iterator[OpenGraphs]:
    """Yield the database as the tools see it, once its schema and its names have been read."""
    graphs = served_from(neo4j_5, tmp_path)
    names = graphs.get(None).entities
    assert isinstance(names, OwnIndex)
    names.wait(60)
    assert "cannot be reached" not in get_schema(graphs, GetSchemaRequest()).schema_
    yield graphs
    graphs.close()


def test_a_stopped_neo4j_is_reported_in_the_open_page_which_works_again_after_its_restart(
    tab: Page, shop: str, graphs: OpenGraphs, neo4j_servers: Neo4jServers, neo4j_5: Neo4jServer
) -> None:
    open_view(tab, shop, "query", "shop", q="MATCH (c:Customer) RETURN count(c) AS customers")
    run(tab)
    assert tab.evaluate(CELL) == "3"
    open_view(tab, shop, "graphs")
    tab.wait("document.querySelector('.health.good')")
    with neo4j_servers.stopped(neo4j_5):
        tab.wait("document.querySelector('.health.bad')")
        assert neo4j_5.uri.removeprefix("bolt://") in text_of(tab, ".health.bad")
        open_view(tab, shop, "query", "shop", q="MATCH (c:Customer) RETURN c.city ORDER BY c.city")
        tab.press("Enter", 2)
        tab.wait("document.querySelector('#alarm p')")
        assert neo4j_5.uri.removeprefix("bolt://") in text_of(tab, "#alarm")
        check_answers_from_memory(graphs)
    assert "cannot be reached" not in get_schema(graphs, GetSchemaRequest()).schema_
    tab.wait("!document.querySelector('#alarm p')")
    assert text_of(tab, "#status") == "The database answers again."
    assert tab.evaluate(QUERY_TEXT).startswith("MATCH (c:Customer) RETURN c.city")
    run(tab)
    tab.wait(f"{CELL} === 'Bath'")
    replace_query(tab, "MATCH (c:Customer) RETURN c.name LIMIT 1")
    tab.wait("document.querySelector('.verdict-line').textContent.startsWith('Valid')")


def check_answers_from_memory(graphs: OpenGraphs) -> None:
    """Check that the schema and the names, which are still known, are returned with a word on the database."""
    text = get_schema(graphs, GetSchemaRequest()).schema_
    assert "Customer" in text
    assert "The database cannot be reached, so this is its schema as it was last read" in text
    assert "cannot be reached" in get_schema(graphs, GetSchemaRequest(form="json")).schema_
    found = find_entities(graphs, FindEntitiesRequest(mentions=["Shop of Lyon"]))
    assert found.warning is not None
    assert found.warning.startswith("The database cannot be reached")
