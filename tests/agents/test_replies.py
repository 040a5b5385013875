from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from graphground.agents import multi_agent_loop, replies, session
from graphground.agents.replies import grade_in, list_in, query_in, stance_in


@pytest.mark.parametrize("module", [replies, session, multi_agent_loop])
def test_the_examples_in_docstrings_are_true(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("```cypher\nMATCH (n) RETURN n\n```<|im_end|>", "MATCH (n) RETURN n"),
        (
            "First ```cypher\nMATCH (a) RETURN a\n``` or better\n```cypher\nMATCH (b) RETURN b\n```",
            "MATCH (b) RETURN b",
        ),
        ("```cypher\nMATCH (n)\nRETURN n", "MATCH (n)\nRETURN n"),
        ("Sure!\nMATCH (n)\nRETURN n\n\nThis lists all.", "MATCH (n)\nRETURN n"),
        ("With pleasure: the return was late.", ""),
        ("```sql\nSELECT * FROM teams\n```", ""),
        ("", ""),
    ],
)
def test_the_query_is_extracted_from_a_reply(text: str, query: str) -> None:
    assert query_in(text) == query


# fmt: off
FOREIGN = [
    "SELECT count(*) FROM teams",
    "WITH t AS (SELECT * FROM teams) SELECT count(*) FROM t",
    "CREATE FUNCTION f() RETURNS int AS $$ BEGIN RETURN (1); END $$",
    "PREFIX wd: <http://x> SELECT ?x WHERE { ?x a wd:Team }",
    "with open('f') as file:\n    return file.read()",
    "match (x):\n    case 1:\n        return f(1)",
    "match (x) {\n  1 => return f(x),\n}",
    "for t in teams:\n    if match(t):\n        return t",
    'import neo4j\nwith driver.session() as s:\n    result = s.run("MATCH (n) RETURN n")\n    return f(result)',
    "teams = len(rows)\nreturn (teams)",
    "const rows = await run('MATCH (n) RETURN n');\nreturn rows.map(r => r.n);",
    '{"query": "MATCH (t:Team) RETURN t"}',
    "g.V().hasLabel('Team').count()",
]
QUERIES = [
    "MATCH (t:Team) RETURN t.name",
    "match (t:Team) return t.name",
    "// teams\nMATCH (t:Team) RETURN t",
    "MATCH (t:Team) WHERE t.name IN ['SELECT a FROM b'] RETURN count(t) AS n",
    "MATCH (a:Show) RETURN a.from AS `from`",
    "MATCH (t:Team)\nWHERE t.x > 1\nWITH t, count(*) AS n\nRETURN t.name, n",
    "MATCH p = shortestPath((a)-[*]-(b)) RETURN p",
    "MATCH SHORTEST 1 (a)-->+(b) RETURN a",
    "OPTIONAL MATCH (a)-->(b) RETURN a",
    "WITH 1 AS x RETURN abs(x)",
    "WITH 'a' AS x, 2 AS y\nMATCH (n {name: x}) RETURN n",
    "UNWIND ['a'] AS name\nMATCH (n {name: name}) RETURN n",
    "CALL { MATCH (n) RETURN n } RETURN count(n)",
    "CALL apoc.meta.stats YIELD labels RETURN labels",
    "RETURN COUNT { (t:Team) } AS n",
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
def test_text_in_another_language_is_no_query_unless_it_is_labelled_as_one(text: str) -> None:
    assert [query_in(block(label, text)) for label in LABELS if label != "cypher"] == [""] * (len(LABELS) - 1)
    assert query_in(block("cypher", text)) == text, "the server says what is wrong with it"
    assert query_in(f"Use this:\n{text}") == ""


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_is_extracted_from_a_block_with_any_label_and_from_plain_text(query: str) -> None:
    assert [query_in(block(label, query)) for label in LABELS] == [query] * len(LABELS)
    assert query_in(f"Sure:\n{query}") in (query, query.removeprefix("// teams\n"))


@pytest.mark.parametrize("text", FOREIGN)
def test_a_query_beside_a_block_in_another_language_is_found(text: str) -> None:
    for parts in (
        [block("python", text), block("cypher", QUERIES[0])],
        [block("cypher", QUERIES[0]), block("cypher", text)],
        [block("", QUERIES[0]), block("json", text)],
    ):
        assert query_in("\nor\n".join(parts)) == QUERIES[0]


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


def test_an_invalid_query_without_a_label_still_reaches_the_server_if_it_begins_like_one() -> None:
    broken = "MATCH (t:Team RETURN t.name"
    assert query_in(f"Sure:\n{broken}\n\nIt lists teams.") == query_in(f"```\n{broken}\n```") == broken
    assert query_in(f"{broken}\n\n```sql\nSELECT 1\n```\nor\n```cypher\nRETURN 1\n```") == "RETURN 1"


def test_grades_lists_and_stances_are_parsed_from_loosely_formatted_replies() -> None:
    assert grade_in('{"grade": "error", "reason": "no rows"}') == ("error", "no rows")
    assert grade_in("**Grade**: Accept") == ("accept", "")
    assert grade_in("I would accept this.") is None
    assert grade_in("Perhaps GRADE: accept, but the count is off, so GRADE: incorrect") is None
    assert list_in('Here: ["a", {"value": "b"}] and [c]') == ["a", {"value": "b"}]
    assert list_in("[see above]") is None
    assert stance_in("No such film.\nSTANCE: not_in_graph") == "not_in_graph"
    assert stance_in("My stance is clear.") == "answer"


def test_a_cut_text_says_its_whole_length() -> None:
    assert session.shortened("x" * 1_201, 1_200).endswith("x… (of 1,201 characters)")
    assert session.shortened("short", 5) == "short"
