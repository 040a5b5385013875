import threading
from contextvars import ContextVar

import pytest

from graphground.graphs.engines.together import AT_ONCE, together

ASKED_BY: ContextVar[str] = ContextVar("asked_by", default="nobody")


def test_answers_come_in_the_order_of_the_items_whichever_is_done_first() -> None:
    last_is_done = threading.Event()

    def call(item: int) -> int:
        if item == 2:
            last_is_done.set()
        assert last_is_done.wait(10)  # one after the other, the first would wait for ever
        return 10 * item

    assert together(call, [0, 1, 2]) == [0, 10, 20]


def test_each_call_sees_the_context_of_the_caller() -> None:
    token = ASKED_BY.set("me")
    try:
        assert together(lambda _: ASKED_BY.get(), range(3)) == ["me"] * 3
    finally:
        ASKED_BY.reset(token)


def test_the_first_failure_is_raised_and_what_had_not_begun_never_begins() -> None:
    begun: list[int] = []
    failed = threading.Event()

    def call(item: int) -> None:
        begun.append(item)
        if item == 0:
            failed.set()
            raise ValueError("the first")
        assert failed.wait(10)

    with pytest.raises(ValueError, match="the first"):
        together(call, range(1_000))
    assert len(begun) < 1_000
    assert set(range(AT_ONCE)) <= set(begun)
