"""Patterns, labels, lengths and sorting: queries that Neo4j 5.26 compiles, and queries that it refuses."""

import pytest

from graphground.cypher import validate

ACCEPTED = """
MATCH (n {x: m.y + true}), (m) RETURN n
MATCH (:A|B)-->(m) MATCH (:A:B) RETURN 1
MATCH (:A:B)-[:R|S]->(m) RETURN 1
MATCH (:A:B)-[:R|:S]->(m) RETURN 1
MATCH (:A|B)-[:R|:S]->(m) RETURN 1
MATCH (:A)-[:R|:S]->(m)-[:R|S]->() RETURN 1
MATCH (n:A:B) RETURN [(n)-->(m:A|B) | m]
MATCH (n IS A)-->(m:B) RETURN n
MATCH ()-[r:R|S*]->() RETURN r
MATCH ()-[r:(R|S)*]->() RETURN r
MATCH ()-[r IS R*]->() RETURN r
MATCH p = shortestPath((a)-[*0..2]->(b)) RETURN p
MATCH p = shortestPath((a)-->(b)) RETURN p
MATCH p = allShortestPaths((a)-[*0..1]->(b)) RETURN p
MATCH ALL (a)-->+(b), (c) RETURN a
MATCH p = SHORTEST 1 ((a)-->(b))+ RETURN p
MATCH SHORTEST 1 (a)-[*]->(b) RETURN a
MATCH (a)-->+(b) MATCH (b)-[*]->(c) RETURN a
MATCH ((a)-->(b)) RETURN a
MATCH ((a)-->(b))+ ((c)-->(d))+ RETURN a
MATCH ((a)-->(b)-->(c)){2} RETURN a
MATCH (x) MATCH (z) ((a)-->(b) WHERE a.k = x.k){1,2} (y) RETURN a
MATCH (x) ((a)-->(b) WHERE a.k = x.k){1,2} (y) RETURN a
MATCH (x) ((a)-->(b) WHERE a.k = y.k){1,2} (y) RETURN a
MERGE ((a)-[:R]->(b))
MATCH (a) WHERE EXISTS { (a)-->+() } RETURN a
MATCH (a) WHERE EXISTS { SHORTEST 1 (a)-->+(b) } RETURN a
MATCH (n) WITH n.x + n.y AS s, count(*) AS c RETURN s
MATCH (n) WITH n.x AS s, n.x + count(*) AS c RETURN s
MATCH (n) RETURN n.name, collect(n.x)[0]
MATCH (n) RETURN count(*) + n.x[0], n.x
MATCH (n) RETURN n.x, n.x.y + count(*)
MATCH (n) RETURN count(*) AS c, [x IN [1] | x + 1] + count(*)
MATCH (n) RETURN count(*) * 2 ORDER BY count(*) * 2 + 1
MATCH (n) RETURN n.x AS a, count(*) AS c ORDER BY a, c, n.x
MATCH (n) RETURN n.x AS a, max(n.y) AS c ORDER BY max(n.y)
MATCH (n) RETURN DISTINCT n ORDER BY n.x
MATCH (n) RETURN DISTINCT n AS m ORDER BY n.x
MATCH (n) WITH DISTINCT n AS m WHERE n.x = 1 RETURN m
MATCH (n) WITH n AS m WHERE n.x = 1 RETURN m
MATCH (n) WITH n AS m, count(*) AS c WHERE n.x = 1 RETURN m
""".strip().split("\n")

REJECTED = """
type_mismatch: MATCH (n {x: 1 + true}) RETURN n
type_mismatch: MATCH (n {x: 1.a}) RETURN n
unknown_function: MATCH (n {x: foo(1)}) RETURN n
undefined_variable: MATCH (n {x: zz.y}) RETURN n
type_mismatch: MATCH (n {x: size(1)}) RETURN n
type_mismatch: MATCH (n WHERE 1) RETURN n
type_mismatch: MATCH (n WHERE date()) RETURN n
type_mismatch: MATCH (n) WHERE date() RETURN n
type_mismatch: RETURN NOT date()
type_mismatch: MATCH (n {x: COUNT { (v10 WHERE 1) }}) RETURN n
type_mismatch: MATCH (n {x: COUNT { (v10) WHERE 1 }}) RETURN n
type_mismatch: MATCH (n) WHERE COUNT { (v10 WHERE 1) } > 1 RETURN n
label_expression: MATCH (:A|B)-->(:A:B) RETURN 1
label_expression: MATCH (:A|B), (:A:B) RETURN 1
label_expression: MATCH (:A&B)-->(m) WHERE m:A:B RETURN 1
label_expression: MATCH (:A:B)-[:!R]->(m) RETURN 1
label_expression: MATCH (:A:B)-->(:!C) RETURN 1
label_expression: MATCH (:A:B)-->(:%) RETURN 1
label_expression: MATCH (n:A:B) WHERE n:A|B RETURN 1
label_expression: MATCH (n) WHERE n:A:B AND n:A&B RETURN 1
label_expression: MATCH (n:A:B) WHERE EXISTS { (:A|B) } RETURN 1
label_expression: MATCH (n IS A)-->(m:B:C) RETURN n
label_expression: MATCH (n IS A|B)-->(m:B:C) RETURN n
label_expression: MATCH ()-[r:!R*]->() RETURN r
label_expression: MATCH ()-[r:R&S*]->() RETURN r
label_expression: MATCH ()-[r:%*]->() RETURN r
pattern: MATCH ()-[r:R* WHERE r.x = 1]->() RETURN r
label_expression: MATCH p = shortestPath((a:!A)-[:!R*]->(b)) RETURN p
pattern: MATCH p = shortestPath((a)-[*2..3]->(b)) RETURN p
pattern: MATCH p = shortestPath((a)-[*2]->(b)) RETURN p
pattern: MATCH p = shortestPath((a)-->(b)-->(c)) RETURN p
pattern: MATCH p = shortestPath((a)) RETURN p
pattern: MATCH p = shortestPath((a)-[r]-+(b)) RETURN p
pattern: MATCH p = shortestPath((a)-[r {x: 1}]-(b)) RETURN p
pattern: MATCH p = shortestPath((a)-[r* {x: 1}]-(b)) WHERE a.x = 1 RETURN p
pattern: MATCH SHORTEST 1 (a)-->+(b), (c) RETURN a
pattern: MATCH ANY (a)-->+(b), ANY (c)-->+(d) RETURN a
pattern: MATCH (a)-[*]->(b) ((c)-->(d))+ (e) RETURN a
pattern: MATCH (a)-->+(b)-[*]->(c) RETURN a
pattern: MATCH ((a)-->(b)) (c) RETURN a
pattern: MATCH ((a)){2} RETURN a
pattern: MATCH (x) ((a)-->(b)){0} (y) RETURN a
pattern: MATCH (x) ((a)-->(b)){3,2} (y) RETURN a
variable_redefined: MATCH (x) ((a)-->(x)){1,2} (y) RETURN a
variable_redefined: MATCH (x) MATCH (z) ((a)-->(x)){1,2} (y) RETURN a
variable_redefined: MATCH (x) ((a)-->(b)){1,2} (y) ((a)-->(c)){1,2} RETURN a
variable_redefined: MATCH (x) ((a)-->(b)){1,2} (y), (z) ((a)-->(c)){1,2} RETURN a
variable_type: MATCH (x) ((a)-->(b)){1,2} (y), (a) RETURN a
variable_type: MATCH (x) ((a)-->(b)){1,2} (y) MATCH (a) RETURN a
pattern: MATCH (x) (p = (a)-->(b)){1,2} (y) RETURN p
pattern: MATCH (x) (((a)-->(b)){1,2}){1,2} (y) RETURN a
pattern: MATCH (x) ((a)-[r*]->(b)){1,2} (y) RETURN a
variable_type: MATCH (a)-[r:R]->{1,2}(b)-[r]->(c) RETURN a
variable_type: MATCH (a)-[r]->(b)-[r]->+(c) RETURN a
pattern: CREATE (a)-[:R]->+(b)
syntax: MATCH (a) WHERE (a)-->+() RETURN a
undefined_variable: UNWIND n AS x RETURN x
aggregation: MATCH (n) RETURN n.x.y, n.x.y + count(*)
aggregation: MATCH (n) RETURN labels(n), labels(n) + collect(1)
aggregation: MATCH (n) RETURN count(*) * 2 ORDER BY count(*)
undefined_variable: MATCH (n) RETURN count(*) AS c ORDER BY n.x
undefined_variable: MATCH (n) RETURN n.x AS a, max(n.y) AS c ORDER BY min(n.y)
aggregation: MATCH (n) RETURN n.x AS a, max(n.y) AS c ORDER BY count(*)
aggregation: MATCH (n) RETURN n.x AS a, max(n.y) AS c ORDER BY max(a)
aggregation: MATCH (n) RETURN DISTINCT n.x AS a ORDER BY max(a)
""".strip().split("\n")


@pytest.mark.parametrize("text", ACCEPTED)
def test_a_query_that_neo4j_compiles_has_no_error(text: str) -> None:
    assert validate(text).diagnostics == ()


@pytest.mark.parametrize("line", REJECTED)
def test_a_query_that_neo4j_refuses_has_an_error_of_this_code(line: str) -> None:
    code, _, text = line.partition(": ")
    assert validate(text).diagnostics[0].code == code
