import pytest

from graphground.cypher import validate


@pytest.mark.parametrize(
    ("expression", "column"),
    [("n.year + count(*)", "n.year"), ("id(n) + count(*)", "n"), ("n.at.year + count(*)", "n.at")],
)
def test_a_value_beside_an_aggregate_is_to_be_returned_too_and_not_its_whole_node(expression: str, column: str) -> None:
    (problem,) = validate(f"MATCH (n) RETURN {expression}").diagnostics
    assert f"return `{column}` too" in problem.message
    assert validate(f"MATCH (n) RETURN {column}, {expression}").valid


def test_a_node_under_a_new_name_exists_already_and_is_not_created_again() -> None:
    assert validate("MATCH (n) WITH n AS m CREATE (m)-[:R {x: m.y}]->(b)").valid
