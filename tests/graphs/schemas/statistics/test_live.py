"""Statistics of a connected Neo4j are read in the background without delaying calls, and read again when the data
change.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from graphground.cypher.api import validate
from graphground.graphs.engines.address import Database
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.graph import Graph
from graphground.graphs.opening.connected import open_database
from graphground.graphs.schemas import statistics
from graphground.graphs.schemas.extraction.extract import extract
from graphground.graphs.schemas.forms import enhanced_form
from graphground.graphs.schemas.statistics import LiveStatistics, Statistics, query_statistics
from graphground.graphs.storage.home import Home
from tests.support.neo4j_server import Neo4jServer, seeded

pytestmark = pytest.mark.timeout(240)
WORLD = (
    "UNWIND range(1, 12) AS i CREATE (c:Country {name: 'C' + i}) SET c.area_km2 = CASE WHEN i < 10 THEN i * 1.5 END",
    "UNWIND range(1, 12) AS i MATCH (a:Country {name: 'C' + i}), (b:Country {name: 'C' + (i % 12 + 1)}) "
    "CREATE (a)-[:borders]->(b), (b)-[:borders]->(a)",
    "CREATE (:Person {name: 'Ann', born: date('1950-01-01')}), (:Person {name: 'Ann', born: date('1960-02-03')})",
    "MATCH (c:Country), (p:Person {born: date('1950-01-01')}) CREATE (c)-[:ruledBy]->(p)",
    "MATCH (c:Country)-[:ruledBy]->(p:Person) WITH c, p LIMIT 10 CREATE (p)-[:rules]->(c)",
)


def read(graph: Graph) -> Statistics:
    """Wait for the current statistics of the database and return them."""
    assert isinstance(graph.statistics_reader, LiveStatistics)
    graph.check_for_changes()
    graph.statistics_reader.wait(60)
    facts = graph.statistics(fresh=True)
    assert facts is not None
    return facts


def test_brief_statistics_come_from_a_sample_and_mark_nothing_as_absent(
    neo4j_5: Neo4jServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics, "SAMPLED", 50)
    seeded(
        neo4j_5,
        "MATCH (n) DETACH DELETE n",
        "UNWIND range(1, 300) AS i CREATE (a:Probe {name: 'P' + i, depth: CASE WHEN i % 2 = 0 THEN i END, "
        "lost: CASE WHEN i > 298 THEN i END})-[:NEAR {since: CASE WHEN i > 299 THEN i END}]->(a)",
    )
    with closing(bolt_engine(neo4j_5.address)) as engine:
        schema = extract(engine, "probes").schema
        sample = query_statistics(engine, schema, whole=60, brief=True)
        facts = query_statistics(engine, schema, whole=60)
    assert (sample.provisional, facts.provisional, facts.complete) == (True, False, True)
    for owner, key, count in (("Probe", "depth", 150), ("Probe", "lost", 2), ("NEAR", "since", 1)):
        seen, known = sample.property(owner, key), facts.property(owner, key)
        assert seen is not None
        assert known is not None
        assert (seen.of, seen.counted) == (50, False)
        assert (known.count, known.of, known.counted) == (count, 300, True)
    query = "MATCH (p:Probe)-[r:NEAR]->() RETURN p.name, r.since ORDER BY p.lost DESC LIMIT 1"
    assert "empty_property" not in {found.code for found in validate(query, schema, data=sample).diagnostics}
    assert "empty_property" in {found.code for found in validate(query, schema, data=facts).diagnostics}
    assert "(no values)" not in enhanced_form(schema, facts=sample)
    assert "depth (about 50%)" in enhanced_form(schema, facts=sample)
    assert "depth (50%)" in enhanced_form(schema, facts=facts)


def test_a_connected_database_is_counted_and_counted_again_after_a_change(
    neo4j_5: Neo4jServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics, "MOST_SHARE", float("inf"))  # no pause between updates
    seeded(neo4j_5, *WORLD)
    database = Database("world", neo4j_5.uri, username=neo4j_5.user, password=neo4j_5.password)
    with closing(open_database(database, Home(tmp_path).make())) as graph:
        facts = read(graph)
        assert facts.complete
        assert (facts.nodes("Country"), facts.fill("Country", "area_km2")) == (12, 0.75)
        borders = facts.pattern("borders", "Country", "Country")
        assert borders is not None
        assert (borders.both_ways, facts.symmetric("borders", "Country")) == (1.0, True)
        assert (facts.mirror("rules"), facts.mirror("ruledBy"), facts.mirror("borders")) == ("ruledBy", None, None)
        assert (facts.namesakes("Person"), facts.namesakes("Country")) == (2, 0)
        born = facts.property("Person", "born")
        assert born is not None
        assert (born.least, born.greatest) == ("1950-01-01", "1960-02-03")
        seeded(neo4j_5, "MATCH (c:Country) SET c.area_km2 = 1.0")
        graph.check_for_changes()
        assert graph.statistics(fresh=True) is None  # known to be outdated: read again in the background
        assert read(graph).fill("Country", "area_km2") == 1.0
    with closing(open_database(database, Home(tmp_path))) as again:
        again.check_for_changes()
        current = again.statistics(fresh=True)
        assert current is not None
        assert current.nodes("Country") == 12
