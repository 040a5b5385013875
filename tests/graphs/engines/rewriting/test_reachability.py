"""Queries that need only the ends of paths of any length: their rewritten texts."""

import pytest

from graphground.cypher import validate
from graphground.graphs.engines.dialects import ARCADEDB
from graphground.graphs.engines.rewriting import rewrite_for

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
