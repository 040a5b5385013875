import pytest

from graphground.cypher import CypherSyntaxError, parse, validate
from graphground.cypher.tree import Match, PatternExpression, RelationshipPattern, Return, SingleQuery, With


def test_spans_are_offsets_into_the_text() -> None:
    text = "MATCH (n:Person)-[:KNOWS]->(m)\nWHERE n.age > 3 RETURN m.name AS name"
    query = parse(text)
    assert isinstance(query.body, SingleQuery)
    match = query.body.clauses[0]
    assert isinstance(match, Match)
    assert match.where is not None
    assert query.source(match.where) == "n.age > 3"
    assert query.position(match.where.start) == (2, 7)


@pytest.mark.parametrize(
    "condition",
    [
        "NOT (n.a IN [1])",
        "(n.a) XOR ((n.b))",
        "-(n.a) < (n.b + 1)",
        "(n.a) < (n.b) <= (n.c)",
        "(n.a) STARTS WITH ('x')",
        "(n).a = (2) ^ (3)",
        "(n.list)[0] IN (n.others)",
        "CASE (n.a) WHEN (1), > (2) THEN (3) ELSE (4) END = (3)",
        "n {.a, b: (n.b)} = {a: (1), b: (2)}",
    ],
)
def test_the_text_of_an_expression_has_the_parentheses_of_its_operands(condition: str) -> None:
    query = parse(f"MATCH (n) WITH n WHERE {condition} RETURN n")
    (where,) = [clause.where for clause in query.find(With)]
    assert where is not None
    assert query.source(where) == condition


def test_a_path_in_a_condition_is_a_pattern_and_a_subtraction_is_not() -> None:
    assert list(parse("MATCH (a), (b) WHERE (a)-->(b) RETURN a").find(PatternExpression))
    assert not list(parse("WITH 3 AS a RETURN (a) - [1][0] AS d").find(PatternExpression))


def test_a_relationship_has_the_direction_of_its_arrow() -> None:
    directions = [
        found.direction for found in parse("MATCH (a)-->(b)<--(c)--(d)<-->(e) RETURN a").find(RelationshipPattern)
    ]
    assert directions == ["right", "left", "both", "both"]


def test_a_column_without_alias_is_named_after_the_text_of_its_expression() -> None:
    query = parse("MATCH (n) RETURN n.name + 'x', (n.age), n AS m")
    assert [item.name for item in next(query.find(Return)).projection.items] == ["n.name + 'x'", "(n.age)", "m"]


def test_unicode_escapes_work_in_keywords_and_positions_refer_to_the_original_text() -> None:
    report = validate("R\\u0045TURN 1 +")
    assert (report.diagnostics[0].line, report.diagnostics[0].column) == (1, 16)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("MATCH (n) RETRUN n", 11),
        ("MATCH (n RETURN n", 10),
        ("RETURN 'abc", 8),
        ("RETURN [1, 2", 13),
        ("", 1),
        ("MATCH (n)-[r:X]>(m) RETURN n", 16),
        ("RETURN {a: 1, 'b': 2}", 15),
    ],
)
def test_a_syntax_error_is_placed_where_parsing_cannot_continue(text: str, column: int) -> None:
    with pytest.raises(CypherSyntaxError) as caught:
        parse(text)
    assert [(d.line, d.column) for d in caught.value.diagnostics] == [(1, column)]


def test_nesting_too_deep_causes_a_syntax_error() -> None:
    for text in (
        "RETURN " + "(" * 5000 + "1" + ")" * 5000,
        "RETURN " + "[" * 5000,
        "RETURN " + "NOT " * 5000 + "true",
        "RETURN " + "-" * 5000 + "1",
        "MATCH " + "(" * 5000,
        "CALL { " * 5000,
        "RETURN a" + ".b" * 5000,
        "MATCH (n:" + "!" * 5000 + "A) RETURN n",
        "RETURN " + "CASE WHEN " * 5000,
    ):
        with pytest.raises(CypherSyntaxError):
            parse(text)


def test_long_chains_of_conditions_are_parsed() -> None:
    parse("MATCH (n) WHERE " + " OR ".join(f"n.x = {i}" for i in range(3000)) + " RETURN n")
