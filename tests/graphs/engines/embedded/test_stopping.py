"""Queries that ignore their termination end with the engine; the queries of other callers are retried."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.engines.client_context import cancellable
from graphground.graphs.engines.embedded import engine as module
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import EngineState, ensure_engine
from graphground.graphs.engines.engine import EngineBusy, QueryCancelled, QueryTimeout
from graphground.graphs.storage.home import Catalog, Home
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(240)
NEVER = "reduce(s = 0, x IN range(1, 1000000) | s + reduce(t = 0, y IN range(1, 1000000) | t + y))"
DEAF = {
    "reduce": f"RETURN {NEVER} AS total",
    "any": "RETURN any(x IN range(1, 1000000) WHERE any(y IN range(1, 1000000) WHERE y = -x)) AS found",
}


@pytest.fixture
def engine(small_home: Home) -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine(small_home, Catalog(small_home).get("films").id)
    engine.run("RETURN 1")
    yield engine
    engine.close()


@pytest.fixture
def killed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an engine process of any age be killed as soon as a caller stops waiting for a query that does not end."""
    monkeypatch.setattr(module, "MIN_LIFE_SECONDS", 0.0)


@pytest.mark.usefixtures("killed_at_once")
@pytest.mark.parametrize(
    "query",
    [pytest.param(query, id=name, marks=() if name == "reduce" else pytest.mark.long) for name, query in DEAF.items()],
)
def test_a_query_that_ignores_termination_ends_at_its_limit_and_the_next_query_succeeds(
    engine: EmbeddedEngine, query: str
) -> None:
    with cancellable() as call, pytest.raises(QueryTimeout, match=r"time limit of 0\.3 s"):
        engine.run(query, timeout=0.3)
    assert not call.lingers, "the query ended with its process"
    for _ in range(20):  # every connection of the pool works
        assert engine.run("MATCH (n) RETURN count(n)", timeout=30).rows == [[4]]


@pytest.mark.usefixtures("killed_at_once")
def test_other_clients_continue_while_a_query_that_ignores_termination_is_ended(
    small_home: Home, engine: EmbeddedEngine
) -> None:
    over, answers = threading.Event(), []

    def client() -> None:
        engine_of_client = EmbeddedEngine(small_home, Catalog(small_home).get("films").id)
        while not over.is_set():
            answers.append(
                engine_of_client.run("MATCH (m:Movie) WITH m ORDER BY m.name RETURN collect(m.name)", timeout=60).rows
            )
        engine_of_client.close()

    clients = [threading.Thread(target=client) for _ in range(3)]
    for thread in clients:
        thread.start()
    try:
        for query in (DEAF["reduce"], DEAF["any"]):
            # The second query is refused if the restart that the first caused takes all of its time.
            with pytest.raises((QueryTimeout, EngineBusy)):
                engine.run(query, timeout=0.5)
        before = len(answers)
        until(lambda: len(answers) >= before + 10)
    finally:
        over.set()
        for thread in clients:
            thread.join(120)
    assert not any(thread.is_alive() for thread in clients)
    assert all(rows == answers[0] for rows in answers)


@pytest.mark.usefixtures("killed_at_once")
def test_a_cancelled_query_that_ignores_termination_ends(engine: EmbeddedEngine) -> None:
    with cancellable() as cancellation:
        timer = threading.Timer(0.3, cancellation.cancel)
        timer.start()
        with pytest.raises(QueryCancelled):
            engine.run(DEAF["reduce"], timeout=60)
        timer.join()
    assert engine.run("RETURN 1", timeout=30).rows == [[1]]
    until(lambda: "reduce" not in str(engine.run("SHOW TRANSACTIONS").rows))


def freeze(process: int) -> None:
    """Stop a process, and wait until all its threads have stopped: until then they can still answer a query."""
    os.kill(process, signal.SIGSTOP)
    until(lambda: states(process) == {"T"})


def states(process: int) -> set[str]:
    """Return the states of a process's threads: one letter each, `T` if the thread has stopped."""
    return {
        thread.joinpath("stat").read_text().rpartition(") ")[2][0] for thread in Path(f"/proc/{process}/task").iterdir()
    }


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the states of another process's threads cannot be read")
def test_an_unresponsive_engine_is_killed_and_the_next_call_uses_a_new_engine(
    small_home: Home, engine: EmbeddedEngine
) -> None:
    frozen = ensure_engine(small_home)
    freeze(frozen.pid)
    with pytest.raises(QueryTimeout):
        engine.run("MATCH (n) RETURN count(n)", timeout=0.5)
    until(lambda: (state := EngineState.read(small_home)) is None or state.instance != frozen.instance)
    assert engine.run("MATCH (n) RETURN count(n)", timeout=60).rows == [[4]]
    assert ensure_engine(small_home).instance != frozen.instance
