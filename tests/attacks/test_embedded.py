"""At least 200 attempts to write, to read files and to open addresses, on the embedded engine."""

import json

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.embedded.launcher import ensure_engine
from graphground.graphs.graph import Graph
from graphground.graphs.storage.home import Catalog, Home
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


def test_a_query_that_states_its_version_or_an_allowed_option_runs_on_the_embedded_engine(film_graph: Graph) -> None:
    ask = through_the_tool(film_graph)
    plain = "MATCH (f:Film) RETURN count(f) AS films"
    rows = film_graph.run(plain).rows
    for prefix in ("CYPHER 5", "cypher 25", "CYPHER planner=cost", "CYPHER 5 runtime=slotted\n"):
        assert film_graph.run(f"{prefix} {plain}").rows == rows
        assert f'"rows":{json.dumps(rows)}' in ask(f"{prefix} {plain}", {})
    assert "forbidden_option" in ask(f"CYPHER debug=ast {plain}", {})


def address_of(home: Home, user: str) -> BoltAddress:
    state = ensure_engine(home)
    return BoltAddress(f"bolt://127.0.0.1:{state.port}", user, getattr(state, user), Catalog(home).get("films").id)
