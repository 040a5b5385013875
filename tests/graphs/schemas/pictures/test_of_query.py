"""The subgraph that a query matches: it does not depend on how the query names nodes and relationships."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from graphground.graphs.graph import Graph
from graphground.graphs.schemas.pictures.of_query import subgraph

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
        "MATCH (:Film {name: 'Heat'})-[:directedBy*1..1]->(p) RETURN p.name",
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


def test_the_nodes_and_relationships_of_a_pattern_are_returned_instead_of_a_path(
    film_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    run = film_graph.run

    def recorded(query: str, *arguments: Any, **named: Any) -> Any:
        sent.append(query)
        return run(query, *arguments, **named)

    monkeypatch.setattr(film_graph, "run", recorded)
    subgraph("MATCH (p:Person)<--(:Film {name: 'Heat'}) WITH p RETURN p.name", film_graph, timeout=30)
    assert sent == ["MATCH (p:Person)<-[drawn0]-(drawn1:Film {name: 'Heat'}) RETURN p, drawn0, drawn1 LIMIT 12"]
