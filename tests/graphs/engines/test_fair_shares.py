"""Permits are shared fairly: no caller takes all of them, and the caller who holds the fewest is next."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from graphground.graphs.engines.client_context import FairShares, Permit, TooManyCalls, calling_as


@contextmanager
def held(shares: FairShares, caller: str, count: int, patience: float = 0.0) -> Iterator[list[Permit]]:
    with ExitStack() as stack, calling_as(caller):
        yield [stack.enter_context(shares.hold(patience)) for _ in range(count)]


def test_one_caller_cannot_take_all_permits() -> None:
    shares = FairShares(16)
    with held(shares, "hog", 12), pytest.raises(TooManyCalls), held(shares, "hog", 1):
        pass
    with held(shares, "hog", 12), held(shares, "a", 1), held(shares, "b", 1), held(shares, "c", 1):
        pass


def test_the_only_client_of_a_program_may_take_all_permits() -> None:
    with held(FairShares(4), "", 4):
        pass


def test_permits_are_returned_after_use() -> None:
    shares = FairShares(4)
    for _ in range(10):
        with held(shares, "a", 2):
            pass
    assert shares.wait_until_idle(0.0)


def test_the_waiting_caller_with_the_fewest_permits_is_next() -> None:
    shares, order = FairShares(2, reserved=0), list[str]()
    running = [shares.enter("hog", lambda: None), shares.enter("other", lambda: None)]
    for caller in ("hog", "hog", "innocent"):
        running.append(shares.enter(caller, lambda caller=caller: order.append(caller)))  # type: ignore[misc]
    shares.leave(running[1])
    assert order == ["innocent"]
    shares.leave(running[0])
    assert order == ["innocent", "hog"]


def test_a_caller_with_too_many_waiting_calls_is_refused_at_once() -> None:
    shares = FairShares(1, max_waiting=2)
    waiting = [shares.enter("hog", lambda: None) for _ in range(3)]
    with pytest.raises(TooManyCalls):
        shares.enter("hog", lambda: None)
    shares.enter("innocent", lambda: None)
    for permit in waiting:
        shares.leave(permit)


def test_a_call_that_stops_waiting_gives_way_to_the_next() -> None:
    shares, granted = FairShares(1), threading.Event()
    with held(shares, "a", 1):
        with pytest.raises(TooManyCalls), held(shares, "b", 1):
            pass
        last = shares.enter("c", granted.set)
        assert not granted.is_set()
    assert granted.is_set()
    shares.leave(last)


def test_a_permit_whose_work_continues_counts_until_the_work_has_ended() -> None:
    shares = FairShares(1)
    with held(shares, "a", 1) as permits:
        shares.keep(permits[0])
    assert shares.wait_until_idle(0.0)  # nobody waits for the work
    with pytest.raises(TooManyCalls), held(shares, "b", 1):
        pass
    shares.forget(permits[0])
    with held(shares, "b", 1):
        pass


def test_a_permit_that_is_forgotten_before_its_caller_leaves_is_returned_once() -> None:
    shares = FairShares(2)
    with held(shares, "a", 1) as permits:
        shares.keep(permits[0])
        shares.forget(permits[0])
    with held(shares, "", 2), pytest.raises(TooManyCalls), held(shares, "", 1):
        pass


def test_waiting_for_one_database_ignores_the_queries_of_another() -> None:
    shares, films, teams = FairShares(4), object(), object()
    with shares.hold(0.0, films):
        assert shares.wait_until_idle(0.0, teams)
        assert not shares.wait_until_idle(0.0, films)
