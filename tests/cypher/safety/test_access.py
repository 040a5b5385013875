import pytest

from graphground.cypher import access, parse, validate

WRITES = [
    "CREATE (m)",
    "CREATE (m:X {a: 1})-[:R]->(k)",
    "INSERT (m:X)",
    "MERGE (m:X)",
    "MERGE (m) ON CREATE SET m.x = 1",
    "SET n.x = 1",
    "SET n = {}",
    "SET n += {x: 1}",
    "SET n:X",
    "REMOVE n.x",
    "REMOVE n:X",
    "DELETE n",
    "DETACH DELETE n",
    "NODETACH DELETE n",
    "FOREACH (i IN [1] | CREATE (m))",
    "FOREACH (i IN [1] | SET n.x = i)",
    "FOREACH (i IN [1] | FOREACH (j IN [2] | DELETE n))",
    "SET n['x'] = 1",
    "REMOVE n['x']",
    "SET n IS X",
]
"""Clauses that write; the tests hide each of them in the contexts below."""

PLACES = [
    "MATCH (n) {}",
    "MATCH (n) {} RETURN 1 AS x",
    "MATCH (n) WITH n {} RETURN n",
    "match (n) /* read only */ {}",
    "MATCH (n) // just reading\n{}",
    "MATCH (n) CALL (n) {{ {} }} RETURN n",
    "MATCH (n) CALL {{ WITH n {} }} RETURN n",
    "MATCH (n) CALL (n) {{ {} }} IN TRANSACTIONS OF 1 ROWS",
    "MATCH (n) CALL (n) {{ CALL (n) {{ {} }} RETURN 1 AS y }} RETURN n",
    "EXPLAIN MATCH (n) {}",
    "PROFILE MATCH (n) {}",
    "CYPHER 5 MATCH (n) {}",
    "CYPHER runtime=slotted MATCH (n) {}",
    "MATCH (n) {} UNION MATCH (n) {}",
    "USE neo4j MATCH (n) {}",
    "MATCH (n) RETURN n; MATCH (n) {}",
]

OTHERS = [
    "DROP INDEX foo",
    "DROP CONSTRAINT foo IF EXISTS",
    "CREATE INDEX FOR (n:A) ON (n.x)",
    "CREATE OR REPLACE INDEX foo FOR (n:A) ON (n.x)",
    "CREATE TEXT INDEX FOR (n:A) ON (n.x)",
    "CREATE CONSTRAINT FOR (n:A) REQUIRE n.x IS UNIQUE",
    "CREATE FULLTEXT INDEX f FOR (n:A) ON EACH [n.x]",
    "CREATE DATABASE foo",
    "DROP DATABASE foo",
    "CREATE USER eve SET PASSWORD 'secret123'",
    "DROP USER neo4j",
    "ALTER USER neo4j SET PASSWORD 'secret123'",
    "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
    "GRANT ROLE admin TO eve",
    "DENY READ {*} ON GRAPH * TO eve",
    "REVOKE ROLE admin FROM eve",
    "CREATE ROLE eve",
    "RENAME USER a TO b",
    "START DATABASE foo",
    "STOP DATABASE foo",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "TERMINATE INDEXES",
    "SHOW USERS",
    "SHOW DATABASES",
    "SHOW SETTINGS",
    "SHOW TRANSACTIONS",
    "SHOW PRIVILEGES",
    "SHOW SERVERS",
    "CREATE ALIAS a FOR DATABASE b",
    "ENABLE SERVER 'x'",
    "DEALLOCATE DATABASES FROM SERVER 'x'",
    "LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "LOAD CSV WITH HEADERS FROM 'http://x/y' AS l RETURN l.a",
    "CALL { LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l } RETURN l",
    "MATCH (n) WHERE EXISTS { LOAD CSV FROM 'http://x' AS l RETURN l } RETURN n",
    "MATCH (n) RETURN COLLECT { LOAD CSV FROM 'file:///a' AS l RETURN l }",
    "load /**/ csv from $url as l return l",
    "LOAD CSV FROM 'http://evil/?' + 'x' AS l RETURN l",
    "CALL apoc.load.json('http://x') YIELD value RETURN value",
    "CALL apoc.load.csv('file:///x') YIELD map RETURN map",
    "CALL apoc.cypher.run('CREATE (n)', {}) YIELD value RETURN value",
    "CALL apoc.cypher.doIt('CREATE (n)', {}) YIELD value RETURN value",
    "CALL `apoc`.`cypher`.`runWrite`('CREATE (n)', {}) YIELD value RETURN value",
    "CALL apoc . cypher . doIt ('CREATE (n)', {}) YIELD value RETURN value",
    "CALL apoc.periodic.iterate('MATCH (n) RETURN n', 'DELETE n', {})",
    "CALL apoc.create.node(['X'], {})",
    "CALL apoc.refactor.mergeNodes([])",
    "CALL apoc.export.csv.all('x.csv', {})",
    "CALL apoc.trigger.add('a', 'b', {})",
    "CALL apoc.schema.assert({}, {})",
    "CALL apoc.systemdb.execute('DROP DATABASE x')",
    "CALL apoc.util.sleep(100000)",
    "RETURN apoc.cypher.runFirstColumnSingle('MATCH (n) RETURN n', {})",
    "RETURN `apoc`.`cypher`.`runFirstColumnMany`('MATCH (n) RETURN n', {})",
    "MATCH (n) WHERE apoc.cypher.runFirstColumnSingle('RETURN 1', {}) = 1 RETURN n",
    "RETURN apoc.static.get('x')",
    "RETURN apoc.util.decompress('x')",
    "CALL db.createLabel('X')",
    "CALL db.createProperty('x')",
    "CALL db.createRelationshipType('X')",
    "CALL db.create.setNodeVectorProperty(null, 'x', [])",
    "CALL db.clearQueryCaches()",
    "CALL `db`.`clearQueryCaches`()",
    "CALL dbms.listConfig()",
    "CALL dbms.listConfig",
    "CALL dbms.killConnection('x')",
    "CALL dbms.setConfigValue('x', 'y')",
    "CALL dbms.queryJmx('*')",
    "CALL dbms.showCurrentUser()",
    "CALL dbms.upgrade()",
    "CALL dbms.security.createUser('a', 'b', false)",
    "CALL tx.setMetaData({})",
    "CALL db.resampleIndex('x')",
    "CALL db.stats.collect('x')",
    "CALL foo.bar()",
    "CALL com.evil.run('x')",
    "RETURN com.evil.run('x')",
    "USE system SHOW USERS",
    "USE graph.byName('other') MATCH (n) RETURN n",
    "USE other MATCH (n) RETURN n",
    "CALL { USE other MATCH (n) RETURN n } RETURN n",
    "CALL gds.graph.drop('x')",
    "CALL n10s.rdf.import.fetch('x', 'y')",
    "OPTIONAL CALL apoc.load.json('http://x') YIELD value RETURN value",
    "CR\\u0045ATE (n)",
    "\\u0043REATE (n)",
    "MATCH (n) \\u0044ELETE n",
    "MATCH (n) DETACH \\u0044\\u0045\\u004c\\u0045\\u0054\\u0045 n",
    "MATCH (n) S\\u0045T n.x = 1",
    "LOAD\\u0020CSV FROM 'x' AS l RETURN l",
    "CALL apoc.load\\u002ejson('x')",
    "CALL \\u0061poc.cypher.run('x', {})",
    "RETURN 1 AS x;CREATE (n)",
    "RETURN 1 AS x;\nDROP INDEX foo",
    "RETURN ';' AS x; CREATE (n)",
    "RETURN 1 AS x /* ; */ ; CREATE (n)",
    "/* MATCH */ CREATE /* (n) */ (n)",
    "//\nCREATE (n)",
    "MATCH (n) RETURN n // x\r;CREATE (m)",
    "RETURN '\\'' AS x; CREATE (n) //'",
    "RETURN \"'\" AS x; CREATE (n) //'",
    "RETURN `a``b`; CREATE (n)",
    "cReAtE(n)",
    "\u00a0CREATE\u2003(n)",
    "MATCH (n) RETURN COUNT { CREATE (m) }",
    "MATCH (n) WHERE EXISTS { MERGE (m) RETURN m } RETURN n",
    "MATCH (n) RETURN [x IN COLLECT { CREATE (m) RETURN m } | x]",
    "UNWIND [1] AS x CREATE (n {x: x})",
    "MATCH p = (a)-->(b) CREATE (c)",
    "CREATE p = (a)-[:R]->(b) RETURN p",
    "CREATE shortestPath((a)-[:R]->(b))",
]

HARMLESS = [
    template.format(word)
    for word in (
        "CREATE",
        "Data Set",
        "delete me",
        "DROP TABLE",
        "merge; remove",
        "load csv",
        "call apoc.load.json()",
        "set",
        "GRANT ALL",
        "FOREACH (x IN y | DELETE x)",
    )
    for template in (
        "MATCH (n {{name: '{}'}}) RETURN n",
        'MATCH (n) WHERE n.name = "{}" RETURN n.name',
        "MATCH (n:`{}`) RETURN n",
        "MATCH (n) RETURN n.`{}` AS x",
        "MATCH ()-[r:`{}`]->() RETURN r",
        "RETURN 1 AS `{}`",
        "RETURN 1 AS x // {}",
        "/* {} */ MATCH (n) RETURN n",
        "RETURN ['{}', 'a;b'] AS x",
        "MATCH (n) WHERE n.x CONTAINS '{}' RETURN n",
    )
] + [
    "MATCH (n) RETURN n.delete, n.set, n.create",
    "MATCH (create:Create) RETURN create.merge AS delete",
    "MATCH (n) RETURN n.createdAt ORDER BY n.deleted",
    "MATCH ()-[:DELETE]->(:SET) RETURN 1 AS one",
    "CALL db.labels() YIELD label RETURN label",
    "CALL db.schema.visualization()",
    "SHOW INDEXES",
    "SHOW CONSTRAINTS",
    "SHOW FUNCTIONS YIELD name RETURN name",
    "RETURN apoc.text.capitalize('a') AS x",
    "MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN count(m) AS c } RETURN n.name, c",
    "EXPLAIN MATCH (n) RETURN n",
    "MATCH (n) WHERE EXISTS { (n)-[:CREATE]->() } RETURN n",
    "RETURN date('2020-01-01') AS merge",
    "WITH {set: 1, delete: 2} AS create RETURN create.set AS remove",
    "RETURN 1 AS x;",
    "CALL db.index.fulltext.queryNodes('names', 'create') YIELD node, score RETURN node, score",
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
    assert [diagnostic.code for diagnostic in validate("RETURN 1 AS x; RETURN 2 AS x").diagnostics] == [
        "multiple_statements"
    ]
