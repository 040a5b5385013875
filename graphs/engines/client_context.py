"""What engines know about the call that they work for: its client, stage, turn and deadline, and its end.

    with calling_as("token-1"), cancellable() as cancellation:
        graph.run(…)  # cancellation.cancel(), from any thread, terminates the query in the database

All of it but turns and deadlines is in context variables, which reach engines through worker threads that copy the
context.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar, copy_context
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")
AT_ONCE = 8
"""The maximum number of threads of one `run_concurrently`; an engine usually runs more queries at once."""
_TOGETHER = ThreadPoolExecutor(64, thread_name_prefix="graphground-together")
"""The threads of `run_concurrently`, which are kept: to start one takes a millisecond on a busy machine."""


class CallProgress:
    """The current stage of a call, shown to a client that waits for the answer."""

    def __init__(self) -> None:
        self.stage = "running"


class Cancellation:
    """A cancellation token and the callbacks that it calls."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stops: list[Callable[[], None]] = []
        self.cancelled = False
        self.lingers = False
        """Whether a query of the call may continue in the database, which did not terminate it."""

    def cancel(self) -> list[threading.Thread]:
        """Terminate all queries that run with this token; return the background threads that are terminating them."""
        with self._lock:
            self.cancelled = True
            stops, self._stops = self._stops, []
        threads = [threading.Thread(target=stop, name="graphground-cancel", daemon=True) for stop in stops]
        for thread in threads:
            thread.start()
        return threads

    def add(self, stop: Callable[[], None]) -> bool:
        """Register `stop` to be called on cancellation; return False if the token has already been cancelled."""
        with self._lock:
            if not self.cancelled:
                self._stops.append(stop)
            return not self.cancelled

    def remove(self, stop: Callable[[], None]) -> None:
        """Unregister `stop`; call this when the work has ended."""
        with self._lock:
            if stop in self._stops:
                self._stops.remove(stop)


CLOSING_SECONDS = 5.0


class BackgroundWork:
    """The work of an object in a thread of its own, whose queries end when the object is stopped."""

    def __init__(self) -> None:
        self._starting, self._stopped, self._cancellation = threading.Lock(), threading.Event(), Cancellation()
        self.thread: threading.Thread | None = None

    def _start(self, name: str, work: Callable[[], None]) -> None:
        def run() -> None:
            CANCELLATION.set(self._cancellation)
            work()

        with self._starting:
            if not self._stopped.is_set() and (self.thread is None or not self.thread.is_alive()):
                thread = threading.Thread(target=run, name=name, daemon=True)
                thread.start()
                # Only now: `stop` may run meanwhile, and cannot join a thread that has not started.
                self.thread = thread

    def _wait(self, seconds: float) -> None:
        if self.thread is not None:
            self.thread.join(seconds)

    def stop(self) -> None:
        """Stop the work and its queries, waiting up to `CLOSING_SECONDS` for them to end; may be called twice."""
        self._stopped.set()
        until = time.monotonic() + CLOSING_SECONDS
        for thread in (*self._cancellation.cancel(), *([self.thread] if self.thread is not None else [])):
            thread.join(max(0.0, until - time.monotonic()))


TURN_SECONDS = 0.05
"""The longest wait, in seconds, for a turn to compute; the threads that have a turn may all wait for something else."""


class Turns:
    """Turns to compute, at most `count` at a time: `TURNS.take()`, then `TURNS.give()` in the same thread.

    With more computing threads than cores, the interpreter spends its time on switching between them: each call of
    NumPy and each read of a socket gives the interpreter away, and queues for it again.
    """

    def __init__(self, count: int) -> None:
        self._free: SimpleQueue[None] = SimpleQueue()
        for _ in range(count):
            self._free.put(None)
        self._mine = threading.local()

    def take(self) -> None:
        """Wait for a turn, at most `TURN_SECONDS`."""
        try:
            self._free.get(timeout=TURN_SECONDS)
            self._mine.has_turn = True
        except Empty:
            self._mine.has_turn = False

    def give(self) -> bool:
        """Give the turn of this thread to another; return False if the thread had none."""
        if not getattr(self._mine, "has_turn", False):
            return False
        self._mine.has_turn = False
        self._free.put(None)
        return True


TURNS = Turns(os.cpu_count() or 1)


class Waiting:
    """A block in which a thread waits and does not compute: `with Waiting(): result = session.run(query)`."""

    __slots__ = ("_had_turn",)

    def __enter__(self) -> None:
        self._had_turn = TURNS.give()

    def __exit__(self, *raised: object) -> None:
        if self._had_turn:
            TURNS.take()


CLIENT = "client "
"""The beginning of the name of a caller with a token; a JSON array of the token's client and subject follows."""
CALLER: ContextVar[str] = ContextVar("graphground_caller", default="")
"""The name of the client; empty in a program with a single client (stdio, the command line)."""
CANCELLATION: ContextVar[Cancellation | None] = ContextVar("graphground_cancellation", default=None)
PROGRESS: ContextVar[CallProgress | None] = ContextVar("graphground_progress", default=None)


def subject_of(caller: str) -> str:
    """Return the subject of an authenticated caller: `alice` for `client ["token-1", "alice"]`; else an empty text."""
    return str(json.loads(caller.removeprefix(CLIENT))[1]) if caller.startswith(CLIENT) else ""


@contextmanager
def setting(variable: ContextVar[Any], value: T) -> Iterator[T]:
    """Set a context variable inside the block, and yield its value: `with setting(CALLER, "a client"): ...`."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


def calling_as(caller: str) -> AbstractContextManager[str]:
    """Attribute all queries inside the block to the client called `caller`; limits are per client."""
    return setting(CALLER, caller)


def cancellable() -> AbstractContextManager[Cancellation]:
    """Yield a token; cancelling it terminates all queries that run inside the block."""
    return setting(CANCELLATION, Cancellation())


def report_stage(stage: str) -> None:
    """Record the stage that begins now, for a client that waits; does nothing if nobody does."""
    progress = PROGRESS.get()
    if progress is not None:
        progress.stage = stage


def run_concurrently(call: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Return `call(item)` for each item, run concurrently, in the order of the items.

    If a call fails, its exception is raised, and calls that have not started are dropped.

        >>> run_concurrently(len, ["a", "bcd"])
        [1, 3]

    This thread makes calls too, so that calls may be nested. The others run in copies of the context, so that
    cancelling the caller's queries also cancels the queries that these calls send.
    """
    if len(items) < 2:
        return [call(item) for item in items]
    rest, results = enumerate(items), dict[int, R]()

    def work() -> None:
        try:
            for place, item in rest:
                results[place] = call(item)
        except BaseException:
            for _ in rest:
                pass
            raise

    futures = [_TOGETHER.submit(copy_context().run, work) for _ in range(min(AT_ONCE, len(items)) - 1)]
    try:
        work()
    finally:
        others = [future for future in futures if not future.cancel()]
        with Waiting():
            wait(others)
    for future in others:
        future.result()
    return [results[place] for place in range(len(items))]


spans_have_queries = False
"""Whether the spans of queries have the query's text, which may hold data."""


def query_span(uri: str, database: str | None, query: object) -> AbstractContextManager[object]:
    """Return a span of OpenTelemetry for one query, below the span of its call; nothing unless an SDK is loaded."""
    if "opentelemetry.sdk.trace" not in sys.modules:
        return _NO_SPAN
    from opentelemetry.trace import SpanKind, get_tracer

    attributes = {"server.address": uri, "db.namespace": database or ""}
    if spans_have_queries:
        attributes["db.query.text"] = str(getattr(query, "text", query))
    # Messages of databases quote the query.
    return get_tracer("graphground").start_as_current_span(
        "query",
        kind=SpanKind.CLIENT,
        attributes=attributes,
        record_exception=spans_have_queries,
        set_status_on_exception=spans_have_queries,
    )


_NO_SPAN: AbstractContextManager[object] = nullcontext()


GRACE_SECONDS = 0.8
"""Seconds to wait for a query to end after its termination was requested, before `abandon` is called."""
MAX_TERMINATION_SECONDS = 5.0
"""The longest wait, in seconds, for a termination in progress before the query's connection is used again."""
TICK_SECONDS = 0.02
RETRY_SECONDS = 0.1
"""Seconds between attempts to terminate a query; at the first, the database may not have received the query yet."""


class Deadlines:
    """Functions that are called at deadlines: `handle = DEADLINES.add(30.0, end_query)`, then `DEADLINES.drop(handle)`.

    A single thread looks for due deadlines every `TICK_SECONDS` while there are any. Each callback runs on its own
    thread, so that a callback that blocks does not delay the others.
    """

    def __init__(self) -> None:
        self._waiting: dict[object, tuple[float, Callable[[], None]]] = {}
        self._any = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, seconds: float, callback: Callable[[], None]) -> object:
        """Call `callback` after `seconds`; calling `drop` with the returned handle before then prevents this."""
        handle = object()
        self._waiting[handle] = time.monotonic() + seconds, callback
        self._any.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="graphground-deadlines", daemon=True)
                    self._thread.start()
        return handle

    def drop(self, handle: object) -> bool:
        """Drop a deadline; return False if its callback has already been called, or if it was dropped before."""
        return self._waiting.pop(handle, None) is not None

    def _run(self) -> None:
        while True:
            self._any.wait()
            self._any.clear()  # before the look: a deadline that is added during it is seen by the next
            now = time.monotonic()
            for handle, (due, callback) in sorted(self._waiting.copy().items(), key=lambda entry: entry[1][0]):
                if due <= now and self.drop(handle):
                    threading.Thread(target=callback, name="graphground-deadline", daemon=True).start()
            if self._waiting:
                self._any.set()
            time.sleep(TICK_SECONDS)


DEADLINES = Deadlines()


class RunningQuery:
    """A query with a deadline, in seconds: `with RunningQuery(30.0, terminate, abandon) as running: …`

    After the deadline or a cancellation, `terminate()` is called repeatedly until the block is left; it ends the query
    in the database. If the block has not been left `GRACE_SECONDS` later, `abandon()` is called once; it must make the
    caller stop waiting whatever the database does, and sets `lingers` if the query may continue. Both functions run on
    separate threads, so a database that does not even respond to `terminate` delays no other query.
    """

    def __init__(self, timeout: float | None, terminate: Callable[[], None], abandon: Callable[[], None]) -> None:
        self.stopped = self.cancelled = self.abandoned = self.lingers = False
        self.was_listed = False
        """Whether the database has listed the query among those that run."""
        self._terminate, self._timeout, self._abandon = terminate, timeout, abandon
        self._over = threading.Event()
        self._terminating, self._abandoning = threading.Lock(), threading.Lock()
        self._cancellation = CANCELLATION.get()
        self._handles: list[object] = []

    def __enter__(self) -> RunningQuery:
        if self._timeout is not None:
            self._handles.append(DEADLINES.add(self._timeout, self._stop))
        if self._cancellation is not None and not self._cancellation.add(self.cancel):
            self.stopped = self.cancelled = True
        return self

    def __exit__(self, *raised: object) -> None:
        self._over.set()
        for handle in list(self._handles):
            DEADLINES.drop(handle)
        # Wait for a termination in progress, which might otherwise hit the next query on this connection.
        if not self.abandoned and self._terminating.acquire(timeout=MAX_TERMINATION_SECONDS):
            self._terminating.release()
        if self._cancellation is not None:
            self._cancellation.remove(self.cancel)
            self._cancellation.lingers |= self.lingers

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds` until the query has ended; return whether it has."""
        return self._over.wait(max(0.0, seconds))

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
