"""An engine for any database that speaks Bolt, using the official synchronous driver."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property, partial
from itertools import count, islice
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import neo4j
import orjson
from neo4j import exceptions

from graphground.cypher.language import Language
from graphground.cypher.quoting import quoted_name
from graphground.graphs.engines.abandoned import Abandoned, LastResort
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.dialects import Dialect, dialect_of, version_of
from graphground.graphs.engines.drivers import close_driver, connection_of, open_driver
from graphground.graphs.engines.engine import (
    Capabilities,
    EngineBusy,
    EngineError,
    EngineUnreachable,
    QueryCancelled,
    QueryFailed,
    QueryMoved,
    QueryTimeout,
    TrialWrite,
    timed_out,
)
from graphground.graphs.engines.errors import ran_out_of_memory, translated, was_ended
from graphground.graphs.engines.plans import COLUMN, asks_for_plan, plan_lines
from graphground.graphs.engines.query_tag import QueryTag
from graphground.graphs.engines.running import RunningQuery
from graphground.graphs.engines.sending import in_places_of, to_send
from graphground.graphs.engines.slots import Full, Slot, Slots
from graphground.graphs.engines.table import Table
from graphground.graphs.engines.values import plain_rows

if TYPE_CHECKING:
    from graphground.cypher.tree import Query

CHUNK = 1000
LOOK_SECONDS = 2.0
"""The longest wait, in seconds, for the bookmark of the last transaction."""
CLOSING_SECONDS = 2.0
EXPLAIN_SECONDS = 10.0
TAG_NUMBERS = count()  # `next` on a count is thread-safe, unlike `next` on a generator


class BoltEngine:
    """The engine of a database that speaks Bolt: `BoltEngine(BoltAddress("bolt://localhost:7687", "neo4j", "secret"))`.

    The callers' queries run in sessions of access mode READ. The callers share `slots` slots for quick queries and the
    same number for slow queries; a call that waits longer than `patience` seconds for a slot is refused as busy. Rows
    are read in chunks, and no further chunk is read when the answer exceeds `answer_bytes`. If a query has not ended
    `GRACE` seconds after its termination was requested, `last_resort` is called, and the call stops waiting. For up to
    a minute, `last_resort` is then called again until it returns True or the database no longer lists the query.
    `check` is called before a connection is opened or used; it raises an error if the password must not be sent to the
    listening process.
    """

    def __init__(
        self,
        address: BoltAddress,
        *,
        slots: int | Slots = 16,
        patience: float = 5.0,
        answer_bytes: int = 64_000_000,
        last_resort: LastResort | None = None,
        administrator: BoltAddress | None = None,
        check: Callable[[], None] | None = None,
    ) -> None:
        address.check()
        self.address = address
        self._slots = slots if isinstance(slots, Slots) else Slots(slots)
        self._patience, self._answer_bytes = patience, answer_bytes
        self._last_resort = last_resort
        connections = 2 * self._slots.slots + 8
        self._driver = open_driver(address, connections, check)
        self._administrator = open_driver(administrator, connections, check) if administrator else self._driver
        self._capabilities: Capabilities | None = None
        self._running: set[RunningQuery] = set()
        self._ending: set[threading.Event] = set()
        self._closed = False
        self._bookmark = threading.local()
        """The bookmark of each thread's last query."""

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run one read-only query; retry it once if the connection breaks or the error is transient."""
        started = time.perf_counter()
        with self._slot() as slot:
            start = time.monotonic()
            if timeout is not None:
                slot.until = start + timeout
            try:
                return self._run(query, parameters, limit, timeout, started, slot)
            except (exceptions.ServiceUnavailable, exceptions.SessionExpired, exceptions.TransientError) as error:
                if not error.is_retryable() or was_ended(error) or ran_out_of_memory(error):
                    raise self._translated(error, query, limit, timeout) from error
            except EngineError:
                raise
            except Exception as error:
                raise self._translated(error, query, limit, timeout) from error
            left = None if timeout is None else timeout - (time.monotonic() - start)
            if left is not None and left <= 0:
                raise timed_out(timeout)
            try:
                return self._run(query, parameters, limit, left, started, slot)
            except QueryTimeout:
                raise timed_out(timeout) from None
            except EngineError:
                raise
            except Exception as error:
                raise self._translated(error, query, limit, timeout) from error

    def stream(self, query: str, parameters: Mapping[str, Any] | None = None) -> Iterator[list[Any]]:
        """Stream the rows of a read-only query without a row limit; meant for exports."""
        try:
            with self._session(fetch_size=CHUNK) as session:
                sent = to_send(self.dialect, query)
                records = iter(session.run(cast(Any, sent.text), cast(Any, parameters or {})))
                while chunk := list(islice(records, CHUNK)):
                    yield from plain_rows(chunk)
        except (exceptions.DriverError, exceptions.Neo4jError) as error:
            raise translated(error, self.address) from error

    def explain(self, query: str) -> None:
        """Compile a query without running it."""
        self.run(f"EXPLAIN {query}", limit=0, timeout=30)

    def explained(
        self, query: str | Query, parameters: Mapping[str, Any] | None, database: str, prefix: str = "EXPLAIN "
    ) -> Table:
        """Return the plan of a query that is compiled on another database of the same server.

        `prefix` is empty if the query itself begins with EXPLAIN or PROFILE; PROFILE also runs the query.

        Raises:
            QueryFailed: the query does not compile.
        """
        started = time.perf_counter()
        try:
            with self._session(database=database) as session:
                statement = neo4j.Query(cast(Any, prefix + to_send(self.dialect, query).text), timeout=EXPLAIN_SECONDS)
                result = session.run(statement, cast(Any, parameters or {}))
                return Table([COLUMN], plan_of(result), False, (time.perf_counter() - started) * 1000)
        except Exception as error:
            raise translated(error, self.address) from error

    def cancel(self) -> None:
        """Terminate all queries that run through this engine, and wait briefly until they have ended."""
        threads = [
            threading.Thread(target=running.cancel, name="graphground-cancel", daemon=True)
            for running in list(self._running)
        ]
        for thread in threads:
            thread.start()
        if threads:
            self._wait_for_queries()

    def capabilities(self) -> Capabilities:
        """Return the capabilities of the database; its trial write is made only once."""
        if self._capabilities is None:
            dialect = self.dialect
            self._capabilities = Capabilities(
                dialect.product,
                self._version(),
                dialect,
                self._trial_write(),
                can_terminate=dialect.terminate is not None,
                has_vector_index=dialect.vector_index,
                language=self._language(),
            )
        return self._capabilities

    def transaction_mark(self) -> str | None:
        """Return the bookmark of the last committed transaction; None if the database has no bookmarks."""
        if not self.dialect.marks:
            return None
        self._bookmark.value = None
        self.run("RETURN 1 AS one", limit=None, timeout=LOOK_SECONDS)
        return cast(str | None, self._bookmark.value)

    def _language(self) -> Language:
        if self.dialect.newer is not None:
            with suppress(QueryFailed):
                self.explain(self.dialect.newer)
                return "cypher25"
        return "cypher5"

    def close(self) -> None:
        """Close the connections, after waiting briefly for queries that run or are being terminated."""
        if not self._closed:
            self._closed = True
            self._wait_for_queries()
            for ended in list(self._ending):
                ended.wait(CLOSING_SECONDS)
        for driver in (self._driver, self._administrator):
            close_driver(driver)

    @cached_property
    def dialect(self) -> Dialect:
        """The dialect of this database, determined once, from the greeting of its server."""
        return dialect_of(self._agent)

    @cached_property
    def _agent(self) -> str:
        try:
            return self._driver.get_server_info().agent
        except Exception as error:
            raise translated(error, self.address) from error

    def _run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None,
        limit: int | None,
        timeout: float | None,
        started: float,
        slot: Slot,
    ) -> Table:
        rows: list[list[Any]] = []
        size, truncated = 0, False
        planned = asks_for_plan(query)
        if planned:
            limit = None  # a LIMIT would be a step of the plan
        most_rows = -1 if limit is None else limit
        fetch_size = CHUNK if limit is None else min(limit + 1, CHUNK)
        tag = QueryTag(f"{uuid4().hex[:12]}-{next(TAG_NUMBERS)}")
        with (
            self._session(fetch_size=fetch_size) as session,
            RunningQuery(
                timeout, lambda: self._terminate(tag, session), lambda: self._abandon(tag, session, slot, query)
            ) as running,
        ):
            if not running.may_begin():
                raise self._ended(running, timeout, slot)
            slot.stop = running.cancel
            self._running.add(running)
            try:
                sent = to_send(self.dialect, query, limit)
                statement = neo4j.Query(cast(Any, sent.text), metadata={"graphground": tag.name}, timeout=timeout)
                result = session.run(statement, cast(Any, parameters or {}))
                columns = list(result.keys())
                if planned:
                    return Table([COLUMN], plan_of(result), False, (time.perf_counter() - started) * 1000)
                records = iter(result)
                # After a stop before the first row, keep reading:
                # closing the result would block, and no deadline would end it.
                while not truncated:
                    chunk = list(islice(records, CHUNK if most_rows < 0 else min(CHUNK, most_rows + 1 - len(rows))))
                    if not chunk:
                        break
                    fresh = plain_rows(chunk)
                    size += len(orjson.dumps(fresh, default=str)) if len(fresh) > 1 else 0
                    rows += fresh
                    truncated = size > self._answer_bytes
                    if 0 <= most_rows < len(rows):
                        del rows[most_rows:]
                        truncated = True
                    if running.stopped:
                        break
            except Exception as error:
                if not running.stopped:
                    raise
                raise self._ended(running, timeout, slot) from error
            finally:
                slot.stop = None
                self._running.discard(running)
            if running.stopped and not truncated:
                raise self._ended(running, timeout, slot)
            self._bookmark.value = ",".join(sorted(session.last_bookmarks().raw_values)) or None
        return Table(columns, rows, truncated, (time.perf_counter() - started) * 1000)

    def _translated(
        self, error: Exception, query: str | Query, limit: int | None, timeout: float | None
    ) -> EngineError:
        failure = translated(error, self.address, timeout)
        return in_places_of(query, failure, self.dialect, limit) if isinstance(failure, QueryFailed) else failure

    def _terminate(self, tag: QueryTag, session: neo4j.Session) -> None:
        """Terminate in the database the query that the session runs."""
        connection, dialect = connection_of(session), self.dialect
        if connection is None or not dialect.running or not dialect.terminate:
            return
        tag.client = f":{connection.local_port}"
        ended = threading.Event()
        self._ending.add(ended)
        try:
            self._end_query(dialect.running, dialect.terminate, tag)
        finally:
            self._ending.discard(ended)
            ended.set()

    def _end_query(self, list_all: str, end: str, tag: QueryTag) -> bool:
        """Terminate the query with this tag if the database lists it; return whether the database lists the query."""
        listed = False
        with self._opened(self._administrator) as administration:
            for row in administration.run(cast(Any, list_all), tag=tag.name):
                values = row.data()
                number = str(values.get("id", values.get("transactionId", values.get("transaction_id"))))
                if tag.fit(number, values.values()):
                    listed = True
                    tag.numbers.add(number)
                    administration.run(cast(Any, end.replace("{id}", number)), id=number).consume()
        return listed

    def _abandon(self, tag: QueryTag, session: neo4j.Session, slot: Slot, query: str | Query) -> None:
        """Stop waiting for a query that the database does not end, and watch the query for up to a minute."""
        connection = connection_of(session)
        if connection is None:
            return
        tag.client = f":{connection.local_port}"
        self._slots.keep(slot)
        abandoned = Abandoned(slot.caller, query)
        try:
            # The termination comes first, so that the query has ended when the caller stops waiting.
            over = self._last_resort is not None and self._last_resort(abandoned)
        finally:
            # A plain close would not wake a thread that reads; a shutdown does.
            raw = getattr(connection.socket, "_socket", connection.socket)
            with suppress(OSError):
                raw.shutdown(socket.SHUT_RDWR)
        if tag.numbers:
            tag.client = ""  # another connection may soon use the port
        dialect = self.dialect
        if not over and dialect.running and dialect.terminate:
            listed = partial(self._end_query, dialect.running, dialect.terminate, tag)
            abandoned.follow(listed, self._last_resort, lambda: self._closed)
            over = True
        if over:
            self._slots.forget(slot)

    def _ended(self, running: RunningQuery, timeout: float | None, slot: Slot) -> EngineError:
        if slot.moved:
            return QueryMoved()
        if slot.ended:
            return EngineBusy(
                f"The query ran for {time.monotonic() - slot.since:.0f} s and was terminated to "
                "make room for other callers. Narrow it, or try again when the server is less busy."
            )
        if running.cancelled:
            return QueryCancelled("The query was terminated because its caller disconnected.")
        return timed_out(timeout)

    def _session(self, **options: Any) -> AbstractContextManager[neo4j.Session]:
        """Return a session for read-only queries."""
        return self._opened(self._driver, default_access_mode=neo4j.READ_ACCESS, **options)

    @contextmanager
    def _opened(self, driver: neo4j.Driver, **options: Any) -> Iterator[neo4j.Session]:
        """Open a session of a driver; if this engine is closed during the session, close the driver afterwards."""
        session = driver.session(**{"database": self.address.database, **options})
        try:
            with session:
                yield session
        finally:
            if (
                not session.closed()
            ):  # the connection broke in a way that the driver does not expect: it was being killed
                with suppress(Exception):
                    connection_of(session).kill()
                with suppress(Exception):
                    session.close()
            if self._closed:
                close_driver(driver)

    @contextmanager
    def _slot(self) -> Iterator[Slot]:
        try:
            holding = self._slots.taken(self._patience, self)
            slot = holding.__enter__()
        except Full:
            raise EngineBusy(
                f"Too many queries are already running on {self.address.where()}; try again in a moment."
            ) from None
        try:
            if self._closed:
                raise EngineUnreachable(f"The connection to {self.address.where()} has been closed.")
            yield slot
        finally:
            holding.__exit__(None, None, None)

    def _wait_for_queries(self) -> None:
        """Wait until no query runs, at most `CLOSING_SECONDS`."""
        self._slots.idle(CLOSING_SECONDS, self)

    def _version(self) -> str:
        if self.dialect.components:
            try:
                rows = self.run(self.dialect.components, limit=1, timeout=10).rows
            except QueryFailed:  # the user may not run this query
                rows = []
            if rows:
                return str(rows[0][0])
        return version_of(self._agent)

    def _trial_write(self) -> TrialWrite:
        """Try the dialect's write probe once and return the outcome."""
        dialect, probe = self.dialect, self.dialect.write_probe
        if "{label}" in probe:
            try:
                labels = self.run(dialect.labels, limit=1, timeout=10).rows
            except QueryFailed:
                labels = []
            if not labels:
                return "impossible"
            probe = probe.replace("{label}", quoted_name(str(labels[0][0])))
        query: Any = neo4j.Query(cast(Any, probe), timeout=10)
        try:
            with self._session(fetch_size=1) as session:
                if dialect.probe_writes:
                    with session.begin_transaction(timeout=10) as transaction:
                        try:
                            transaction.run(query.text).consume()
                        finally:
                            transaction.rollback()
                else:
                    session.run(query).consume()
        except exceptions.Neo4jError as error:
            return "refused" if dialect.refusal.search(f"{error.code} {error.message}") else "failed"
        except exceptions.DriverError as error:
            raise translated(error, self.address) from error
        return "accepted"


def plan_of(result: neo4j.Result) -> list[list[Any]]:
    """Return each line of a plan as a row; read the whole result first, to complete the figures of PROFILE."""
    for _ in result:
        pass
    summary = result.consume()
    plan = summary.profile or summary.plan
    return [[line] for line in plan_lines(plan)] if plan else [["This database returned no plan."]]


def bolt_engine(address: BoltAddress) -> BoltEngine:
    """Connect to a database and return the engine for it.

    Raises:
        EngineUnavailable: a wrong address, a refused password, a missing database.
    """
    engine = BoltEngine(address)
    try:
        engine.run("RETURN 1", limit=1, timeout=10)
    except EngineError:
        engine.close()
        raise
    return engine
