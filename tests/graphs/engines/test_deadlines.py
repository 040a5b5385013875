"""Deadlines and cancellation, without a database."""

import threading

import pytest

from graphground.graphs.engines import client_context as module
from graphground.graphs.engines.client_context import CANCELLATION, Deadlines, RunningQuery, cancellable
from tests.support.waiting import until


def test_deadlines_fire_in_order_and_dropped_deadlines_never_fire() -> None:
    deadlines, called, finished = Deadlines(), [], threading.Event()

    def late() -> None:
        called.append("late")
        finished.set()

    deadlines.add(0.8, late)
    dropped = deadlines.add(0.6, lambda: called.append("dropped"))
    deadlines.add(0.05, lambda: called.append("soon"))
    assert deadlines.drop(dropped)
    assert not deadlines.drop(dropped)
    assert finished.wait(60)
    assert called == ["soon", "late"]


def test_a_deadline_that_blocks_does_not_delay_other_deadlines() -> None:
    deadlines, free, called = Deadlines(), threading.Event(), threading.Event()
    deadlines.add(0.0, lambda: free.wait(120) and None)
    deadlines.add(0.05, called.set)
    assert called.wait(60)
    free.set()


def test_a_query_past_its_limit_is_ended_and_then_abandoned() -> None:
    ended, abandoned = threading.Event(), threading.Event()
    with RunningQuery(0.05, ended.set, abandoned.set) as running:
        assert ended.wait(60)
        assert abandoned.wait(60)
        assert running.stopped
        assert not running.cancelled


def test_a_query_that_is_cancelled_and_passes_its_limit_is_abandoned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE_SECONDS", 0.1)
    given_up, abandoned = threading.Semaphore(0), []

    class Watched(RunningQuery):
        def _give_up(self) -> None:
            super()._give_up()
            given_up.release()

    with Watched(0.05, lambda: None, lambda: abandoned.append(1)) as running:
        cancelling = threading.Thread(target=running.cancel)
        cancelling.start()
        assert given_up.acquire(timeout=60)
        assert given_up.acquire(timeout=60)
    cancelling.join(60)
    assert abandoned == [1]


def test_a_query_that_ends_by_itself_is_not_terminated() -> None:
    called = threading.Event()
    with RunningQuery(0.8, called.set, called.set) as running:
        pass
    assert not running.stopped
    assert not called.wait(1.0)


def test_cancelling_ends_running_queries_and_those_that_begin_afterwards() -> None:
    ended = threading.Event()
    with cancellable() as cancellation:
        with RunningQuery(None, ended.set, ended.set) as running:
            cancellation.cancel()
            assert ended.wait(60)
            until(lambda: running.stopped)
        assert running.cancelled
        with RunningQuery(None, ended.set, ended.set) as later:
            assert later.stopped
    assert CANCELLATION.get() is None
