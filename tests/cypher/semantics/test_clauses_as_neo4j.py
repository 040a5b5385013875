import pytest

from graphground.cypher import validate

ACCEPTED = """
CALL db.labels() YIELD label RETURN label
CALL db.labels
CALL db.labels()
CALL db.labels() YIELD *
MATCH (n) CALL db.labels() YIELD label RETURN n
CALL db.createLabel('x')
CALL dbms.components()
SHOW FUNCTIONS
SHOW INDEXES
SHOW INDEXES YIELD name WHERE name = 'x' RETURN name
SHOW DATABASES
SHOW USERS
CREATE INDEX FOR (n:A) ON (n.x)
CREATE INDEX foo IF NOT EXISTS FOR (n:A) ON (n.x, n.y)
CREATE CONSTRAINT FOR (n:A) REQUIRE n.x IS UNIQUE
DROP INDEX foo
CREATE USER foo SET PASSWORD 'abcdefghi'
SHOW TRANSACTIONS
TERMINATE TRANSACTION 'x'
SHOW SETTINGS
SHOW CURRENT USER
CREATE (n)
MATCH (n) DELETE n
MATCH (n) SET n.x = 1 RETURN n
MERGE (n:A) RETURN n
CALL { CREATE (n) } IN TRANSACTIONS
LOAD CSV FROM 'file:///x' AS row RETURN row
FINISH
MATCH (n) FINISH
ALTER USER neo4j SET PASSWORD 'abcdefghi'
EXPLAIN CREATE (n)
MATCH (n) RETURN n.x, count(*) ORDER BY n.x
MATCH (n) RETURN n.x AS a, count(*) ORDER BY n.x
MATCH (n) RETURN n, count(*) ORDER BY n.y
MATCH (n) RETURN DISTINCT n.x AS a ORDER BY n.x
MATCH (n) RETURN DISTINCT n.x AS a ORDER BY n.x + 1
MATCH (n) RETURN DISTINCT n.x AS a ORDER BY toUpper(n.x)
MATCH (n) RETURN count(*) AS c ORDER BY count(*)
MATCH (n) WITH n.x AS a ORDER BY n.y RETURN a
MATCH (n) WITH n.x AS a WHERE n.y > 1 RETURN a
MATCH (n) WITH n.x AS a, count(*) AS c WHERE n.x > 1 RETURN a
MATCH (n) WITH n.x AS a, count(*) AS c WHERE count(*) > 1 RETURN a
MATCH (n) RETURN n.x, n.x + count(*)
MATCH (n) RETURN n, n.x + count(*)
MATCH (n) RETURN 1 + count(*) + $x
MATCH (n)-->(m) RETURN n.x AS a, {a: n.x, b: collect(m.y)}
MATCH (n) RETURN [x IN collect(n) | x.y]
WITH * RETURN 1
MATCH (n) RETURN *, n
MATCH (n) RETURN *, n.x AS n
MATCH (n) WITH *, 1 AS n RETURN n
RETURN 1 AS a, 2 AS b UNION RETURN 2 AS b, 1 AS a
MATCH (n) RETURN n UNION MATCH (n) RETURN n.x AS n
CREATE (n) UNION CREATE (m)
MATCH (n) CALL { WITH n RETURN n.x AS y } RETURN y
MATCH (n) CALL (n) { RETURN n.x AS y } RETURN y
MATCH (n) CALL (n) { WITH n RETURN n.x AS y } RETURN y
MATCH (n) CALL (*) { RETURN n.x AS y } RETURN y
MATCH (n) CALL { WITH n MATCH (n)-->(m) RETURN m UNION WITH n MATCH (n)<--(m) RETURN m } RETURN m
CALL { CREATE (n) } RETURN 1
CALL { MATCH (n) RETURN * } RETURN n
MATCH (n) WHERE EXISTS { MATCH (n)-->(m) } RETURN n
MATCH (n) WHERE EXISTS { WITH n MATCH (n)-->(m) RETURN m } RETURN n
MATCH (n) RETURN [n IN [1] | n]
MATCH (n), (m) RETURN [x IN [1] WHERE (n)-->(m) | x]
MATCH (n) RETURN exists((n)-->())
MATCH (n) RETURN NOT (n)-->()
MATCH (n) RETURN CASE WHEN (n)-->() THEN 1 END
MATCH (n) WHERE any(x IN [1] WHERE (n)-->()) RETURN n
CREATE p=(a)-[:X]->(a) RETURN p
MATCH (a) CREATE (a)-[:R]->(b)
MERGE (a)-[:R]-(b)
CREATE (n:A&B)
CREATE (n $x)
MATCH (n {x: m.y}), (m) RETURN n
CREATE (n {x: m.y}), (m)
MATCH (n) SET n += {a: 1}
MATCH (n) SET n:A:B
MATCH (n) REMOVE n.x, n:A
MATCH (n) FOREACH (x IN [1] | SET n.x = x)
MATCH (n) FOREACH (x IN 1 | SET n.x = x)
RETURN date()['year']
RETURN datetime()['year']
WITH date() AS d RETURN d['year']
RETURN duration('P1D')['days']
MATCH (n) RETURN n[$p]
MATCH (n) RETURN n.x[0].y
WITH time() AS d RETURN d['hour']
WITH localtime() AS d RETURN d['hour']
WITH datetime() AS d RETURN d['hour']
WITH duration('P1D') AS d RETURN d['hour']
RETURN round(reduce(t = 0.5, q IN [null] | 1))
RETURN reduce(t = 0, q IN [null] | t + 2.5) > 1
RETURN reduce(t = 0, q IN [1.5] | t + q)
RETURN round(reduce(t = 0, q IN [$p] | t + q))
MATCH (n) RETURN round(reduce(t = 0, q IN collect(n) | t + q.x))
MATCH (n) RETURN round(reduce(t = 0, q IN collect(n.x) | t + q))
MATCH (n) RETURN coalesce(reduce(t = 0, q IN [1.5] | t + q), 1) + 1
RETURN (1 + $p)[0]
MATCH (n) WHERE n.x + n.y RETURN n
MATCH (n) WHERE 1 + $p RETURN n
MATCH (where {x: 1}) RETURN where
MATCH (n WHERE $p) RETURN 1
MATCH (WHERE $p = 1) RETURN 1
MATCH (WHERE (true)) RETURN 1
MATCH ()-[WHERE true]->() RETURN 1
MATCH ()-[where:R]->() RETURN where
MATCH (n) RETURN n {.x} AS m, n
MATCH (n) CALL (n) { MATCH (n)-->(m) WITH m RETURN n.x AS x, m } RETURN x
MATCH (n) CALL (n, n) { RETURN 1 AS x } RETURN x
MATCH (n) CALL { UNWIND [1] AS n RETURN 1 AS x } RETURN x
MATCH (n) CALL { WITH * RETURN n.x AS x } RETURN x
MATCH (n) CALL { WITH n AS n RETURN n.x AS x } RETURN x
MATCH (n) CALL { WITH 1 AS y RETURN y } RETURN y
MATCH (n) CALL { WITH n RETURN n.x AS x UNION RETURN 1 AS x } RETURN x
MATCH (n) CALL { USE neo4j WITH n RETURN n.x AS x } RETURN x
CALL { RETURN 1 AS x } IN TRANSACTIONS RETURN x
MATCH (n) CALL (n) { SET n.x = 1 } IN TRANSACTIONS OF 10 ROWS ON ERROR CONTINUE REPORT STATUS AS s RETURN s
CALL { CREATE (m) } IN 3 CONCURRENT TRANSACTIONS
CREATE (n) SET n.x = 1 MERGE (m) REMOVE m.y DELETE n
CREATE (n) FOREACH (x IN [1] | SET n.x = 1) RETURN n
CREATE (n) FINISH
CREATE (n) ORDER BY n.x RETURN n
MATCH (n) RETURN n UNION ALL MATCH (n) RETURN n ORDER BY n.x
MATCH (n) RETURN n ORDER BY n.x UNION MATCH (n) RETURN n
USE neo4j MATCH (n) RETURN n
OPTIONAL CALL db.labels() YIELD label RETURN label
OPTIONAL CALL { MATCH (n) RETURN n } RETURN n
MATCH (n) RETURN DISTINCT *
MATCH (n) WITH DISTINCT * RETURN n
MATCH (n) WITH *, count(*) AS c RETURN n, c
MATCH (n) WITH *, n.x + count(*) AS c RETURN n, c
MATCH (n) RETURN *, count(*) ORDER BY n.x
LOAD CSV FROM 'x' AS row FIELDTERMINATOR ';' RETURN row[0]
""".strip().split("\n")

REJECTED = """
clause_order: CALL db.labels() YIELD * RETURN 1 AS x
syntax: CALL db.labels RETURN 1 AS x
clause_order: CALL db.labels() RETURN 1 AS x
undefined_variable: CALL db.labels() YIELD foo RETURN foo
wrong_argument_count: CALL db.labels(1) YIELD label RETURN label
clause_order: MATCH (n) CALL db.labels() RETURN n
clause_order: MATCH (n) CALL db.labels() YIELD label
variable_redefined: MATCH (n) CALL db.ping() YIELD success AS n RETURN n
syntax: USE system SHOW USERS
undefined_variable: MATCH (n) RETURN n.x, count(*) ORDER BY n.y
aggregation: MATCH (n) RETURN n.x ORDER BY count(*)
undefined_variable: MATCH (n) RETURN n.x, count(*) ORDER BY count(n)
undefined_variable: MATCH (n) WITH DISTINCT n.x AS a WHERE n.y > 1 RETURN a
aggregation: MATCH (n) WHERE count(n) > 1 RETURN n
aggregation: MATCH (n) RETURN count(count(n))
aggregation: MATCH (n) RETURN n.x + count(*)
aggregation: MATCH (n) RETURN n.x + n.y, n.x + n.y + count(*)
aggregation: MATCH (n) RETURN n.x + 1, n.x + 1 + count(*)
aggregation: MATCH (n) RETURN toUpper(n.x), toUpper(n.x) + count(*)
aggregation: MATCH (n)-->(m) RETURN {a: n.x, b: collect(m.y)}
aggregation: MATCH (n)-->(m) WITH n, collect(m) AS ms RETURN [x IN ms | count(x)]
aggregation: MATCH (n) RETURN [x IN collect(n) WHERE x.y > n.y | x.y]
aggregation: MATCH (n) RETURN CASE WHEN count(n) > 1 THEN n.x END
aggregation: MATCH (n) UNWIND collect(n) AS x RETURN x
clause_order: RETURN *
clause_order: MATCH () RETURN *
union_columns: RETURN 1 AS a UNION RETURN 2 AS b
union_columns: RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a
clause_order: RETURN 1 AS a UNION MATCH (n)
variable_redefined: MATCH (n) CALL { WITH n RETURN n } RETURN n
undefined_variable: MATCH (n) CALL { RETURN n.x AS y } RETURN y
undefined_variable: MATCH (n) CALL (m) { RETURN 1 AS y } RETURN y
clause_order: MATCH (n) CALL { WITH n.x AS y RETURN y } RETURN y
clause_order: MATCH (n) CALL { WITH n AS y RETURN y } RETURN y
clause_order: MATCH (n) CALL { WITH n WHERE n.x > 1 RETURN n.y AS y } RETURN y
missing_alias: MATCH (n) CALL { MATCH (m) RETURN m.x } RETURN n
clause_order: CALL { MATCH (n) } RETURN 1
undefined_variable: CALL { MATCH (n) RETURN n } RETURN m
undefined_variable: MATCH (n) WHERE EXISTS { (n)-->(m) WHERE m.x > 1 } RETURN m
variable_redefined: MATCH (n) WHERE EXISTS { MATCH (n)-->(m) WITH m AS n RETURN n } RETURN n
clause_order: MATCH (n) RETURN COLLECT { MATCH (m) RETURN m.x, m.y }
clause_order: MATCH (n) RETURN COLLECT { MATCH (m) }
clause_order: MATCH (n) RETURN COUNT { MATCH (m) CREATE (x) }
pattern: MATCH (n) RETURN (n)-->()
pattern: MATCH (n) RETURN isEmpty((n)-->())
pattern: MATCH (n) RETURN size((n)-->())
pattern: MATCH (n) RETURN collect((n)-->())
pattern: MATCH (n) WHERE (n)-->() = true RETURN n
undefined_variable: MATCH (n) WHERE (n)-->(:A) AND (n)-[:X]->(m) RETURN n
variable_redefined: MATCH p=(p) RETURN p
variable_redefined: MATCH p=(a)-[p]->() RETURN p
variable_redefined: MATCH (a) CREATE (a)
variable_redefined: MATCH (a) CREATE (a:X)
variable_redefined: MATCH (a) CREATE (a:X)-[:R]->(b)
variable_redefined: MATCH (a) MERGE (a)
variable_redefined: MATCH (a) MERGE (a:X)
pattern: CREATE (a)-[:R]-(b)
pattern: CREATE (a)-->(b)
pattern: CREATE (a)-[:R|S]->(b)
pattern: CREATE (a)-[:R*]->(b)
pattern: MERGE (a)-->(b)
label_expression: CREATE (n:A|B)
label_expression: CREATE (n:!A)
pattern: MATCH (n $x) RETURN n
pattern: MERGE (n $x) RETURN n
undefined_variable: CREATE (n {x: n.y})
type_mismatch: MATCH (n) DELETE n.x
type_mismatch: MATCH (n) DELETE 1
type_mismatch: MATCH (n) DELETE n:A
undefined_variable: MATCH (n) SET n.x = m
type_mismatch: MATCH (n) SET n = 1
type_mismatch: MATCH p=(n) SET p.x = 1
type_mismatch: MATCH ()-[r]->() SET r:A
clause_order: MATCH (n) FOREACH (x IN [1] | MATCH (m))
undefined_variable: MATCH (n) FOREACH (x IN [1] | CREATE (m)) RETURN m
type_mismatch: LOAD CSV FROM 1 AS x RETURN x
variable_redefined: MATCH (n) UNWIND [1] AS n RETURN n
type_mismatch: RETURN date()[0]
type_mismatch: RETURN date()[$p]
type_mismatch: WITH date() AS d RETURN d[0]
type_mismatch: WITH date() AS d RETURN d[$p]
type_mismatch: RETURN 1['a']
type_mismatch: RETURN 1[$p]
type_mismatch: RETURN 1[0]
type_mismatch: RETURN 'a'[$p]
type_mismatch: RETURN true[$p]
type_mismatch: RETURN point({x:1,y:1})[$p]
type_mismatch: MATCH (n) RETURN n.x[0][1]
type_mismatch: MATCH (n) RETURN n.x[0]['a']
type_mismatch: MATCH (n) RETURN n.x[0][$p]
type_mismatch: RETURN round(reduce(t = 0, q IN [null] | t + 2.5))
type_mismatch: RETURN toString(reduce(t = 0, q IN [null] | t + 2.5))
type_mismatch: RETURN reduce(t = 0, q IN [null] | t + 2.5) + 1
type_mismatch: RETURN 1 + reduce(t = 0, q IN [null] | t + 2.5)
type_mismatch: RETURN reduce(t = 0, q IN [null] | t + 2.5) * 1
type_mismatch: RETURN -reduce(t = 0, q IN [null] | t + 2.5)
type_mismatch: RETURN round(reduce(t = 0, q IN [1.5] | t + q))
type_mismatch: MATCH (n) RETURN avg(reduce(t = 0, q IN [1.5] | t + q))
type_mismatch: WITH reduce(t = 0, q IN [1.5] | t + q) AS s RETURN s / 2
type_mismatch: MATCH (n) WHERE [1][0..1] RETURN n
type_mismatch: MATCH (n) WHERE n.x - n.y RETURN n
pattern: MATCH (where $p) RETURN 1
pattern: MATCH (WHERE $p) RETURN 1
type_mismatch: MATCH (n) WITH n {.x} RETURN n.x, length(n)
variable_redefined: MATCH (n) CALL { WITH n RETURN n {.x} } RETURN 1
variable_redefined: MATCH (n) CALL (n) { RETURN 1 AS n } RETURN 1
variable_redefined: MATCH (n) CALL (n) { WITH 1 AS n RETURN 2 AS x } RETURN x
variable_redefined: MATCH (n) CALL (n) { UNWIND [1] AS n RETURN 1 AS x } RETURN x
undefined_variable: MATCH (n) CALL { WITH n UNWIND [1] AS m WITH m RETURN n.x AS x } RETURN x
undefined_variable: MATCH (n) CALL { WITH n, m RETURN n.x AS x } RETURN x
clause_order: MATCH (n) CALL { WITH DISTINCT n RETURN n.x AS x } RETURN x
clause_order: MATCH (n) CALL { WITH n ORDER BY n.x RETURN n.x AS x } RETURN x
clause_order: MATCH (n) CALL { WITH n LIMIT 1 RETURN n.x AS x } RETURN x
type_mismatch: MATCH (n) CALL (n) { SET n.x = 1 } IN TRANSACTIONS OF n.x ROWS
type_mismatch: MATCH (n) CALL (n) { SET n.x = 1 } IN TRANSACTIONS OF 0 ROWS
clause_order: MATCH (n) CALL (n) { SET n.x = 1 } IN TRANSACTIONS REPORT STATUS AS s
clause_order: MATCH (n) CALL (n) { SET n.x = 1 } IN TRANSACTIONS ON ERROR FAIL REPORT STATUS AS s RETURN s
clause_order: MATCH (n) CALL (n) { CALL { CREATE (m) } IN TRANSACTIONS } RETURN n
clause_order: CREATE (n) WITH n CALL { CREATE (m) } IN TRANSACTIONS
clause_order: CALL { CREATE (m) } IN TRANSACTIONS UNION CALL { CREATE (k) } IN TRANSACTIONS
clause_order: CREATE (n) CALL { MATCH (m) RETURN m } RETURN m
clause_order: CREATE (n) CALL db.labels() YIELD label RETURN label
clause_order: CREATE (n) LOAD CSV FROM 'x' AS r RETURN r
clause_order: MATCH (n) ORDER BY n.x
clause_order: MATCH (n) LIMIT 1
aggregation: MATCH (n) ORDER BY count(n) RETURN n
undefined_variable: MATCH (n) ORDER BY m RETURN n
clause_order: MATCH (n) RETURN n ORDER BY n.x SKIP 1 LIMIT 1 SKIP 1
clause_order: MATCH (n) RETURN n LIMIT 1 LIMIT 1
clause_order: RETURN 1 AS x FINISH
clause_order: FINISH RETURN 1
clause_order: MATCH (n) USE neo4j RETURN n
variable_redefined: UNWIND [1] AS x UNWIND [2] AS x RETURN x
duplicate_column: WITH 1 AS a, 2 AS a RETURN a
duplicate_column: WITH 1 AS a WITH a, a RETURN a
undefined_variable: WITH 1 AS a, a AS b RETURN b
undefined_variable: RETURN 1 AS a ORDER BY b
type_mismatch: RETURN 1 AS a SKIP a
clause_order: RETURN DISTINCT *
undefined_variable: MATCH (n), (m) WITH n, count(m) AS c ORDER BY m.x RETURN n
type_mismatch: LOAD CSV WITH HEADERS FROM 'x' AS row RETURN row.a, row[0]
type_mismatch: LOAD CSV FROM 'x' AS row RETURN row.a
type_mismatch: LOAD CSV FROM 'x' AS row FIELDTERMINATOR 'ab' RETURN row
undefined_variable: LOAD CSV FROM row AS row RETURN row
""".strip().split("\n")


@pytest.mark.parametrize("text", ACCEPTED)
def test_a_query_that_neo4j_compiles_has_no_error(text: str) -> None:
    assert validate(text).diagnostics == ()


@pytest.mark.parametrize("line", REJECTED)
def test_a_query_that_neo4j_refuses_has_an_error_of_this_code(line: str) -> None:
    code, _, text = line.partition(": ")
    assert validate(text).diagnostics[0].code == code
