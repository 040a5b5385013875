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
