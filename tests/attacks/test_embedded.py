"""At least 200 attempts to write, to read files and to open addresses, on the embedded engine."""

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.embedded.launcher import ensure_engine
from graphground.graphs.graph import Graph
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home
from tests.support.attacking import ALL, ATTACKS, COUNTS, SECRET, Surroundings, attack, past_the_check, through_the_tool

NAMES = ("CALL db.labels()", "CALL db.relationshipTypes()", "CALL db.propertyKeys()")
"""The queries for the names that an attack might create without changing a count."""


def test_there_are_at_least_two_hundred_different_attempts() -> None:
    assert len({attack["query"] for attack in ATTACKS}) == len(ATTACKS) >= 200


def test_no_attack_has_an_effect_on_the_embedded_engine(film_graph: Graph, surroundings: Surroundings) -> None:
    before = [film_graph.run(query).rows for query in COUNTS]
    names = [film_graph.run(query).rows for query in NAMES]
    assert attack(through_the_tool(film_graph), surroundings, ALL) >= 200
    assert [film_graph.run(query).rows for query in COUNTS] == before
    assert [film_graph.run(query).rows for query in NAMES] == names


def test_the_embedded_engine_withstands_attacks_even_without_the_check(
    film_graph: Graph, films_home: Home, surroundings: Surroundings
) -> None:
    before = [film_graph.run(query).rows for query in COUNTS]
    with past_the_check(address_of(films_home, "reader")) as attempt:
        attack(attempt, surroundings, ALL)
    assert [film_graph.run(query).rows for query in COUNTS] == before


def test_not_even_the_engines_administrator_can_load_files_or_urls(
    films_home: Home, surroundings: Surroundings
) -> None:
    with past_the_check(address_of(films_home, "root")) as attempt:
        for source in ("'{secret}'", "'{secret_path}'", "$url", "'{url}'", "'file:' + '//{secret_path}'"):
            query, parameters = surroundings.written(f"LOAD CSV FROM {source} AS row RETURN row")
            result = attempt(query, parameters)
            assert SECRET not in result
            assert "disabled" in result, result
    assert not surroundings.calls


def address_of(home: Home, user: str) -> BoltAddress:
    state = ensure_engine(home)
    return BoltAddress(f"bolt://127.0.0.1:{state.port}", user, getattr(state, user), Catalog(home).get("films").id)
