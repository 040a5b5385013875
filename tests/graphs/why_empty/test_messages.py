"""Messages about an answer with rows whose words depend on a number, on an engine that returns given figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from graphground.cypher import parse
from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.cypher.tree import Query
from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.statistics import (
    LabelStatistics,
    PatternStatistics,
    PropertyStatistics,
    Statistics,
    TypeStatistics,
)
from graphground.graphs.why_empty.probe import Probe
from graphground.graphs.why_empty.second_look import (
    Shape,
    differing_counts,
    order_and_limit,
    other_direction,
    shape_of,
    vanished_rows,
)
from tests.support.recorder import Recorder

SCHEMA = PropertyGraphSchema(
    "states",
    {"Country": Label("Country", {"name": "str", "languages": "list[str]"})},
    (RelationshipPattern("borders", "Country", "Country"), RelationshipPattern("rules", "Country", "Country")),
)


class Figures(Recorder):
    """An engine that answers each query with the next of the given rows."""

    def __init__(self, *rows: list[int] | list[None]) -> None:
        super().__init__()
        self.left = list(rows)

    def run(self, query: str | Query, parameters: Mapping[str, Any] | None = None, **_: Any) -> Table:
        return Table(["figures"], [self.left.pop(0)], False, 0.1)


def probe_of(query: str, *rows: list[int] | list[None]) -> tuple[Probe, Shape]:
    probe = Probe(Graph("states", SCHEMA, engine=Figures(*rows)), parse(query), {}, 60)
    shape = shape_of(probe.query, SCHEMA)
    assert shape is not None
    return probe, shape


@pytest.mark.parametrize(("both_ways", "share"), [(0.9, "90%"), (0.996, "99%")])
def test_relationships_of_which_some_have_no_reverse_are_never_called_all_symmetric(
    both_ways: float, share: str
) -> None:
    probe, shape = probe_of("MATCH (a:Country)-[:borders]->(b:Country) RETURN b.name", [50], [72])
    facts = Statistics(patterns=(PatternStatistics("borders", "Country", "Country", 640, both_ways=both_ways),))
    (found,) = other_direction(probe, shape, facts)
    assert found.message.startswith(f"{share} of the borders relationships exist in both directions, the others in one")
    assert "Distinct rows: 50 in this direction, 72 in either direction." in found.message


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("(a:Country {name: 'Chad'})-[:borders]->(b:Country)", "-[:borders]-"),
        ("(a:Country)<-[:borders]-(b:Country {name: 'Chad'})", "-[:borders]-"),
        ("(a:Country)-[:borders]->(b:Country)", None),  # each pair once
        ("(a:Country {name: 'Chad'})-[:rules]->(b:Country)", None),
    ],
)
def test_a_mutual_type_that_is_written_in_one_direction_loses_rows_from_a_named_node(pattern: str, found: str) -> None:
    probe, shape = probe_of(f"MATCH {pattern} RETURN b.name", [1], [2])
    facts = Statistics(patterns=(PatternStatistics("borders", "Country", "Country", 12, both_ways=0.0),))
    said = [(look.severity, look.suggestions) for look in other_direction(probe, shape, facts)]
    assert said == ([("warning", (found,))] if found else [])


def test_a_type_whose_facts_another_type_has_in_the_opposite_direction_is_reported_with_both_numbers() -> None:
    probe, shape = probe_of("MATCH (a:Country)-[r:borders]->(b:Country) RETURN b.name", [50], [72])
    facts = Statistics(types={"borders": TypeStatistics("borders", 50, mirror="hasBorder")})
    (found,) = other_direction(probe, shape, facts)
    assert (found.severity, found.suggestions) == ("warning", ("<-[r:hasBorder]-",))
    assert "Matches: 50 with borders, 72 with hasBorder." in found.message


@pytest.mark.parametrize(("returned", "severity"), [("count(DISTINCT b)", "warning"), ("count(b)", "hint")])
def test_two_types_that_say_one_fact_of_different_nodes_are_offered_together(returned: str, severity: str) -> None:
    probe, shape = probe_of(f"MATCH (a:Country)-[r:borders]->(b:Country) RETURN {returned}", [50], [72])
    types = {"borders": TypeStatistics("borders", 50, twin="edge"), "edge": TypeStatistics("edge", 40, twin="borders")}
    (found,) = other_direction(probe, shape, Statistics(types=types))
    assert (found.severity, found.suggestions) == (severity, ("-[r:borders|edge]-",))
    assert "The answer: 50 with borders, 72 with both." in found.message
    # Between nodes of one label, the pattern without a direction would exchange their roles.
    same_label = Statistics(types=types, patterns=(PatternStatistics("borders", "Country", "Country", 50),))
    assert not list(other_direction(probe, shape, same_label))
    one_sided = Statistics(types=types | {"edge": TypeStatistics("edge", 40)})
    assert not list(other_direction(*probe_of(f"MATCH (a)-[:borders]->(b) RETURN {returned}", [50], [72]), one_sided))


@pytest.mark.parametrize(
    ("query", "row", "message"),
    [
        (
            "MATCH (a:Country)-[:borders]->(b) RETURN count(a)",
            [1, 25, 14],
            "count(a) counts rows and gives 25; count(DISTINCT a) counts each a once and gives 14.",
        ),
        (
            "MATCH (a:Country)-[:borders]->(b) RETURN b.name, count(a)",
            [3, 25, 14],
            "In 3 of the groups, count(a) counts rows and gives 25 in total; count(DISTINCT a) counts each a once and "
            "gives 14.",
        ),
    ],
)
def test_two_counts_that_differ_are_reported_with_both_numbers(query: str, row: list[int], message: str) -> None:
    probe, shape = probe_of(query, row)
    (found,) = differing_counts(probe, shape)
    assert found.message == message


def test_nodes_that_unwind_drops_are_reported_with_the_verb_for_their_number() -> None:
    probe, shape = probe_of("MATCH (c:Country) UNWIND c.languages AS l RETURN c.name, l", [2, 1])
    facts = Statistics({"Country": LabelStatistics("Country", 10, {"languages": PropertyStatistics(4, 10)})})
    (found,) = vanished_rows(probe, shape, facts)
    assert found.message == "1 of 2 c has no languages, and UNWIND drops its row."


@pytest.mark.parametrize(
    ("clause", "advice"),
    [
        ("RETURN c.name ORDER BY c.area DESC LIMIT 1", "WHERE c.area IS NOT NULL, before the ORDER BY."),
        (
            "RETURN c.name, max(c.area) AS a ORDER BY a DESC LIMIT 1",
            "write `WITH …, max(c.area) AS a WHERE a IS NOT NULL` before this clause.",
        ),
        (
            "RETURN c.name, c.area AS a ORDER BY a / 2 DESC LIMIT 1",
            "write `WITH … WHERE a / 2 IS NOT NULL`, with the same columns, before this clause.",
        ),
    ],
)
def test_the_advice_against_nulls_that_sort_first_is_valid_for_the_sort_key(clause: str, advice: str) -> None:
    probe, shape = probe_of(f"MATCH (c:Country) {clause}", [None])
    (found,) = order_and_limit(probe, shape)
    assert found.message.endswith(f"Keep only rows that have one: {advice}")
