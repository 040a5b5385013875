"""The plans of EXPLAIN and PROFILE, on the embedded engine and on Neo4j."""

from __future__ import annotations

from contextlib import closing

import pytest

from graphground.graphs.engines.bolt import BoltEngine, asks_for_plan
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from tests.support.neo4j_server import Neo4jServer, seeded

QUERY = "MATCH (film:Film) WHERE film.name STARTS WITH 'H' RETURN film.name, count(*) AS films"


def execute(graph: Graph, query: str) -> ExecuteCypherAnswer:
    return execute_cypher(
        OpenGraphs([GraphSource(graph.name, "", "", lambda: graph)]), ExecuteCypherRequest(query=query)
    )


@pytest.mark.parametrize("prefix", ["EXPLAIN", "profile"])
def test_the_embedded_engine_returns_its_plan(film_graph: Graph, prefix: str) -> None:
    answer = execute(film_graph, f"{prefix} {QUERY}")
    assert answer.columns == ["plan"]
    lines = [row[0] for row in answer.rows]
    assert any("Film" in line for line in lines), lines
    assert any("Execution Time" in line for line in lines) == (prefix == "profile"), lines
    assert answer.diagnostics == []


def test_neo4j_returns_operators_with_estimates_and_with_figures(neo4j_5: Neo4jServer) -> None:
    seeded(neo4j_5, "MERGE (:PlannedTeam {name: 'Heat'})")
    with closing(BoltEngine(neo4j_5.address)) as engine:
        explained = engine.run("EXPLAIN MATCH (t:PlannedTeam) RETURN t.name LIMIT 5", limit=1)
        profiled = engine.run("PROFILE MATCH (t:PlannedTeam) RETURN t.name", limit=1)
    assert explained.columns == ["plan"]
    lines = [row[0] for row in explained.rows]
    assert lines[0].startswith("ProduceResults")
    assert any(line.startswith("  ") and "NodeByLabelScan t:PlannedTeam" in line for line in lines), lines
    assert "about" in lines[0]
    assert "db hits" in profiled.rows[0][0]
    assert any("1 row," in row[0] for row in profiled.rows)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("EXPLAIN RETURN 1", True),
        ("  profile RETURN 1", True),
        ("CYPHER 25 EXPLAIN RETURN 1", True),
        ("RETURN 'EXPLAIN'", False),
        ("MATCH (explain) RETURN explain", False),
    ],
)
def test_only_queries_that_begin_with_explain_or_profile_request_a_plan(query: str, expected: bool) -> None:
    assert asks_for_plan(query) is expected
