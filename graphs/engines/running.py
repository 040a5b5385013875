"""One running query, which is terminated at its deadline or when its caller disconnects."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType

from graphground.graphs.engines.cancellation import CURRENT
from graphground.graphs.engines.deadlines import DEADLINES

GRACE = 0.8
"""Seconds to wait for a query to end after its termination was requested, before `abandon` is called."""
ENDING_SECONDS = 5.0
"""The longest wait, in seconds, for a termination in progress before the query's connection is used again."""
AGAIN = 0.1
"""Seconds between attempts to terminate a query; at the first, the database may not have received the query yet."""


class RunningQuery:
    """A query with a deadline, in seconds: `with RunningQuery(30.0, terminate, abandon) as running: …`

    After the deadline or a cancellation, `terminate()` is called repeatedly until the block is left; it ends the query
    in the database. If the block has not been left `GRACE` seconds later, `abandon()` is called; it must make the
    caller stop waiting whatever the database does. It is called once, even if both the deadline passes and the caller
    cancels. Both functions run on separate threads, so a database that does not
    even respond to `terminate` delays no other query.
    """

    def __init__(self, timeout: float | None, terminate: Callable[[], None], abandon: Callable[[], None]) -> None:
        self.stopped, self.cancelled, self.abandoned = False, False, False
        self._terminate, self._timeout, self._abandon = terminate, timeout, abandon
        self._over = threading.Event()
        self._terminating, self._abandoning = threading.Lock(), threading.Lock()
        self._cancellation = CURRENT.get()
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
        if not self.abandoned and self._terminating.acquire(timeout=ENDING_SECONDS):
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
        self._handles.append(DEADLINES.add(GRACE, self._give_up))
        while not self._over.is_set():
            # If an attempt fails, the query continues until the next attempt, or the caller stops waiting.
            with self._terminating, suppress(Exception):
                if not self._over.is_set():
                    self._terminate()
            self._over.wait(AGAIN)

    def _give_up(self) -> None:
        with self._abandoning:
            if self.abandoned or self._over.is_set():
                return
            self.abandoned = True
        self._abandon()
