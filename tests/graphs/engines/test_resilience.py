"""Failures that real servers cannot produce on demand, on a fake Bolt server: a change of leader, a lost connection."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.engine import EngineBusy, EngineUnavailable, QueryFailed
from tests.support.fake_bolt_server import Answer, Call, Refusal, Rows, StandIn, stand_in

NEO4J = "Neo4j/5.26.30"
TWICE = "RETURN 'asked' AS x"


@contextmanager
def scripted(
    *answers: Answer, uri: Callable[[StandIn], str] = lambda server: server.uri
) -> Iterator[tuple[BoltEngine, list[Call]]]:
    """Open an engine on a fake server that gives these answers in turn; the last answer is repeated.

    Yield the engine and the list of calls that the server has received.
    """
    left = list(answers)

    def answer(call: Call) -> Answer:
        return left.pop(0) if len(left) > 1 else left[0]

    with stand_in(NEO4J, answer) as server, closing(BoltEngine(BoltAddress(uri(server)))) as engine:
        yield engine, server.calls


ROWS = Rows(["x"], [[1], [2], [3]])


@pytest.mark.parametrize(
    "trouble",
    [
        Refusal("Neo.ClientError.Cluster.NotALeader", "No longer the leader."),
        Refusal("Neo.TransientError.General.DatabaseUnavailable", "The database is not available."),
        Refusal("Neo.TransientError.Transaction.LeaseExpired", "The lease is over.", when_pulled=True),
        Rows(["x"], [[1], [2], [3]], drop_after=0),
        Rows(["x"], [[1], [2], [3]], drop_after=2),
    ],
    ids=["leader change", "database unavailable", "lease expired", "dropped before the rows", "dropped among the rows"],
)
@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_read_query_is_retried_once(trouble: Answer, scheme: str) -> None:
    with scripted(trouble, ROWS, uri=lambda server: server.uri.replace("bolt", scheme)) as (engine, calls):
        assert engine.run(TWICE).rows == [[1], [2], [3]], "whole, and no row twice"
        assert len(calls) == 2


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        (
            Refusal("Neo.ClientError.Cluster.NotALeader", "No longer the leader."),
            "cannot serve the database at the moment",
        ),
        (Rows(["x"], [[1]], drop_after=0), "No Bolt server answers"),
    ],
)
def test_a_persistent_failure_causes_one_clear_error(trouble: Answer, message: str) -> None:
    with scripted(trouble) as (engine, calls):
        with pytest.raises(EngineUnavailable, match=message):
            engine.run(TWICE)
        assert len(calls) == 2


@pytest.mark.parametrize("code", ["Neo.ClientError.Statement.SyntaxError", "Neo.DatabaseError.General.UnknownError"])
def test_a_query_that_would_fail_again_is_not_retried(code: str) -> None:
    with scripted(Refusal(code, "no")) as (engine, calls):
        with pytest.raises(QueryFailed, match="no"):
            engine.run(TWICE)
        assert len(calls) == 1


def test_a_database_without_free_threads_is_reported_as_busy() -> None:
    full = Refusal("Neo.TransientError.Request.NoThreadsAvailable", "full")
    with scripted(full) as (engine, _), pytest.raises(EngineBusy, match="try again in a moment"):
        engine.run(TWICE)


def test_pooled_connections_that_a_restart_closed_are_replaced() -> None:
    with stand_in(NEO4J, lambda call: ROWS) as server:
        engine = BoltEngine(BoltAddress(server.uri))
        together = threading.Barrier(5)

        def ask() -> None:
            together.wait(20)
            assert engine.run(TWICE).rows == [[1], [2], [3]]

        for _ in range(3):
            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            together.wait(20)
            for thread in threads:
                thread.join(20)
                assert not thread.is_alive()
            server.drop_connections()
        assert engine.run(TWICE).rows == [[1], [2], [3]]
        engine.close()


def test_a_write_probe_that_fails_for_another_reason_does_not_prove_read_only_access() -> None:
    def answer(call: Call) -> Answer:
        return Refusal("Neo.DatabaseError.General.UnknownError", "out of luck") if "CREATE" in call.query else ROWS

    with stand_in(NEO4J, answer) as server:
        engine = BoltEngine(BoltAddress(server.uri))
        assert engine.capabilities().trial_write == "failed"
        engine.close()
