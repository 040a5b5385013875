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
