"""An abandoned query is tracked for a limited time, until it ends in the database.

If the query does not end by itself, a function ends it as the last resort.
"""

import threading

import pytest

from graphground.graphs.engines import abandoned as module
from graphground.graphs.engines.abandoned import Abandoned


@pytest.fixture(autouse=True)
def _quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.001)


def test_the_last_resort_is_not_called_after_the_query_has_ended() -> None:
    answers, calls = [True, True, False], list[float]()

    def last_resort(query: Abandoned) -> bool:
        calls.append(query.seconds)
        return False

    Abandoned("slow", "RETURN 1").follow(lambda: answers.pop(0), last_resort, lambda: False)
    assert answers == []
    assert len(calls) == 2


def test_the_last_resort_is_called_until_it_has_ended_the_query() -> None:
    calls = list[Abandoned]()

    def last_resort(query: Abandoned) -> bool:
        calls.append(query)
        return len(calls) == 3

    Abandoned("deaf", "RETURN 1").follow(lambda: True, last_resort, lambda: False)
    assert [query.caller for query in calls] == ["deaf"] * 3


def test_a_database_that_gives_no_answer_counts_as_running_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.01)
    frozen, ended = threading.Event(), list[bool]()

    def still_listed() -> bool:
        frozen.wait(30)
        return False

    Abandoned("frozen", "RETURN 1").follow(still_listed, lambda _: not ended.append(True), lambda: False)
    frozen.set()
    assert ended == [True]


def test_a_failing_database_counts_as_running_the_query_and_a_closed_engine_is_not_queried() -> None:
    def still_listed() -> bool:
        raise OSError("gone")

    looks = [False, False, True]
    Abandoned("any", "RETURN 1").follow(still_listed, None, lambda: looks.pop(0))
    assert looks == []


def test_a_query_is_tracked_for_a_limited_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FOLLOWED_SECONDS", 0.02)
    Abandoned("deaf", "RETURN 1").follow(lambda: True, None, lambda: False)
