"""An engine for any database that speaks Bolt, using the official synchronous driver."""

from __future__ import annotations

import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from itertools import count, islice
from typing import Any, cast
from uuid import uuid4

import neo4j
import orjson
from neo4j import exceptions
from neo4j.auth_management import AuthManager

from graphground.cypher.diagnostics import Language, counted
from graphground.cypher.quoting import quoted_name
from graphground.cypher.safety.canonical import TWO_READINGS, Ambiguous, Sent, canonical
from graphground.cypher.tree import Query
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.client_context import RunningQuery, Waiting, query_span
from graphground.graphs.engines.dialects import Dialect, dialect_of, version_of
from graphground.graphs.engines.engine import (
    Capabilities,
    EngineError,
    EngineUnreachable,
    QueryCancelled,
    QueryFailed,
    QueryTimeout,
    Table,
    TrialWrite,
    timed_out,
)
from graphground.graphs.engines.errors import ran_out_of_memory, translated, was_ended
from graphground.graphs.engines.rewriting import rewrite_for, without_options
from graphground.graphs.engines.values import plain_rows

# A failure is raised to the caller; the driver would also print the failure to our stderr.
logging.getLogger("neo4j").setLevel(logging.CRITICAL)

CHUNK = 1000
LOOK_SECONDS = 2.0
"""The longest wait, in seconds, for the bookmark of the last transaction."""
CALLER_SECONDS, END_SECONDS = 0.3, 2.0
"""The longest waits, in seconds, for a database to say whether a query still runs, while its caller waits and later."""
CLOSING_SECONDS = 2.0
MAX_CONNECTIONS = 64
RESORT_SECONDS = 0.25
"""Seconds between calls of `last_resort` for a query whose caller has stopped waiting."""
EXPLAIN_SECONDS = 10.0
READ_BYTES = 65_536
ROW = b"\xb1\x71"
"""The first bytes of a message that holds a row: a structure with one field, and the tag of RECORD."""
TAG_PREFIX = uuid4().hex[:12]
TAG_NUMBERS = count()  # `next` on a count is thread-safe, unlike `next` on a generator
MAX_PLAN_LINES, MAX_PLAN_LINE = 200, 400
PLAN_COLUMN = "plan"
_PLAN_PREFIX = re.compile(r"\s*(?:CYPHER[^;]*?\s)?(EXPLAIN|PROFILE)\b", re.IGNORECASE)
_PLACE = re.compile(r" *\(line \d+, column \d+(?: \(offset: \d+\))?\)|(?: at)? line \d+, column \d+|line \d+:\d+ ?")


class BoltEngine:
    """The engine of a database that speaks Bolt: `BoltEngine(BoltAddress("bolt://localhost:7687", "neo4j", "secret"))`.

    The callers' queries run in sessions of access mode READ. Rows are read in chunks, and no further chunk is read when
    the answer exceeds `answer_bytes`. If a query has not ended `GRACE_SECONDS` after its termination was requested,
    `last_resort` is called until it returns True, and the call stops waiting. `check` is called before a connection is
    opened; it raises an error if the password must not be sent to the listening process.
    """

    def __init__(
        self,
        address: BoltAddress,
        *,
        answer_bytes: int = 64_000_000,
        last_resort: Callable[[], bool] | None = None,
        administrator: BoltAddress | None = None,
        check: Callable[[], None] | None = None,
    ) -> None:
        address.check()
        self.address = address
        self._answer_bytes, self._last_resort = answer_bytes, last_resort
        self._driver = open_driver(address, check)
        self._administrator = open_driver(administrator, check) if administrator else self._driver
        self._capabilities: Capabilities | None = None
        self._running: set[RunningQuery] = set()
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
        span = query_span(self.address.uri, self.address.database, query)
        with span:
            if self._closed:
                raise EngineUnreachable(f"The connection to {self.address.where()} has been closed.")
            left, has_failed = timeout, False
            while left is None or left > 0:
                try:
                    return self._run(query, parameters, limit, left, started)
                except (exceptions.ServiceUnavailable, exceptions.SessionExpired, exceptions.TransientError) as error:
                    if has_failed or not error.is_retryable() or was_ended(error) or ran_out_of_memory(error):
                        raise self._translated(error, query, limit, timeout) from error
                except QueryTimeout:
                    break
                except EngineError:
                    raise
                except Exception as error:
                    raise self._translated(error, query, limit, timeout) from error
                has_failed = True
                left = None if timeout is None else timeout - (time.perf_counter() - started)
            raise timed_out(timeout)

    def stream(self, query: str, parameters: Mapping[str, Any] | None = None) -> Iterator[list[Any]]:
        """Stream the rows of a read-only query without a row limit; meant for exports."""
        try:
            with self._session(fetch_size=CHUNK) as session:
                sent = to_send(self.dialect, query)
                records = iter(session.run(cast("Any", sent.text), cast("Any", parameters or {})))
                while chunk := list(islice(records, CHUNK)):
                    yield from plain_rows(chunk)
        except (exceptions.DriverError, exceptions.Neo4jError) as error:
            raise translated(error, self.address) from error

    def plan(self, query: str | Query, parameters: Mapping[str, Any] | None, database: str) -> Table:
        """Return the plan of a query that is compiled on another database of the same server.

        A query that begins with PROFILE is also run there.

        Raises:
            QueryFailed: the query does not compile.
        """
        started = time.perf_counter()
        prefix = "" if asks_for_plan(query) else "EXPLAIN "
        try:
            with self._session(database=database) as session:
                statement = neo4j.Query(
                    cast("Any", prefix + to_send(self.dialect, query).text), timeout=EXPLAIN_SECONDS
                )
                result = session.run(statement, cast("Any", parameters or {}))
                return Table([PLAN_COLUMN], plan_of(result), False, (time.perf_counter() - started) * 1000)
        except Exception as error:
            raise translated(error, self.address) from error

    def cancel(self) -> None:
        """Terminate all queries that run through this engine, and wait briefly until they have ended."""
        for running in list(self._running):
            threading.Thread(target=running.cancel, name="graphground-cancel", daemon=True).start()
        self._wait_for_queries()

    def capabilities(self) -> Capabilities:
        """Return the capabilities of the database; its trial write is made only once."""
        if self._capabilities is None:
            version = self._first_cell(self.dialect.components) or version_of(self._agent)
            self._capabilities = Capabilities(version, self.dialect, self._trial_write(), self._language())
        return self._capabilities

    def transaction_mark(self) -> str | None:
        """Return the bookmark of the last committed transaction; None if the database has no bookmarks."""
        if not self.dialect.marks:
            return None
        self._bookmark.value = None
        self.run("RETURN 1 AS one", limit=None, timeout=LOOK_SECONDS)
        return cast("str | None", self._bookmark.value)

    def _language(self) -> Language:
        if self.dialect.newer is not None:
            with suppress(QueryFailed):
                self.run(f"EXPLAIN {self.dialect.newer}", timeout=30)
                return "cypher25"
        return "cypher5"

    def close(self) -> None:
        """Close the connections, after waiting briefly for running queries."""
        if not self._closed:
            self._closed = True
            self._wait_for_queries()
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
    ) -> Table:
        rows: list[list[Any]] = []
        size, truncated = 0, False
        planned = asks_for_plan(query)
        if planned:
            limit = None  # a LIMIT would be a step of the plan
        most_rows = -1 if limit is None else limit
        fetch_size = CHUNK if limit is None else min(limit + 1, CHUNK)
        tag = f"{TAG_PREFIX}-{next(TAG_NUMBERS)}"
        with (
            self._session(fetch_size=fetch_size) as session,
            RunningQuery(
                timeout, lambda: self._stop(running, tag, session), lambda: self._abandon(running, tag, session)
            ) as running,
        ):
            if not running.may_begin():
                raise self._ended(running, timeout)
            self._running.add(running)
            try:
                sent = to_send(self.dialect, query, limit)
                statement = neo4j.Query(cast("Any", sent.text), metadata={"graphground": tag}, timeout=timeout)
                with Waiting():
                    result = session.run(statement, cast("Any", parameters or {}))
                    columns = list(result.keys())
                if planned:
                    return Table([PLAN_COLUMN], plan_of(result), False, (time.perf_counter() - started) * 1000)
                records = iter(result)
                # After a stop before the first row, keep reading:
                # closing the result would block, and no deadline would end it.
                while not truncated:
                    wanted = CHUNK if most_rows < 0 else min(CHUNK, most_rows + 1 - len(rows))
                    with Waiting():
                        chunk = list(islice(records, wanted))
                    fresh = plain_rows(chunk)
                    rows += fresh
                    size += len(orjson.dumps(fresh, default=str)) if len(fresh) > 1 else 0
                    truncated = size > self._answer_bytes
                    if 0 <= most_rows < len(rows):
                        del rows[most_rows:]
                        truncated = True
                    if len(chunk) < wanted or running.stopped:
                        break
            except Exception as error:
                if not running.stopped:
                    raise
                raise self._ended(running, timeout) from error
            finally:
                self._running.discard(running)
            if running.stopped and not truncated:
                raise self._ended(running, timeout)
            self._bookmark.value = ",".join(sorted(session.last_bookmarks().raw_values)) or None
        return Table(columns, rows, truncated, (time.perf_counter() - started) * 1000)

    def _translated(
        self, error: Exception, query: str | Query, limit: int | None, timeout: float | None
    ) -> EngineError:
        failure = translated(error, self.address, timeout)
        return in_places_of(query, failure, self.dialect, limit) if isinstance(failure, QueryFailed) else failure

    def _terminate(self, tag: str, port: int) -> bool:
        """Terminate in the database the query with this tag, sent from this port; return whether it was still running.

        The list of running queries shows the tag, or else the address of the connection that sent the query.
        """
        dialect, found = self.dialect, False
        if not dialect.running or not dialect.terminate:
            return True
        with self._opened(self._administrator) as administration:
            for row in administration.run(cast("Any", dialect.running), tag=tag):
                values = row.data()
                if any(tag in text or text.endswith(f":{port}") for text in map(str, values.values())):
                    number = str(values.get("id", values.get("transactionId", values.get("transaction_id"))))
                    administration.run(cast("Any", dialect.terminate.replace("{id}", number)), id=number).consume()
                    found = True
        return found

    def _stop(self, running: RunningQuery, tag: str, session: neo4j.Session) -> None:
        if connection := connection_of(session):
            running.was_listed |= self._terminate(tag, connection.local_port)

    def _still_runs(self, running: RunningQuery, tag: str, port: int, seconds: float) -> bool | None:
        """Return whether a query that was terminated still runs; None if the database does not say within `seconds`.

        A query that the database has never listed may not have begun: it counts as running, as it does if asking fails.
        """
        answers: list[bool] = []

        def ask() -> None:
            listed = True
            with suppress(Exception):
                listed = self._terminate(tag, port)
                running.was_listed |= listed
            answers.append(listed or not running.was_listed)

        asking = threading.Thread(target=ask, name="graphground-abandoned", daemon=True)
        asking.start()
        asking.join(seconds)
        return answers[0] if answers else None

    def _abandon(self, running: RunningQuery, tag: str, session: neo4j.Session) -> None:
        """Stop waiting for a query that the database does not terminate."""
        connection = connection_of(session)
        if connection is None:
            return
        port, is_over = connection.local_port, False
        try:
            if self._last_resort is not None:
                # The last resort comes first, so that the query has ended when the caller stops waiting. On a busy
                # machine the query may just have ended, or the database may need longer to say so.
                runs = self._still_runs(running, tag, port, CALLER_SECONDS)
                is_over = runs is not None and (not runs or self._last_resort())
        finally:
            running.lingers = not is_over
            # A plain close would not wake a thread that reads; a shutdown does.
            raw = getattr(connection.socket, "_socket", connection.socket)
            with suppress(OSError):
                raw.shutdown(socket.SHUT_RDWR)
        while self._last_resort is not None and not is_over and not self._closed:
            time.sleep(RESORT_SECONDS)
            is_over = self._still_runs(running, tag, port, END_SECONDS) is False or self._last_resort()

    @staticmethod
    def _ended(running: RunningQuery, timeout: float | None) -> EngineError:
        ended = QueryCancelled("The query was terminated because its caller disconnected.")
        return ended if running.cancelled else timed_out(timeout)

    def _session(self, **options: Any) -> AbstractContextManager[neo4j.Session]:
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

    def _wait_for_queries(self) -> None:
        until = time.monotonic() + CLOSING_SECONDS
        for running in list(self._running):
            running.wait(until - time.monotonic())

    def _first_cell(self, query: str | None) -> str | None:
        """Return the first cell of an answer as text; None without a query or a row, or if the user may not run it."""
        rows: list[list[Any]] = []
        if query is not None:
            with suppress(QueryFailed):
                rows = self.run(query, limit=1, timeout=10).rows
        return str(rows[0][0]) if rows else None

    def _trial_write(self) -> TrialWrite:
        """Try the dialect's write probe once and return the outcome."""
        dialect, probe = self.dialect, self.dialect.write_probe
        if "{label}" in probe:
            label = self._first_cell(dialect.labels)
            if label is None:
                return "impossible"
            probe = probe.replace("{label}", quoted_name(label))
        query: Any = neo4j.Query(cast("Any", probe), timeout=10)
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


# The text that is sent


def to_send(dialect: Dialect, query: str | Query, limit: int | None = None) -> Sent:
    """Return the text to send to a database of this dialect.

    Raises:
        QueryFailed: the query is not sent, because databases do not all parse it in the same way.
    """
    try:
        return canonical(rewrite_for(dialect, query, limit))
    except Ambiguous as error:
        raise QueryFailed(str(error), TWO_READINGS) from None


def in_places_of(query: str | Query, error: QueryFailed, dialect: Dialect, limit: int | None = None) -> QueryFailed:
    """Return a database's error about the sent text, with the position mapped to the original query.

    If a rewrite changed more than the end of the query, the returned error has no position. A line of the sent text
    that the database quotes is omitted.
    """
    if error.line is None or error.column is None or error.code == TWO_READINGS:
        return error
    text = query if isinstance(query, str) else query.text
    sent = to_send(dialect, query, limit)
    if sent.text == text:
        return error
    message = _PLACE.sub("", str(error).splitlines()[0]).strip()
    shown = without_options(query)
    if not sent.given.startswith(shown if isinstance(shown, str) else shown.text):
        return QueryFailed(message, error.code)
    line, column = sent.place(error.line, error.column)
    return QueryFailed(f"{message} (line {line}, column {column})", error.code, line, column)


# Plans


def asks_for_plan(query: str | Query) -> bool:
    """Whether a query requests its plan, that is, begins with EXPLAIN or PROFILE."""
    return bool(_PLAN_PREFIX.match(query)) if isinstance(query, str) else bool(query.prefix)


def plan_lines(plan: Mapping[str, Any], depth: int = 0) -> list[str]:
    """Return a plan as lines, one per operator: the last step first, the steps that feed it indented below.

    ArcadeDB's plan is a text with the first step first; its lines are returned in this order, without the heading.
    """
    args = plan.get("args") or {}
    if not plan.get("children") and "Details" not in args and "string-representation" in args:
        lines = [line.rstrip() for line in str(args["string-representation"]).splitlines()]
        steps = [line for line in lines[2:] if line.strip()] if len(lines) > 1 and set(lines[1]) == {"="} else lines
        return [line[:MAX_PLAN_LINE] for line in steps[:MAX_PLAN_LINES]]
    words = [str(plan.get("operatorType", "")).partition("@")[0]]
    if args.get("Details"):
        words.append(str(args["Details"]))
    figures = []
    if "EstimatedRows" in args:
        figures.append(f"about {counted(round(float(args['EstimatedRows'])), 'row')}")
    if "dbHits" in plan:
        figures.append(f"{counted(int(plan.get('rows') or 0), 'row')}, {counted(int(plan['dbHits']), 'db hit')}")
    if figures:
        words.append(f"({'; '.join(figures)})")
    lines = [("  " * depth + " ".join(words))[:MAX_PLAN_LINE]]
    for child in plan.get("children") or ():
        lines += plan_lines(child, depth + 1)
    return lines[:MAX_PLAN_LINES]


def plan_of(result: neo4j.Result) -> list[list[Any]]:
    """Return each line of a plan as a row; read the whole result first, to complete the figures of PROFILE."""
    for _ in result:
        pass
    summary = result.consume()
    plan = summary.profile or summary.plan
    return [[line] for line in plan_lines(plan)] if plan else [["This database returned no plan."]]


# Connections


def open_driver(address: BoltAddress, check: Callable[[], None] | None = None) -> neo4j.Driver:
    """Return a driver for an address; it opens at most `MAX_CONNECTIONS` connections, each when it is first needed.

    If the address has a user, `check` is called before a connection is opened. It raises an error if the password must
    not be sent to the listening process.

    Raises:
        EngineUnavailable: no driver can be made for this address.
    """
    try:
        driver = neo4j.GraphDatabase.driver(
            address.uri,
            auth=_Auth(address, check) if address.user else None,
            connection_timeout=5.0,
            connection_acquisition_timeout=10.0,
            max_connection_pool_size=MAX_CONNECTIONS,
            keep_alive=True,
            user_agent="graphground",
        )
    except Exception as error:
        raise translated(error, address) from error
    pool: Any = getattr(driver, "_pool", None)
    opener = getattr(pool, "opener", None)
    if opener is not None:
        # The password never changes, and was checked when the connection was opened: nothing is sent again.
        pool._re_auth_connection = lambda *_, **__: None
        pool.opener = lambda *arguments, **options: read_ahead(opener(*arguments, **options))
    return driver


def read_ahead(connection: Any) -> Any:
    """Let a connection take all bytes that have arrived with one read, and all rows in them at once; return it.

    The driver reads twice for each row, two bytes and then the row: 20,000 system calls for 10,000 rows, and at each
    of them this thread gives the interpreter away. It then passes each row through eight functions, which took a third
    of the time of a query with 30 rows.
    """
    socket_: Any = getattr(connection, "socket", None)
    inbox: Any = getattr(connection, "inbox", None)
    if not hasattr(socket_, "recv_into"):
        return connection
    read, data = socket_.recv_into, bytearray(READ_BYTES)
    view = memoryview(data)
    start = end = 0

    def recv_into(buffer: memoryview, count: int) -> int:
        nonlocal start, end
        if start == end:
            if count >= READ_BYTES:
                return int(read(buffer, count))
            start, end = 0, read(view, READ_BYTES)
        taken = min(count, end - start)
        buffer[:taken] = view[start : start + taken]
        start += taken
        return taken

    socket_.recv_into = recv_into
    if not (hasattr(inbox, "_unpacker") and hasattr(inbox, "_buffer")):
        return connection
    pop_message, rows_of = inbox.pop, type(inbox._buffer)(b"")
    unpacker, rows_of.data = type(inbox._unpacker)(rows_of), data

    def pop(hydration_hooks: Any) -> Any:
        """Return the rows that have arrived as one message, or another message, or the first part of a long row."""
        nonlocal start
        rows: list[Any] = []
        while end - start > 4 and data[start + 2 : start + 4] == ROW:
            after = start + 2 + (data[start] << 8 | data[start + 1])
            if after + 2 > end or data[after] or data[after + 1]:  # the row has not arrived, or has several parts
                break
            rows_of.p, rows_of.used = start + 4, after
            try:
                rows.append(unpacker.unpack(hydration_hooks))
            except Exception:  # the driver finds the same error, and closes the connection
                break
            start = after + 2
        return (ROW[1:], rows) if rows else pop_message(hydration_hooks=hydration_hooks)

    inbox.pop = pop
    return connection


def connection_of(session: neo4j.Session) -> Any:
    """Return the connection that a session holds; None if it holds no connection."""
    return getattr(session, "_connection", None)


def pooled_connections(driver: neo4j.Driver) -> list[Any]:
    """Return the connections in a driver's pool, idle or in use."""
    pool = getattr(driver, "_pool", None)
    return [
        connection for same_address in dict(getattr(pool, "connections", {})).values() for connection in same_address
    ]


def close_driver(driver: neo4j.Driver) -> None:
    """Close a driver and all connections in its pool; call it again after closing a session that was still open."""
    connections = pooled_connections(driver)
    with suppress(BufferError):
        driver.close()
    for connection in [*connections, *pooled_connections(driver)]:
        with suppress(OSError):
            connection.kill()


class _Auth(AuthManager):
    """The user and password of an address, given to the driver only if `check` accepts the listening process."""

    def __init__(self, address: BoltAddress, check: Callable[[], None] | None) -> None:
        self._auth, self._check = neo4j.basic_auth(address.user, address.password), check

    def get_auth(self) -> neo4j.Auth:
        if self._check is not None:
            self._check()
        return self._auth

    def handle_security_exception(self, auth: Any, error: exceptions.Neo4jError) -> bool:
        return False


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
