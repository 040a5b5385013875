from __future__ import annotations

import pytest

from graphground.cypher import CypherSyntaxError, parse, validate


def places(text: str, language: str = "cypher5") -> list[str]:
    """Return the text that each syntax error marks."""
    report = validate(text, language=language)  # type: ignore[arg-type]
    assert all(diagnostic.code == "syntax" for diagnostic in report.diagnostics)
    assert not report.valid
    return [diagnostic.found for diagnostic in report.diagnostics]


# Queries written by language models in answer to questions.
REAL = [
    (
        "MATCH (c:Character)-[:hasSpouse]->(m:Character {birth_name: 'Casey Coot'}) RETURN c.birth_name AS "
        "'Character Name' UNION MATCH (c:Character {birth_name: 'Cuthbert Coot'})-[:hasMother]->(m:Character) RETURN "
        "m.birth_name AS 'Character Name'",
        ["'Character Name'", "'Character Name'"],
    ),
    (
        "MATCH (matsu:Character {birth_name: 'Matsu''o Tsurayaba'})-[:memberOf]->(org:Organization)<-[:memberOf]-"
        "(char:Character)\nRETURN char.birth_name AS character_name, count(DISTINCT org) AS number_of_organizations\n"
        "GROUP BY char.birth_name",
        ["'o Tsurayaba'", "GROUP"],
    ),
    (
        "MATCH (n:Character killedBy)-[r0:killedBy]->(m0:Character {name: 'Petyr Baelish'}) OPTIONAL MATCH "
        "(n:Character)->(m1:hasFather) WITH n, count(DISTINCT m1) AS num RETURN n.name, num",
        ["killedBy", ">"],
    ),
    (
        "MATCH (high:Movie)\nWHERE high.revenue = (SELECT max(m.revenue) FROM Movie m)\nWITH high\nMATCH (low:Movie)\n"
        "WHERE low.revenue = (SELECT min(m.revenue) FROM Movie m)\nWITH high, low\nRETURN low.name",
        ["max", "min"],
    ),
    (
        "MATCH (n:Character)<-[r0:hasFather]-(m0:Character)-[r1:hasFather]->(m1:Character {name: 'character'}),"
        "(n:Character)<-[r0:hasFather]-(m0:Character)-(m1:Character {name: 'FictionalUniverse'}) WITH DISTINCT n RETURN "
        "n.name UNIQUE",
        ["(", "UNIQUE"],
    ),
]


@pytest.mark.parametrize(("text", "found"), REAL)
def test_both_mistakes_in_a_real_query_are_reported(text: str, found: list[str]) -> None:
    assert places(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("MATCH (n) WHERE n.a LIKE 'x' RETURN n LIMT 3", ["LIKE", "LIMT"]),
        ("MATCH (n) WHERE n.a NOT IN [1] WITH n, count(*) AS c HAVING c > 1 RETURN n AS 'x'", ["NOT", "HAVING", "'x'"]),
        ("MATCH (n WHERE) RETURN n GROUP BY n UNION ALL MATCH (m) RETURN m,", [")", "GROUP", ""]),
        ("MATCH (a)-[->(b)) RETURN 1", ["-"]),
        ("MATCH (n) WHERE n.a != 1 RETURN n LIMT 3", ["LIMT", "!="]),
        ("EXPLAIN MATCH (n) UNWIND [1] RETURN n LIMT 3", ["RETURN", "LIMT"]),
    ],
)
def test_each_mistake_in_several_clauses_is_reported(text: str, found: list[str]) -> None:
    assert places(text) == found


def test_at_most_five_syntax_errors_are_reported() -> None:
    assert places("MATCH (n) RETURN n " + "WITH n AS 'x' " * 9 + "RETURN n") == ["'x'"] * 5


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n {name: 'x') RETURN n LIMT 3",
        "MATCH (n:Person WHERE n.name = 'x' RETURN n LIMT 3",
        "MATCH (n) WHERE n.name LIKE 'x RETURN n LIMT 3",
        "MATCH (n) WHERE n.name LIKE 1 RETURN n.`a LIMT 3",
        "MATCH (n) WHERE n.name LIKE 1 /* RETURN n LIMT 3",
    ],
)
def test_an_unclosed_bracket_or_quote_gives_one_error(text: str) -> None:
    assert len(places(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) WHERE n.name LIKE 'x' RETURN m",
        "MATCH (n) UNWIND n.xs x RETURN x, n",
        "MATCH (n) WHERE n.name LIKE 'MATCH RETURN (' /* WITH LIMT */ RETURN n // RETURN LIMT 3",
        "MATCH (n) WHERE n.match LIKE n.return RETURN n.limit AS limit ORDER BY limit",
        "MATCH (n) WHERE n.x LIKE 1 AND n.y STARTS WITH 'a' AND n.z ENDS WITH 'b' RETURN n",
        "MATCH (n) WHERE RETURN n, LIMIT 3",
        "MATCH (n) RETURN n, ORDER BY n.x LIMIT 3",
        "MATCH (n) RETURN CASE WHEN n.x THEN 1 ELSE 2 AS y ORDER BY y",
        "MATCH (n) CALL (n) { MATCH (n)-->(m) RETRUN m } RETURN m",
        "MERGE (n:X ON CREATE) ON CREATE SET n.x = 1 ON MATCH SET n.y = 2 RETURN n",
        "MERGE (n:X) ON CREATE n.x = 1 ON MATCH SET n.y = 2 RETURN n",
        "RETURN 1 AS x NEXT WHEN x = 1 THEN RETURN 2 AS y ELSE RETURN 3 AS y",
        "MATCH (n) FILTER n.x = 1 LET y = n.z RETURN y",
        "MATCH (n) RETURN n This query finds all nodes. With this query you can RETURN them all",
        "SELECT n.name FROM Person n WHERE n.age > 3 ORDER n.name LIMIT x y",
        "Here is the query: MATCH (n) RETRUN n",
        "MATCH (n) WHERE n.x LIKE 1 RETURN n; MATCH (n) RETRUN n",
    ],
)
def test_errors_caused_by_the_first_mistake_are_not_reported(text: str) -> None:
    assert len(places(text)) == 1


def test_a_conditional_query_after_a_mistake_is_not_checked() -> None:
    assert places(
        "MATCH (n) WHERE n.x LIKE 1 RETURN n NEXT WHEN n.x = 1 THEN RETURN 2 AS y ELSE RETURN 3 AS y", "cypher25"
    ) == ["LIKE"]


def test_parse_raises_with_all_errors() -> None:
    with pytest.raises(CypherSyntaxError) as caught:
        parse("MATCH (n) WHERE n.a LIKE 'x'\nRETURN n LIMT 3")
    assert [(diagnostic.line, diagnostic.column) for diagnostic in caught.value.diagnostics] == [(1, 21), (2, 10)]
    assert "Did you mean LIMIT" in caught.value.diagnostics[1].message
