"""Several calls that wait for a database, at once: what they wait for, they wait for together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
AT_ONCE = 8
"""Fewer than an engine has slots, so that one caller leaves room for others."""


def together(call: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """What `call` answers for each item, in their order; the first failure is raised, and what has not begun is not.

        >>> together(len, ["a", "bcd"])
        [1, 3]

    Each call runs in a copy of the context, so that ending the caller's queries ends these too.
    """
    if len(items) < 2:
        return [call(item) for item in items]
    with ThreadPoolExecutor(min(AT_ONCE, len(items)), thread_name_prefix="graphground-together") as pool:
        calls = [pool.submit(copy_context().run, call, item) for item in items]
        try:
            return [one.result() for one in calls]
        finally:
            for one in calls:
                one.cancel()
