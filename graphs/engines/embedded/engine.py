"""A graph on the embedded engine, as the rest of the program sees it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.embedded.launcher import ensure_engine, kill_engine
from graphground.graphs.engines.embedded.state import EngineState, still_runs, used_file
from graphground.graphs.engines.engine import Capabilities, EngineBusy, EngineUnavailable, EngineUnreachable
from graphground.graphs.engines.errors import timed_out
from graphground.graphs.engines.table import Table
from graphground.graphs.storage.home import Home

if TYPE_CHECKING:
    from graphground.cypher.tree import Query

TOUCH_SECONDS = 1.0
ATTEMPTS = 6
BREAKS = 2
RAN = 0.1
"""Seconds from which a query that was cut off is known to have run; a connection that is dead already fails sooner."""


class EmbeddedEngine:
    """`EmbeddedEngine(Home.default(), "nba-5f0c21aa").run("MATCH (n) RETURN count(n)")`.

    The process behind it is started when it is first needed, and again when it died or had to be killed.
    """

    def __init__(self, home: Home, database: str, **bolt: Any) -> None:
        self._home, self._database, self._bolt_options = home, database, bolt
        self._lock = threading.Lock()
        self._bolt: BoltEngine | None = None
        self._state: EngineState | None = None
        self._touched = 0.0
        self._closed = False

    def run(self, query: str | Query, parameters: Mapping[str, Any] | None = None, *,
            limit: int | None = None, timeout: float | None = None) -> Table:
        """Run one reading query; again on a new process when the old one went away under it."""
        bolt, broken, left, ran = self._connected(None), 0, timeout, False
        for _ in range(ATTEMPTS):
            begun = time.monotonic()
            try:
                return bolt.run(query, parameters, limit=limit, timeout=left)
            except EngineUnreachable:
                pass
            except EngineUnavailable:
                broken += 1
                if broken > BREAKS:  # it may be this very query that ends the engine
                    raise
            ran = ran or time.monotonic() - begun > RAN
            bolt = self._connected_by(bolt, left - (time.monotonic() - begun) if ran and left is not None else None)
            if ran and left is not None:
                left -= time.monotonic() - begun
                if left <= 0:
                    raise timed_out(timeout)
        return bolt.run(query, parameters, limit=limit, timeout=left)

    def stream(self, query: str, parameters: Mapping[str, Any] | None = None) -> Iterator[list[Any]]:
        """The rows of a reading query one after the other, however many: for exports, not for answers."""
        yield from self._connected(None).stream(query, parameters)

    def warm(self) -> None:
        """Start the process in good time, so that the first query does not wait for it."""
        self._connected(None)

    def explain(self, query: str, parameters: Mapping[str, Any] | None = None) -> None:
        """Compile without running."""
        self.run(f"EXPLAIN {query}", parameters, limit=0, timeout=30)

    def cancel(self) -> None:
        """End all queries that run through this engine."""
        bolt = self._bolt
        if bolt is not None:
            bolt.cancel()

    def transaction_mark(self) -> str | None:
        """None: only the loader writes, and what it has loaded is opened anew."""
        return None

    def capabilities(self) -> Capabilities:
        """What the engine can do; whether it refuses a write is tried."""
        return self._connected(None).capabilities()

    def close(self) -> None:
        """Give back the connections; the process stays for others, and ends when it is idle."""
        with self._lock:
            self._closed = True
            if self._bolt is not None:
                self._bolt.close()
                self._bolt = None

    def _connected_by(self, broken: BoltEngine, seconds: float | None) -> BoltEngine:
        """The same for a query that was cut off: it does not wait longer for a new process than it may take itself."""
        if seconds is None:
            return self._connected(broken)
        ended: Future[BoltEngine] = Future()

        def connect() -> None:
            try:
                ended.set_result(self._connected(broken))
            except BaseException as error:
                ended.set_exception(error)

        threading.Thread(target=connect, name="graphground-reconnect", daemon=True).start()
        try:
            return ended.result(max(0.0, seconds))
        except TimeoutError:
            raise EngineBusy("The engine was started again in the middle of this query, which has no time left; "
                             "try again in a moment.") from None

    def _connected(self, broken: BoltEngine | None) -> BoltEngine:
        """The connection to the living process; `broken` is the one that just failed."""
        self._touch()
        with self._lock:
            if self._bolt is not None and self._bolt is not broken:
                return self._bolt
            self._closed = False
            if self._bolt is not None:
                self._bolt.close()
                self._bolt = None
            state = ensure_engine(self._home)
            uri, database = f"bolt://127.0.0.1:{state.port}", self._database
            self._state = state
            self._bolt = BoltEngine(
                BoltAddress(uri, "reader", state.reader, database),
                administrator=BoltAddress(uri, "root", state.root, database),
                check=lambda: self._check(state.instance),
                last_resort=lambda: self._kill(state.instance), **self._bolt_options)
            return self._bolt

    def _check(self, instance: str) -> None:
        """Make sure that the engine still holds its port before a password goes there: any process may listen on it."""
        if not still_runs(self._home, instance):
            raise EngineUnreachable("The engine process is gone; a new one is started.")

    def _kill(self, instance: str) -> None:
        """Nobody waits for a query any more that goes on although it was told to end: end the process.

        ArcadeDB does not look everywhere whether a query is to end (`reduce`, list comprehensions, `any`), and Java has
        no other way to stop a thread. What other clients ask is asked again, of the next process.
        """
        if not self._closed:
            kill_engine(self._home, instance)

    def _touch(self) -> None:
        """Tell the process now and then that it is used."""
        now = time.monotonic()
        if now - self._touched > TOUCH_SECONDS:
            self._touched = now
            used = used_file(self._home)
            if used.exists():
                os.utime(used)
