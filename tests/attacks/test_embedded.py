"""More than 300 writes, files and addresses, tried on the embedded engine."""

from graphground.graphs.graph import Graph
from tests.support.attacking import ALL, ATTACKS, COUNTS, Surroundings, attack, past_the_check, through_the_tool


def test_there_are_at_least_two_hundred_attempts_each_its_own() -> None:
    assert len({one["query"] for one in ATTACKS}) == len(ATTACKS) >= 200


def test_nothing_gets_through_to_the_embedded_engine(film_graph: Graph, surroundings: Surroundings) -> None:
    before = [film_graph.run(query).rows for query in COUNTS]
    labels = film_graph.run("CALL db.labels()").rows
    assert attack(through_the_tool(film_graph), surroundings, ALL) >= 200
    assert [film_graph.run(query).rows for query in COUNTS] == before
    assert film_graph.run("CALL db.labels()").rows == labels


def test_the_embedded_engine_holds_even_without_the_check(film_graph: Graph, surroundings: Surroundings) -> None:
    before = [film_graph.run(query).rows for query in COUNTS]
    attack(past_the_check(film_graph), surroundings, ALL)
    assert [film_graph.run(query).rows for query in COUNTS] == before
