import pytest

from graphground.cypher import validate

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


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) FILTER n.x = 1 RETURN n",
        "LET x = 1 RETURN x",
        "RETURN 1 AS x NEXT RETURN x",
        "WHEN true THEN RETURN 1 AS x",
        "MATCH REPEATABLE ELEMENTS (n)-->(m) RETURN n",
    ],
)
def test_newer_syntax_is_refused_by_name_in_cypher_5_and_parsed_in_cypher_25(text: str) -> None:
    report = validate(text)
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["syntax"]
    assert "Cypher 25" in report.diagnostics[0].message
    assert validate(text, language="cypher25").diagnostics == ()


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


def test_for_a_misspelled_keyword_the_correct_keyword_is_suggested() -> None:
    first = validate("MATCH (n) RETRUN n").diagnostics[0]
    assert (first.found, first.suggestions) == ("RETRUN", ("RETURN",))
