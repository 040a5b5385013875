"""Turns to compute, reads of a connection, and checks for changes beside a call."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines import client_context
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.client_context import Turns, Waiting
from graphground.graphs.graph import Graph
from tests.support.fake_bolt_server import Rows, stand_in


def test_at_most_as_many_threads_compute_as_there_are_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_context, "TURN_SECONDS", 30.0)
    turns, lock, most, computing = Turns(2), threading.Lock(), [0], [0]

    def compute() -> None:
        for _ in range(50):
            turns.take()
            with lock:
                computing[0] += 1
                most[0] = max(most[0], computing[0])
            with lock:
                computing[0] -= 1
            assert turns.give()

    threads = [threading.Thread(target=compute) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert 1 <= most[0] <= 2
    assert not turns.give(), "this thread never had a turn"


def test_a_thread_that_waits_for_a_database_gives_its_turn_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_context, "TURN_SECONDS", 30.0)
    monkeypatch.setattr(client_context, "TURNS", turns := Turns(1))
    turns.take()
    with Waiting():
        other = threading.Thread(target=turns.take)
        other.start()
        other.join(30)
        assert not other.is_alive()
        monkeypatch.setattr(client_context, "TURN_SECONDS", 0.01)  # the other thread keeps its turn
    assert not turns.give()


def test_a_turn_is_not_waited_for_longer_than_its_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_context, "TURN_SECONDS", 0.01)
    turns = Turns(1)
    turns.take()
    late = threading.Thread(target=turns.take)
    late.start()
    late.join(30)
    assert not late.is_alive()


def test_changes_are_looked_for_in_another_thread_and_not_at_every_call() -> None:
    looked, thread = threading.Semaphore(0), list[threading.Thread]()

    def look() -> None:
        thread.append(threading.current_thread())
        looked.release()

    source = SimpleNamespace(check_for_changes=look)
    graph = Graph("films", cast(Any, source))
    for _ in range(20):
        graph.check_beside()
    assert looked.acquire(timeout=30)
    assert thread[0] is not threading.current_thread()
    assert len(thread) < 20, "at most every quarter of a second"
    fixed = Graph("films", PropertyGraphSchema("films", {}, ()))
    before = threading.active_count()
    fixed.check_beside()
    assert threading.active_count() <= before
    deadline = time.monotonic() + 30
    while any(each.is_alive() for each in thread):
        assert time.monotonic() < deadline
        thread[0].join(1)


def test_rows_that_have_arrived_are_taken_together_and_no_row_is_torn() -> None:
    """Rows of one part, a row in two parts and a row that has half arrived, as a database may send them."""
    many, torn = (
        Rows(["x", "y"], [[number, "é" * (number % 40)] for number in range(3_000)]),
        Rows(["x"], [["z" * 70_000], [1]]),
    )
    with stand_in("Neo4j/5.26.30", lambda call: torn if "torn" in call.query else many) as server:
        engine = BoltEngine(BoltAddress(server.uri))
        assert engine.run("RETURN 1 AS x").rows == [[number, "é" * (number % 40)] for number in range(3_000)]
        assert engine.run("RETURN 'torn' AS x").rows == [["z" * 70_000], [1]]
        engine.close()
