import threading
from concurrent.futures import Future
from contextvars import ContextVar
from itertools import count

import pytest

from graphground.graphs.engines.client_context import AT_ONCE, run_concurrently

ASKED_BY: ContextVar[str] = ContextVar("asked_by", default="nobody")


def test_results_are_in_the_order_of_the_items_whichever_finishes_first() -> None:
    last_is_done = threading.Event()

    def call(item: int) -> int:
        if item == 2:
            last_is_done.set()
        assert last_is_done.wait(10)  # called one after the other, the first would wait forever
        return 10 * item

    assert run_concurrently(call, [0, 1, 2]) == [0, 10, 20]


def test_each_call_sees_the_context_of_the_caller() -> None:
    token = ASKED_BY.set("me")
    try:
        assert run_concurrently(lambda _: ASKED_BY.get(), range(3)) == ["me"] * 3
    finally:
        ASKED_BY.reset(token)


def test_the_first_failure_is_raised_and_calls_not_yet_started_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    all_cancelled = threading.Event()
    cancelled, cancel = count(1), Future.cancel

    def noted(future: "Future[None]") -> bool:
        ended = cancel(future)
        if next(cancelled) == 100:
            all_cancelled.set()
        return ended

    def call(item: int) -> None:
        started.append(item)
        if item == 0:
            raise ValueError("the first")
        assert all_cancelled.wait(10)

    monkeypatch.setattr(Future, "cancel", noted)
    with pytest.raises(ValueError, match="the first"):
        run_concurrently(call, range(100))
    assert sorted(started) == list(range(AT_ONCE + 1))  # the thread of the first call took another item
