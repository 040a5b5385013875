"""Lane: the connection of one graph to one engine process.

A lane connects again when the process ends, and kills the process if a query cannot be terminated. Two processes may
serve a data folder at once, each in its own folder (`Home.engine`), because both open the databases read-only.
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

from graphground.graphs.engines.abandoned import Abandoned
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.deadlines import DEADLINES
from graphground.graphs.engines.embedded.launcher import ensure_engine, kill_engine
from graphground.graphs.engines.embedded.may_not_end import may_not_end
from graphground.graphs.engines.embedded.quarantine import QUARANTINE
from graphground.graphs.engines.embedded.state import EngineState, lifetime, scratch_database, still_runs, used_file
from graphground.graphs.engines.engine import (
    EngineBusy,
    EngineError,
    EngineUnavailable,
    EngineUnreachable,
    QueryFailed,
    QueryTimeout,
    timed_out,
)
from graphground.graphs.engines.plans import asks_for_plan
from graphground.graphs.engines.slots import Slots
from graphground.graphs.engines.table import Table
from graphground.graphs.storage.home import Home

if TYPE_CHECKING:
    from graphground.cypher.tree import Query

SLOTS, SLOTS_APART = max(8, 4 * (os.cpu_count() or 1)), 4
TOUCH_SECONDS = 1.0
ATTEMPTS = 6
BREAKS = 2
START_SECONDS_APART = 10.0
"""The longest wait, in seconds, for the second engine process to start; it takes about 1.5 s."""
STARTING = "The second engine process, which runs queries that may have to be killed, is still starting; try again in a moment."
RESTARTED = "The engine restarted during this query, which has no time left; try again in a moment."
RUNNING_SECONDS = 0.1
"""The time in seconds after which a query is assumed to have started. A connection that was dead before the query was
sent fails sooner."""
ENDED_BY_QUERY = (
    f"The engine process ended {BREAKS + 1} times while it ran this query, which may need more memory than the engine has. "
    "Narrow it: fewer rows before collect() or reduce, shorter ranges, smaller values."
)
TOO_DEEP = (
    f"The engine closed the connection {BREAKS + 1} times while it ran this query, which nests more deeply than the engine "
    "supports. Write it with less nesting: a reduce that puts its list into another list in each round nests one level "
    "deeper per round."
)
"""The error message for a query whose nesting overflows the stack of a Java thread; the process survives."""
READ_ONLY = "read only database"
"""Part of ArcadeDB's message for queries that it regards as writes, including all queries that it cannot compile."""
SCRATCH_SECONDS = 2.0
"""Seconds to wait for the scratch database, which may still be missing shortly after the start of an engine process."""
LEAST_LIFE = 10.0
"""The minimum age, in seconds, at which a shared process is killed because it cannot terminate a query."""
MOST_ABANDONED = 4
"""The number of failed terminations after which a shared process is killed even before `LEAST_LIFE`."""
PROOF_SECONDS = 3.0
"""Seconds for which a harmless-looking query may continue after its caller has left, before the process is killed."""


class Lane:
    """The connection to an engine process: `Lane(Home.default(), "nba-5f0c21aa", apart=False)`.

    A data folder has a shared engine process, and a second process for queries that the engine may not be able to
    terminate; `apart` selects the second. Each process is started when it is first needed, and again after it has died
    or been killed. If a query cannot be terminated, its process is killed: the second process at once, the shared
    process when it is at least `LEAST_LIFE` seconds old or has failed to terminate `MOST_ABANDONED` queries. All graphs
    of a data folder share the query slots of each process.
    """

    def __init__(self, home: Home, database: str, *, apart: bool, **bolt: Any) -> None:
        self._home, self._database, self._apart = home, database, apart
        self._bolt_options = {"slots": shared_slots(home, SLOTS_APART if apart else SLOTS, not apart), **bolt}
        self._lock = threading.Lock()
        self._bolt: BoltEngine | None = None
        self._touched = 0.0
        self._instance = ""
        """The identifier of the engine process at the other end of the connection."""
        self._closed = False
        self._abandoned: Counter[str] = Counter()
        self._killed: set[str] = set()
        """Addresses of the engine processes that this lane has killed."""

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run one read-only query; if the process ends meanwhile, retry on a new process."""
        patience = START_SECONDS_APART if self._apart and timeout is not None else None
        bolt, broken, left, has_run = self._connected_by(None, patience, STARTING), 0, timeout, False
        instance = self._instance
        for _ in range(ATTEMPTS):
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
                broken += bolt.address.uri not in self._killed
                if broken > BREAKS:  # this query itself probably ends the engine
                    if "defunct" in str(error):
                        lives = still_runs(self._home, instance)
                        raise QueryFailed(TOO_DEEP if lives else ENDED_BY_QUERY, "Engine.Ended") from None
                    raise
            has_run = has_run or time.monotonic() - start > RUNNING_SECONDS
            rest = left - (time.monotonic() - start) if has_run and left is not None else None
            bolt = self._connected_by(bolt, rest, RESTARTED)
            if has_run and left is not None:
                left -= time.monotonic() - start
                if left <= 0:
                    raise timed_out(timeout)
        return bolt.run(query, parameters, limit=limit, timeout=left)

    def explain(self, query: str) -> None:
        """Compile a query without running it."""
        self._explained(self.connected(), f"EXPLAIN {query}", None, None)

    def _explained(
        self, bolt: BoltEngine, query: str | Query, parameters: Mapping[str, Any] | None, refusal: QueryFailed | None
    ) -> Table:
        """Return the plan of a query with EXPLAIN or PROFILE; for any other query, raise the error of its compilation.

        Read-only databases return neither plans nor reasons, so the empty scratch database compiles the query. If a
        query without EXPLAIN or PROFILE compiles there, the error is `refusal`, which the original database returned.
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
        """Return the connection, after starting the process if necessary."""
        return self._connected(None)

    def cancel(self) -> None:
        """Terminate all queries that run through this lane."""
        bolt = self._bolt
        if bolt is not None:
            bolt.cancel()

    def close(self) -> None:
        """Close the connections. The process continues to serve other servers, and stops when idle."""
        with self._lock:
            self._closed = True
            if self._bolt is not None:
                self._bolt.close()
                self._bolt = None

    def _connected_by(self, broken: BoltEngine | None, seconds: float | None, busy: str) -> BoltEngine:
        """Return a connection within `seconds`; None means without a time limit.

        If the time is not enough, raise `EngineBusy` with the text `busy`, and continue to connect in the background.
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
            raise EngineBusy(busy) from None

    def _connected(self, broken: BoltEngine | None) -> BoltEngine:
        """Return a connection to the running process; `broken` is a connection that has failed and is replaced."""
        self._touch()
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
                **self._bolt_options,
            )
            return self._bolt

    def _check(self, instance: str) -> None:
        """Raise an error, before a password is sent, if the engine process no longer owns its port."""
        if not still_runs(self._home, instance):
            raise EngineUnreachable("The engine process has ended; a new one is being started.")

    def _kill(self, instance: str, abandoned: Abandoned) -> bool:
        """Kill the process if a query continues although it was terminated; return whether nothing is left to do.

        Nothing is left if the process has ended or the lane is closed. Otherwise the query may still end by itself, or
        the process is younger than `LEAST_LIFE`.

        ArcadeDB does not check for termination everywhere (`reduce`, list comprehensions, `any`), and Java has no other
        way to stop a thread. Queries of other clients are retried on the next process.
        """
        if self._closed or not still_runs(self._home, instance):
            return True
        suspect = not isinstance(abandoned.query, str) and may_not_end(abandoned.query)
        if not suspect and abandoned.seconds < PROOF_SECONDS:
            return False
        if not abandoned.recorded:
            abandoned.recorded = True
            QUARANTINE.strike(abandoned.caller, surprise=not suspect)
            self._abandoned[instance] += 1
        young = not self._apart and lifetime(self._home) < LEAST_LIFE
        if young and self._abandoned[instance] < MOST_ABANDONED:
            return False
        self._replace(instance)
        return True

    def _replace(self, instance: str) -> None:
        state = EngineState.read(self._home)
        if state is not None and state.instance == instance:
            self._killed.add(f"bolt://127.0.0.1:{state.port}")
        kill_engine(self._home, instance)
        if not self._apart:
            # Start the next process now, so that the next caller waits less;
            # DEADLINES runs callbacks on their own threads.
            DEADLINES.add(0.0, self._start)

    def _start(self) -> None:
        with suppress(EngineError):  # the next caller receives the error
            ensure_engine(self._home)

    def _touch(self) -> None:
        """Update the time at which the process was last used, at most every `TOUCH_SECONDS`."""
        now = time.monotonic()
        if now - self._touched > TOUCH_SECONDS:
            self._touched = now
            used = used_file(self._home)
            if used.exists():
                os.utime(used)


_SLOTS: dict[tuple[str, str], Slots] = {}


def shared_slots(home: Home, count: int, moves: bool) -> Slots:
    """Return the query slots of one engine process; all graphs in the process share them."""
    return _SLOTS.setdefault((str(home.folder), home.engine_folder), Slots(count, moves=moves))
