"""Comparisons with NULL, which never hold."""

import pytest

from graphground.cypher import validate
from tests.support.checked_graphs import COMPANY


def nulls(query: str) -> list[tuple[str, str, tuple[str, ...]]]:
    found = validate(query, COMPANY).diagnostics
    return [
        (diagnostic.severity, diagnostic.found, tuple(diagnostic.suggestions))
        for diagnostic in found
        if diagnostic.code == "null_comparison"
    ]


@pytest.mark.parametrize(
    ("condition", "found", "fix"),
    [
        ("n.gender = NULL", "n.gender = NULL", "n.gender IS NULL"),
        ("n.gender <> null", "n.gender <> null", "n.gender IS NOT NULL"),
        ("NOT n.gender = null", "n.gender = null", "n.gender IS NULL"),
        ("null = n.gender", "null = n.gender", "n.gender IS NULL"),
        ("n.name = 'x' OR n.gender = null", "n.gender = null", "n.gender IS NULL"),
        ("EXISTS { (n)<-[:hasCEO]-(c) WHERE c.name <> null }", "c.name <> null", "c.name IS NOT NULL"),
        ("n.name + 'x' = null", "n.name + 'x' = null", "(n.name + 'x') IS NULL"),
    ],
)
def test_a_comparison_with_null_causes_an_error_and_the_intended_test_is_suggested(
    condition: str, found: str, fix: str
) -> None:
    query = f"MATCH (n:Person) WHERE {condition} RETURN count(n)"
    assert nulls(query) == [("error", found, (fix,))]
    assert validate(query, COMPANY).suggested_query == query.replace(found, fix)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:Person) WHERE n.gender > null RETURN count(n)",
        "MATCH (n:Person {gender: null}) RETURN count(n)",
        "MATCH (n:Person) RETURN CASE n.gender WHEN null THEN 'unknown' ELSE n.gender END AS gender, count(n)",
        "MATCH (n:Person) RETURN CASE WHEN n.gender = null THEN 'unknown' ELSE n.gender END AS gender, count(n)",
        "MATCH (n:Person) WITH n, n.gender AS g WHERE g = null RETURN count(n)",
    ],
)
def test_a_comparison_with_null_is_found_in_where_in_case_and_in_maps(query: str) -> None:
    assert [severity for severity, _, _ in nulls(query)] == ["error"]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:Person) WHERE n.gender IS NULL RETURN count(n)",
        "MATCH (n:Person) WHERE coalesce(n.gender, null) = 'male' RETURN count(n)",
        "MATCH (n:Person) RETURN CASE WHEN n.gender IS NULL THEN null ELSE n.name END AS x, count(n)",
        "MATCH (n:Person) RETURN [x IN collect(n.name) WHERE x <> 'null'] AS names",
        "RETURN null = null AS unknown",
    ],
)
def test_a_correct_use_of_null_is_not_reported(query: str) -> None:
    assert nulls(query) == []


@pytest.mark.parametrize(
    ("pattern", "advice"),
    [
        ("(p:Person {gender: null})", "Delete this entry and write WHERE p.gender IS NULL."),
        ("(:Person {gender: null})", "Delete this entry, name the node n1, and write WHERE n1.gender IS NULL."),
        (
            "(:Person)<-[:hasCEO {end_year: null}]-()",
            "Delete this entry, name the relationship r, and write WHERE r.end_year IS NULL.",
        ),
    ],
)
def test_the_message_about_null_in_a_pattern_says_what_to_write_in_where(pattern: str, advice: str) -> None:
    found = validate(f"MATCH {pattern} RETURN 1 AS n", COMPANY).diagnostics
    (message,) = [diagnostic.message for diagnostic in found if diagnostic.code == "null_comparison"]
    assert message.endswith(advice)


@pytest.mark.parametrize(
    "query",
    [
        "CREATE (n:Person {gender: null})",
        "MATCH (n:Person WHERE n.gender = coalesce({a: null}.a, 'x')) RETURN count(n)",
    ],
)
def test_null_in_a_map_that_selects_no_nodes_is_not_reported(query: str) -> None:
    assert nulls(query) == []
