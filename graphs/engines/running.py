"""One running query: how it is ended at its deadline, or when whoever asked for it goes away."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

from graphground.graphs.engines.cancellation import CURRENT
from graphground.graphs.engines.deadlines import DEADLINES

GRACE = 0.5
"""Seconds that a database gets to end a query that it was told to end."""
AGAIN = 0.1


class RunningQuery:
    """`with RunningQuery(tag, engine.terminate, 30.0, None) as running: …`

    `terminate(tag)` ends it in the database and says whether it was there; it is told again until the block
    is left. After `GRACE` seconds `last_resort` is called once.
    """

    def __init__(self, tag: str, terminate: Callable[[str], bool], timeout: float | None,
                 last_resort: Callable[[], None] | None) -> None:
        self.tag, self.stopped, self.cancelled = tag, False, False
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
        tries = int(GRACE / AGAIN)
        for _ in range(tries):
            with suppress(Exception):  # whatever it is, the query runs on: the next try or the last resort ends it
                self._terminate(self.tag)
            if self._over.wait(AGAIN):
                return
        if self._last_resort is not None and not self._over.is_set():
            self._last_resort()
