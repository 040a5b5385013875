"""Cancellation of a running query by its caller.

    >>> with cancellable() as cancellation:
    ...     pass  # engine.run(…) here; cancellation.cancel() from any thread ends it in the database

A context variable holds the token, so that it reaches engines through worker threads that copy the context.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


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


CURRENT: ContextVar[Cancellation | None] = ContextVar("graphground_cancellation", default=None)


@contextmanager
def cancellable() -> Iterator[Cancellation]:
    """Yield a token; cancelling it terminates all queries that run inside the block."""
    cancellation = Cancellation()
    token = CURRENT.set(cancellation)
    try:
        yield cancellation
    finally:
        CURRENT.reset(token)
