"""Literals, names, prefixes and operators: queries that Neo4j 5.26 compiles, and queries that it refuses."""

import pytest

from graphground.cypher import validate

ACCEPTED = """
RETURN - -1
RETURN 2 ^ -3
WITH 1 AS return RETURN return
RETURN NOT NOT true
MATCH (where) RETURN where
RETURN [x IN [1]]
RETURN 1 AS x;
RETURN 0o17
RETURN 1_000
RETURN '\\q'
RETURN '\\u00e9'
R\\u0045TURN 1
MATCH (n) RETURN n.`a``b`
RETURN 1 // x
MATCH (a)–[:X]–(b) RETURN a
CYPHER 5 RETURN 1 AS x
CYPHER runtime=slotted RETURN 1 AS x
EXPLAIN RETURN 1
MATCH (n) WHERE n IS Person RETURN n IS NOT NULL
MATCH (n) RETURN (n:A) AND n:B
MATCH (n) WHERE [x IN [n] WHERE x:A | x.name] = [] RETURN n
MATCH (n) RETURN [x IN [n] WHERE x:A|B | x.name]
MATCH (n) RETURN [(n)-->(m:A|B) | m.x]
MATCH (n) RETURN [x IN [n] WHERE x:A | x]
RETURN -2^2
RETURN exists {match = (a)-->(b)}
RETURN [p = (a)-->(b) | p]
RETURN trim(BOTH 'x' FROM 'y'), trim(LEADING FROM 'y'), trim('x' FROM 'y'), trim('x')
RETURN normalize('x', NFD)
RETURN $1, $`a b`, $x
MATCH (n) RETURN n {.*, .name, x: 1, n}
MATCH (n) WITH n AS count RETURN count {.*}
RETURN count(*), COUNT(DISTINCT 1), count(ALL 1)
MATCH ANY SHORTEST (a)-->+(b) RETURN a
MATCH SHORTEST 2 PATH GROUPS (a)-->{1,2}(b) RETURN a
MATCH ((a)-->(b))+ RETURN a
MATCH (a) ((x)-->(y)){2} (b) RETURN a
MATCH ALL PATHS (a)-->(b) RETURN a
MATCH p = ANY 2 (a)-->(b) RETURN a
MATCH (a)-->*(b) RETURN a
RETURN 1 ORDER BY 1 OFFSET 2 LIMIT 3
MATCH (n) ORDER BY n.x RETURN n
MATCH (n) SKIP 1 LIMIT 2 RETURN n
RETURN INF, NaN, Infinity
USE neo4j RETURN 1
RETURN [1,2][0..1], [1,2][..1], [1][0..]
WITH {a:1} AS m RETURN m.a.b.c, m['a'].b
RETURN 1 AS `a``b`
RETURN 1 = 1 <> 2 < 3
MATCH (n) RETURN [(n)-->(m) WHERE m:A | m.x]
MATCH (n) RETURN [(n)-->(m) WHERE m:A|B | m.x]
MATCH (n) RETURN [(n)-->(m) WHERE m:A OR m:B | m]
RETURN 1 - - 1
RETURN 1--1
""".strip().split("\n")

REJECTED = """
syntax: RETURN 1 IS NULL IS NULL
undefined_variable: RETURN distinct
undefined_variable: RETURN NOT
undefined_variable: RETURN [x IN [1], 2]
syntax: MATCH REPEATABLE ELEMENTS (n) RETURN n
syntax: MATCH DIFFERENT RELATIONSHIPS (n) RETURN n
syntax: { RETURN 1 AS x }
multiple_statements: RETURN 1 AS x; RETURN 2 AS y
syntax: ;
syntax: RETURN 1;;
invalid_literal: RETURN 123abc
invalid_literal: RETURN 0xFG
invalid_literal: RETURN 017
invalid_literal: RETURN 1.5e
invalid_literal: RETURN 99999999999999999999
invalid_literal: RETURN 1e999
syntax: RETURN '\\u00g1'
syntax: RETURN "abc
syntax: RETURN `abc
syntax: RETURN 1 /* abc
undefined_variable: RETURN a€
syntax: MATCH (a)–[:X]→(b) RETURN a
syntax: MATCH (a)〈–(b) RETURN a
syntax: RETURN "a\\"b" + 'c''d'
syntax: WITH 1 AS x FILTER x > 1 RETURN x
syntax: LET x = 1 RETURN x
syntax: RETURN 1 AS x NEXT RETURN x
syntax: WHEN true THEN RETURN 1 AS x
label_expression: MATCH (n) RETURN n:A:B|C
undefined_variable: RETURN a = b = c, $x :: INTEGER
syntax: RETURN - - - 1
syntax: RETURN all(x IN [1])
unknown_function: RETURN all([1])
undefined_variable: RETURN reduce(a, [1])
undefined_variable: RETURN normalize('x', ABC)
undefined_variable: RETURN case
syntax: RETURN CASE 1 WHEN IS NOT NULL THEN 2 WHEN =~ 'a' THEN 4 WHEN IS :: INTEGER THEN 3 WHEN CONTAINS 'a' THEN 4 END
syntax: RETURN {a: 1, `b c`: 2, 'x': 3}
syntax: RETURN {param}
syntax: MATCH (n) RETURN n.x {.*}
undefined_variable: RETURN shortestPath((a)-->(b))
pattern: MATCH (a)-[*]->*(b) RETURN a
syntax: RETURN .5, 1., 1.e5
syntax: RETURN a.0
undefined_variable: RETURN (a:B)
syntax: RETURN "a" "b"
unknown_function: RETURN `foo bar`(1)
syntax: RETURN 1 IN [1] IN [true]
syntax: RETURN 'a' STARTS 'b'
label_expression: MATCH (n) RETURN [x IN [n] WHERE x:A|B | x:A | x]
type_mismatch: RETURN - -1.x
type_mismatch: RETURN -'a'.x
syntax: RETURN + + 1
syntax: RETURN - + 1
""".strip().split("\n")


@pytest.mark.parametrize("text", ACCEPTED)
def test_a_query_that_neo4j_compiles_has_no_error(text: str) -> None:
    assert validate(text).diagnostics == ()


@pytest.mark.parametrize("line", REJECTED)
def test_a_query_that_neo4j_refuses_has_an_error_of_this_code(line: str) -> None:
    code, _, text = line.partition(": ")
    assert validate(text).diagnostics[0].code == code
