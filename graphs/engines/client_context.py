"""What engines know about the call that they work for: its client, its stage, and whether it was cancelled.

    >>> with calling_as("token-1"), cancellable() as cancellation, watched() as progress:
    ...     report_stage("reading the schema")
    ...     # graph.run(…); cancellation.cancel(), from any thread, terminates the query in the database
    >>> progress.stage
    'reading the schema'

All of it is in context variables, which reach engines through worker threads that copy the context.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
AT_ONCE = 8
"""The maximum number of threads of `run_concurrently`; an engine usually runs more queries at once."""


class CallProgress:
    """The current stage of a call, shown to a client that waits for the answer."""

    def __init__(self) -> None:
        self.stage = "running"


class Cancellation:
    """A cancellation token and the callbacks that it calls."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stops: list[Callable[[], None]] = []
        self.cancelled = False

    def cancel(self) -> list[threading.Thread]:
        """Terminate all queries that run with this token; return the background threads that are terminating them."""
        with self._lock:
            self.cancelled = True
            stops, self._stops = self._stops, []
        threads = [threading.Thread(target=stop, name="graphground-cancel", daemon=True) for stop in stops]
        for thread in threads:
            thread.start()
        return threads

    def add(self, stop: Callable[[], None]) -> bool:
        """Register `stop` to be called on cancellation; return False if the token has already been cancelled."""
        with self._lock:
            if not self.cancelled:
                self._stops.append(stop)
            return not self.cancelled

    def remove(self, stop: Callable[[], None]) -> None:
        """Unregister `stop`; call this when the work has ended."""
        with self._lock:
            if stop in self._stops:
                self._stops.remove(stop)


CALLER: ContextVar[str] = ContextVar("graphground_caller", default="")
"""The name of the client; empty in a program with a single client (stdio, the command line)."""
CANCELLATION: ContextVar[Cancellation | None] = ContextVar("graphground_cancellation", default=None)
PROGRESS: ContextVar[CallProgress | None] = ContextVar("graphground_progress", default=None)


@contextmanager
def calling_as(caller: str) -> Iterator[None]:
    """Attribute all queries inside the block to the client called `caller`; limits are per client."""
    token = CALLER.set(caller)
    try:
        yield
    finally:
        CALLER.reset(token)


@contextmanager
def cancellable() -> Iterator[Cancellation]:
    """Yield a token; cancelling it terminates all queries that run inside the block."""
    cancellation = Cancellation()
    token = CANCELLATION.set(cancellation)
    try:
        yield cancellation
    finally:
        CANCELLATION.reset(token)


@contextmanager
def watched() -> Iterator[CallProgress]:
    """Yield an object that shows the current stage of the work inside the block."""
    progress = CallProgress()
    token = PROGRESS.set(progress)
    try:
        yield progress
    finally:
        PROGRESS.reset(token)


def report_stage(stage: str) -> None:
    """Record the stage that begins now; does nothing outside a `watched` block."""
    progress = PROGRESS.get()
    if progress is not None:
        progress.stage = stage


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
