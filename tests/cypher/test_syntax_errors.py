import pytest

from graphground.cypher import validate
from graphground.cypher.diagnostics import Language
from tests.support.documents import schema

PEOPLE = schema("people", {"Person": {"age": "int"}}, ["Person knows Person"])

HABITS = [
    ("SELECT n.name FROM Person n", "MATCH"),
    ("MATCH (n) RETURN n.a, count(*) GROUP BY n.a", "are the grouping keys"),
    ("MATCH (n) WITH n, count(*) AS c HAVING c > 1 RETURN n", "HAVING"),
    ("MATCH (n) WHERE n.name LIKE '%x%' RETURN n", "CONTAINS"),
    ("MATCH (n) WHERE n.name == 'x' RETURN n", "single ="),
    ("MATCH (n) WHERE n.name NOT IN ['x'] RETURN n", "NOT before"),
    ("MATCH (n) WHERE n.x != 1 RETURN n", "<>"),
]


@pytest.mark.parametrize(("text", "hint"), HABITS)
def test_a_habit_from_another_language_causes_a_hint(text: str, hint: str) -> None:
    first = validate(text).diagnostics[0]
    assert first.code == "syntax"
    assert hint in first.message


def test_the_first_mistake_is_reported_with_the_operators_before_it() -> None:
    report = validate("MATCH (n) WHERE n.a != 1 RETURN n LIMT 3 UNION MATCH (n) RETRUN n")
    assert [finding.found for finding in report.diagnostics] == ["LIMT", "!="]


def test_an_unclosed_quote_is_reported_at_the_quote() -> None:
    first = validate("MATCH (n)\nWHERE n.name = 'x RETURN n").diagnostics[0]
    assert (first.line, first.column) == (2, 16)
    assert "never closed" in first.message


def test_an_unclosed_bracket_is_reported_with_its_position() -> None:
    first = validate("MATCH (n {name: 'x') RETURN n").diagnostics[0]
    assert (first.line, first.column) == (1, 20)
    assert "`{` at line 1, column 10" in first.message


def test_the_message_names_the_expected_tokens_and_shows_the_line_with_a_caret() -> None:
    first = validate("MATCH (n) RETURN n.name AS").diagnostics[0]
    assert "a variable name" in first.message
    assert first.message.endswith("\n    MATCH (n) RETURN n.name AS\n                              ^")


@pytest.mark.parametrize("text", [HABITS[0][0], HABITS[2][0], HABITS[3][0]])
def test_for_syntax_with_another_structure_in_cypher_no_replacement_of_its_keyword_is_suggested(text: str) -> None:
    assert validate(text).diagnostics[0].suggestions == ()


def test_a_function_of_cypher_25_is_not_replaced_by_another_function_with_a_similar_name() -> None:
    report = validate("RETURN uuid() AS x")
    assert report.diagnostics[0].suggestions == ()
    assert validate("RETURN local_datetime() AS x").diagnostics[0].suggestions == ("localdatetime",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("MATCH (a)-[:A|]->(b) RETURN a", "']' is not allowed here; expected a label or relationship type"),
        ("MATCH (a b) RETURN a", "'b' is not allowed here; expected ':' with a label, '{', WHERE or ')'"),
        (
            "{ RETURN 1 AS x }",
            "'{' is not allowed here; expected a clause such as MATCH, WITH or RETURN. "
            "A query in braces needs Cypher 25; this query is read as Cypher 5",
        ),
        ("MATCH (a)-[r*x]->(b) RETURN a", "'x' is not allowed here; expected a whole number, '..', '{', WHERE or ']'"),
        ("MATCH (a)-(b) RETURN a", "'(' is not allowed here; expected '-' or '['"),
        ("WITH [1] AS xs RETURN [x IN xs x]", "'x' is not allowed here; expected WHERE, '|', ',' or ']'"),
    ],
)
def test_the_message_says_what_is_missing(text: str, line: str) -> None:
    assert validate(text).diagnostics[0].message.partition("\n")[0] == line


@pytest.mark.parametrize(
    ("text", "language", "message"),
    [
        ("RETURN 07 AS x", "cypher5", "07 begins with 0; write 0o7 for an octal number, or 7"),
        (
            "MATCH (n) RETURN n.a, count(*) GROUP BY n.b",
            "cypher25",
            "`n.a` is neither aggregated nor a grouping key; add it to GROUP BY",
        ),
        ("RETURN coalesce() AS x", "cypher5", "coalesce takes at least 1 argument, but this call has 0"),
        ("RETURN rand(1) AS x", "cypher5", "rand takes no arguments, but this call has 1"),
        (
            f"WITH {', '.join(f'{number} AS x{number}' for number in range(10))} RETURN total",
            "cypher5",
            f"the variable `total` is not defined here; defined: {', '.join(f'`x{number}`' for number in range(8))} and 2 more",
        ),
        (
            "INSERT (a:X), (b {x: a.y})",
            "cypher25",
            "`a` is created by this same INSERT, so it has no value yet; use SET afterwards",
        ),
        ("MATCH (n) WITH n.name RETURN 1 AS x", "cypher5", "an expression in WITH needs a name: n.name AS name"),
    ],
)
def test_the_message_about_a_mistake_in_the_language_is_true_in_every_case(
    text: str, language: Language, message: str
) -> None:
    assert validate(text, language=language).diagnostics[0].message == message


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("MATCH (n:Person {name: 'x'} RETURN n.name", "MATCH (n:Person {name: 'x'}) RETURN n.name"),
        ("MATCH (n:Person WHERE n.age > 3 RETURN n.age", "MATCH (n:Person WHERE n.age > 3) RETURN n.age"),
        ("MATCH (n)-[:knows->(m) RETURN m.name", "MATCH (n)-[:knows]->(m) RETURN m.name"),
        ("MATCH (n {name: 'x') RETURN n.age", "MATCH (n {name: 'x'}) RETURN n.age"),
        ("MATCH (n) RETURN count(n", "MATCH (n) RETURN count(n)"),
        ("MATHC (n) RETURN n.age LIMT 3", "MATCH (n) RETURN n.age LIMIT 3"),
        ("MATCH (n) WHERE n.name LIKE '%x%' RETURN n.age", "MATCH (n) WHERE n.name CONTAINS 'x' RETURN n.age"),
        ("MATCH (n) WHERE n.name LIKE 'x%' RETURN n.age", "MATCH (n) WHERE n.name STARTS WITH 'x' RETURN n.age"),
        ("MATCH (n) WHERE n.name NOT IN ['x'] RETURN n.age", "MATCH (n) WHERE NOT n.name IN ['x'] RETURN n.age"),
        ("MATCH (n) WHERE n.age = 1 && n.name = 'x' RETURN n", "MATCH (n) WHERE n.age = 1 AND n.name = 'x' RETURN n"),
        ("MATCH (n) SELECT n.name", "MATCH (n) RETURN n.name"),
        ("MATCH (n) RETURN n.age, count(*) GROUP BY n.age", "MATCH (n) RETURN n.age, count(*)"),
        (
            "MATCH (n) RETURN n.age, count(*) AS c GROUP BY n.age HAVING count(*) > 1 ORDER BY c",
            "MATCH (n) WITH n.age AS n_age, count(*) AS c WHERE c > 1 RETURN n_age AS `n.age`, c ORDER BY c",
        ),
        (
            "MATCH (n) WITH n, count(*) AS c HAVING c > 1 RETURN n",
            "MATCH (n) WITH n, count(*) AS c WHERE c > 1 RETURN n",
        ),
        ("MATCH (n:Persn RETURN x.nme", "MATCH (n:Person) RETURN n.name"),
        ("MATCH (n) WITH n, count(*) AS c RETURN x.name, c", "MATCH (n) WITH n, count(*) AS c RETURN n.name, c"),
    ],
)
def test_syntax_with_one_repair_is_repaired(text: str, repaired: str) -> None:
    assert validate(text, PEOPLE).suggested_query == repaired


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) WHERE size(n.name > 3 RETURN n.age",
        "MATCH (n) WHERE (n.age > 1 OR n.age < 0 AND n.name = 'x' RETURN n.name",
        "MATCH (n) WHERE n.name LIKE 'a_b%' RETURN n.age",
        "MATCH (n) RETURN n.age, count(*) GROUP BY n",
        "MATCH (n)-->(m) RETURN x.name",
        "SELECT n.name FROM Person n",
    ],
)
def test_syntax_with_two_readings_is_not_repaired(text: str) -> None:
    assert validate(text, PEOPLE).suggested_query is None
