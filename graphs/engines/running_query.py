"""One running query, which is terminated at its deadline or when its caller disconnects."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from types import TracebackType

from graphground.graphs.engines.client_context import CANCELLATION

GRACE_SECONDS = 0.8
"""Seconds to wait for a query to end after its termination was requested, before `abandon` is called."""
MAX_TERMINATION_SECONDS = 5.0
"""The longest wait, in seconds, for a termination in progress before the query's connection is used again."""
RETRY_SECONDS = 0.1
"""Seconds between attempts to terminate a query; at the first, the database may not have received the query yet."""


class Deadlines:
    """Functions that are called at deadlines: `handle = DEADLINES.add(30.0, end_query)`, then `DEADLINES.drop(handle)`.

    A single thread waits for all deadlines of the process. Each callback runs on its own thread, so that a callback
    that blocks does not delay the others.
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


class RunningQuery:
    """A query with a deadline, in seconds: `with RunningQuery(30.0, terminate, abandon) as running: …`

    After the deadline or a cancellation, `terminate()` is called repeatedly until the block is left; it ends the query
    in the database. If the block has not been left `GRACE_SECONDS` later, `abandon()` is called once; it must make the
    caller stop waiting whatever the database does. Both functions run on separate threads, so a database that does not
    even respond to `terminate` delays no other query.
    """

    def __init__(self, timeout: float | None, terminate: Callable[[], None], abandon: Callable[[], None]) -> None:
        self.stopped, self.cancelled, self.abandoned = False, False, False
        self._terminate, self._timeout, self._abandon = terminate, timeout, abandon
        self._over = threading.Event()
        self._terminating, self._abandoning = threading.Lock(), threading.Lock()
        self._cancellation = CANCELLATION.get()
        self._handles: list[int] = []

    def __enter__(self) -> RunningQuery:
        if self._timeout is not None:
            self._handles.append(DEADLINES.add(self._timeout, self._stop))
        if self._cancellation is not None and not self._cancellation.add(self.cancel):
            self.stopped = self.cancelled = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        for handle in list(self._handles):
            DEADLINES.drop(handle)
        # Wait for a termination in progress, which might otherwise hit the next query on this connection.
        if not self.abandoned and self._terminating.acquire(timeout=MAX_TERMINATION_SECONDS):
            self._terminating.release()
        if self._cancellation is not None:
            self._cancellation.remove(self.cancel)

    def may_begin(self) -> bool:
        """Whether the query may be sent: False if its caller has cancelled or its deadline has passed."""
        return not self.stopped

    def cancel(self) -> None:
        """Terminate the query now; return when the block has been left."""
        self.cancelled = True
        self._stop()

    def _stop(self) -> None:
        self.stopped = True
        self._handles.append(DEADLINES.add(GRACE_SECONDS, self._give_up))
        while not self._over.is_set():
            # If an attempt fails, the query continues until the next attempt, or the caller stops waiting.
            with self._terminating, suppress(Exception):
                if not self._over.is_set():
                    self._terminate()
            self._over.wait(RETRY_SECONDS)

    def _give_up(self) -> None:
        with self._abandoning:
            if self.abandoned or self._over.is_set():
                return
            self.abandoned = True
        self._abandon()
