"""The pattern of a query without rows: the text of each part, the matches up to that part, and the part that fails."""

from __future__ import annotations

import pytest

from graphground.cypher import parse
from graphground.graphs.graph import Graph
from graphground.graphs.why_empty.explain import CountedPattern, counted_pattern

HEAT = "(f:Film {name: 'Heat'})"


def counted(graph: Graph, query: str) -> CountedPattern:
    found = counted_pattern(graph, parse(query), seconds=60)
    assert found is not None
    return found


def failing(pattern: CountedPattern) -> list[tuple[str, list[str]]]:
    return [
        (point.text, point.filters)
        for points in [*pattern.paths, pattern.conditions]
        for point in points
        if point.failing
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "MATCH (f:Film)-[:directedBy]->(p:Person) WHERE f.runtime_minute > 1e9 RETURN p.name",
            [("f:Film", ["f.runtime_minute > 1e9"])],
        ),
        (
            f"MATCH {HEAT}-[r:directedBy]->(p:Person {{name: 'David Mamet'}})<-[:writtenBy]-(g:Film) RETURN g",
            [("r:directedBy", [])],
        ),
        ("MATCH (f:Film)<-[:directedBy*1..2]-(:Nobody {a: 1}) RETURN f", [(":Nobody", ["a: 1"])]),
        (
            f"MATCH {HEAT}-[:directedBy]->(p:Person), (g:Genre) WHERE p.name = g.name + 'x' RETURN p",
            [("p.name = g.name + 'x'", [])],
        ),
        ("UNWIND ['Nowhere'] AS name MATCH (f:Film {name: name})--(x) RETURN x", [("f:Film", ["name: name"])]),
    ],
)
def test_the_failing_part_is_marked(film_graph: Graph, query: str, expected: list[tuple[str, list[str]]]) -> None:
    assert failing(counted(film_graph, query)) == expected


def test_matches_are_counted_up_to_each_part(film_graph: Graph) -> None:
    pattern = counted(film_graph, f"MATCH {HEAT}-[:directedBy]->(p:Person)<-[:directedBy]-(g:Genre) RETURN g")
    [points] = pattern.paths
    first, hop, person, reversed_hop, last = points
    assert first.of is not None
    assert first.alone == first.count
    assert first.of > 10
    assert person.count is not None
    assert person.count >= 1
    assert (hop.direction, reversed_hop.direction) == ("right", "left")
    assert (reversed_hop.failing, last.count) == (True, 0)
    [[long, *_]] = counted(film_graph, "MATCH (f:Film)--(p) WHERE f.runtime_minute > 1e9 RETURN p").paths
    assert (long.alone, long.of) == (0, first.of)


@pytest.mark.parametrize("query", ["MATCH (f:Film) RETURN f", "RETURN 1 AS one", "OPTIONAL MATCH (f:Nope) RETURN f"])
def test_a_query_whose_patterns_match_has_no_failing_pattern(film_graph: Graph, query: str) -> None:
    assert counted_pattern(film_graph, parse(query), seconds=60) is None
