"""What named nodes have is read from the database."""

from __future__ import annotations

from dataclasses import replace

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


def test_a_node_is_read_by_its_key_though_the_schema_hides_the_keys(film_graph: Graph) -> None:
    # The schema of an imported JSON Lines file does not show `eid`, which every loaded node has.
    labels = {
        name: replace(label, properties={key: type_ for key, type_ in label.properties.items() if key != "eid"})
        for name, label in film_graph.schema.labels.items()
    }
    hidden = Graph(
        "films", replace(film_graph.schema, labels=labels), engine=film_graph.engine, entities=film_graph.entities
    )
    around = read("films by Michael Mann", hidden, seconds=20).neighbourhoods
    assert any(link.type == "directedBy" for neighbourhood in around.values() for link in neighbourhood.links)
