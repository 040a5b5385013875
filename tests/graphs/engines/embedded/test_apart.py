"""Queries that the engine may be unable to terminate run in a separate process, and delay only their own caller."""

import time

import pytest

from graphground.cypher import parse
from graphground.graphs.engines.callers import calling_as, clients_query
from graphground.graphs.engines.embedded import engine as module
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import ensure_engine
from graphground.graphs.engines.embedded.may_not_end import may_not_end
from graphground.graphs.engines.embedded.quarantine import FIRST_WAIT, LONGEST_WAIT, Quarantine
from graphground.graphs.engines.embedded.state import EngineState, still_runs
from graphground.graphs.engines.engine import EngineBusy, QueryFailed, QueryTimeout
from graphground.graphs.engines.slots import Slots
from graphground.graphs.graph import Graph
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home

DEAF = "RETURN reduce(s = 0, x IN range(1, 900000) | s + reduce(t = 0, y IN range(1, 900000) | t + y)) AS total"


@pytest.mark.parametrize(
    "query",
    [
        DEAF,
        "RETURN size([x IN range(1, 1000000) WHERE x > 1])",
        "MATCH (n) WITH collect(n) AS ns RETURN [a IN ns WHERE any(b IN ns WHERE a.name = b.name)]",
        "RETURN reduce(s = 'a', x IN [1, 2, 3] | s + s)",
        "WITH 'a' AS x " + "WITH x + x AS x " * 10 + "RETURN size(x)",
        "MATCH (n) WHERE none(x IN range(1, 1000000) WHERE x < 0) RETURN n",
        "MATCH (n) RETURN EXISTS { MATCH (m) WHERE all(x IN range(1, 1000000) WHERE x > 0) }",
    ],
)
def test_an_expression_that_may_not_terminate_is_recognised(query: str) -> None:
    assert may_not_end(parse(query))


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN count(n)",
        "MATCH (n) WHERE any(x IN n.languages WHERE x = 'English') RETURN n.name",
        "MATCH p = (a)-[*1..3]->(b) RETURN reduce(s = 0, r IN relationships(p) | s + r.year) AS total",
        "MATCH (n) RETURN [x IN labels(n) WHERE x <> 'Film'] AS others",
        "UNWIND range(1, 10) AS x RETURN x",
        "MATCH (n) RETURN n.a + n.b + n.c + n.d + n.e + n.f AS total",
    ],
)
def test_an_ordinary_query_is_not_taken_for_one_that_may_not_terminate(query: str) -> None:
    assert not may_not_end(parse(query))


def test_each_quarantine_of_a_caller_lasts_twice_as_long_as_the_last() -> None:
    quarantine = Quarantine()
    waits = []
    for _ in range(8):
        quarantine.strike("a", surprise=False)
        waits.append(quarantine.wait("a"))
    assert waits[0] == pytest.approx(FIRST_WAIT, abs=1)
    assert waits[1] == pytest.approx(2 * FIRST_WAIT, abs=1)
    assert waits[-1] == pytest.approx(LONGEST_WAIT, abs=1)
    assert quarantine.wait("b") == 0
    assert not quarantine.knows("a")
    quarantine.strike("b", surprise=True)
    assert quarantine.knows("b")


def test_a_query_whose_process_was_killed_no_longer_occupies_a_slot(films_home: Home) -> None:
    engine = EmbeddedEngine(films_home, Catalog(films_home).get("films").id, slots=Slots(1))
    with calling_as("attacker"), pytest.raises(QueryTimeout):
        engine.run(parse(DEAF), timeout=0.05)
    assert engine.run("RETURN 1").rows == [[1]]
    engine.close()


def test_a_query_that_does_not_end_does_not_affect_the_shared_engine(films_home: Home, film_graph: Graph) -> None:
    engine = film_graph.engine
    assert isinstance(engine, EmbeddedEngine)
    engine.run("RETURN 1")
    before = ensure_engine(films_home)
    with calling_as("attacker"):
        with pytest.raises(QueryTimeout, match=r"time limit of 0\.05 s"):
            engine.run(parse(DEAF), timeout=0.05)
        with pytest.raises(EngineBusy, match="could not be terminated"):
            engine.run(parse(DEAF), timeout=0.05)
        assert engine.run("RETURN 1").rows == [[1]]
    start = time.monotonic()
    assert engine.run(parse("RETURN reduce(s = 0, x IN range(1, 3) | s + x)")).rows == [[6]]
    assert time.monotonic() - start < 60
    assert ensure_engine(films_home).instance == before.instance


def test_look_ups_for_a_caller_in_quarantine_stay_in_the_shared_process(
    films_home: Home, film_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = film_graph.engine
    assert isinstance(engine, EmbeddedEngine)
    quarantine = Quarantine()
    quarantine.strike("attacker", surprise=True)
    monkeypatch.setattr(module, "QUARANTINE", quarantine)
    lanes: list[str] = []
    for name, lane in (("shared", engine._shared), ("apart", engine._apart)):
        run = lane.run
        monkeypatch.setattr(
            lane, "run", lambda *arguments, run=run, name=name, **named: lanes.append(name) or run(*arguments, **named)
        )
    with calling_as("attacker"):
        assert engine.run("RETURN 1 AS x").rows == [[1]]
        with clients_query():
            assert engine.run("RETURN 1 AS x").rows == [[1]]
    assert lanes == ["shared", "apart"]


def test_a_value_nested_too_deeply_is_reported_and_stops_no_process(films_home: Home, film_graph: Graph) -> None:
    assert film_graph.run("RETURN 1 AS x").rows == [[1]]
    shared = EngineState.read(films_home)
    with pytest.raises(QueryFailed, match=r"closed the connection 3 times .* nests more deeply"):
        film_graph.run(parse("RETURN reduce(a = [], i IN range(1, 100000) | [a]) AS x"), timeout=60)
    apart = EngineState.read(films_home.apart())
    assert apart is not None
    assert still_runs(films_home.apart(), apart.instance)
    assert EngineState.read(films_home) == shared
    assert film_graph.run("RETURN 1 AS x").rows == [[1]]


def test_no_user_of_the_engine_can_write(films_home: Home, film_graph: Graph) -> None:
    import neo4j

    assert film_graph.engine is not None
    film_graph.engine.run("RETURN 1")
    state = ensure_engine(films_home)
    database = film_graph.engine._shared._database  # type: ignore[attr-defined]
    with (
        neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{state.port}", auth=("root", state.root)) as driver,
        driver.session(database=database) as session,
        pytest.raises(neo4j.exceptions.Neo4jError, match="read only"),
    ):
        session.run("CREATE (:Film {name: 'x'})").consume()
    assert film_graph.engine.run("MATCH (f:Film {name: 'x'}) RETURN count(f)").rows == [[0]]


def test_explain_returns_a_plan_on_a_read_only_engine(film_graph: Graph) -> None:
    assert film_graph.engine is not None
    film_graph.engine.explain("MATCH (n) RETURN n")
    assert film_graph.engine.run("EXPLAIN MATCH (n) RETURN n", timeout=20).columns == ["plan"]
