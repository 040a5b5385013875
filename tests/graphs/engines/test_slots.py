"""Slots are shared between callers: one caller's slow queries leave room for the next."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from graphground.graphs.engines import slots as module
from graphground.graphs.engines.callers import calling_as
from graphground.graphs.engines.slots import MOST_WAITING, Full, Slot, Slots


@contextmanager
def held(slots: Slots, caller: str, count: int, patience: float = 0.0) -> Iterator[list[Slot]]:
    with ExitStack() as stack, calling_as(caller):
        yield [stack.enter_context(slots.taken(patience)) for _ in range(count)]


def test_one_caller_cannot_take_all_slots() -> None:
    slots = Slots(16)
    with held(slots, "hog", 8), pytest.raises(Full), held(slots, "hog", 1):
        pass
    with held(slots, "hog", 8), held(slots, "innocent", 4):
        pass


def test_slots_come_back() -> None:
    slots = Slots(4)
    for _ in range(10):
        with held(slots, "a", 2):
            pass
    assert slots.idle(0.0)


def test_a_query_that_takes_long_leaves_its_slot_to_quick_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONG", 0.0)
    slots = Slots(4, own=1, spare=0)
    with held(slots, "a", 2), held(slots, "b", 2), held(slots, "c", 4):
        pass


def test_of_those_that_wait_the_caller_with_least_is_next() -> None:
    slots, order = Slots(2, own=2, spare=0), list[str]()
    with ExitStack() as stack:
        stack.enter_context(held(slots, "hog", 1))
        first = stack.enter_context(ExitStack())
        first.enter_context(held(slots, "other", 1))
        threads = []
        for caller in ("hog", "hog", "innocent"):

            def work(caller: str = caller) -> None:
                with held(slots, caller, 1, patience=20):
                    order.append(caller)

            threads.append(threading.Thread(target=work))
            threads[-1].start()
        deadline = time.monotonic() + 10
        while len(slots._waiting) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        first.close()
        for thread in threads:
            thread.join(20)
    assert order[0] == "innocent"


def test_a_caller_with_many_waiting_calls_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = Slots(1)
    slots._waiting = {number: ("hog", time.monotonic()) for number in range(-MOST_WAITING, 0)}
    with pytest.raises(Full), held(slots, "hog", 1, patience=60):
        pass


def test_where_all_is_taken_by_long_queries_the_longest_of_the_greediest_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LONG", 0.0)
    monkeypatch.setattr(module, "PATIENT", 0.05)
    slots, stopped = Slots(2, own=4, spare=0), threading.Event()
    with held(slots, "greedy", 2) as greedy, held(slots, "modest", 1) as modest:
        for slot in (*greedy, *modest):
            slot.stop = stopped.set if slot is greedy[0] else threading.Event().set
        with held(slots, "other", 1), pytest.raises(Full), held(slots, "innocent", 1, patience=1.0):
            pass
        assert stopped.wait(5)
        assert [slot.ended for slot in (*greedy, *modest)] == [True, False, False]


def test_a_query_that_the_database_goes_on_with_takes_a_slot_of_its_caller() -> None:
    slots = Slots(1)
    with held(slots, "deaf", 1) as taken:
        slots.keep(taken[0])
    assert slots.idle(0.0)  # nothing to wait for when the connection is closed
    with pytest.raises(Full), held(slots, "deaf", 1):
        pass
