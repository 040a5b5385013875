import threading
from collections.abc import Iterator
from contextvars import ContextVar
from itertools import count

import pytest

from graphground.graphs.engines.client_context import AT_ONCE, run_concurrently, setting

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
    with setting(ASKED_BY, "me"):
        assert run_concurrently(lambda _: ASKED_BY.get(), range(3)) == ["me"] * 3


def test_the_first_failure_is_raised_and_calls_not_yet_started_are_dropped() -> None:
    started: list[int] = []
    all_started, all_dropped = threading.Event(), threading.Event()
    numbers = count()

    def take() -> int:
        number = next(numbers)
        if number == 100:
            all_dropped.set()
        return number

    class Hundred(list[int]):
        def __iter__(self) -> Iterator[int]:
            return iter(take, 100)

    def call(item: int) -> None:
        started.append(item)
        if len(started) == AT_ONCE:
            all_started.set()
        if item == 0:
            assert all_started.wait(10)
            raise ValueError("the first")
        assert all_dropped.wait(10)

    with pytest.raises(ValueError, match="the first"):
        run_concurrently(call, Hundred(range(100)))
    assert sorted(started) == list(range(AT_ONCE))
