"""The engine of a graph in the data folder: a connection to the engine process, which is started when it is needed."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any

from graphground.cypher.tree import Query
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine, asks_for_plan
from graphground.graphs.engines.embedded.launcher import (
    EXPORTER,
    SCRATCH_DATABASE,
    EngineState,
    ensure_engine,
    kill_engine,
    lifetime,
    start_in_background,
    still_runs,
    used_file,
)
from graphground.graphs.engines.engine import (
    Capabilities,
    EngineBusy,
    EngineUnavailable,
    EngineUnreachable,
    QueryFailed,
    QueryTimeout,
    Table,
    timed_out,
)
from graphground.graphs.storage.home import Home

TOUCH_SECONDS = 1.0
MAX_ATTEMPTS = 6
MAX_BREAKS = 2
"""The number of times that the engine may end during one query, unless it was killed for another query."""
RUNNING_SECONDS = 0.1
"""The time in seconds after which a query is assumed to have started. A connection that was dead before the query was
sent fails sooner."""
RESTARTED = "The engine restarted during this query, which has no time left; try again in a moment."
ENDED_BY_QUERY = (
    f"The engine process ended {MAX_BREAKS + 1} times while it ran this query, which may need more memory than the engine "
    "has. Narrow it: fewer rows before collect() or reduce, shorter ranges, smaller values."
)
TOO_DEEP = (
    f"The engine closed the connection {MAX_BREAKS + 1} times while it ran this query, which nests more deeply than the "
    "engine supports. Write it with less nesting: a reduce that puts its list into another list in each round nests one "
    "level deeper per round."
)
"""The error message for a query whose nesting overflows the stack of a Java thread; the process survives."""
READ_ONLY = "read only database"
"""Part of ArcadeDB's message for queries that it regards as writes, including all queries that it cannot compile."""
SCRATCH_SECONDS = 2.0
"""Seconds to wait for the scratch database, which may still be missing shortly after the start of an engine process."""
MIN_LIFE_SECONDS = 10.0
"""The least age, in seconds, at which the process is killed for a query that it cannot terminate.

Otherwise a caller who sends one such query after another would keep the process restarting, and nobody would be served.
"""
_killed: set[str] = set()
"""Addresses of the engine processes that this program has killed."""


class EmbeddedEngine:
    """The engine of one graph: `EmbeddedEngine(Home.default(), "nba-5f0c21aa").run("MATCH (n) RETURN count(n)")`.

    A data folder has one engine process, which serves all its graphs and all programs. It is started when it is first
    needed, and again after it has died or been killed. ArcadeDB does not check for termination everywhere (`reduce`,
    list comprehensions, `any`), and Java has no other way to stop a thread: if a query cannot be terminated, the
    process is killed, and the queries of other callers run again on the next process.
    """

    def __init__(self, home: Home, database: str) -> None:
        self._home, self._database = home, database
        self._lock = threading.Lock()
        self._bolt: BoltEngine | None = None
        self._touched = 0.0
        self._instance = ""
        """The identifier of the engine process at the other end of the connection."""
        self._closed = False

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run one read-only query; if the process ends meanwhile, retry on a new process.

        Raises:
            EngineBusy: the process restarted and the query has no time left.
        """
        bolt, broken, left, has_run = self._connected(None), 0, timeout, False
        instance = self._instance
        for _ in range(MAX_ATTEMPTS):
            start = time.monotonic()
            try:
                return bolt.run(query, parameters, limit=limit, timeout=left)
            except QueryTimeout:
                raise timed_out(timeout) from None  # report the requested limit, not the time left for this attempt
            except QueryFailed as error:
                if READ_ONLY not in str(error):
                    raise
                return self._explained(bolt, query, parameters, error)
            except EngineUnreachable:
                pass
            except EngineUnavailable as error:
                broken += bolt.address.uri not in _killed
                if broken > MAX_BREAKS:  # this query itself probably ends the engine
                    if "defunct" in str(error):
                        lives = still_runs(self._home, instance)
                        raise QueryFailed(TOO_DEEP if lives else ENDED_BY_QUERY, "Engine.Ended") from None
                    raise
            # A query that had begun may spend only the rest of its time on the restart and the next attempt.
            has_run = has_run or time.monotonic() - start > RUNNING_SECONDS
            rest = left - (time.monotonic() - start) if has_run and left is not None else None
            bolt = self._reconnected(bolt, rest)
            if has_run and left is not None:
                left -= time.monotonic() - start
                if left <= 0:
                    raise timed_out(timeout)
        return bolt.run(query, parameters, limit=limit, timeout=left)

    def stream(self, query: str, parameters: Mapping[str, Any] | None = None) -> Iterator[list[Any]]:
        """Stream the rows of a read-only query without a row or time limit; meant for exports."""
        state = ensure_engine(self._home)
        address = BoltAddress(f"bolt://127.0.0.1:{state.port}", EXPORTER, state.reader, self._database)
        bolt = BoltEngine(address, check=partial(self._check, state.instance))
        try:
            yield from bolt.stream(query, parameters)
        finally:
            bolt.close()

    def cancel(self) -> None:
        """Terminate all queries that run through this engine."""
        bolt = self._bolt
        if bolt is not None:
            bolt.cancel()

    def transaction_mark(self) -> str | None:
        """Return None: the data of a loaded graph never change, since a new load is opened as a new database."""
        return None

    def capabilities(self) -> Capabilities:
        """Return the engine's capabilities; its trial write is made only once."""
        known = self._connected(None).capabilities()
        # Every node that was loaded here has the key under which the entity index knows it.
        return replace(known, dialect=replace(known.dialect, by_id="n.eid = $key"))

    def close(self) -> None:
        """Close the connections. The process continues to serve other servers, and stops when idle."""
        with self._lock:
            self._closed = True
            if self._bolt is not None:
                self._bolt.close()
                self._bolt = None

    def _explained(
        self, bolt: BoltEngine, query: str | Query, parameters: Mapping[str, Any] | None, refusal: QueryFailed
    ) -> Table:
        """Return the plan of a query with EXPLAIN or PROFILE; for any other query, raise the error of its compilation.

        Read-only databases return neither plans nor reasons, so the empty scratch database compiles the query. If a
        query without EXPLAIN or PROFILE compiles there, the error is `refusal`, which the original database returned.
        """
        until = time.monotonic() + SCRATCH_SECONDS
        while True:
            try:
                plan = bolt.plan(query, parameters, SCRATCH_DATABASE)
                break
            except EngineUnavailable:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
        if asks_for_plan(query):
            return plan
        raise refusal

    def _reconnected(self, broken: BoltEngine, seconds: float | None) -> BoltEngine:
        """Return a connection that replaces a broken one within `seconds`; None means without a time limit.

        Raises:
            EngineBusy: the time is not enough; the connection is made in the background.
        """
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
            raise EngineBusy(RESTARTED) from None

    def _connected(self, broken: BoltEngine | None) -> BoltEngine:
        """Return a connection to the running process; `broken` is a connection that has failed and is replaced."""
        now = time.monotonic()
        if now - self._touched > TOUCH_SECONDS:
            self._touched = now
            used = used_file(self._home)
            if used.exists():
                os.utime(used)
        bolt = self._bolt
        if bolt is not None and bolt is not broken:
            return bolt
        with self._lock:
            if self._bolt is not None and self._bolt is not broken:
                return self._bolt
            self._closed = False
            if self._bolt is not None:
                self._bolt.close()
                self._bolt = None
            state = ensure_engine(self._home)
            self._instance = state.instance
            uri, database = f"bolt://127.0.0.1:{state.port}", self._database
            self._bolt = BoltEngine(
                BoltAddress(uri, "reader", state.reader, database),
                administrator=BoltAddress(uri, "root", state.root, database),
                check=partial(self._check, state.instance),
                last_resort=partial(self._kill, state.instance),
            )
            return self._bolt

    def _check(self, instance: str) -> None:
        """Raise an error, before a password is sent, if the engine process no longer owns its port."""
        if not still_runs(self._home, instance):
            raise EngineUnreachable("The engine process has ended; a new one is being started.")

    def _kill(self, instance: str) -> bool:
        """Kill the process, because a query continues although it was terminated; return whether nothing is left to do.

        The result is False while the process is younger than `MIN_LIFE_SECONDS`; the query may still end by itself.
        """
        if self._closed or not still_runs(self._home, instance):
            return True
        if lifetime(self._home) < MIN_LIFE_SECONDS:
            return False
        state = EngineState.read(self._home)
        if state is not None and state.instance == instance:
            _killed.add(f"bolt://127.0.0.1:{state.port}")
        kill_engine(self._home, instance)
        start_in_background(self._home)  # the next process now, so that the next caller waits less
        return True
