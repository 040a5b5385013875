"""One graph on one engine process: connecting to it, again when it went away, and killing it for a query.

Two processes may serve a data folder, each in its own folder (`Home.engine`): they open the databases read-only,
so they can do so at once.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.deadlines import DEADLINES
from graphground.graphs.engines.embedded.launcher import ensure_engine, kill_engine
from graphground.graphs.engines.embedded.quarantine import QUARANTINE
from graphground.graphs.engines.embedded.state import EngineState, lifetime, scratch_database, still_runs, used_file
from graphground.graphs.engines.engine import (
    EngineBusy,
    EngineError,
    EngineUnavailable,
    EngineUnreachable,
    QueryFailed,
    QueryTimeout,
)
from graphground.graphs.engines.errors import timed_out
from graphground.graphs.engines.plans import asks_for_plan
from graphground.graphs.engines.table import Table
from graphground.graphs.storage.home import Home

if TYPE_CHECKING:
    from graphground.cypher.tree import Query

TOUCH_SECONDS = 1.0
ATTEMPTS = 6
BREAKS = 2
RAN = 0.1
"""Seconds from which a query that was cut off is known to have run; a connection that is dead already fails sooner."""
READ_ONLY = "read only database"
"""What ArcadeDB says of a query that it takes for one that may write, and that is each query it cannot compile."""
SCRATCH_SECONDS = 2.0
"""Seconds for which a process that has just started may have no scratch database yet."""
LEAST_LIFE = 10.0
"""Seconds that a process that many use lives at least, whatever query it could not end."""
MOST_ABANDONED = 4
"""How many queries that it could not end it may carry on with."""


class Lane:
    """`Lane(Home.default(), "nba-5f0c21aa", apart=False)`.

    The process behind it is started when it is first needed, and again when it died or had to be killed. One that
    serves queries `apart` is killed at once for a query that does not end; the other, which many use, not before it
    has lived for `LEAST_LIFE` seconds, unless `MOST_ABANDONED` such queries run on it.
    """

    def __init__(self, home: Home, database: str, *, apart: bool, **bolt: Any) -> None:
        self._home, self._database, self._apart, self._bolt_options = home, database, apart, bolt
        self._lock = threading.Lock()
        self._bolt: BoltEngine | None = None
        self._touched = 0.0
        self._closed = False
        self._abandoned: Counter[str] = Counter()

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run one reading query; again on a new process when the old one went away under it."""
        bolt, broken, left, ran = self._connected(None), 0, timeout, False
        for _ in range(ATTEMPTS):
            begun = time.monotonic()
            try:
                return bolt.run(query, parameters, limit=limit, timeout=left)
            except QueryTimeout:
                raise timed_out(timeout) from None  # the limit that was asked for, not what was left of it
            except QueryFailed as error:
                if READ_ONLY not in str(error):
                    raise
                return self._explained(bolt, query, parameters, error)
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

    def explain(self, query: str) -> None:
        """Compile without running."""
        self._explained(self.connected(), f"EXPLAIN {query}", None, None)

    def _explained(
        self, bolt: BoltEngine, query: str | Query, parameters: Mapping[str, Any] | None, refusal: QueryFailed | None
    ) -> Table:
        """The plan of an EXPLAIN, else why a query does not compile: read-only databases tell neither.

        The empty scratch database of the process does; where it compiles the query, the `refusal` stands.
        """
        prefixed = asks_for_plan(query)
        until = time.monotonic() + SCRATCH_SECONDS
        while True:
            try:
                plan = bolt.explained(query, parameters, scratch_database(self._home), "" if prefixed else "EXPLAIN ")
            except EngineUnavailable:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
                continue
            if prefixed or refusal is None:
                return plan
            raise refusal

    def connected(self) -> BoltEngine:
        """The connection; the process is started if none lives."""
        return self._connected(None)

    def cancel(self) -> None:
        """End all queries that run through this engine."""
        bolt = self._bolt
        if bolt is not None:
            bolt.cancel()

    def close(self) -> None:
        """Close the connections; the process stays for other servers, and stops when idle."""
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
            raise EngineBusy(
                "The engine restarted during this query, which has no time left; try again in a moment."
            ) from None

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
            self._bolt = BoltEngine(
                BoltAddress(uri, "reader", state.reader, database),
                administrator=BoltAddress(uri, "root", state.root, database),
                check=partial(self._check, state.instance),
                last_resort=partial(self._kill, state.instance),
                **self._bolt_options,
            )
            return self._bolt

    def _check(self, instance: str) -> None:
        """Make sure that the engine still holds its port before a password goes there: any process may listen on it."""
        if not still_runs(self._home, instance):
            raise EngineUnreachable("The engine process has ended; a new one is being started.")

    def _kill(self, instance: str, caller: str) -> None:
        """End the process for a query that goes on although it was terminated.

        ArcadeDB does not look everywhere whether a query is to end (`reduce`, list comprehensions, `any`), and Java has
        no other way to stop a thread. What other clients ask is asked again, of the next process.
        """
        if self._closed:
            return
        QUARANTINE.strike(caller, surprise=not self._apart)
        state = EngineState.read(self._home)
        if state is None or state.instance != instance:
            return
        self._abandoned[instance] += 1
        left = 0.0 if self._apart else LEAST_LIFE - lifetime(self._home)
        if left <= 0 or self._abandoned[instance] >= MOST_ABANDONED:
            self._replace(instance)
        else:
            DEADLINES.add(left, partial(self._replace, instance))

    def _replace(self, instance: str) -> None:
        if self._closed:
            return
        kill_engine(self._home, instance)
        if not self._apart:
            # So that the next caller waits for less; DEADLINES gives each callback a thread of its own.
            DEADLINES.add(0.0, self._start)

    def _start(self) -> None:
        with suppress(EngineError):  # reported again, in words, to the next caller
            ensure_engine(self._home)

    def _touch(self) -> None:
        """Tell the process now and then that it is used."""
        now = time.monotonic()
        if now - self._touched > TOUCH_SECONDS:
            self._touched = now
            used = used_file(self._home)
            if used.exists():
                os.utime(used)
