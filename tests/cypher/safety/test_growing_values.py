"""A `reduce` that doubles a text or a list, and a long range in an expression, are found; numbers never are."""

import json
from pathlib import Path

import pytest

from graphground.cypher import parse, validate
from graphground.cypher.safety.access import MAX_ELEMENTS, growing_values
from tests.support.steps import count_steps

QUERIES = json.loads((Path(__file__).parent / "queries.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", QUERIES["doubling"])
def test_a_reduce_that_doubles_its_value_is_valid_cypher_but_refused_in_read_only_mode(text: str) -> None:
    assert growing_values(parse(text), {})
    report = validate(text, read_only=True)
    assert not report.valid
    assert report.access == "read"
    assert [(problem.code, problem.found[:6]) for problem in report.diagnostics] == [("value_doubles", "reduce")]
    assert validate(text).valid


@pytest.mark.parametrize("text", QUERIES["bounded"])
def test_a_reduce_with_bounded_growth_is_not_refused(text: str) -> None:
    assert validate(text, read_only=True).valid


def test_a_variable_that_is_added_to_itself_again_and_again_is_refused() -> None:
    chain = "WITH [1] AS l " + "WITH l + l AS l " * 30
    inside = "l"
    for _ in range(8):
        inside = f"[l IN [{inside}] | l + l][0]"
    for text in (chain + "RETURN size(l) AS n", f"WITH 'x' AS l RETURN {inside} AS x"):
        assert [problem.code for problem in validate(text, read_only=True).diagnostics] == ["value_doubles"], text


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("RETURN [i IN range(1, 1000001) | i] AS x", {}),
        ("RETURN size(range(0, $n)) AS x", {"n": 10**9}),
        ("RETURN reduce(s = 0, i IN range(1, 10000 * 10000) | s + i) AS x", {}),
        ("RETURN any(i IN range(-1000000000, -1) WHERE i = 0) AS x", {}),
        ("RETURN [i IN range(1, 10000) | [j IN range(1, 10000) | i + j]] AS x", {}),
        ("WITH range(1, 1000000000, 2) AS r UNWIND r AS i RETURN sum(i) AS x", {}),
        ("WITH 2000000000 AS n RETURN apoc.coll.sum(range(1, n)) AS x", {}),
        ("MATCH (n) WHERE n.age IN range(0, 2000000000) RETURN n.name AS name LIMIT 3", {}),
    ],
)
def test_a_range_too_long_for_a_single_expression_is_refused(text: str, parameters: dict[str, int]) -> None:
    report = validate(text, read_only=True, parameters=parameters)
    assert [(problem.code, problem.found[:5]) for problem in report.diagnostics] == [("value_too_large", "range")]
    assert "UNWIND" in report.diagnostics[0].message or "numbers or parameters" in report.diagnostics[0].message
    assert validate(text).valid


@pytest.mark.parametrize(
    "text",
    [
        "UNWIND range(1, 1000000000) AS i RETURN sum(i) AS x",
        "UNWIND range(1, 100000) AS i UNWIND range(1, 100000) AS j RETURN count(*) AS x",
        f"RETURN size([i IN range(1, {MAX_ELEMENTS}) | i]) AS x",
        "MATCH p = (a)-[*1..3]->(b) RETURN [i IN range(0, length(p) - 1) | nodes(p)[i]] AS x LIMIT 3",
        "RETURN [i IN range(1, $n) | i] AS x",
        "RETURN [i IN range(10, 1) | i] AS x, [i IN range(0, 10, 0) | i] AS y",
        "RETURN [h IN range(0, 23) | [m IN range(0, 59) | h * 60 + m]] AS minutes",
    ],
)
def test_a_range_that_is_streamed_short_or_of_unknown_length_is_not_refused(text: str) -> None:
    assert validate(text, read_only=True).valid


def test_the_work_for_deep_nesting_grows_with_the_depth_and_not_exponentially() -> None:
    for nested in ("reduce(t = {}, j IN $x | t + 1)", "reduce(t = 1, j IN $x | {} + 1)", "[t IN $x | {}][0]"):
        step = "s"
        for _ in range(50):
            step = nested.format(step)
        query = parse(f"RETURN reduce(s = 'x', i IN $x | {step}) AS x")
        assert count_steps(lambda query=query: growing_values(query, {})) < 200_000  # type: ignore[misc]
