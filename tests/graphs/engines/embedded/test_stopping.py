"""Queries that do not look whether they are to end: they end nevertheless, and nobody else notices."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from small_graph import films, home  # noqa: F401

from graphground.graphs.catalog import Catalog
from graphground.graphs.engines.cancellation import cancellable
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import ensure_engine
from graphground.graphs.engines.embedded.state import EngineState
from graphground.graphs.engines.embedded.stopping import evaluates
from graphground.graphs.engines.engine import QueryCancelled, QueryTimeout
from graphground.graphs.home import Home

pytestmark = pytest.mark.timeout(240)
NEVER = "reduce(s = 0, x IN range(1, 1000000) | s + reduce(t = 0, y IN range(1, 1000000) | t + y))"
DEAF = {
    "reduce": f"RETURN {NEVER} AS total",
    "list comprehension": "RETURN size([x IN range(1, 1000000) WHERE size([y IN range(1, 1000000) WHERE y = -x]) > 0])",
    "any": "RETURN any(x IN range(1, 1000000) WHERE any(y IN range(1, 1000000) WHERE y = -x)) AS found",
    "for each node": f"MATCH (m:Movie) RETURN m.name, {NEVER} AS total",
}


@pytest.fixture
def engine(films: Home) -> Iterator[EmbeddedEngine]:  # noqa: F811
    engine = EmbeddedEngine(films, Catalog(films).get("films").id)
    engine.run("RETURN 1")
    yield engine
    engine.close()


@pytest.mark.parametrize("query", DEAF.values(), ids=list(DEAF))
def test_a_query_that_never_looks_ends_without_the_engine(films: Home, engine: EmbeddedEngine,  # noqa: F811
                                                          query: str) -> None:
    before = ensure_engine(films)
    with pytest.raises(QueryTimeout):
        engine.run(query, timeout=1)
    for _ in range(20):  # every connection of the pool is sound
        assert engine.run("MATCH (n) RETURN count(n)", timeout=30).rows == [[4]]
    assert ensure_engine(films).instance == before.instance


def test_other_clients_go_on_while_such_a_query_is_ended(films: Home, engine: EmbeddedEngine) -> None:  # noqa: F811
    before, over, answers = ensure_engine(films), threading.Event(), []

    def client() -> None:
        mine = EmbeddedEngine(films, Catalog(films).get("films").id)
        while not over.is_set():
            answers.append(mine.run("MATCH (m:Movie) WITH m ORDER BY m.name RETURN collect(m.name)", timeout=60).rows)
        mine.close()

    clients = [threading.Thread(target=client) for _ in range(3)]
    for one in clients:
        one.start()
    for query in DEAF.values():
        with pytest.raises(QueryTimeout):
            engine.run(query, timeout=0.5)
    over.set()
    for one in clients:
        one.join(120)
        assert not one.is_alive()
    assert len(answers) > 10
    assert all(rows == answers[0] for rows in answers)
    assert ensure_engine(films).instance == before.instance


def test_a_cancelled_query_that_never_looks_ends_too(films: Home, engine: EmbeddedEngine) -> None:  # noqa: F811
    before = ensure_engine(films)
    with cancellable() as cancellation:
        timer = threading.Timer(0.3, cancellation.cancel)
        timer.start()
        with pytest.raises(QueryCancelled):
            engine.run(DEAF["reduce"], timeout=60)
        timer.join()
    assert engine.run("RETURN 1", timeout=30).rows == [[1]]
    assert ensure_engine(films).instance == before.instance
    deadline = time.monotonic() + 30
    while any("reduce" in str(row) for row in engine.run("SHOW TRANSACTIONS").rows):
        assert time.monotonic() < deadline


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP") or sys.platform == "win32", reason="needs SIGSTOP")
def test_an_engine_that_answers_nothing_is_killed_and_the_next_call_has_a_new_one(
        films: Home, engine: EmbeddedEngine) -> None:  # noqa: F811
    frozen = ensure_engine(films)
    os.kill(frozen.pid, signal.SIGSTOP)
    with pytest.raises(QueryTimeout):
        engine.run("MATCH (n) RETURN count(n)", timeout=0.5)
    deadline = time.monotonic() + 60
    while (state := EngineState.read(films)) is not None and state.instance == frozen.instance:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert engine.run("MATCH (n) RETURN count(n)", timeout=60).rows == [[4]]
    assert ensure_engine(films).instance != frozen.instance


@pytest.mark.parametrize("stack", [
    ["java.util.concurrent.ConcurrentHashMap", "com.arcadedb.query.opencypher.ast.ReduceExpression"],
    ["sun.nio.ch.FileChannelImpl", "com.arcadedb.engine.PaginatedComponentFile"],
    ["com.arcadedb.engine.PageManager", "com.arcadedb.query.opencypher.executor.steps.MatchNodeStep"],
    ["com.arcadedb.index.lsm.LSMTreeIndex", "com.arcadedb.query.opencypher.executor.steps.MatchNodeStep"],
    ["org.antlr.v4.runtime.Parser", "com.arcadedb.query.opencypher.parser.Cypher25AntlrParser"],
    ["java.util.HashMap", "com.arcadedb.graph.MutableVertex", "com.arcadedb.query.opencypher.ast.PropertyAccess"],
    ["com.arcadedb.query.opencypher.query.CypherStatementCache", "com.arcadedb.query.opencypher.ast.ReduceExpression"],
    ["java.lang.ClassLoader", "com.arcadedb.query.opencypher.ast.ReduceExpression"], ["java.lang.Thread"], []])
def test_a_thread_inside_of_what_queries_share_is_not_stopped(stack: list[str]) -> None:
    assert not evaluates(stack)


def test_a_thread_that_evaluates_an_expression_may_be_stopped() -> None:
    assert evaluates(["java.lang.Long", "java.util.ArrayList", "com.arcadedb.query.opencypher.ast.ReduceExpression",
                      "com.arcadedb.database.LocalDatabase", "com.arcadedb.engine.PageManager"])
