"""Runs several calls that wait for a database at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
AT_ONCE = 8
"""The maximum number of threads; an engine usually has more slots, which leaves room for other callers."""


def run_concurrently(call: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Return `call(item)` for each item, run concurrently, in the order of the items.

    If a call fails, its exception is raised, and calls that have not started are dropped.

        >>> run_concurrently(len, ["a", "bcd"])
        [1, 3]

    If there are several calls, each runs in a copy of the context, so that cancelling the caller's queries also cancels
    the queries that these calls send.
    """
    if len(items) < 2:
        return [call(item) for item in items]
    with ThreadPoolExecutor(min(AT_ONCE, len(items)), thread_name_prefix="graphground-together") as pool:
        calls = [pool.submit(copy_context().run, call, item) for item in items]
        try:
            return [future.result() for future in calls]
        finally:
            for future in calls:
                future.cancel()
