"""The subgraph that a query matches: it does not depend on how the query names nodes and relationships."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from graphground.cypher import validate
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.matches import subgraph, with_elements

NAMED = "MATCH (m:Film {name: 'Heat'})-[r:directedBy]->(p:Person) RETURN p.name"


def drawn(query: str, graph: Graph) -> tuple[set[str], set[tuple[str, str, str]]]:
    """Return the subgraph of a query: the names of its nodes, and its relationships as (start name, type, end name)."""
    found: Mapping[str, Any] | None = subgraph(query, graph, timeout=30)
    assert found is not None
    names = {node["id"]: node["name"] for node in found["nodes"]}
    return set(names.values()), {(names[link["start"]], link["type"], names[link["end"]]) for link in found["links"]}


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (:Film {name: 'Heat'})-[:directedBy]->(:Person) RETURN 1",
        "MATCH (p:Person)<-[:directedBy]-(m {name: 'Heat'}) RETURN p.name",
        "MATCH path = (:Film {name: 'Heat'})-[:directedBy]->() RETURN path",
        "MATCH (m:Film {name: 'Heat'}) MATCH (m)-[drawn0:directedBy]->() RETURN m.name",
    ],
)
def test_the_same_matches_give_the_same_picture(query: str, film_graph: Graph) -> None:
    assert drawn(query, film_graph) == drawn(NAMED, film_graph)


@pytest.mark.parametrize("arrow", ["-->", "-[]->", "--"])
def test_relationships_without_a_type_are_drawn(arrow: str, film_graph: Graph) -> None:
    nodes, links = drawn(f"MATCH (m:Film {{name: 'Heat'}}){arrow}(p:Person) RETURN p.name", film_graph)
    assert drawn(NAMED, film_graph)[1] <= links
    assert {end for _, _, end in links} <= nodes


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "MATCH (n)-[:directedBy]->(m) RETURN n.name ORDER BY n.year LIMIT 3",
            [
                "MATCH (n)-[drawn0:directedBy]->(m) RETURN n.name, n AS drawn1, drawn0 AS drawn2, m AS drawn3 "
                "ORDER BY n.year LIMIT 3"
            ],
        ),
        (
            "MATCH (n)<--(m) RETURN n.name AS name, count(m) AS films LIMIT 2",
            [
                "MATCH (n)<-[drawn0]-(m) RETURN n.name AS name, count(m) AS films, "
                "collect(DISTINCT n)[..20] AS drawn1, collect(DISTINCT drawn0)[..20] AS drawn2, "
                "collect(DISTINCT m)[..20] AS drawn3 LIMIT 2"
            ],
        ),
        (
            "MATCH (n)--(m) WITH n, count(m) AS films RETURN n.name",
            ["MATCH (n)-[drawn0]-(m) WITH n, count(m) AS films RETURN n.name, n AS drawn1"],
        ),
        (
            "MATCH (a:Film) RETURN a.name AS x UNION MATCH p = (b)-[*1..2]-() RETURN b.name AS x",
            [
                "MATCH (a:Film) RETURN a.name AS x, a AS drawn0",
                "MATCH p = (b)-[*1..2]-() RETURN b.name AS x, p AS drawn1",
            ],
        ),
        ("MATCH (n) WITH n.name AS name RETURN name", []),
        ("RETURN 1 AS one", []),
    ],
)
def test_a_query_is_drawn_by_the_elements_that_each_of_its_rows_is_about(query: str, expected: list[str]) -> None:
    tree = validate(query, read_only=True).query
    assert tree is not None
    assert with_elements(tree, "cypher5") == expected
