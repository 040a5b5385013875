import gzip
import json
import random
import re
import time

import pytest

from graphground.cypher import validate
from tests.support.cypher_fuzz import broken, queries
from tests.support.cypher_oracle import Oracle
from tests.support.neo4j_server import Neo4jServer
from tests.support.opencypher_tck import cases
from tests.support.shared_data import SHARED, needs

NAMES_AND_LITERALS = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?|\b(?!(?:[A-Z_]{2,}|AS|IN|OR)\b)[A-Za-z_]\w*"""
)
DIFFERENT_FROM_THE_KIT = 33
"""The number of queries in the openCypher kit on which Neo4j's own verdict differs from the kit's, listed by kind in
docs/validation.md.
"""


@needs("neo4j_verdicts", "neo4j_5.26_explain.jsonl.gz")
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_our_verdicts_on_real_queries_equal_those_of_neo4j() -> None:
    with gzip.open(SHARED / "neo4j_verdicts" / "neo4j_5.26_explain.jsonl.gz", "rt", encoding="utf-8") as lines:
        every = map(json.loads, lines)
        # Of the queries that differ in names and literals alone, one is checked: 10,800 of 33,512.
        rows = {(NAMES_AND_LITERALS.sub("x", row["query"]), not row["error"]): row for row in every}.values()
    assert len(rows) > 10_000
    alarms: list[str] = []
    missed: list[str] = []
    placed = elsewhere = 0
    for row in rows:
        report = validate(row["query"])
        if not row["error"]:
            if not report.valid or (report.access == "read") != (row["access"] == "r"):
                alarms.append(row["query"])
        elif report.valid:
            missed.append(row["query"])
        elif row["line"] is not None:
            same = (report.diagnostics[0].line, report.diagnostics[0].column) == (row["line"], row["column"])
            placed += same
            elsewhere += not same
    assert alarms == []
    assert len(missed) <= 0.005 * sum(bool(row["error"]) for row in rows), missed
    assert placed >= 0.9 * (placed + elsewhere)


@needs("opencypher-tck", "tck")
def test_our_verdicts_differ_from_the_opencypher_kit_no_more_often_than_those_of_neo4j() -> None:
    different = [
        case.query
        for case in cases(SHARED / "opencypher-tck" / "tck")
        if "test." not in case.query  # procedures that only the kit's own runner provides
        and bool(case.compile_error) == validate(case.query).valid
    ]
    assert len(different) <= DIFFERENT_FROM_THE_KIT, different


@pytest.mark.neo4j
@pytest.mark.timeout(300)
def test_random_queries_get_the_same_verdict_as_from_neo4j(neo4j_5: Neo4jServer) -> None:
    different: list[tuple[str, str]] = []
    with Oracle(neo4j_5.uri, neo4j_5.user, neo4j_5.password) as oracle:
        for text in queries(1, 300):
            verdict = oracle.ask(text)
            if verdict.refused == validate(text).valid:
                different.append((text, verdict.message))
    # Commands on indexes and constraints are recognised by their first words, not parsed.
    unparsed = ("CREATE INDEX", "CREATE CONSTRAINT", "DROP INDEX", "DROP CONSTRAINT", "EXPLAIN CREATE CONSTRAINT")
    unequal = [entry for entry in different if not any(words in entry[0] for words in unparsed)]
    assert len(unequal) <= 1, unequal


def test_broken_queries_raise_no_exception_and_are_checked_quickly() -> None:
    def seconds(query: str) -> float:
        begin = time.thread_time()
        validate(query)
        return time.thread_time() - begin

    source = random.Random(5)
    checked = [query for text in queries(5, 500) for query in (text, broken(text, source))]
    slow = [query for query in checked if seconds(query) > 0.25]
    assert [query for query in slow if min(seconds(query) for _ in range(3)) > 0.25] == []


def test_hostile_texts_get_a_report_and_cause_no_exception() -> None:
    for text in (
        "",
        " ",
        ";",
        "\x00",
        "RETURN " + "a" * 300_000,
        "(" * 100_000,
        "RETURN 1" + " + 1" * 15_000,
        "RETURN " + "[" * 500 + "]" * 500,
        "MATCH " + "(a)-->" * 3000 + "(b) RETURN 1 AS x",
        "RETURN '" + "\\" * 9999,
        "RETURN \\u",
        "RETURN \ud800 AS x",
        "`" * 999,
        "/*" * 999,
        "MATCH (n) WHERE " + "n.x = 1 AND " * 5000 + "true RETURN n",
        "RETURN " + "CASE WHEN true THEN " * 200,
        "UNWIND " * 999,
        "RETURN $" + "9" * 6000,
    ):
        report = validate(text)
        assert report.access in ("read", "write", "schema", "admin")


def test_a_deep_expression_within_the_limit_is_checked() -> None:
    assert validate("RETURN " + "(" * 50 + "1" + ")" * 50 + " AS x").valid
    assert validate("RETURN " + "[" * 50 + "1" + "]" * 50 + " AS x").valid
