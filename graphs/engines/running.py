"""One running query: how it is ended at its deadline, or when whoever asked for it goes away."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

from graphground.graphs.engines.cancellation import CURRENT
from graphground.graphs.engines.deadlines import DEADLINES

GRACE = 0.5
"""Seconds that a database gets to end a query that it was told to end."""
AGAIN = 0.1


class RunningQuery:
    """`with RunningQuery(30.0, terminate, abandon) as running: …`

    `terminate()` ends it in the database; it is called again until the block is left. After `GRACE` seconds
    `last_resort` is called once, which must make the waiting end whatever the database does.
    """

    def __init__(self, timeout: float | None, terminate: Callable[[], None],
                 last_resort: Callable[[], None]) -> None:
        self.stopped, self.cancelled = False, False
        self._terminate, self._timeout, self._last_resort = terminate, timeout, last_resort
        self._over = threading.Event()
        self._cancellation = CURRENT.get()
        self._handle = -1

    def __enter__(self) -> RunningQuery:
        if self._timeout is not None:
            self._handle = DEADLINES.add(self._timeout, self._stop)
        if self._cancellation is not None and not self._cancellation.add(self._cancel):
            self.stopped = self.cancelled = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._over.set()
        if self._timeout is not None:
            DEADLINES.drop(self._handle)
        if self._cancellation is not None:
            self._cancellation.remove(self._cancel)

    def _cancel(self) -> None:
        self.cancelled = True
        self._stop()

    def _stop(self) -> None:
        self.stopped = True
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline:
            with suppress(Exception):  # whatever it is, the query runs on: the next try or the last resort ends it
                self._terminate()
            if self._over.wait(AGAIN):
                return
        if not self._over.is_set():
            self._last_resort()
