"""Worker threads, shared fairly between clients.

Quick tools have separate threads, so they never wait behind queries. An HTTP client holds at most `AT_ONCE` threads,
and at most `WAITING` of its calls run or wait. `RESERVED` threads are kept for clients that hold no thread. A call that
has run for `OLD` seconds, for example because its query is slow, no longer counts toward the limit of `THREADS`. At
most `BULKY_AT_ONCE` calls with long arguments, one per client, run at the same time, because checking a long query
keeps the interpreter busy.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property
from itertools import count
from typing import Any, TypeVar

import anyio
import anyio.to_thread

from graphground.graphs.engines.callers import calling_as
from graphground.graphs.engines.cancellation import cancellable
from graphground.tools.failure import ToolFailure

THREADS, QUICK_THREADS, MOST_THREADS = 64, 16, 512
RESERVED, OLD = 16, 1.0
LOOK_SECONDS = 0.1
AT_ONCE, WAITING = 8, 64
"""The maximum number of an HTTP client's calls that run at the same time, and the maximum number that run or wait."""
ALONE_WAITING = 2_000
"""The maximum number of calls that run or wait for the only client of a stdio server."""
BULKY, BULKY_AT_ONCE = 5_000, 2
"""The number of characters above which an argument is long, and the maximum of concurrent calls with long arguments."""
QUICK = frozenset({"list_graphs", "get_schema", "resource", "prompt", "completion"})
ResultT = TypeVar("ResultT")


class _Client:
    """The running and waiting calls of one client."""

    def __init__(self, caller: str) -> None:
        self.calls = 0
        self.threads = anyio.CapacityLimiter(AT_ONCE if caller else THREADS)
        self.bulky = anyio.CapacityLimiter(1)


class FairThreads:
    """Permits to run in a thread: `async with FairThreads().taken("session-4711"): …`.

    The next permit goes to the client that holds the fewest permits, for its call that has waited longest.
    """

    def __init__(self, threads: int = THREADS, reserved: int = RESERVED) -> None:
        self._threads, self._reserved = threads, reserved
        self._held: dict[int, tuple[str, float]] = {}
        """The held permits by number, each with its client and the time at which it was given."""
        self._waiting: dict[int, tuple[str, anyio.Event]] = {}
        self._numbers = count()

    @asynccontextmanager
    async def taken(self, caller: str) -> AsyncIterator[None]:
        """Wait for a permit and hold it during the block, on behalf of the client `caller`."""
        number, event = next(self._numbers), anyio.Event()
        self._waiting[number] = caller, event
        try:
            self._admit()
            while not event.is_set():
                with anyio.move_on_after(LOOK_SECONDS):
                    await event.wait()
                self._admit()  # meanwhile a call may have become so old that its permit no longer counts
            yield
        finally:
            self._waiting.pop(number, None)
            self._held.pop(number, None)
            self._admit()

    def _admit(self) -> None:
        while self._waiting and (number := self._next()) is not None:
            caller, event = self._waiting.pop(number)
            self._held[number] = caller, time.monotonic()
            event.set()

    def _next(self) -> int | None:
        holds = Counter(caller for caller, _ in self._held.values())
        now = time.monotonic()
        free = self._threads - sum(now - since < OLD for _, since in self._held.values())
        if free <= 0 or len(self._held) >= MOST_THREADS:
            return None
        allowed = [
            (holds[caller], number)
            for number, (caller, _) in self._waiting.items()
            if free > self._reserved or not holds[caller] or not caller
        ]
        return min(allowed)[1] if allowed else None


class WorkerThreads:
    """The threads in which calls run:
    `await WorkerThreads().run("session-4711", "execute_cypher", arguments, work)`."""

    def __init__(self) -> None:
        self._clients: dict[str, _Client] = {}

    @cached_property
    def _slow(self) -> anyio.CapacityLimiter:
        return anyio.CapacityLimiter(MOST_THREADS)

    @cached_property
    def _shares(self) -> FairThreads:
        return FairThreads()

    @cached_property
    def _quick(self) -> anyio.CapacityLimiter:
        return anyio.CapacityLimiter(QUICK_THREADS)

    @cached_property
    def _bulky(self) -> anyio.CapacityLimiter:
        return anyio.CapacityLimiter(BULKY_AT_ONCE)

    async def run(self, caller: str, what: str, arguments: Mapping[str, Any], work: Callable[[], ResultT]) -> ResultT:
        """Run `work` in a thread and return its result; if the call is cancelled, terminate its queries.

        `what` is the name of the tool, or `resource`, `prompt` or `completion`.

        Raises:
            ToolFailure: the client has too many calls in progress.
        """
        async with self._client(caller) as client, AsyncExitStack() as stack:
            if what in QUICK:
                limiter = self._quick
            else:
                limiter = self._slow
                if bulky(arguments):
                    await stack.enter_async_context(client.bulky)
                    await stack.enter_async_context(self._bulky)
                await stack.enter_async_context(client.threads)
                await stack.enter_async_context(self._shares.taken(caller))
            with calling_as(caller), cancellable() as cancellation:
                try:
                    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)
                except anyio.get_cancelled_exc_class():
                    cancellation.cancel()
                    raise

    @asynccontextmanager
    async def _client(self, caller: str) -> AsyncIterator[_Client]:
        client = self._clients.get(caller)
        if client is None:
            client = self._clients[caller] = _Client(caller)
        if client.calls >= (WAITING if caller else ALONE_WAITING):
            raise ToolFailure(
                "server_busy",
                f"This client already has {client.calls} calls in progress.",
                next="Wait for their answers before calling again.",
            )
        client.calls += 1
        try:
            yield client
        finally:
            client.calls -= 1
            if not client.calls:
                self._clients.pop(caller, None)


def bulky(arguments: Mapping[str, Any]) -> bool:
    """Whether checking the arguments may take long, because a value is a long text or has many entries."""
    return any(
        (isinstance(value, str) and len(value) > BULKY) or (isinstance(value, list | dict) and len(value) > 100)
        for value in arguments.values()
    )


def caller_of(request: Any) -> str:
    """Return a name for a request's client: its session, else its token's client, else its address; empty for stdio.

    Connections do not identify clients: without a session each call may use a new connection, and a client would
    receive a share of the threads for each connection.
    """
    if request is None:
        return ""
    session = request.headers.get("mcp-session-id")
    if session:
        return f"session {session}"
    return token_client(request) or f"address {request.client.host if request.client else ''}"


def token_client(request: Any) -> str:
    """Return the client that a request's bearer token names; empty without a token."""
    token = getattr(request.scope.get("user"), "access_token", None)
    return f"client {token.client_id} {token.subject or ''}" if token is not None else ""


def owner_of(request: Any) -> str:
    """Return the owner of the rows kept for a request's client: the session and the token's client, if any.

    Since the protocol of 2026-07-28 clients have no session, so without tokens only the unguessable cursor protects the
    rows.
    """
    if request is None:
        return ""
    session = request.headers.get("mcp-session-id", "")
    return f"session {session} {token_client(request)}"
