"""More than 300 writes, files and addresses, tried on the embedded engine."""

from graphground.graphs.graph import Graph
from tests.support.attacking import (
    ALL,
    ATTACKS,
    COUNTS,
    Surroundings,
    attack,
    past_the_check,
    surroundings,
    through_the_tool,
)
from tests.support.embedded_films import films, films_home

__all__ = ["films", "films_home", "surroundings"]


def test_there_are_at_least_two_hundred_attempts_each_its_own() -> None:
    assert len({one["query"] for one in ATTACKS}) == len(ATTACKS) >= 200


def test_nothing_gets_through_to_the_embedded_engine(films: Graph, surroundings: Surroundings) -> None:
    before = [films.run(query).rows for query in COUNTS]
    labels = films.run("CALL db.labels()").rows
    assert attack(through_the_tool(films), surroundings, ALL) >= 200
    assert [films.run(query).rows for query in COUNTS] == before
    assert films.run("CALL db.labels()").rows == labels


def test_the_embedded_engine_holds_even_without_the_check(films: Graph, surroundings: Surroundings) -> None:
    before = [films.run(query).rows for query in COUNTS]
    attack(past_the_check(films), surroundings, ALL)
    assert [films.run(query).rows for query in COUNTS] == before
