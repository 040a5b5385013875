"""Cypher 25 as Neo4j 2026.08.1 compiles it: cypher25_verdicts.tsv records its verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphground.cypher import validate
from tests.support.documents import schema

VERDICTS = [
    line.split("\t")
    for line in (Path(__file__).parent / "cypher25_verdicts.tsv").read_text(encoding="utf-8").splitlines()
]
ACCEPTED = [query for verdict, query in VERDICTS if verdict == "accepted"]
REFUSED = [query for verdict, query in VERDICTS if verdict == "refused"]
NOT_YET = {
    "RETURN uuid(1) AS x",
    "SHOW FUNCTIONS YIELD name RETURN name NEXT RETURN name",
    "SHOW INDEXES YIELD name SHOW CONSTRAINTS YIELD name AS n RETURN n",
    "MATCH (n) RETURN n NEXT WHEN n.x = 1 THEN RETURN * ELSE RETURN n",
    "MATCH (n:Movie) SEARCH n IN (VECTOR INDEX idx FOR $v WHERE 1 = 1 = n.year LIMIT 5) RETURN n",
    "MATCH (n) SEARCH n IN (VECTOR INDEX idx FOR [1,2,3] WHERE n.year > 1 AND n.year > 3 LIMIT 1) RETURN n",
}
"""The queries on which our verdict differs from Neo4j's.

We refuse SHOW before NEXT and before another SHOW. We do not check the type of a single argument of `uuid`, nor the
columns of `RETURN *` in a branch. We accept chained comparisons and several bounds of one property in the filter of
SEARCH.
"""


def test_the_recorded_verdicts_include_every_known_difference() -> None:
    assert len(ACCEPTED) > 200
    assert len(REFUSED) > 150
    assert {query for _verdict, query in VERDICTS} >= NOT_YET


@pytest.mark.parametrize("query", [query for query in ACCEPTED if query not in NOT_YET])
def test_a_query_that_neo4j_accepts_is_accepted(query: str) -> None:
    assert validate(query, language="cypher25").diagnostics == ()


@pytest.mark.parametrize("query", [query for query in REFUSED if query not in NOT_YET])
def test_a_query_that_neo4j_refuses_is_refused(query: str) -> None:
    report = validate(query, language="cypher25")
    assert not report.valid
    assert not any("needs Cypher 25" in diagnostic.message for diagnostic in report.diagnostics)


@pytest.mark.parametrize("query", sorted(NOT_YET))
def test_each_known_difference_from_neo4j_still_exists(query: str) -> None:
    assert validate(query, language="cypher25").valid == (query in REFUSED)


@pytest.mark.parametrize(
    "query",
    [
        "LET x = 1 RETURN x",
        "MATCH (n) FILTER n.x = 1 RETURN n",
        "RETURN 1 AS x NEXT RETURN x",
        "WHEN true THEN RETURN 1 AS x",
        "MATCH REPEATABLE ELEMENTS (n)-->(m) RETURN n",
        "{ RETURN 1 AS x }",
        "RETURN null :: VECTOR AS t",
        "MATCH (n) SEARCH n IN (VECTOR INDEX i FOR $v LIMIT 3) RETURN n",
        "MATCH (n) RETURN n.x, count(*) GROUP BY n.x",
        "RETURN allReduce(a = 0, x IN [1] | a + x, a < 5) AS x",
    ],
)
def test_newer_syntax_is_named_as_newer_in_cypher_5(query: str) -> None:
    report = validate(query)
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["syntax"]
    assert "Cypher 25" in report.diagnostics[0].message


def test_a_newer_function_is_named_as_newer_in_cypher_5() -> None:
    first = validate("RETURN ceiling(1.5) AS x").diagnostics[0]
    assert first.code == "unknown_function"
    assert "needs Cypher 25" in first.message


@pytest.mark.parametrize(
    ("query", "access"),
    [
        ("SHOW FUNCTIONS YIELD name MATCH (n {name: name}) RETURN n", "read"),
        ("SHOW FUNCTIONS YIELD name MATCH (n) WHERE apoc.cypher.runFirstColumn(name) RETURN n", "admin"),
        ("WHEN true THEN CREATE (:X) ELSE FINISH", "write"),
        ("RETURN 1 AS x NEXT CREATE (n {x: x})", "write"),
        ("FOR x IN [1] CREATE (:X)", "write"),
        ("RETURN 1 AS x, count(*) AS c GROUP BY apoc.load.json('x')", "admin"),
        ("MATCH (n) SEARCH n IN (VECTOR INDEX i FOR $v LIMIT 3) SCORE AS s RETURN n, s", "read"),
        ("MATCH (n) SEARCH n IN (VECTOR INDEX i FOR apoc.load.json('x') LIMIT 3) RETURN n", "admin"),
        ("RETURN vector([1], apoc.load.json('x'), INTEGER) AS v", "admin"),
    ],
)
def test_clauses_of_cypher_25_need_the_right_access(query: str, access: str) -> None:
    assert validate(query, language="cypher25", read_only=True).access == access


def test_properties_in_the_filter_of_a_search_are_checked_against_the_schema() -> None:
    films = schema("films", {"Movie": {"year": "int"}})
    query = "MATCH (n:Movie) SEARCH n IN (VECTOR INDEX i FOR $v WHERE n.yaer > 90 LIMIT 5) SCORE AS s RETURN s LIMIT 5"
    found = validate(query, films, language="cypher25").diagnostics
    assert [(diagnostic.code, diagnostic.found) for diagnostic in found] == [("unknown_property", "yaer")]
