"""Deadlines of all queries of the process: a single thread waits for them, and starts a callback at each deadline."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from itertools import count


class Deadlines:
    """Functions that are called at deadlines: `handle = DEADLINES.add(30.0, end_query)`, then `DEADLINES.drop(handle)`.

    Each callback runs on its own thread, so that a callback that blocks does not delay the others.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[float, int]] = []
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._numbers = count()
        self._thread: threading.Thread | None = None

    def add(self, seconds: float, callback: Callable[[], None]) -> int:
        """Call `callback` after `seconds`; calling `drop` with the returned handle before then prevents this."""
        with self._changed:
            number = next(self._numbers)
            due = time.monotonic() + seconds
            soonest = not self._waiting or due < self._waiting[0][0]
            heapq.heappush(self._waiting, (due, number))
            self._callbacks[number] = callback
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="graphground-deadlines", daemon=True)
                self._thread.start()
            elif soonest:
                self._changed.notify()
            return number

    def drop(self, handle: int) -> bool:
        """Drop a deadline; return False if its callback has already been called, or if it was dropped before."""
        with self._changed:
            return self._callbacks.pop(handle, None) is not None

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._waiting and self._waiting[0][1] not in self._callbacks:
                    heapq.heappop(self._waiting)
                wait = self._waiting[0][0] - time.monotonic() if self._waiting else None
                if wait is None or wait > 0:
                    self._changed.wait(wait)
                    continue
                callback = self._callbacks.pop(heapq.heappop(self._waiting)[1])
            threading.Thread(target=callback, name="graphground-deadline", daemon=True).start()


DEADLINES = Deadlines()
