"""The current stage of a call, for a client that waits for it.

    >>> with watched() as activity:
    ...     doing("starting the embedded engine")
    >>> activity.stage
    'starting the embedded engine'

The handle travels in a context variable, so it reaches engines through worker threads that copy the context.
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
    """Set the stage that begins now. Without a waiting client this does nothing."""
    activity = CURRENT.get()
    if activity is not None:
        activity.stage = stage


@contextmanager
def watched() -> Iterator[Activity]:
    """Collect the stages of everything that runs inside the block."""
    activity = Activity()
    token = CURRENT.set(activity)
    try:
        yield activity
    finally:
        CURRENT.reset(token)
