"""The statistics of an open graph: read from disk at first use, or computed in the background.

Only `wait` and `stop` block: `now` returns the available statistics and starts computing missing ones.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.client_context import CANCELLATION, Cancellation
from graphground.graphs.engines.engine import Engine, EngineError, QueryCancelled
from graphground.graphs.schemas.statistics.model import Statistics, read_statistics, write_statistics
from graphground.graphs.schemas.statistics.queried import query_statistics

MOST_SHARE = 0.05
"""The largest share of the time that may be spent recomputing statistics of a continuously changing database."""
RETRY_SECONDS = 60.0
CLOSING_SECONDS = 5.0
logger = logging.getLogger(__name__)


class LiveStatistics:
    """The statistics of one graph: `LiveStatistics("films", engine, lambda: (schema, None), path).now()`.

    `mark` returns a value that changes with the data, or None for data that never change. `complete` returns the
    complete schema, waiting for it if necessary, and the mark of the data when that schema was read. Statistics with an
    outdated mark are computed again in the background.
    """

    def __init__(
        self,
        name: str,
        engine: Engine,
        complete: Callable[[], tuple[PropertyGraphSchema, str | None]],
        path: Path,
        mark: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._name, self._engine, self._complete, self._path, self._mark = name, engine, complete, path, mark
        self._facts: Statistics | None = None
        self._opened = False
        self._earliest = 0.0
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._cancellation = Cancellation()
        self.thread: threading.Thread | None = None

    def now(self, *, fresh: bool = False) -> Statistics | None:
        """Return the available statistics, which may be provisional; None if there are none.

        With `fresh`, the result is also None if the statistics are outdated. Missing, provisional and outdated
        statistics are computed in the background, but not again shortly after the last computation.
        """
        if not self._opened:
            with self._lock:
                self._facts = self._facts or read_statistics(self._path)
                self._opened = True
        if self.stale:
            self._begin()
            return None if fresh else self._facts
        if self._facts is not None and self._facts.provisional:
            self._begin()  # unless the counting still runs
        return self._facts

    @property
    def stale(self) -> bool:
        """Whether there are no statistics yet, or the database is known to have changed since they were computed."""
        if self._facts is None:
            return True
        mark = self._mark()
        return mark is not None and mark != self._facts.mark

    def wait(self, seconds: float) -> Statistics | None:
        """Return the statistics after waiting up to `seconds` for a running computation; None if there are none yet.

        Tests and commands use this method.
        """
        facts = self.now(fresh=True)
        if (facts is None or facts.provisional) and self.thread is not None:
            self.thread.join(seconds)
            facts = self._facts
        return facts

    def stop(self) -> None:
        """Stop the background computation and its queries, waiting up to `CLOSING_SECONDS` for them to end."""
        self._stopped.set()
        until = time.monotonic() + CLOSING_SECONDS
        for thread in (*self._cancellation.cancel(), *([self.thread] if self.thread is not None else [])):
            thread.join(max(0.0, until - time.monotonic()))

    def _begin(self) -> None:
        with self._lock:
            reading = self.thread is not None and self.thread.is_alive()
            if reading or self._stopped.is_set() or time.monotonic() < self._earliest:
                return
            self.thread = threading.Thread(target=self._read, name=f"statistics of {self._name}", daemon=True)
            self.thread.start()

    def _publish(self, facts: Statistics) -> None:
        """Use provisional statistics until the complete ones are read, unless the statistics in use are up to date."""
        if not self._cancellation.cancelled and self.stale:
            self._facts = facts

    def _read(self) -> None:
        CANCELLATION.set(self._cancellation)
        try:
            schema, mark = self._complete()
            begin = time.monotonic()
            facts = query_statistics(self._engine, schema, mark=mark, brief=True)
            if facts.provisional:
                self._publish(facts)
                facts = query_statistics(self._engine, schema, mark=mark)
        except QueryCancelled:
            return  # the graph is being closed
        except Exception as error:  # a database or a proxy may return rows of an unexpected form
            self._earliest = time.monotonic() + RETRY_SECONDS
            if not self._cancellation.cancelled:
                known = isinstance(error, (EngineError, OSError))
                reason = error if known else f"the database returned an unreadable answer: {type(error).__name__}"
                logger.warning("the statistics of %s could not be read: %s", self._name, reason)
            return
        if self._cancellation.cancelled:
            return
        self._facts = facts
        self._earliest = time.monotonic() + (time.monotonic() - begin) / MOST_SHARE
        try:
            write_statistics(self._path, facts)
        except OSError as error:
            logger.warning("the statistics of %s could not be stored: %s", self._name, error)
