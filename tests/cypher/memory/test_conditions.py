"""Conditions over constants: the embedded engine never contradicts the outcomes that we compute without a database."""

import random

import pytest

from graphground.cypher import parse, tree
from graphground.cypher.memory.conditions import outcomes
from graphground.cypher.memory.expressions import Evaluation
from graphground.cypher.memory.rows import evaluate
from graphground.graphs.engines.errors import EngineError
from graphground.graphs.graph import Graph

# fmt: off
CONSTANTS = [
    "1", "2", "3.5", "-4", "'a'", "'ab'", "''", "true", "false", "null", "[]", "[1, 2]", "[null]", "['a', null]",
]
# fmt: on
COMPARISONS = ["=", "<>", "<", "<=", ">", ">=", "IN", "STARTS WITH", "ENDS WITH", "CONTAINS"]


def condition(draw: random.Random, depth: int = 3) -> str:
    """Return a random condition over constants: `NOT (1 < 2 AND null IS NULL)`."""
    form = draw.randrange(10 if depth else 5)
    left, right = draw.choice(CONSTANTS), draw.choice(CONSTANTS)
    if form < 3:
        return f"{left} {draw.choice(COMPARISONS)} {right}"
    if form == 3:
        return f"{left} IS {draw.choice(['', 'NOT '])}NULL"
    if form == 4:
        return f"{draw.choice(['any', 'all', 'none'])}(x IN [1, 2, 5] WHERE x {draw.choice(COMPARISONS[:6])} {left})"
    if form == 5:
        return f"NOT ({condition(draw, depth - 1)})"
    if form == 6:
        first, second = condition(draw, depth - 1), condition(draw, depth - 1)
        return f"CASE WHEN {first} THEN {second} ELSE {condition(draw, depth - 1)} END"
    connective = draw.choice(["AND", "OR", "XOR"])
    return f"({condition(draw, depth - 1)}) {connective} ({condition(draw, depth - 1)})"


def possible_outcomes(text: str) -> frozenset[bool | None]:
    """Return the possible outcomes of a condition: a set of True, False and None, which is Cypher's null."""
    query = parse(f"WITH 1 AS one WHERE {text} RETURN one")
    clause = next(query.find(tree.With))
    assert clause.where is not None
    evaluation = Evaluation({})
    evaluate(query.body, evaluation)
    return outcomes(evaluation.value(clause.where, {}))


def differences(graph: Graph, number: int, seed: int) -> list[tuple[str, str]]:
    """Return the random conditions whose result in the database is not a possible outcome, with the rows as text."""
    found = []
    for text in (condition(random.Random(seed + count)) for count in range(number)):
        try:
            rows = graph.run(f"WITH 1 AS one WHERE {text} RETURN one").rows
        except EngineError:
            continue
        if (not rows and possible_outcomes(text) == {True}) or (rows and True not in possible_outcomes(text)):
            found.append((text, str(rows)))
    return found


def test_the_embedded_engine_drops_rows_for_which_a_condition_is_certainly_false_or_null(film_graph: Graph) -> None:
    assert differences(film_graph, 150, 1) == []


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("1 < 2", {True}),
        ("1 < 2 < 2", {False}),
        ("null = null", {None}),
        ("null IS NULL", {True}),
        ("NOT null", {None}),
        ("null AND false", {False}),
        ("null OR n.x", {True, None}),
        ("false AND n.x", {False}),
        ("n.x = 1", {True, False, None}),
        ("3 IN [1, null]", {None}),
        ("size(range(1, 1000000000)) < 10", {False}),
        ("any(x IN range(1, 100) WHERE x > 100)", {False}),
        ("all(x IN [] WHERE n.x)", {True}),
        ("'abc' STARTS WITH 'b'", {False}),
        ("[] = [1]", {False}),
        ("1 = '1'", {True, False, None}),
        ("rand() < 2", {True, False, None}),
        ("CASE WHEN null THEN true ELSE false END", {False}),
        ("EXISTS { UNWIND [] AS x RETURN x }", {False}),
        ("COUNT { WITH 1 AS x WHERE rand() < 0.5 RETURN x } = 1", {True, False, None}),
        ("COUNT { WITH 1 AS x WHERE x = 2 RETURN x } > 0", {False}),
    ],
)
def test_the_possible_outcomes_of_a_condition_are_computed(text: str, possible: set[bool | None]) -> None:
    assert possible_outcomes(text) == possible
