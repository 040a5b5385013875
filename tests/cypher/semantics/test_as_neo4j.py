"""Queries that Neo4j 5.26 compiles or refuses: neo4j_5_verdicts.tsv has `accepted`, or the code of our first error."""

from pathlib import Path

import pytest

from graphground.cypher import validate

VERDICTS = [
    line.split("\t")
    for line in (Path(__file__).parent / "neo4j_5_verdicts.tsv").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(("verdict", "query"), VERDICTS)
def test_a_query_has_the_verdict_of_neo4j_and_a_refused_query_an_error_of_this_code(verdict: str, query: str) -> None:
    found = validate(query).diagnostics
    assert (found[0].code if found else "accepted") == verdict
