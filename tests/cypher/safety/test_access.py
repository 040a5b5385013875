import json
from pathlib import Path

import pytest

from graphground.cypher import access, parse, validate

QUERIES = json.loads((Path(__file__).parent / "queries.json").read_text(encoding="utf-8"))
WRITES, PLACES, OTHERS = QUERIES["writes"], QUERIES["contexts"], QUERIES["other effects"]
"""Clauses that write, the contexts in which the tests hide each of them, and queries with another side effect."""
HARMLESS = [
    *(template.format(word) for word in QUERIES["harmless words"] for template in QUERIES["contexts of words"]),
    *QUERIES["harmless"],
]


def test_there_are_enough_allowed_and_forbidden_queries() -> None:
    assert len(WRITES) * len(PLACES) + len(OTHERS) >= 200
    assert len(HARMLESS) >= 100


@pytest.mark.parametrize("place", PLACES)
def test_no_writing_clause_passes_as_reading_in_any_context(place: str) -> None:
    for clause in WRITES:
        text = place.replace("{}", clause).replace("{{", "{").replace("}}", "}")
        report = validate(text, read_only=True)
        assert not report.valid, text
        assert report.access != "read", text


@pytest.mark.parametrize("text", OTHERS)
def test_no_other_side_effect_passes_as_reading(text: str) -> None:
    assert not validate(text, read_only=True).valid


@pytest.mark.parametrize("text", HARMLESS)
def test_a_query_that_merely_looks_dangerous_is_accepted(text: str) -> None:
    report = validate(text, read_only=True)
    assert (report.valid, report.access, report.diagnostics) == (True, "read", ())


def test_access_is_the_highest_level_that_a_query_needs() -> None:
    assert access(parse("MATCH (n) RETURN n")) == "read"
    assert access(parse("MATCH (n) SET n.x = 1")) == "write"
    assert access(parse("CREATE INDEX FOR (n:A) ON (n.x)")) == "schema"
    assert access(parse("DROP USER neo4j")) == "admin"


def test_violations_are_errors_only_in_read_only_mode() -> None:
    assert validate("CREATE (n)").valid
    assert [diagnostic.code for diagnostic in validate("CREATE (n)", read_only=True).diagnostics] == ["not_read_only"]


@pytest.mark.parametrize("clause", ["DETACH DELETE n", "NODETACH DELETE n", "DELETE n", "CREATE (n)-[:A]->(n)"])
def test_the_message_names_the_writing_clause(clause: str) -> None:
    (diagnostic,) = validate(f"MATCH (n) {clause}", read_only=True).diagnostics
    assert diagnostic.message == f"{clause.partition(' n')[0].partition(' (')[0]} writes; only reading is allowed here"
    assert [diagnostic.code for diagnostic in validate("CALL apoc.load.json('x')", read_only=True).diagnostics] == [
        "forbidden_procedure"
    ]
    assert [
        diagnostic.code for diagnostic in validate("LOAD CSV FROM 'x' AS l RETURN l", read_only=True).diagnostics
    ] == ["file_or_network_access"]
    expected = ["multiple_statements"]
    assert [diagnostic.code for diagnostic in validate("RETURN 1 AS x; RETURN 2 AS x").diagnostics] == expected
