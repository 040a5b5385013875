"""Null guards: in later patterns, a variable that OPTIONAL MATCH left null matches nothing; the rewritten texts."""

import pytest

from graphground.cypher import validate
from graphground.graphs.engines.dialects import ARCADEDB
from graphground.graphs.engines.rewriting import rewrite_for

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
