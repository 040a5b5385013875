"""Queries that need only the ends of paths of any length: their rewritten texts, and rows equal to those of Neo4j."""

import json
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest

from graphground.cypher import validate
from graphground.graphs.engines.dialects import ARCADEDB
from graphground.graphs.engines.embedded.launcher import end_engine, require_arcadedb
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.engines.rewriting import rewrite_for
from graphground.graphs.loading.load import load_file
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from tests.support.neo4j_server import Neo4jServer
from tests.support.tangled_graph import cypher_of, questions, tangled

# fmt: off
REACHED = {
    "MATCH (a:P {name: 'x'}) WHERE (a)-[:T*]->(:Q) RETURN a.x":
        "MATCH (a:P {name: 'x'}) WHERE EXISTS { MATCH (a)-[:T*]->(anchor0:Q) RETURN DISTINCT anchor0 LIMIT 1 } "
        "RETURN a.x",
    "MATCH (a:P) WHERE NOT EXISTS { (a)<-[r:T*..5]-(b) WHERE b.y = a.y } AND exists((a)-[*]-(:Q)) RETURN a.x":
        "MATCH (a:P) WHERE NOT EXISTS { MATCH (a)<-[r:T*..5]-(b) WHERE b.y = a.y RETURN DISTINCT b LIMIT 1 } AND "
        "EXISTS { MATCH (a)-[*]-(anchor0:Q) RETURN DISTINCT anchor0 LIMIT 1 } RETURN a.x",
    "MATCH (a:P {name: 'x'}) MATCH (a)-[:T*]->(b) RETURN count(DISTINCT b) AS c":
        "MATCH (a:P {name: 'x'}) CALL (a) { MATCH (a)-[:T*]->(b) RETURN DISTINCT b } RETURN count(DISTINCT b) AS c",
    "MATCH (a:P)-[:T*]->(b:Q {name: 'x'}) RETURN size(collect(DISTINCT a.name)) AS c":
        "MATCH (b:Q {name: 'x'}) CALL (b) { MATCH (b)<-[:T*]-(a:P) RETURN DISTINCT a } "
        "RETURN size(collect(DISTINCT a.name)) AS c",
    "MATCH (a:P {name: 'x'})-[:U]->(c)-[:T*]->(b:Q) WHERE a.x = 1 AND b.y > c.y AND c.z = 2 RETURN DISTINCT b.x AS x":
        "MATCH (a:P {name: 'x'})-[:U]->(c) WHERE (a.x = 1) AND (c.z = 2) CALL (c) { MATCH (c)-[:T*]->(b:Q) "
        "WHERE (b.y > c.y) RETURN DISTINCT b } RETURN DISTINCT b.x AS x",
    "MATCH (a:P {name: 'x'}) OPTIONAL MATCH (a)-[*0..]-(b:Q) WHERE b.z = 1 RETURN a.x AS x, count(DISTINCT b) AS c":
        "MATCH (a:P {name: 'x'}) OPTIONAL CALL (a) { MATCH (a)-[*0..]-(b:Q) WHERE (b.z = 1) RETURN DISTINCT b } "
        "RETURN a.x AS x, count(DISTINCT b) AS c",
    "MATCH (a:P), (c:Q) MATCH (a)-[*]->(c) RETURN DISTINCT c.name":
        "MATCH (a:P), (c:Q) WITH * WHERE EXISTS { MATCH (a)-[*]->(c) RETURN DISTINCT c LIMIT 1 } "
        "RETURN DISTINCT c.name",
    "MATCH (`a b`:P) MATCH (`a b`)-[*]->(c) WITH DISTINCT c RETURN c.x":
        "MATCH (`a b`:P) CALL (`a b`) { MATCH (`a b`)-[*]->(c) RETURN DISTINCT c } WITH DISTINCT c RETURN c.x",
}
# fmt: on
LEFT_ALONE = {
    "rows are counted": "MATCH (a:P {name: 'x'}) MATCH (a)-[*]->(b) RETURN b.name AS name, count(*) AS ways",
    "rows are kept": "MATCH (a:P {name: 'x'}) MATCH (a)-[*]->(b) RETURN b.name",
    "rows are limited first": "MATCH (a:P {name: 'x'}) MATCH (a)-[*]->(b) WITH b LIMIT 3 RETURN DISTINCT b.name",
    "rows are collected": "MATCH (a:P {name: 'x'}) MATCH (a)-[*]->(b) RETURN collect(b.name) AS names",
    "the path is named": "MATCH (a:P {name: 'x'}) MATCH p = (a)-[*]->(b) RETURN DISTINCT length(p) AS length",
    "the relationships of the path are returned": "MATCH (a:P {name: 'x'}) MATCH (a)-[r*]->(b) RETURN DISTINCT size(r) AS size",
    "the path has at least two relationships": "MATCH (a:P {name: 'x'}) MATCH (a)-[*2..]->(b) RETURN DISTINCT b.name",
    "the path is short": "MATCH (a:P {name: 'x'}) MATCH (a)-[*1..2]->(b) RETURN DISTINCT b.name",
    "another step may use a relationship of the path": "MATCH (a:P {name: 'x'})-[:T]->(c)-[*]->(b) RETURN DISTINCT b.name",
    "two long paths": "MATCH (a:P {name: 'x'})-[:T*]->(c)-[:U*]->(b) RETURN DISTINCT b.name",
    "the path is a cycle": "MATCH (a:P {name: 'x'}) MATCH (a)-[*]->(a) RETURN DISTINCT a.name",
    "the engine optimises the query itself": "MATCH (a:P {name: 'x'})-[*]->(b) RETURN DISTINCT b.name",
    "paths are counted in a subquery": "MATCH (a:P) WHERE COUNT { MATCH (a)-[*]->(b) } > 1 RETURN a.name",
    "a condition is random": "MATCH (a:P {name: 'x'}) MATCH (a)-[*]->(b) WHERE rand() < 0.5 RETURN DISTINCT b.name",
}
RUNS = 2
EACH = 30


@pytest.mark.parametrize(("written", "sent"), REACHED.items())
def test_ends_of_long_paths_are_searched_in_the_engines_own_form(written: str, sent: str) -> None:
    assert validate(written).valid
    assert rewrite_for(ARCADEDB, written) == sent
    assert validate(sent).valid
    assert rewrite_for(ARCADEDB, sent) == sent, "a second time changes nothing"


@pytest.mark.parametrize("query", LEFT_ALONE.values(), ids=list(LEFT_ALONE))
def test_a_query_that_needs_more_than_the_ends_of_paths_is_unchanged(query: str) -> None:
    assert validate(query).valid
    assert rewrite_for(ARCADEDB, query) == query


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    try:
        require_arcadedb()
    except EngineError as error:
        pytest.skip(str(error))
    home = Home(tmp_path_factory.mktemp("tangled") / "home").make()
    yield home
    end_engine(home, kill=True)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(RUNS))
def test_the_reached_nodes_are_the_same_as_on_neo4j(
    home: Home, tmp_path: Path, neo4j_5: Neo4jServer, seed: int
) -> None:
    document = tangled(seed)
    (tmp_path / "tangled.json").write_text(json.dumps(document), "utf-8")
    load_file(tmp_path / "tangled.json", home, name="tangled")
    graph = open_stored("tangled", home)
    assert graph.engine is not None
    changed = found = 0
    with neo4j.GraphDatabase.driver(neo4j_5.uri, auth=(neo4j_5.user, neo4j_5.password)) as driver:
        for statement in cypher_of(document):
            driver.execute_query(statement)
        for query in questions(seed, EACH):
            if not validate(query).valid:
                continue
            neo4j_records = driver.execute_query(query).records
            rows = graph.run(query, timeout=60).rows
            assert sorted(map(repr, rows)) == sorted(repr(record.values()) for record in neo4j_records), query
            changed += rewrite_for(ARCADEDB, query) != query
            found += bool(rows)
    graph.engine.close()
    assert changed > EACH / 3
    assert found > EACH / 3


@pytest.mark.timeout(300)
@pytest.mark.engine
def test_a_dense_graph_is_searched_within_its_limit(home: Home, tmp_path: Path) -> None:
    (tmp_path / "dense.json").write_text(json.dumps(tangled(5, nodes=150, relationships=1500)), "utf-8")
    load_file(tmp_path / "dense.json", home, name="dense")
    graph = open_stored("dense", home)
    assert graph.engine is not None
    nobody = "MATCH (a {name: 'n0'}) WHERE EXISTS { (a)-[*]-({name: 'n149'}) } RETURN a.name"
    everybody = "MATCH (a {name: 'n0'}) MATCH (a)-[*]-(b) RETURN count(DISTINCT b.eid) AS c"
    assert graph.run(nobody, timeout=60).rows == []
    assert graph.run(everybody, timeout=60).rows == [[148]]
    graph.engine.close()
