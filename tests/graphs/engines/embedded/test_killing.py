"""The engine process is killed for a query that it cannot terminate; nobody else loses an answer."""

import threading

import pytest

from graphground.cypher import parse
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.client_context import cancellable
from graphground.graphs.engines.embedded import engine as module
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import EngineState, ensure_engine
from graphground.graphs.engines.engine import QueryFailed, QueryTimeout
from graphground.graphs.graph import Graph
from graphground.graphs.storage.home import Catalog, Home
from tests.support.waiting import until

DEAF = "RETURN reduce(s = 0, x IN range(1, 900000) | s + reduce(t = 0, y IN range(1, 900000) | t + y)) AS total"
SLOW = "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN count(*)"


def test_a_young_process_is_not_killed_until_it_has_served_for_some_seconds(
    films_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    ages = iter((1.0, 9.9, 10.0))
    monkeypatch.setattr(module, "lifetime", lambda _: next(ages))
    engine = EmbeddedEngine(films_home, Catalog(films_home).get("films").id)
    before = ensure_engine(films_home)
    with cancellable() as call, pytest.raises(QueryTimeout):
        engine.run(parse(DEAF), timeout=0.05)
    assert call.lingers
    assert engine.run("RETURN 1").rows == [[1]]  # beside the query that continues
    until(lambda: (state := EngineState.read(films_home)) is None or state.instance != before.instance)
    assert engine.run("RETURN 1").rows == [[1]]
    engine.close()


def test_a_process_is_not_killed_for_a_query_that_has_ended_later_than_its_caller_stopped_waiting(
    films_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = EmbeddedEngine(films_home, Catalog(films_home).get("films").id)
    engine.run("RETURN 1")
    before = ensure_engine(films_home)
    asked: list[tuple[BoltEngine, str, int]] = []
    looks: list[bool] = []
    ended = threading.Event()
    terminate = BoltEngine._terminate

    def seen(self: BoltEngine, tag: str, port: int) -> bool:
        if not ended.is_set():
            asked.append((self, tag, port))
            return True  # a busy engine does not end the query at once
        looks.append(terminate(self, tag, port))
        return looks[-1]

    monkeypatch.setattr(BoltEngine, "_terminate", seen)
    monkeypatch.setattr(module, "lifetime", lambda _: 60.0 if ended.is_set() else 1.0)
    with cancellable() as call, pytest.raises(QueryTimeout):
        engine.run(SLOW, timeout=0.2)
    assert call.lingers
    until(lambda: terminate(*asked[0]))
    until(lambda: not terminate(*asked[0]))  # otherwise it would use a core to the end of the run
    ended.set()
    until(lambda: looks == [False])
    until(lambda: all(thread.name != "graphground-abandoned" for thread in threading.enumerate()))
    assert engine.run("RETURN 1").rows == [[1]]
    assert EngineState.read(films_home) == before
    engine.close()


def test_a_value_nested_too_deeply_is_reported_and_stops_no_process(films_home: Home, film_graph: Graph) -> None:
    assert film_graph.run("RETURN 1 AS x").rows == [[1]]
    before = EngineState.read(films_home)
    with pytest.raises(QueryFailed, match=r"closed the connection 3 times .* nests more deeply"):
        film_graph.run(parse("RETURN reduce(a = [], i IN range(1, 100000) | [a]) AS x"), timeout=60)
    assert EngineState.read(films_home) == before
    assert film_graph.run("RETURN 1 AS x").rows == [[1]]


def test_no_user_of_the_engine_can_write(films_home: Home, film_graph: Graph) -> None:
    import neo4j

    assert film_graph.engine is not None
    film_graph.engine.run("RETURN 1")
    state = ensure_engine(films_home)
    database = film_graph.engine._database  # type: ignore[attr-defined]
    with (
        neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{state.port}", auth=("root", state.root)) as driver,
        driver.session(database=database) as session,
        pytest.raises(neo4j.exceptions.Neo4jError, match="read only"),
    ):
        session.run("CREATE (:Film {name: 'x'})").consume()
    assert film_graph.engine.run("MATCH (f:Film {name: 'x'}) RETURN count(f)").rows == [[0]]
