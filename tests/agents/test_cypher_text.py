"""A block in a model's reply is recognized as Cypher by its text; the block's label is only a hint."""

from __future__ import annotations

import doctest
import time

import pytest

from graphground.agents import cypher_text
from graphground.agents.replies import query_in

# fmt: off
FOREIGN = [
    "SELECT count(*) FROM teams",
    "WITH t AS (SELECT * FROM teams) SELECT count(*) FROM t",
    "WITH RECURSIVE t(n) AS (VALUES (1)) SELECT n FROM t",
    "INSERT INTO t VALUES (1) RETURNING id",
    "CREATE TABLE team (id int)",
    "CREATE FUNCTION f() RETURNS int AS $$ BEGIN RETURN (1); END $$",
    "PREFIX wd: <http://x> SELECT ?x WHERE { ?x a wd:Team }",
    "with open('f') as file:\n    return file.read()",
    "with lock: return g(x)",
    "def f(x):\n    return g(x)",
    "match (x):\n    case 1:\n        return f(1)",
    "match (x) {\n  1 => return f(x),\n}",
    "for t in teams:\n    if match(t):\n        return t",
    "if x:\n  return (x)",
    'import neo4j\nwith driver.session() as s:\n    result = s.run("MATCH (n) RETURN n")\n    return f(result)',
    "session.run('MATCH (n) RETURN n')",
    "print(count(teams))",
    "teams = len(rows)\nreturn (teams)",
    "const rows = await run('MATCH (n) RETURN n');\nreturn rows.map(r => r.n);",
    "function f(x) { return g(x); }",
    '{"query": "MATCH (t:Team) RETURN t"}',
    '[{"a": "RETURN (1)"}]',
    "g.V().hasLabel('Team').count()",
    "$ curl http://x (return)",
]
QUERIES = [
    "MATCH (t:Team) RETURN t.name",
    "match (t:Team) return t.name",
    "MATCH(n) RETURN n",
    "MATCH (n)\nRETURN n",
    "// teams\nMATCH (t:Team) RETURN t",
    "MATCH (t:Team) WHERE t.name IN ['SELECT a FROM b'] RETURN count(t) AS n",
    "MATCH (n:`With: it`) RETURN n",
    "MATCH (a:Show) RETURN a.from AS `from`",
    "MATCH (n) RETURN {a: 1, f: n.x}",
    "MATCH (t:Team)\nWHERE t.x > 1\nWITH t, count(*) AS n\nRETURN t.name, n",
    "MATCH p = (a)-->(b) RETURN length(p)",
    "MATCH p = shortestPath((a)-[*]-(b)) RETURN p",
    "MATCH SHORTEST 1 (a)-->+(b) RETURN a",
    "MATCH ((a)-->(b)){1,3} RETURN a",
    "OPTIONAL MATCH (a)-->(b) RETURN a",
    "WITH 1 AS x RETURN abs(x)",
    "WITH 'a' AS x, 2 AS y\nMATCH (n {name: x}) RETURN n",
    "WITH date() AS d MATCH (n) WHERE n.d < d RETURN n",
    "UNWIND ['a'] AS name\nMATCH (n {name: name}) RETURN n",
    "CALL { MATCH (n) RETURN n } RETURN count(n)",
    "CALL (x) { MATCH (n) RETURN n } RETURN n",
    "CALL db.labels()",
    "CALL apoc.meta.stats YIELD labels RETURN labels",
    "RETURN COUNT { (t:Team) } AS n",
    "EXPLAIN MATCH (n) RETURN n",
    "USE nba MATCH (t) RETURN t",
]
BROKEN = [
    "MATHC (t:Team) RETURN t", "MATCH t:Team RETURN t", "MATCH (t:Team RETURN t.name", "MATCH (n) RETURN",
    "CREATE (n:A {b: 1})", "MERGE (n:A) RETURN n", "with 1 as x return abs(x)",
]
# fmt: on
LABELS = ["", "cypher", "sql", "python", "python3", "c++", "json"]


def block(label: str, body: str) -> str:
    return f"```{label}\n{body}\n```"


@pytest.mark.parametrize("text", FOREIGN)
def test_text_in_another_language_is_not_a_query_whatever_its_label(text: str) -> None:
    assert [query_in(block(label, text)) for label in LABELS] == [""] * len(LABELS)
    assert query_in(f"Use this:\n{text}") == ""


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_is_extracted_from_a_block_with_any_label_and_from_plain_text(query: str) -> None:
    assert [query_in(block(label, query)) for label in LABELS] == [query] * len(LABELS)
    assert query_in(f"Sure:\n{query}") in (query, query.removeprefix("// teams\n"))


@pytest.mark.parametrize("text", FOREIGN)
def test_a_query_beside_a_block_in_another_language_is_found(text: str) -> None:
    for replies in (
        [block("python", text), block("cypher", QUERIES[0])],
        [block("cypher", QUERIES[0]), block("cypher", text)],
        [block("", QUERIES[0]), block("json", text)],
    ):
        assert query_in("\nor\n".join(replies)) == QUERIES[0]


@pytest.mark.parametrize("query", BROKEN)
def test_an_invalid_query_labelled_as_cypher_still_reaches_the_server(query: str) -> None:
    assert query_in(block("cypher", query)) == query


def test_prose_with_the_words_of_clauses_is_not_a_query() -> None:
    for text in (
        "Return the ball (please).",
        "With the (old) team as winner, return it.",
        "Call the team (today), then return.",
        "Match the (home) teams, and return them.",
    ):
        assert query_in(text) == ""


def test_blocks_with_other_fences_and_on_a_single_line_are_read() -> None:
    assert query_in("```cypher MATCH (n) RETURN n```") == "MATCH (n) RETURN n"
    assert query_in("~~~cypher\nMATCH (n) RETURN n\n~~~") == "MATCH (n) RETURN n"
    assert query_in("```Cypher\nMATCH (n) RETURN n") == "MATCH (n) RETURN n"


def test_long_replies_of_repeated_words_are_parsed_in_a_second_of_processor_time() -> None:
    parts = [
        "WITH a AS\n",
        "MATCH (\n",
        "SELECT\n",
        "```\n",
        "with x:\n",
        "RETURN (\n",
        "'",
        "CALL a.b\n",
        "USE a\n",
        "\n",
    ]
    for part in parts:
        start = time.process_time()
        query_in(part * 4_000)
        assert time.process_time() - start < 1, repr(part)


def test_the_examples_in_docstrings_of_the_module_are_true() -> None:
    assert doctest.testmod(cypher_text).failed == 0
