"""Values that satisfy or violate a condition, and the types under which they may be stored."""

import random
from typing import Any

import pytest

from benchmarks.stand_ins import stand_in
from benchmarks.stand_ins.stand_in import Condition, satisfying, violating
from graphground.cypher.schema import Label, PropertyGraphSchema

HOLDS = {
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
    "<>": lambda value, bound: value != bound,
    "IN": lambda value, values: value in values,
    "NOT IN": lambda value, values: value not in values,
}


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "<>"])
@pytest.mark.parametrize(
    "bound", [1990, 0, -3, 90.5, 0.0, -1.5, -0.00002, 0.00002, "1943-02-05", "1943-02-05T10:00:00Z"]
)
def test_a_witness_satisfies_its_comparison_and_a_near_miss_violates_it(operator: str, bound: Any) -> None:
    condition = Condition("n", "x", operator, bound)
    for seed in range(8):
        assert HOLDS[operator](satisfying(condition, random.Random(seed)), bound)
        assert not HOLDS[operator](violating(condition, random.Random(seed)), bound)


@pytest.mark.parametrize(
    "values", [[1, "a"], ["a", 1], [1, 2.0], [-1.5], [True], ["a", "b"], ["1999-01-01", "a"], ["1999-01-01"]]
)
def test_a_witness_of_not_in_is_not_among_the_values_whatever_their_types(values: list[Any]) -> None:
    condition = Condition("n", "x", "NOT IN", values)
    assert satisfying(condition, random.Random(1)) not in values
    assert violating(condition, random.Random(1)) in values


@pytest.mark.parametrize(
    ("type_", "condition", "planted"),
    [
        ("datetime", "n.x > datetime('2020-01-01T10:00:00Z')", "2020-01-02T10:00:00Z"),
        ("datetime", "n.x < datetime('2020-01-01')", "2019-12-31T00:00:00Z"),
        ("int|str", "n.x = 'unknown'", "unknown"),
        ("int|str", "NOT n.x IN [1, 'a']", 2),
        ("list[int]|list[str]", "'a' IN n.x", "a"),
        ("float", "n.x > -1.5", -1.35),
    ],
)
def test_conditions_on_properties_of_any_type_are_planted(type_: str, condition: str, planted: Any) -> None:
    schema = PropertyGraphSchema("things", {"A": Label("A", {"name": "str", "x": type_})}, ())
    graph = stand_in(schema, [f"MATCH (n:A) WHERE {condition} RETURN n.name"], 50, 0, seed=4)
    fixed = [properties["x"] for properties in graph.vocabulary.properties.values() if "x" in properties]
    assert fixed
    assert planted in graph.vocabulary.values["A", "x"]


@pytest.mark.parametrize("condition", ["n.x IN []", "NOT n.x IN []", "NOT n.x IN [1, 'a']", "NOT n.x IN 5"])
def test_a_stand_in_is_made_for_any_list_in_a_condition(condition: str) -> None:
    schema = PropertyGraphSchema("things", {"A": Label("A", {"name": "str", "x": "int"})}, ())
    graph = stand_in(schema, [f"MATCH (n:A) WHERE {condition} RETURN n.name"], 50, 0, seed=4)
    assert sum(1 for _ in graph.entities()) >= 50


@pytest.mark.parametrize("value", [5, 2.5, True, "five", "2001-02-03"])
def test_a_list_that_has_a_value_or_lacks_it_has_elements_of_the_values_type(value: Any) -> None:
    condition = Condition("n", "x", "HAS", value)
    with_value, without = (choose(condition, random.Random(1)) for choose in (satisfying, violating))
    assert value in with_value
    assert value not in without
    assert {type(element) for element in [*with_value, *without]} == {type(value)}
    if value == "2001-02-03":
        assert len(without[0]) == len(value), "a date"
