"""The current stage of a call, shown to a client that is waiting for the result.

    >>> with watched() as activity:
    ...     doing("starting the embedded engine")
    >>> activity.stage
    'starting the embedded engine'

A context variable holds the `Activity`, so that it reaches engines through worker threads that copy the context.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Activity:
    """The current stage of a call."""

    def __init__(self) -> None:
        self.stage = "running"


CURRENT: ContextVar[Activity | None] = ContextVar("graphground_activity", default=None)


def doing(stage: str) -> None:
    """Record the stage that begins now; does nothing outside a `watched` block."""
    activity = CURRENT.get()
    if activity is not None:
        activity.stage = stage


@contextmanager
def watched() -> Iterator[Activity]:
    """Yield an `Activity` that shows the current stage of the work inside the block."""
    activity = Activity()
    token = CURRENT.set(activity)
    try:
        yield activity
    finally:
        CURRENT.reset(token)
