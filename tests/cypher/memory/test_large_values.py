"""Values that are certainly too large are always found; values that a database computes lazily are never reported."""

from time import process_time
from typing import Any

import pytest

from graphground.cypher import parse, validate
from graphground.cypher.memory import large_values

# fmt: off
LARGE = [
    "RETURN CASE WHEN true THEN [x IN range(1, 100000000) | x] END",
    "RETURN CASE [x IN range(1, 100000000) | x] WHEN [] THEN 1 ELSE 2 END",
    "RETURN coalesce([x IN range(1, 100000000) | x], 1)",
    "UNWIND range(1, 100000000) AS i RETURN collect(i) AS x",
    "UNWIND range(1, 100000000) AS i WITH collect(i) AS l RETURN size(l) AS x",
    "UNWIND range(1, 100000000) AS i WITH collect(DISTINCT i) AS l RETURN size(l) AS x",
    "UNWIND range(1, 100000000) AS i RETURN count(DISTINCT i) AS x",
    "UNWIND range(1, 100000000) AS i WITH DISTINCT i RETURN count(*) AS x",
    "UNWIND range(1, 100000000) AS i WITH i, count(*) AS c RETURN max(c) AS x",
    "UNWIND range(1, 100000000) AS i RETURN i ORDER BY i DESC",
    "UNWIND range(1, 100000000) AS i RETURN percentileDisc(i, 0.5) AS x",
    "UNWIND range(1, 100000000) AS i WITH i WHERE i > 0 RETURN collect(i) AS x",
    "UNWIND range(1, 100000000) AS i WITH i WHERE 5 <= i < 90000000 AND i <> 7 RETURN collect(i) AS x",
    "UNWIND range(1, 100000000) AS i WITH i WHERE i % 2 = 0 RETURN collect(i) AS x",
    "UNWIND range(1, 100000000) AS i OPTIONAL MATCH (n {id: i}) RETURN collect(i) AS x",
    "UNWIND range(1, 100000000) AS i CALL (i) { RETURN i * 2 AS j } RETURN collect(j) AS x",
    "CALL () { UNWIND range(1, 100000000) AS i RETURN collect(i) AS l } RETURN size(l) AS x",
    "MATCH (n) UNWIND range(1, 100000000) AS i RETURN n.name AS name, collect(i) AS x",
    "UNWIND range(1, 10000) AS i UNWIND range(1, 10000) AS j RETURN collect([i, j]) AS x",
    "UNWIND range(1, 10000) AS i UNWIND range(1, 10000) AS j WITH DISTINCT i, j RETURN count(*) AS x",
    "UNWIND range(1, 10000) AS i UNWIND range(1, 10000) AS j WITH i, j ORDER BY j RETURN count(*) AS x",
    "RETURN size(COLLECT { UNWIND range(1, 100000000) AS i RETURN i }) AS x",
    "RETURN range(1, 100000000) AS x",
    "RETURN {a: [range(1, 100000000)]} AS x",
    "RETURN size([i IN range(1, 100000000) | i]) AS x",
    "RETURN [i IN range(1, 100000000) | 1][0] AS x",
    "RETURN size([i IN range(1, 100000000) WHERE i > 0]) AS x",
    "RETURN size([i IN range(100000000, 1, -1) | 'a' + i]) AS x",
    "RETURN size([i IN range(1, 100000) | [j IN range(1, 100000) | $a]]) AS x",
    "MATCH (n) WHERE any(i IN [j IN range(1, 100000000) | j] WHERE i = n.id) RETURN n.name AS name",
    "RETURN size(toStringList(range(1, 100000000))) AS x",
    "RETURN size(apoc.coll.pairs(range(1, 100000000))) AS x",
    "RETURN apoc.coll.sum(range(1, 100000000)) AS x",
    "RETURN apoc.coll.sum(range(1, 50000000) + range(1, 50000000)) AS x",
    "RETURN apoc.coll.contains(tail(reverse(range(1, 100000000)[1..])), 1) AS x",
    "RETURN apoc.map.get({a: range(1, 100000000)}, 'b', 1, false) AS x",
    "RETURN size(apoc.convert.toJson([range(1, 100000000)])) AS x",
    "RETURN apoc.coll.flatten([i IN range(1, 1000) | range(1, 100000)])[0] AS x",
    "CALL apoc.path.expandConfig(null, {a: range(1, 100000000)}) YIELD path RETURN path",
    "RETURN apoc.coll.sum(range(1, toInteger('100000000'))) AS x",
    "RETURN apoc.coll.sum(range(1, toInteger(10 ^ 8))) AS x",
    "RETURN apoc.coll.sum(range(1, 10000 * 10000)) AS x",
    "RETURN apoc.coll.sum(range(-50000000, abs(-50000000))) AS x",
    "RETURN apoc.coll.sum(range(1, size(range(1, 100000000)))) AS x",
    "RETURN apoc.coll.sum(range(1, toInteger('1' + '00000000'))) AS x",
    "WITH 100000000 AS n WITH range(1, n) AS l, n AS m RETURN apoc.coll.sum(l) AS x",
    "WITH [1, 2, 3] AS l " + "WITH l + l AS l " * 25 + "RETURN apoc.coll.sum(l) AS x",
    "WITH 'abc' AS t " + "WITH t + t AS t " * 25 + "RETURN size(t) AS x",
    "WITH 'aaaaaaaaaa' AS t " + "WITH replace(t, 'a', 'aaaaaaaaaa') AS t " * 8 + "RETURN size(t) AS x",
    "WITH 'abababab' AS t " + "WITH replace(t, 'a', 'baab') AS t " * 24 + "RETURN size(t) AS x",
    "UNWIND range(1, $n) AS i RETURN collect(i) AS x",
    "RETURN replace(replace(replace($text, 'a', $text), 'a', $text), 'a', $text) AS x",
    "UNWIND $list AS a UNWIND $list AS b RETURN collect([a, b]) AS x",
    "WITH 1 AS x WHERE x = 1 UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x, 2 AS y WHERE x < y AND NOT x > y UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "UNWIND range(1, 100000000) AS i WITH i, 1 AS x WHERE x IN [1, 2] RETURN collect(i) AS l",
    "UNWIND [1, 7] AS x WITH x WHERE x > 5 UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "UNWIND [1, 2] AS x WITH x WHERE x < 5 UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE x = $unknown UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE x = rand() UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE $n > 5 OR x = 2 UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE null IS NULL UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE x = '1' OR true UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE x = 2 WITH count(*) AS c UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE x = 2 WITH count(*) AS c WHERE c = 0 RETURN size([i IN range(1, 100000000) | i]) AS l",
    "UNWIND [] AS x WITH collect(x) AS l UNWIND l + [1] AS y UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "OPTIONAL MATCH (n) WHERE false UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH [1, 2, 3][$small..] AS l UNWIND l AS x RETURN [i IN range(1, 100000000) | i] AS y",
    "MATCH (n) WHERE n.x = 1 AND size([i IN range(1, 100000000) | i]) > 1 RETURN n.name AS name",
    "RETURN any(x IN $list WHERE size([i IN range(1, 100000000) | i]) > x) AS y",
    "RETURN CASE WHEN 2 > 1 THEN [x IN range(1, 100000000) | x] END AS y",
    "RETURN CASE 'a' WHEN 'b' THEN 1 ELSE [x IN range(1, 100000000) | x] END AS y",
    "RETURN coalesce(null, [x IN range(1, 100000000) | x]) AS y",
    "RETURN EXISTS { UNWIND range(1, 100000000) AS i RETURN collect(i) AS l } AS x",
    "CALL () { WITH 1 AS x WHERE x = 2 RETURN x UNION ALL RETURN 2 AS x } UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "RETURN size(apoc.coll.pairs(range(1, 1400000))) AS x",
    "RETURN size(apoc.coll.pairsMin(range(1, 1400000))) AS x",
    "RETURN size(apoc.coll.pairWithOffset(range(1, 1400000), 7)) AS x",
    "RETURN size(apoc.coll.zip(range(1, 1400000), $list)) AS x",
    "RETURN size(apoc.coll.frequencies(range(1, 400000))) AS x",
]
HARMLESS = [
    "WITH range(1, 100000000) AS l RETURN CASE WHEN size(l) > 1000 THEN 'many' ELSE [x IN l | x] END",
    "RETURN CASE WHEN false THEN [x IN range(1, 100000000) | x] ELSE 0 END",
    "MATCH (n) RETURN CASE n.kind WHEN 'wide' THEN [x IN range(1, 100000000) | x] ELSE [] END",
    "RETURN coalesce(1, [x IN range(1, 100000000) | x])",
    "RETURN size(range(1, 100000000)) AS x",
    "RETURN last(range(1, 100000000)) AS x",
    "RETURN range(1, 100000000)[7] AS x",
    "RETURN 7 IN range(1, 100000000) AS x",
    "RETURN isEmpty(range(1, 100000000)) AS x",
    "RETURN size(range(1, 100000000) + 1) AS x",
    "RETURN size(tail(range(1, 100000000))) AS x",
    "RETURN size(reverse(range(1, 100000000))) AS x",
    "RETURN size(range(1, 100000000)[1..]) AS x",
    "RETURN head([range(1, 100000000)])[0] AS x",
    "WITH {a: range(1, 100000000)} AS m RETURN m.a[0] AS x",
    "WITH collect(range(1, 100000000)) AS l RETURN size(l) AS x",
    "WITH DISTINCT range(1, 100000000) AS l RETURN l[0] AS x",
    "RETURN any(i IN range(1, 100000000) WHERE i = 5) AS x",
    "RETURN reduce(s = 0, i IN range(1, 100000000) | s + i) AS x",
    "UNWIND range(1, 100000000) AS i RETURN count(*) AS x",
    "UNWIND range(1, 100000000) AS i RETURN sum(i) AS s, max(i) AS m, avg(i) AS a",
    "UNWIND range(1, 100000000) AS i RETURN i",
    "UNWIND range(1, 100000000) AS i RETURN DISTINCT i",
    "UNWIND range(1, 100000000) AS i RETURN i LIMIT 10",
    "UNWIND range(1, 100000000) AS i RETURN i ORDER BY i DESC LIMIT 10",
    "UNWIND range(1, 100000000) AS i WITH i LIMIT 10 RETURN collect(i) AS x",
    "UNWIND range(1, 100000000) AS i WITH i SKIP 99999990 RETURN collect(i) AS x",
    "UNWIND range(1, 100000000) AS i WITH i WHERE i < 10 RETURN collect(i) AS x",
    "UNWIND range(1, 100000000) AS i WITH i WHERE rand() < 0.00001 RETURN collect(i) AS x",
    "UNWIND range(1, 100000000) AS i WITH i WHERE i > 10 AND i < 20 RETURN collect(i) AS x",
    "UNWIND range(1, 100000000) AS i MATCH (n {id: i}) RETURN collect(n.name) AS x",
    "UNWIND range(1, 100000000) AS i OPTIONAL MATCH (n {id: i}) RETURN collect(n.name) AS x",
    "UNWIND range(1, 100000000) AS i RETURN collect(null) AS x",
    "UNWIND range(1, 100000000) AS i RETURN collect(CASE WHEN i < 3 THEN i END) AS x",
    "UNWIND range(1, 100000000) AS i WITH i % 10 AS digit, count(*) AS c RETURN digit, c",
    "UNWIND range(1, 100000000) AS i WITH DISTINCT i / 10000000 AS part RETURN count(*) AS c",
    "RETURN [i IN range(1, 100000000) WHERE i < 10 | i] AS x",
    "RETURN [i IN range(1, 100000000) WHERE i % 7 = 3 AND i < 50] AS x",
    "RETURN [i IN range(1, 100000000)[..10] | i] AS x",
    "RETURN [i IN range(1, 100000000, 1000000) | i] AS x",
    "RETURN [i IN range(100000000, 1) | i] AS x",
    "RETURN EXISTS { UNWIND range(1, 100000000) AS i RETURN i } AS x",
    "RETURN COUNT { UNWIND range(1, 100000000) AS i RETURN i } AS x",
    "UNWIND range(1, 1000) AS i RETURN collect(i) AS x",
    "UNWIND range(0, 364) AS day RETURN collect(date('2024-01-01') + duration({days: day})) AS days",
    "UNWIND range(0, 36524) AS day WITH date('1900-01-01') + duration({days: day}) AS d RETURN collect(DISTINCT d) AS x",
    "UNWIND range(1900, 2024) AS year OPTIONAL MATCH (m:Movie {year: year}) RETURN year, count(m) AS movies ORDER BY year",
    "UNWIND range(1, 12) AS month RETURN month, [d IN range(1, 31) | {month: month, day: d}] AS days",
    "RETURN [h IN range(0, 23) | [m IN range(0, 59) | h * 60 + m]] AS minutes",
    "UNWIND range(1, 100) AS a UNWIND range(1, 100) AS b WITH a, b WHERE a < b RETURN collect([a, b]) AS pairs",
    "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b RETURN DISTINCT a * b AS product ORDER BY product",
    "MATCH p = (a)-[*1..3]->(b) UNWIND range(0, length(p) - 1) AS i RETURN collect(nodes(p)[i].name) AS names",
    "MATCH (n) WITH collect(n) AS ns UNWIND range(0, size(ns) - 2) AS i RETURN ns[i].name AS a, ns[i + 1].name AS b",
    "MATCH (n) WITH collect(n.name) AS l RETURN [i IN range(0, size(l) - 1) WHERE i % 2 = 0 | l[i]] AS x",
    "RETURN apoc.coll.pairs(range(1, 100000)) AS x",
    "RETURN apoc.coll.sum([i IN range(1, 1000) | i * i]) AS x",
    "RETURN apoc.text.join([i IN range(1, 1000) | toString(i)], ', ') AS x",
    "RETURN apoc.coll.shuffle(range(1, 52)) AS cards",
    "RETURN toStringList(range(1, 10000)) AS x",
    "WITH 'Neo4j' AS t RETURN [i IN range(0, size(t) - 1) | substring(t, i, 1)] AS letters",
    "RETURN reduce(s = '', i IN range(1, 1000) | s + 'x') AS line",
    "RETURN replace(replace($text, 'a', 'b'), ' ', '') AS x",
    "MATCH (n) RETURN replace(replace(n.text, 'a', n.text), 'a', n.text) AS x",
    "RETURN split($text, '') AS letters",
    "UNWIND $list AS x RETURN collect(x) AS y",
    "MATCH (n) WHERE n.id IN $list RETURN collect(n.name) AS names",
    "UNWIND range(1, $small) AS i RETURN collect(i) AS x",
    "UNWIND range(1, $unknown) AS i RETURN collect(i) AS x",
    "UNWIND range(1, size($list)) AS i RETURN collect($list[i]) AS x",
    "UNWIND range(1, 1000000) AS i RETURN collect(i) AS x",
    "MATCH (n) WITH n ORDER BY n.name UNWIND range(1, 3) AS i RETURN n.name, i ORDER BY i",
    "WITH [1, 2, 3] AS l " + "WITH l + [1] AS l " * 40 + "RETURN size(l) AS x",
    "UNWIND range(1, 10) AS i RETURN i UNION UNWIND range(5, 15) AS i RETURN i",
    "CALL () { UNWIND range(1, 100) AS i RETURN i } RETURN collect(i) AS x",
    "CALL db.labels() YIELD label UNWIND range(1, 5) AS i RETURN collect(label + i) AS x",
    "RETURN range(1, 10.5) AS x",
    "RETURN range(1, 9) = [" + "1 + " * 3000 + "1] AS x",
    "RETURN range('1', '100000000') AS x",
    "RETURN range(1, 100000000, 0) AS x",
    "WITH 1 AS x WHERE x = 2 UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE x > $n UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE null UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH null AS x WHERE x <> 2 OR x IS NOT NULL UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH $a AS x WHERE x STARTS WITH 'y' OR x IN ['b', 'c'] UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "UNWIND [1, null] AS x WITH x WHERE x > 5 UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "UNWIND range(1, 10) AS x WITH x WHERE x > 50 UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "UNWIND null AS x UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "UNWIND [] AS x RETURN [i IN range(1, 100000000) | i] AS l",
    "WITH [] AS l UNWIND l AS x RETURN collect([i IN range(1, 100000000) | i]) AS m",
    "WITH [1, 2, 3] AS l WHERE size(l) > 5 CALL apoc.path.expandConfig(null, {a: range(1, 100000000)}) YIELD path RETURN path",
    "WITH range(1, 100000000) AS l WHERE size(l) < 10 RETURN [x IN l | x] AS y",
    "MATCH (n) WHERE false RETURN [x IN range(1, 100000000) | x] AS y",
    "MATCH (n) WHERE n.x = 1 AND false RETURN [x IN range(1, 100000000) | x] AS y",
    "WITH 1 AS x WHERE x = 2 OPTIONAL MATCH (n) RETURN n.name AS name, [i IN range(1, 100000000) | i] AS y",
    "WITH 1 AS x LIMIT 0 RETURN [i IN range(1, 100000000) | i] AS y",
    "UNWIND range(1, 10) AS x WITH x SKIP 10 RETURN [i IN range(1, 100000000) | i] AS y",
    "UNWIND range(1, 100000000) AS i WITH i LIMIT 0 RETURN collect(i) AS y",
    "UNWIND range(1, 100000000) AS i RETURN percentileCont(i % 10, 0.5) AS x LIMIT 0",
    "UNWIND range(1, 100000000) AS i WITH collect(i) AS l RETURN size(l) AS x LIMIT 0",
    "CALL () { WITH 1 AS x WHERE false RETURN [i IN range(1, 100000000) | i] AS l } RETURN 1 AS y",
    "CALL () { UNWIND [] AS x RETURN x } UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE x = 2 RETURN x UNION UNWIND [] AS x RETURN x",
    "WITH 1 AS x WHERE x = 2 WITH count(*) AS c WHERE c > 0 UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WITH 1 AS x WHERE x = 2 WITH x, count(*) AS c UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "UNWIND [] AS x WITH collect(x) AS l UNWIND l AS y UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "UNWIND [] AS x WITH max(x) AS m WHERE m > 0 UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "RETURN any(x IN [] WHERE size([i IN range(1, 100000000) | i]) > x) AS y",
    "RETURN [x IN [] | [i IN range(1, 100000000) | i]] AS y",
    "RETURN [x IN [1, 2] WHERE x > 2 | [i IN range(1, 100000000) | i]] AS y",
    "RETURN reduce(s = 0, x IN [] | s + size([i IN range(1, 100000000) | i])) AS y",
    "RETURN false AND size([i IN range(1, 100000000) | i]) > 1 AS x",
    "WITH 2 AS x WHERE x = 2 OR size([i IN range(1, 100000000) | i]) > 1 RETURN x",
    "RETURN CASE WHEN 1 > 2 THEN [x IN range(1, 100000000) | x] ELSE 0 END AS y",
    "RETURN CASE $a WHEN 'x' THEN 0 ELSE [x IN range(1, 100000000) | x] END AS y",
    "RETURN apoc.coll.pairs(range(1, 400000)) AS x",
    "RETURN apoc.coll.zip(range(1, 1400000), []) AS x",
    "RETURN apoc.coll.frequencies([i IN range(1, 400000) | i % 10]) AS x",
    "RETURN apoc.coll.frequencies(range(1, 100000)) AS x",
]
IN_CYPHER_25 = [
    "LET x = 1 FILTER x = 2 UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
    "WHEN 1 = 2 THEN { UNWIND range(1, 100000000) AS i RETURN collect(i) AS l } ELSE { RETURN [] AS l }",
    "WHEN true THEN { RETURN [] AS l } ELSE { UNWIND range(1, 100000000) AS i RETURN collect(i) AS l }",
    "UNWIND [] AS x RETURN x NEXT UNWIND range(1, 100000000) AS i RETURN collect(i) AS l",
]
# fmt: on
PARAMETERS: dict[str, Any] = {
    "n": 100_000_000,
    "small": 1_000,
    "text": "a" * 1_000,
    "list": list(range(10_000)),
    "a": "x",
}


@pytest.mark.parametrize("text", LARGE)
def test_a_value_that_certainly_takes_too_much_memory_is_refused_in_read_only_mode(text: str) -> None:
    assert large_values(parse(text), PARAMETERS)
    report = validate(text, parameters=PARAMETERS, read_only=True)
    assert not report.valid
    assert report.access == "read"
    assert {problem.code for problem in report.diagnostics} == {"value_too_large"}
    assert validate(text, parameters=PARAMETERS).valid


@pytest.mark.parametrize("text", HARMLESS)
def test_lazily_computed_small_and_unknown_values_are_not_refused(text: str) -> None:
    assert large_values(parse(text), PARAMETERS) == []


@pytest.mark.parametrize("text", IN_CYPHER_25)
def test_rows_that_clauses_of_cypher_25_exclude_are_not_counted(text: str) -> None:
    assert large_values(parse(text, language="cypher25")) == []


def test_large_values_before_limit_0_are_refused_for_an_eager_database() -> None:
    text = "UNWIND range(1, 100000000) AS i RETURN collect(i) AS x LIMIT 0"
    assert validate(text, read_only=True).valid
    assert not validate(text, read_only=True, eager=True).valid
    assert validate("UNWIND range(1, 100000000) AS i WITH i LIMIT 10 RETURN collect(i) AS x", eager=True).valid


def test_the_message_states_the_size_of_the_value_and_the_fix() -> None:
    found = validate("UNWIND range(1, 100000000) AS i RETURN collect(i) AS x", read_only=True).diagnostics[0]
    assert (found.found, found.column) == ("collect(i)", 40)
    assert "stores at least 100,000,000 elements" in found.message
    assert "LIMIT" in found.message
    found = validate("UNWIND range(1, 1000000000) AS x RETURN x ORDER BY x", read_only=True).diagnostics[0]
    assert found.message.startswith("this sorts at least 1,000,000,000 rows, more than a query may hold in memory.")


@pytest.mark.parametrize(
    "part",
    [
        "UNWIND range(1, 10) AS i WITH i WHERE i > 0 AND i < 9 ",
        "WITH replace('aaaa', 'a', 'aa') AS t WITH t + t AS u ",
        "WITH [x IN range(1, 9) WHERE x > 1 OR x < 3 | [x, x]] AS l ",
        "CALL () { UNWIND range(1, 9) AS j RETURN collect(j) AS l } WITH l ",
    ],
)
def test_long_queries_are_checked_in_linear_time(part: str) -> None:
    def seconds(times: int) -> float:
        query = parse(part * times + "RETURN 1 AS one")
        start = process_time()
        large_values(query)
        return process_time() - start

    small = min(seconds(40) for _ in range(3))
    assert seconds(400) < 25 * small + 0.05
