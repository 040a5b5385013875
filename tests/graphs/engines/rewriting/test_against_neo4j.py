"""On a small random graph, rewritten queries give the same rows as Neo4j: nulls in later patterns, and long paths."""

from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest

from graphground.cypher import validate
from graphground.graphs.engines.dialects import ARCADEDB
from graphground.graphs.engines.rewriting import rewrite_for
from graphground.graphs.graph import Graph
from tests.support.neo4j_server import Neo4jServer
from tests.support.small_graph import opened_graph
from tests.support.tangled_graph import cypher_of, questions, tangled

pytestmark = pytest.mark.timeout(300)
FIRST = "MATCH (a) OPTIONAL MATCH (a)-[r]->(z {name: 'n3'}) "
LATER = [
    "MATCH (b)-->(z) RETURN a.name AS x, b.name AS y",
    "MATCH (z)-->(b) RETURN a.name AS x, b.name AS y",
    "MATCH (b)-[:T]->(z), (b)-->(c) RETURN a.name AS x, count(*) AS y",
    "OPTIONAL MATCH (b)-->(z) RETURN a.name AS x, b.name AS y",
    "OPTIONAL MATCH (b)-->(z) WHERE b.name <> 'n5' AND COUNT { (b)-->(z) } > 0 RETURN a.name AS x, b.name AS y",
    "WITH a, z WHERE (a)<--(z) RETURN a.name AS x",
    "WITH a, z WHERE NOT (a)<--(z) RETURN a.name AS x",
    "WITH a, z WHERE exists((a)--(z)) OR a.name = 'n1' RETURN a.name AS x",
    "WITH a, z WHERE EXISTS { (a)<--(z) } RETURN a.name AS x",
    "WITH a, z WHERE NOT EXISTS { MATCH (a)--(z) WHERE a.name <> 'n2' } RETURN a.name AS x",
    "WITH a, z WHERE EXISTS { MATCH (a)--(z) RETURN z } RETURN a.name AS x",
    "RETURN a.name AS x, COUNT { (a)<--(z) } AS y, size([(a)<--(z) | 1]) AS w",
    "RETURN a.name, COUNT { (a)--(z) }, size(COLLECT { MATCH (a)--(z) RETURN z.name })",
    "RETURN a.name AS x, [(a)--(z)-->(b) WHERE NOT (b)-->(z) | b.name] = [] AS y",
    "CALL { WITH a, z MATCH (b)-->(z) RETURN count(b) AS y } RETURN a.name AS x, y",
    "CALL (a, z) { MATCH (b)-->(z) RETURN count(b) AS y } RETURN a.name AS x, y",
    "CALL (z) { MATCH (b)-->(z) RETURN b.name AS y UNION MATCH (z)-->(b) RETURN b.name AS y } RETURN a.name AS x, y",
    "WITH a, head(collect(z)) AS y MATCH (b)-->(y) RETURN a.name AS x, count(b) AS c",
    "WITH a, CASE WHEN a.name > 'n4' THEN z END AS y MATCH (b)-->(y) RETURN a.name AS x, count(b) AS c",
    "WITH a, z AS y OPTIONAL MATCH (y)-->(q) MATCH (b)-->(q) RETURN a.name AS x, count(b) AS c",
    "MATCH (b)-[r]->(c) RETURN a.name AS x, c.name AS y",
    "WITH a, z UNWIND [z, null, a] AS y MATCH (b)-->(y) RETURN a.name AS x, count(*) AS c",
    "MATCH (b)-[*1..2]->(z) RETURN a.name AS x, count(DISTINCT b) AS c",
    "WITH * WHERE (z)-->() RETURN a.name AS x",
    "RETURN a.name AS x, CASE WHEN (a)--(z) THEN 1 ELSE 2 END AS y ORDER BY COUNT { (a)--(z) }, x",
]
EACH = 30


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, neo4j_5: Neo4jServer) -> Iterator[tuple[Graph, neo4j.Driver]]:
    document = tangled(11)
    with (
        opened_graph(tmp_path_factory.mktemp("tangled"), document, "tangled") as graph,
        neo4j.GraphDatabase.driver(neo4j_5.uri, auth=(neo4j_5.user, neo4j_5.password)) as driver,
    ):
        for statement in cypher_of(document):
            driver.execute_query(statement)
        yield graph, driver


@pytest.mark.neo4j
@pytest.mark.parametrize("later", LATER)
def test_a_null_matches_nothing_in_later_patterns(both: tuple[Graph, neo4j.Driver], later: str) -> None:
    graph, driver = both
    query = FIRST + later
    assert validate(query).valid
    neo4j_result = driver.execute_query(query)
    table = graph.run(query, timeout=60)
    assert sorted(map(repr, table.rows)) == sorted(repr(record.values()) for record in neo4j_result.records)
    assert not table.rows or table.columns == list(neo4j_result.keys)


@pytest.mark.neo4j
@pytest.mark.parametrize("seed", range(2))
def test_the_reached_nodes_are_the_same_as_on_neo4j(both: tuple[Graph, neo4j.Driver], seed: int) -> None:
    graph, driver = both
    changed = found = 0
    for query in questions(seed, EACH):
        if not validate(query).valid:
            continue
        neo4j_records = driver.execute_query(query).records
        rows = graph.run(query, timeout=60).rows
        assert sorted(map(repr, rows)) == sorted(repr(record.values()) for record in neo4j_records), query
        changed += rewrite_for(ARCADEDB, query) != query
        found += bool(rows)
    assert changed > EACH / 3
    assert found > EACH / 3


@pytest.mark.engine
def test_a_dense_graph_is_searched_within_its_limit(tmp_path: Path) -> None:
    with opened_graph(tmp_path, tangled(5, nodes=150, relationships=1500), "dense") as graph:
        nobody = "MATCH (a {name: 'n0'}) WHERE EXISTS { (a)-[*]-({name: 'n149'}) } RETURN a.name"
        everybody = "MATCH (a {name: 'n0'}) MATCH (a)-[*]-(b) RETURN count(DISTINCT b.eid) AS c"
        assert graph.run(nobody, timeout=60).rows == []
        assert graph.run(everybody, timeout=60).rows == [[148]]
