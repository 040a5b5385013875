"""What named nodes have is read from the database."""

from __future__ import annotations

from graphground.graphs.graph import Graph
from graphground.graphs.question.read import read


def test_a_named_node_comes_with_its_labels_properties_and_relationships(film_graph: Graph) -> None:
    question = read("Which genres have the films that Michael Mann directed?", film_graph, seconds=20)
    node = next(node for mention in question.mentions for node in mention.nodes if node.name == "Michael Mann")
    neighbourhood = question.neighbourhoods[node.key]
    assert neighbourhood.complete
    assert neighbourhood.labels == ("Person",)
    assert neighbourhood.properties["name"] == "Michael Mann"
    directed = next(link for link in neighbourhood.links if link.type == "directedBy")
    assert (directed.direction, directed.count) == ("in", directed.labels["Film"])
    table = film_graph.run(
        f"MATCH (n:Person) WHERE {neighbourhood.condition} MATCH (n)<-[r:directedBy]-() RETURN count(r)",
        {"key": neighbourhood.key},
    )
    assert table.rows == [[directed.count]]


def test_a_second_reading_takes_the_neighbourhood_from_the_cache(film_graph: Graph) -> None:
    first = read("films by Michael Mann", film_graph, seconds=20).neighbourhoods
    again = read("Which films are by Michael Mann?", film_graph, seconds=20).neighbourhoods
    assert all(again[key] is first[key] for key in first)


def test_without_time_the_database_is_not_asked(film_graph: Graph) -> None:
    assert not read("films by David Mamet", film_graph, seconds=0).neighbourhoods
