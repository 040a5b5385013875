"""Slots, which are permissions to run one query: slow queries of one caller leave slots for other callers."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import pytest

from graphground.graphs.engines import slots as module
from graphground.graphs.engines.callers import calling_as, clients_query
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


def test_slots_are_returned_after_use() -> None:
    slots = Slots(4)
    for _ in range(10):
        with held(slots, "a", 2):
            pass
    assert slots.idle(0.0)


def test_a_long_query_leaves_its_slot_to_quick_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONG", 0.0)
    slots = Slots(4, own=2, spare=0, reserved=0)
    with held(slots, "a", 2), held(slots, "b", 2), held(slots, "c", 4):
        pass


def test_the_waiting_caller_with_the_fewest_slots_is_next() -> None:
    slots, order = Slots(2, own=2, spare=0, reserved=0), list[str]()
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


def test_if_long_queries_hold_all_slots_the_oldest_query_of_the_caller_with_the_most_slots_is_terminated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LONG", 0.0)
    monkeypatch.setattr(module, "PATIENT", 0.05)
    slots, stopped = Slots(2, own=4, spare=0, reserved=0), threading.Event()
    with held(slots, "greedy", 2) as greedy, held(slots, "modest", 1) as modest:
        for slot in (*greedy, *modest):
            slot.stop = stopped.set if slot is greedy[0] else threading.Event().set
        with held(slots, "other", 1), pytest.raises(Full), held(slots, "innocent", 1, patience=1.0):
            pass
        assert stopped.wait(5)
        assert [slot.ended for slot in (*greedy, *modest)] == [True, False, False]


def test_a_query_that_the_database_keeps_running_occupies_a_slot_of_its_caller() -> None:
    slots = Slots(1)
    with held(slots, "deaf", 1) as used_slots:
        slots.keep(used_slots[0])
    assert slots.idle(0.0)  # no wait when the connection is closed
    with pytest.raises(Full), held(slots, "deaf", 1):
        pass


def test_a_query_that_the_database_finally_ends_returns_its_slot() -> None:
    slots = Slots(1)
    with held(slots, "slow", 1) as used_slots:
        slots.keep(used_slots[0])
    slots.forget(used_slots[0])
    with held(slots, "slow", 1):
        pass


def test_some_slots_are_reserved_for_callers_that_hold_no_slot() -> None:
    slots = Slots(8, own=2, spare=4, reserved=2)
    with ExitStack() as stack:
        for number in range(3):
            stack.enter_context(held(slots, f"hog {number}", 2))
        with pytest.raises(Full), held(slots, "hog 0", 1):
            pass
        stack.enter_context(held(slots, "innocent", 1))
        stack.enter_context(held(slots, "another", 1))


def test_callers_with_long_queries_cannot_use_the_reserved_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONG", 0.0)
    monkeypatch.setattr(module, "LITTLE", 0.0)
    slots = Slots(4, own=2, spare=2, reserved=1)
    for caller in ("a", "b", "c", "d"):
        with held(slots, caller, 1):
            time.sleep(0.001)
    monkeypatch.setattr(module, "LONG", 60.0)
    with held(slots, "a", 1), held(slots, "b", 1), held(slots, "c", 1):
        with pytest.raises(Full), held(slots, "d", 1):
            pass
        with held(slots, "innocent", 1):
            pass


def test_a_long_query_is_moved_to_another_process_only_while_other_callers_are_active(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LONG", 0.01)
    slots, stopped = Slots(8, moves=True), threading.Event()
    with clients_query(), held(slots, "slow", 1) as used_slots:
        used_slots[0].stop = stopped.set
        assert not stopped.wait(0.3)
        with held(slots, "other", 1):
            pass
        assert stopped.wait(10)
        assert used_slots[0].moved


def test_look_ups_by_the_server_itself_are_never_moved_to_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONG", 0.01)
    slots, own, clients = Slots(8, moves=True), threading.Event(), threading.Event()
    with held(slots, "slow", 1) as looking_up:
        looking_up[0].stop = own.set
        with clients_query(), held(slots, "slow", 1) as used_slots, held(slots, "other", 1):
            used_slots[0].stop = clients.set
            assert clients.wait(10)
        assert not own.wait(0.3)
        assert not looking_up[0].moved


def test_a_query_near_its_time_limit_is_not_moved_to_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONG", 0.01)
    slots, stopped = Slots(8, moves=True), threading.Event()
    with clients_query(), held(slots, "slow", 1) as used_slots, held(slots, "other", 1):
        used_slots[0].until = time.monotonic() + 1.0
        used_slots[0].stop = stopped.set
        assert not stopped.wait(0.3)
        assert not used_slots[0].moved


def test_the_databases_of_one_engine_share_slots_and_are_closed_separately() -> None:
    slots, first, second = Slots(4), object(), object()
    with slots.taken(0.0, first):
        assert slots.idle(0.0, second)
        assert not slots.idle(0.0, first)


def test_a_slot_is_freed_for_each_waiting_caller_that_holds_no_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONG", 0.0)
    monkeypatch.setattr(module, "PATIENT", 0.01)
    slots, served = Slots(2, own=8, spare=0, reserved=0), list[str]()
    with ExitStack() as stack:
        for _ in range(2):  # first the second set is full, then the first set
            for slot in stack.enter_context(held(slots, "greedy", 2)):
                slot.stop = partial(slots._release, slot)

        def work(caller: str) -> None:
            with held(slots, caller, 1, patience=20):
                served.append(caller)

        threads = [threading.Thread(target=work, args=(f"innocent {number}",)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert sorted(served) == ["innocent 0", "innocent 1"]
