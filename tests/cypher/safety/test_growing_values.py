"""A `reduce` that doubles a text or a list, and a long range in an expression, are found; numbers never are."""

import pytest

from graphground.cypher import parse, validate
from graphground.cypher.safety.growing_values import MAX_ELEMENTS, growing_values
from tests.support.steps import count_steps

DOUBLING = [
    "RETURN reduce(s = 'x', i IN range(1, 40) | s + s) AS x",
    "RETURN reduce(s = [1], i IN range(1, 40) | s + s) AS x",
    "RETURN reduce(s = 'x', i IN range(1, 40) | s || s) AS x",
    "RETURN reduce(s = 'x', i IN range(1, $n) | (s + ',') + s) AS x",
    "RETURN reduce(s = $text, i IN range(1, 40) | s + 'and' + s + s) AS x",
    "MATCH (n) RETURN reduce(s = n.name, i IN range(1, 40) | toUpper(s) + trim(s)) AS x",
    "RETURN reduce(s = [], i IN range(1, 40) | [s, s]) AS x",
    "RETURN reduce(s = {a: 1}, i IN range(1, 40) | {a: s, b: s}) AS x",
    "RETURN reduce(s = 'x', i IN range(1, 40) | CASE WHEN i > 1 THEN s + s ELSE s END) AS x",
    "RETURN reduce(s = 'x', i IN range(1, 40) | replace(s, 'x', s)) AS x",
    "RETURN reduce(s = 'x', i IN range(1, 40) | replace(s, 'x', 'xxx')) AS x",
    "RETURN reduce(s = 'ab', i IN range(1, 40) | replace(replace(s, 'a', 'bb'), 'b', 'aa')) AS x",
    "RETURN reduce(s = ['x'], i IN range(1, 40) | [e IN s | e + e]) AS x",
    "RETURN reduce(s = $list, i IN range(1, 40) | [e IN s | s]) AS x",
    "RETURN reduce(s = 'x', i IN range(1, 40) | reduce(t = s, j IN [1] | t + s)) AS x",
    "RETURN reduce(s = 'x', i IN range(1, 40) | coalesce(s + s, s)) AS x",
    "RETURN reduce(s = 'x', i IN range(1, 40) | substring(s + s, 0)) AS x",
    "RETURN [y IN range(1, 9) | reduce(s = 'x', i IN range(1, 40) | s + s)] AS x",
    "MATCH (n) WHERE size(reduce(s = 'x', i IN range(1, 40) | s + s)) > 1 RETURN count(n) AS c",
    "MATCH (n) RETURN n.name AS name ORDER BY reduce(s = 'x', i IN range(1, 40) | s + s)",
    "RETURN reduce(m = {a: 'x', n: 0}, i IN range(1, 40) | {a: m.a + ' ' + m.a, n: m.n + 1}) AS x",
    "RETURN reduce(s = [1], i IN range(1, 40) | s[0..] + s[1..]) AS x",
    "RETURN reduce(s = 'x', i IN range(1, 40) | apoc.coll.unionAll([s, s], [])) AS x",
    "CALL () { RETURN reduce(s = 'x', i IN range(1, 40) | s + s) AS x } RETURN size(x) AS y",
]
HARMLESS = [
    "MATCH p = (a)-[*1..3]->(b) RETURN reduce(s = 0, r IN relationships(p) | s + r.weight) AS cost",
    "MATCH p = (a)-[*1..3]->(b) RETURN reduce(s = '', n IN nodes(p) | s + n.name + ', ') AS path",
    "RETURN reduce(s = 1, i IN range(1, 40) | s + s) AS x",
    "RETURN reduce(s = 100.0, i IN range(1, 40) | s + s * 0.05) AS x",
    "MATCH (n) RETURN reduce(s = n.amount, i IN range(1, 40) | s + s * 0.05) AS x",
    "RETURN reduce(s = $start, i IN range(1, 40) | s + s) AS power",
    "MATCH (n) RETURN reduce(s = n.amount, i IN range(1, 40) | s + s) AS power",
    "MATCH (n) RETURN reduce(s = n.amount, i IN $rounds | CASE WHEN i > 1 THEN s + s ELSE s END) AS power",
    "MATCH (n) RETURN reduce(s = coalesce(n.amount, 1), i IN $rounds | coalesce(s + s, s)) AS power",
    "RETURN reduce(a = {sum: 0, count: 0}, x IN $xs | {sum: a.sum + x, count: a.count + 1}) AS x",
    "RETURN reduce(a = {sum: 1, name: 'x'}, x IN $xs | {sum: a.sum + a.sum, name: a.name}) AS x",
    "RETURN reduce(a = {text: '', last: ''}, x IN $xs | {text: a.text + x, last: a.text}) AS x",
    "RETURN reduce(f = [0, 1], i IN range(1, 80) | [f[1], f[0] + f[1]])[0] AS fibonacci",
    "RETURN reduce(s = [], x IN $xs | [e IN s WHERE e < x] + [x] + [e IN s WHERE e >= x]) AS sorted",
    "RETURN reduce(s = [], i IN $xs | s[..i] + [i] + s[i..]) AS inserted",
    "RETURN reduce(s = 'abc', i IN $xs | substring(s, 0, i) + '-' + substring(s, i)) AS dashed",
    "RETURN reduce(s = 'abc', i IN $xs | left(s, i) + '-' + right(s, 2)) AS dashed",
    "RETURN reduce(s = [1], i IN $xs | [head(s) + i] + tail(s)) AS x",
    "RETURN reduce(m = {}, x IN $xs | apoc.map.setKey(m, x, coalesce(m[x], 0) + 1)) AS counts",
    "RETURN reduce(s = toInteger($x), i IN range(1, 40) | s + s) AS x",
    "RETURN reduce(s = -1, i IN range(1, 40) | s + s) AS x",
    "RETURN reduce(s = [], i IN range(1, 40) | s + [i]) AS x",
    "RETURN reduce(s = [], x IN range(1, 40) | CASE WHEN x IN s THEN s ELSE s + x END) AS x",
    "RETURN reduce(s = [], x IN range(1, 40) | CASE WHEN size(s) > 2 THEN s[1..] ELSE s + [x] END) AS x",
    "MATCH (n) RETURN reduce(s = n.name, w IN $words | replace(s, w, '')) AS x",
    "RETURN reduce(s = 'a--b', i IN range(1, 40) | replace(s, '--', '-')) AS x",
    "WITH 1 AS n WITH n + n AS n WITH n + n AS n RETURN n + n AS x",
    "RETURN reduce(s = [0, 1], i IN range(1, 40) | s + (s[-1] * 1 + size(s))) AS x",
    "RETURN reduce(s = '', w IN split('a b', ' ') | s + reduce(t = '', c IN split(w, '') | t + c)) AS x",
    "RETURN reduce(s = 'a', x IN ['b', 'c'] | s + x + s) AS palindrome",
    "RETURN reduce(s = 'a', i IN range(1, 5) | s + s) AS x",
    "RETURN reduce(s = {n: 0, t: ''}, i IN range(1, 40) | {n: s.n + 1, t: 'x'}) AS x",
    "RETURN reduce(m = 0, x IN [3, 1, 2] | CASE WHEN x > m THEN x ELSE m END) AS greatest",
    "RETURN reduce(s = '', x IN range(1, 40) | [s + x, 'y'][0]) AS x",
]


@pytest.mark.parametrize("text", DOUBLING)
def test_a_reduce_that_doubles_its_value_is_valid_cypher_but_refused_in_read_only_mode(text: str) -> None:
    assert growing_values(parse(text), {})
    report = validate(text, read_only=True)
    assert not report.valid
    assert report.access == "read"
    assert [(problem.code, problem.found[:6]) for problem in report.diagnostics] == [("value_doubles", "reduce")]
    assert validate(text).valid


@pytest.mark.parametrize("text", HARMLESS)
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
