"""Null guards: in later patterns, a variable that OPTIONAL MATCH left null matches nothing, as on Neo4j.

The tests compare the rewritten texts, and the rows with those of Neo4j.
"""

import json
from collections.abc import Iterator

import neo4j
import pytest

from graphground.cypher import validate
from graphground.graphs.engines.dialects import ARCADEDB
from graphground.graphs.engines.embedded.launcher import end_engine, require_arcadedb
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.engines.rewriting import rewrite_for
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from tests.support.neo4j_server import Neo4jServer
from tests.support.tangled_graph import cypher_of, tangled

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
# fmt: off
SENT = {
    "MATCH (a) OPTIONAL MATCH (a)-->(z) MATCH (b)-->(z) RETURN b":
        "MATCH (a) OPTIONAL MATCH (a)-->(z) WITH * WHERE z IS NOT NULL MATCH (z)<--(b) RETURN b",
    "MATCH (a) OPTIONAL MATCH (a)-->(z) OPTIONAL MATCH (z)-->(b) WHERE b.x = 1 OR b.x = 2 RETURN b":
        "MATCH (a) OPTIONAL MATCH (a)-->(z) WITH *, z IS NOT NULL AS anchor0 OPTIONAL MATCH (z)-->(b) WHERE "
        "anchor0 AND (b.x = 1 OR b.x = 2) RETURN b",
    "MATCH (a) OPTIONAL MATCH (a)-->(z) RETURN COUNT { (a)<--(z) }":
        "MATCH (a) OPTIONAL MATCH (a)-->(z) RETURN CASE WHEN z IS NOT NULL THEN COUNT { (a)<--(z) } ELSE 0 END AS "
        "`COUNT { (a)<--(z) }`",
    "MATCH (a:P) OPTIONAL MATCH (a)-[:U]->(c) WITH a, c WHERE (a)-[*]->(c) RETURN a.name":
        "MATCH (a:P) OPTIONAL MATCH (a)-[:U]->(c) WITH a, c WHERE (c IS NOT NULL AND (a)-[*]->(c)) RETURN a.name",
    "MATCH (a:P) RETURN CASE WHEN (a)-->(:Q) THEN 1 END AS x":
        "MATCH (a:P) RETURN CASE WHEN EXISTS { (a)-->(:Q) } THEN 1 END AS x",
}
# fmt: on
LEFT_ALONE = [
    "MATCH (a) WITH a, count(*) AS c MATCH (a)-->(b) RETURN b, c",
    "MATCH (a) OPTIONAL MATCH (a)-->(z) RETURN a, z",
    "MATCH (a) OPTIONAL MATCH (a)-->(z) MATCH (a)-->(b) RETURN a, z, b",
    "UNWIND ['n1'] AS name MATCH (a {name: name}) RETURN a",
]


@pytest.mark.parametrize(("written", "sent"), SENT.items())
def test_a_null_is_tested_before_the_pattern(written: str, sent: str) -> None:
    assert validate(written).valid
    assert validate(sent).valid
    assert rewrite_for(ARCADEDB, written) == sent


@pytest.mark.parametrize("query", LEFT_ALONE)
def test_a_query_whose_patterns_use_no_nullable_variable_is_unchanged(query: str) -> None:
    assert rewrite_for(ARCADEDB, query) == query


def test_a_column_keeps_its_name_when_its_text_is_rewritten() -> None:
    sent = rewrite_for(ARCADEDB, "MATCH (a:P) RETURN a.name, EXISTS { (a)-[*]->(:Q) }")
    assert sent == (
        "MATCH (a:P) RETURN a.name, EXISTS { MATCH (a)-[*]->(anchor0:Q) RETURN DISTINCT anchor0 LIMIT 1 } "
        "AS `EXISTS { (a)-[*]->(:Q) }`"
    )


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, neo4j_5: Neo4jServer) -> Iterator[tuple[Graph, neo4j.Driver]]:
    try:
        require_arcadedb()
    except EngineError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("nulls")
    home, document = Home(folder / "home").make(), tangled(11)
    (folder / "tangled.json").write_text(json.dumps(document), "utf-8")
    load_file(folder / "tangled.json", home, name="tangled")
    graph = open_stored("tangled", home)
    with neo4j.GraphDatabase.driver(neo4j_5.uri, auth=(neo4j_5.user, neo4j_5.password)) as driver:
        for statement in cypher_of(document):
            driver.execute_query(statement)
        yield graph, driver
    graph.close()
    end_engine(home, kill=True)


@pytest.mark.timeout(300)
@pytest.mark.neo4j
@pytest.mark.parametrize("later", LATER)
def test_the_rows_equal_those_of_neo4j(both: tuple[Graph, neo4j.Driver], later: str) -> None:
    graph, driver = both
    query = FIRST + later
    assert validate(query).valid
    neo4j_result = driver.execute_query(query)
    table = graph.run(query, timeout=60)
    assert sorted(map(repr, table.rows)) == sorted(repr(record.values()) for record in neo4j_result.records)
    assert not table.rows or table.columns == list(neo4j_result.keys)
