"""Statistics of a connected Neo4j are read in the background without delaying calls, and read again when the data
change.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphground.graphs.graph import Graph
from graphground.graphs.opening.connected import open_database
from graphground.graphs.opening.database import Database
from graphground.graphs.schemas.statistics import live
from graphground.graphs.schemas.statistics.live import LiveStatistics
from graphground.graphs.schemas.statistics.model import Statistics
from graphground.graphs.storage.home import Home
from tests.support.neo4j_server import Neo4jServer, seeded

pytestmark = pytest.mark.timeout(240)
WORLD = (
    "UNWIND range(1, 12) AS i CREATE (c:Country {name: 'C' + i}) SET c.area_km2 = CASE WHEN i < 10 THEN i * 1.5 END",
    "UNWIND range(1, 12) AS i MATCH (a:Country {name: 'C' + i}), (b:Country {name: 'C' + (i % 12 + 1)}) "
    "CREATE (a)-[:borders]->(b), (b)-[:borders]->(a)",
    "CREATE (:Person {name: 'Ann', born: date('1950-01-01')}), (:Person {name: 'Ann', born: date('1960-02-03')})",
)


def read(graph: Graph) -> Statistics:
    """Wait for the current statistics of the database and return them."""
    assert isinstance(graph.facts, LiveStatistics)
    graph.look()
    graph.facts.wait(60)
    facts = graph.statistics(fresh=True)
    assert facts is not None
    return facts


def test_a_connected_database_is_counted_and_counted_again_after_a_change(
    neo4j_5: Neo4jServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_SHARE", float("inf"))  # no pause between updates
    seeded(neo4j_5, *WORLD)
    database = Database("world", neo4j_5.uri, username=neo4j_5.user, password=neo4j_5.password)
    graph = open_database(database, Home(tmp_path).make())
    try:
        facts = read(graph)
        assert facts.complete
        assert (facts.nodes("Country"), facts.fill("Country", "area_km2")) == (12, 0.75)
        assert (facts.both_ways("borders", "Country"), facts.symmetric("borders", "Country")) == (1.0, True)
        assert (facts.namesakes("Person"), facts.namesakes("Country")) == (2, 0)
        born = facts.property("Person", "born")
        assert born is not None
        assert (born.least, born.greatest) == ("1950-01-01", "1960-02-03")
        degrees = facts.matching("borders")[0].starts
        assert degrees is not None
        assert (degrees.having, degrees.most, degrees.mean) == (12, 2, 2.0)
        seeded(neo4j_5, "MATCH (c:Country) SET c.area_km2 = 1.0")
        graph.look()
        assert graph.statistics(fresh=True) is None  # known to be outdated: read again in the background
        assert read(graph).fill("Country", "area_km2") == 1.0
    finally:
        graph.close()
    again = open_database(database, Home(tmp_path))
    try:
        again.look()
        kept = again.statistics(fresh=True)
        assert kept is not None
        assert kept.nodes("Country") == 12
    finally:
        again.close()
