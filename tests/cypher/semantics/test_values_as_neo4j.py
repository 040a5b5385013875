"""Values, functions and writing clauses: queries that Neo4j 5.26 compiles, and queries that it refuses."""

import pytest

from graphground.cypher import validate

ACCEPTED = """
MATCH (n) WHERE n.x RETURN n
RETURN [1] < 2
RETURN 1 < 'a'
RETURN true < 'a'
RETURN {a:1} < 2
MATCH (n) RETURN n < 2
RETURN 1 = 'a'
RETURN date() < 'a'
RETURN 1 STARTS WITH 'a'
RETURN CASE 1 WHEN 'a' THEN 2 END
CREATE (n) WITH n MATCH (m) RETURN m
UNWIND 1 AS x RETURN x
UNWIND 'a' AS x RETURN x
UNWIND {a:1} AS x RETURN x
UNWIND null AS x RETURN x
MATCH (n) UNWIND n AS x RETURN x
MATCH (n) RETURN n LIMIT 1+2
MATCH (n) RETURN n LIMIT $x
MATCH (n) RETURN n LIMIT toInteger(rand()*10)
MATCH (a)-[r]->(b)-[r]->(c) RETURN a
MATCH (a)-[r]->(b) MATCH (c)-[r]->(d) RETURN a
MATCH (a)-[r*]->(b) MATCH (c)-[r*]->(d) RETURN a
WITH null AS n MATCH (n) RETURN n
WITH $p AS n MATCH (n) RETURN n
UNWIND [null] AS n MATCH (n) RETURN n
RETURN reduce(a = count(*), x IN [1] | a)
RETURN [x IN collect(1) | x]
MATCH (n) WHERE EXISTS { MATCH (n) RETURN count(*) } RETURN n
MATCH (n {x: count(*)}) RETURN n
CREATE (n {x: count(*)})
FOREACH (x IN [count(*)] | CREATE (n))
MATCH ()-[r:A&B]->() RETURN r
MATCH (n:(A:B)) RETURN n
MATCH (n) RETURN n:A:B
MATCH ()-[r]->() RETURN r:A:B
RETURN point({x: 1, y: 2, z: 3})
RETURN point({latitude: 1, longitude: 2, height: 3, crs: 'a', srid: 1})
RETURN point({x: 'a', y: 2})
WITH 'x' AS q RETURN point({x: q, y: 1})
RETURN duration({x: 1})
RETURN date({year: 1, foo: 2})
RETURN date('foo')
RETURN duration('foo')
RETURN datetime({year: 'a'})
RETURN date({})
RETURN 1/0
RETURN -9223372036854775808
RETURN 9223372036854775807 + 1
RETURN 1 % 0
RETURN 'a' =~ '('
RETURN [1][null]
MATCH (n) RETURN n.x.y
MATCH (n) WITH n.x AS x RETURN x.y
WITH date() AS d RETURN d.year + 'a', d.foo
RETURN date()['year']
WITH {a:1} AS m RETURN m.a + true
RETURN 1 IN [1,'a']
RETURN null + true
RETURN [1] + true
RETURN [1] || [2], 'a' || 'b'
MATCH (n) RETURN n.x || n.y
MATCH (n) RETURN n + [n]
RETURN 1 < 2 < 'a'
RETURN 'a' CONTAINS 1
RETURN NOT null
RETURN 1 IS NULL = true
WITH [1, 'a'] AS l UNWIND l AS x RETURN x.a
WITH [] AS l UNWIND l AS x RETURN x.a
WITH [null] AS l UNWIND l AS x RETURN x.a
WITH [1, null] AS l UNWIND l AS x RETURN x.a
WITH sum(1) AS m RETURN m.a
MATCH ((a)-[r]->(b))+ RETURN size(a), r[0].x, type(r[0])
MATCH SHORTEST 1 (a)-[r]->+(b) RETURN size(r)
RETURN length($p[0])
RETURN length(1 IS :: INTEGER)
MATCH (n) RETURN length(COLLECT { MATCH (n) RETURN 1 }[0])
RETURN length(CASE WHEN true THEN 1 ELSE null END)
RETURN length(coalesce(1, null))
RETURN length(nullIf(1,2))
RETURN length(head($p))
WITH {a:1} AS m RETURN length(m.a)
WITH date() AS d RETURN length(d.year)
RETURN length(point({x:1,y:1}).x)
MATCH (n {x: n.y}) RETURN n
CREATE (a), (b {x: a.y})
MERGE (a {x: a.y})
MATCH (a) CREATE (a)-[:R {x: a.y}]->(b {z: a.z})
CREATE (a) CREATE (b {x: a.y})
CREATE (a)-[:R]->(a)
CREATE (n IS A)
INSERT (n:A&B {x: 1})-[:R]->(m)
CREATE (n:$('a')) RETURN n
MATCH (n:$('a')) RETURN n
MATCH (n:$any(['a'])) RETURN n
MATCH (n:$($p)) RETURN n
MATCH (n) SET n:$('a')
MATCH (n) SET n['x'] = 1
MATCH (n) REMOVE n['x']
MATCH (n) SET n IS A
MATCH (n) SET (n).x = 1
MATCH (n) SET n = n, n += n
MATCH (n)-[r]->() SET r = n
MATCH (n) SET $p.x = 1
MATCH (n) DETACH DELETE n
MATCH (n) NODETACH DELETE n
MATCH p=(n) DELETE p
MATCH (n) DELETE [n][0]
MATCH (n) DELETE {a: n}.a
MATCH (n) DELETE $p
MATCH (n) DELETE null
MERGE (a)-[:R]->(b)-[:S]->(c)
MERGE p = (a) RETURN p
MERGE (a) ON CREATE SET a.x = 1 ON MATCH SET a.y = 2 ON CREATE SET a.z = 3
MERGE (a {x: null})
MERGE (a)-[r:R]->(b) ON CREATE SET r.x = a.y
MERGE (a)<-[:R]->(b)
MATCH (a) MERGE (a)-[:R]->(b)
MATCH (n) FOREACH (n IN [1] | CREATE (m))
MATCH (n) FOREACH (x IN n.x | CREATE (m {x: x}) SET m.y = 1)
FOREACH (x IN [1] | FOREACH (y IN [2] | CREATE (n)))
""".strip().split("\n")

REJECTED = """
undefined_variable: RETURN foo(1), m
undefined_variable: RETURN m, foo(1)
type_mismatch: MATCH (n) WHERE 1 RETURN n
type_mismatch: MATCH (n) WHERE [1] RETURN n
type_mismatch: MATCH (n) WHERE 'a' RETURN n
type_mismatch: MATCH (n) WHERE n RETURN n
type_mismatch: MATCH (n) WHERE {a:1} RETURN n
type_mismatch: RETURN 1 IN 'a'
type_mismatch: RETURN 'a' IN 1
type_mismatch: RETURN 'a' + true
type_mismatch: RETURN 1 + true
type_mismatch: RETURN true + 1
type_mismatch: RETURN 1 + date()
type_mismatch: RETURN 'a' * 2
type_mismatch: RETURN -'a'
type_mismatch: RETURN -duration('P1D')
type_mismatch: RETURN NOT 1
type_mismatch: RETURN 1 AND true
type_mismatch: RETURN [1,2]['a']
type_mismatch: RETURN {a:1}[0]
type_mismatch: MATCH (n) RETURN n[0]
type_mismatch: RETURN 'abc'[0]
type_mismatch: RETURN 'abc'[0..1]
type_mismatch: RETURN 1 =~ 'a'
type_mismatch: RETURN CASE WHEN 1 THEN 2 END
clause_order: CREATE (n) MATCH (m) RETURN m
clause_order: MATCH (n) CREATE (m) UNWIND [1] AS x RETURN x
clause_order: RETURN 1 AS x MATCH (n) RETURN n
duplicate_column: MATCH (n) RETURN n.x AS a, n.y AS a
missing_alias: MATCH (n) WITH n.x RETURN 1
type_mismatch: MATCH (n) RETURN n LIMIT n.x
type_mismatch: MATCH (n) RETURN n LIMIT -1
type_mismatch: MATCH (n) RETURN n LIMIT 1.5
type_mismatch: MATCH (n) RETURN n LIMIT 'a'
variable_type: MATCH (n)-[n]->() RETURN n
variable_redefined: MATCH p=(n) MATCH p=(m) RETURN p
variable_type: MATCH (a)-[r*]->(b) MATCH (c)-[r]->(d) RETURN a
variable_type: MATCH (a)-[r]->(b) MATCH (c)-[r*]->(d) RETURN a
variable_type: WITH 1 AS n MATCH (n) RETURN n
variable_type: WITH [1] AS n MATCH (n) RETURN n
aggregation: RETURN count(rand())
aggregation: RETURN count(randomUUID())
aggregation: RETURN [x IN [1,2] | count(*)]
aggregation: RETURN [x IN [1,2] WHERE count(*) > 1 | 1]
aggregation: RETURN any(x IN [1] WHERE count(*) > 1)
aggregation: RETURN reduce(a = 0, x IN [1] | a + count(*))
aggregation: MATCH (n) RETURN [(n)-->(m) | count(m)]
aggregation: MATCH (n) UNWIND [count(n)] AS x RETURN x
aggregation: MATCH (n) SET n.x = count(n)
aggregation: MATCH (n) DELETE count(n)
aggregation: CALL db.awaitIndex(toString(count(*)))
aggregation: MATCH (n) WITH n ORDER BY count(*) RETURN n
undefined_variable: MATCH (n) WHERE x.y = 1
undefined_variable: MATCH (n) WITH m
undefined_variable: MATCH (n) WHERE x.y = 1 RETURN 1 RETURN 2
label_expression: MATCH (n) RETURN n:A|:B
label_expression: MATCH (n:A|:B) RETURN n
label_expression: MATCH ()-[r:A|:B]->() RETURN r
label_expression: MATCH ()-[r:A:B]->() RETURN r
label_expression: MATCH (n:A:B&C) RETURN n
label_expression: MATCH (n:A|B:C) RETURN n
label_expression: MATCH (n:!A:B) RETURN n
syntax: MATCH (n) WHERE exists(n.x) RETURN n
pattern: RETURN exists(1)
type_mismatch: MATCH (n) RETURN point({a: 1})
type_mismatch: RETURN point({x: 1})
type_mismatch: RETURN point({latitude: 1})
invalid_literal: RETURN 9223372036854775808
type_mismatch: RETURN [1][1.5]
type_mismatch: WITH [1] AS l, 1.5 AS i RETURN l[i]
type_mismatch: MATCH (n) RETURN n.x['a'], n.x[0], n['a'], n.x[1.5]
type_mismatch: WITH point({x:1,y:1}) AS p RETURN p.x, p['x']
type_mismatch: RETURN 'a' || 1
type_mismatch: RETURN 'a' || [1]
type_mismatch: RETURN 1 || 2
type_mismatch: MATCH (n) RETURN n + 1
type_mismatch: MATCH p=(n) RETURN p + p
type_mismatch: RETURN {a:1} + {b:2}
type_mismatch: RETURN 2 ^ 'a'
type_mismatch: RETURN duration('P1D') - date()
type_mismatch: RETURN date() + 1
type_mismatch: RETURN duration('P1D') + 1
type_mismatch: RETURN time() + 'a'
type_mismatch: RETURN 'a' + date()
type_mismatch: RETURN -true
type_mismatch: RETURN CASE 1 WHEN 2 THEN 'a' ELSE 1 END + true
type_mismatch: WITH CASE WHEN true THEN 1 ELSE 'a' END AS x RETURN x + true
type_mismatch: WITH CASE WHEN true THEN 1 ELSE 2.0 END AS x RETURN x.a
type_mismatch: WITH coalesce(1, 'a') AS x RETURN x.a
type_mismatch: WITH [1, 2.5] AS l UNWIND l AS x RETURN x.a
type_mismatch: WITH [1, 2] AS l UNWIND l AS x RETURN x.a
type_mismatch: WITH [[1]] AS l UNWIND l AS x RETURN x.a
type_mismatch: WITH collect(1) AS l UNWIND l AS x RETURN x.a
type_mismatch: WITH [1] + [2] AS l UNWIND l AS x RETURN x.a
type_mismatch: WITH [1] + 'a' AS l UNWIND l AS x RETURN x.a
type_mismatch: WITH range(1,2) AS l RETURN l[0].a
type_mismatch: WITH head([1]) AS h RETURN h.a
type_mismatch: WITH split('a','b') AS h RETURN h[0].a
type_mismatch: WITH keys({a:1}) AS h UNWIND h AS k RETURN k.a
type_mismatch: MATCH p=()-->() WITH nodes(p) AS ns RETURN ns.a
type_mismatch: MATCH p=()-->() UNWIND nodes(p) AS n RETURN length(n)
type_mismatch: MATCH p=()-->() RETURN [n IN nodes(p) | length(n)]
type_mismatch: MATCH p=()-->() RETURN reduce(s = 0, n IN nodes(p) | s + length(n))
type_mismatch: RETURN reduce(s = 0, n IN ['a'] | s + n)
type_mismatch: RETURN reduce(s = 0, n IN [true] | n)
type_mismatch: RETURN reduce(s = '', n IN [1] | n)
type_mismatch: WITH max(1) AS m RETURN m.a
type_mismatch: WITH abs(1) AS m RETURN m.a
type_mismatch: MATCH (a)-[r*]->(b) RETURN r.x
type_mismatch: MATCH (a)-[r*]->(b) RETURN type(r)
type_mismatch: MATCH ((a)-[r]->(b))+ RETURN a.x
type_mismatch: MATCH (a)-[r]->+(b) RETURN r.x
type_mismatch: MATCH (n) RETURN length(n.x + n.y)
type_mismatch: MATCH (n) RETURN length(n.x + 1)
type_mismatch: RETURN length($p + 1)
type_mismatch: RETURN length(1 + $p)
type_mismatch: MATCH (n) RETURN length(n.x - 1)
type_mismatch: MATCH (n) RETURN length(n.x - n.y)
type_mismatch: RETURN length($p * 1)
type_mismatch: RETURN length($p * $q)
type_mismatch: MATCH (n) RETURN length(n.x * n.y)
type_mismatch: RETURN length('a' || $p)
type_mismatch: MATCH (n) RETURN length(n.x || n.y)
type_mismatch: RETURN length('a' IS NORMALIZED)
type_mismatch: RETURN length(1 IS NULL)
type_mismatch: RETURN length(1 < 2)
type_mismatch: RETURN length(1 = 2)
type_mismatch: RETURN length(NOT true)
type_mismatch: RETURN length(true AND true)
type_mismatch: RETURN length(1 IN [1])
type_mismatch: RETURN length('a' CONTAINS 'b')
type_mismatch: RETURN length('a' =~ 'b')
type_mismatch: MATCH (n) RETURN length(n:A)
type_mismatch: MATCH (n) RETURN length(EXISTS { (n)-->() })
type_mismatch: MATCH (n) RETURN length(COUNT { (n)-->() })
type_mismatch: MATCH (n) RETURN length(COLLECT { MATCH (n) RETURN n })
type_mismatch: MATCH (n) RETURN length([(n)-->(m) | 1][0])
type_mismatch: MATCH (n) RETURN length(n {.x})
type_mismatch: RETURN length(count(*))
type_mismatch: RETURN length([1][0..1])
type_mismatch: RETURN length(any(x IN [1] WHERE true))
type_mismatch: RETURN length(CASE WHEN true THEN 1 ELSE 'a' END)
type_mismatch: RETURN length(CASE WHEN true THEN 1 END)
type_mismatch: RETURN length(1.5 ^ 2)
type_mismatch: RETURN length(+1)
type_mismatch: RETURN length(-$p)
type_mismatch: RETURN length(last([1]))
type_mismatch: RETURN length(reverse('a'))
type_mismatch: RETURN length(reverse($p))
type_mismatch: RETURN length(tail([1])[0])
type_mismatch: RETURN length(min(1)), length(max('a'))
type_mismatch: RETURN length(collect(1)[0])
type_mismatch: RETURN length(keys({a:1})[0])
type_mismatch: MATCH (n) RETURN length(properties(n))
type_mismatch: MATCH (n) RETURN length(startNode($p))
type_mismatch: MATCH (n) RETURN length(n['x'])
type_mismatch: MATCH (n) RETURN length(n.x[0])
type_mismatch: RETURN length(INF)
undefined_variable: CREATE (a {x: a.y})
undefined_variable: CREATE (a), (b {x: a.y + 1})-[:R {z: b.x}]->(c)
undefined_variable: CREATE (a)-[r:R {x: r.y}]->(b)
undefined_variable: CREATE (a)-[r:R {x: a.y}]->(b)
undefined_variable: CREATE (a {x: id(a)})
undefined_variable: CREATE (a {x: [y IN [1] | a.z]})
undefined_variable: CREATE (a)-[:R]->(b {x: labels(a)})
pattern: CREATE (a), (b {x: (a)-->() })
variable_redefined: CREATE (a:A)-[:R]->(a:B)
variable_redefined: CREATE (a:A), (a:B)
variable_redefined: CREATE (a), (a)
variable_redefined: CREATE (a:A)-[:R]->(a:A)
variable_redefined: CREATE (a)-[r:R]->(b)-[r:R]->(c)
variable_redefined: CREATE (a)-[r:R]->(b), (a)-[r:R]->(c)
variable_redefined: CREATE p = (a), p = (b)
syntax: CREATE (n:A IS B)
label_expression: INSERT (n:A:B)
pattern: INSERT (n)-[r]->(m)
type_mismatch: MATCH (n) SET n.x.y = 1
type_mismatch: MATCH (n) SET n += 1
type_mismatch: MATCH (n) SET {a:1}.x = 1
type_mismatch: MATCH (n) DELETE n, n.x
syntax: MERGE (a), (b)
undefined_variable: MERGE (a) ON CREATE SET b.x = 1
label_expression: MERGE (a:A|B)
label_expression: MERGE (a:!A)
pattern: MERGE (a WHERE a.x = 1)
pattern: MERGE (a)-[:R*]->(b)
pattern: MERGE (a)-[:R|S]->(b)
variable_redefined: MATCH (a)-[r]->() MERGE (a)-[r:R]->(b)
clause_order: FOREACH (x IN [1] | RETURN x)
clause_order: FOREACH (x IN [1] | WITH x CREATE (n))
clause_order: FOREACH (x IN [1] | CALL { CREATE (n) })
undefined_variable: FOREACH (x IN [1] | CREATE (n)) RETURN x
""".strip().split("\n")


@pytest.mark.parametrize("text", ACCEPTED)
def test_a_query_that_neo4j_compiles_has_no_error(text: str) -> None:
    assert validate(text).diagnostics == ()


@pytest.mark.parametrize("line", REJECTED)
def test_a_query_that_neo4j_refuses_has_an_error_of_this_code(line: str) -> None:
    code, _, text = line.partition(": ")
    assert validate(text).diagnostics[0].code == code
