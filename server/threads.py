"""Worker threads, shared fairly between clients.

A call of a tool holds a permit while it runs; quick tools have permits of their own, so they never wait behind queries.
At most as many threads compute as there are cores; those that wait for a database do not count (`Turns`). Checking a
long query keeps the interpreter busy, so at most `BULKY_AT_ONCE` calls with long arguments run at the same time, one
per client.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from contextvars import Context, copy_context
from queue import SimpleQueue
from typing import Any, TypeVar

from graphground.graphs.engines.client_context import CLIENT, TURNS, FairShares, TooManyCalls, calling_as, cancellable
from graphground.tools.failure import ToolFailure

THREADS, QUICK_THREADS = 64, 16
MAX_WAITING = 256
"""The maximum number of a client's calls that wait; further calls are refused."""
BULKY, BULKY_AT_ONCE = 5_000, 2
"""The number of characters above which an argument is long, and the maximum of concurrent calls with long arguments."""
QUICK = frozenset({"list_graphs", "get_schema", "resource", "prompt", "completion"})
ResultT = TypeVar("ResultT")


class WorkerThreads:
    """The threads in which calls run: `await WorkerThreads().run("client token-1", "get_schema", {}, work)`."""

    def __init__(self) -> None:
        self._shares = FairShares(THREADS, max_waiting=MAX_WAITING)
        self._quick = FairShares(QUICK_THREADS, max_waiting=MAX_WAITING)
        self._bulky = FairShares(BULKY_AT_ONCE, reserved=BULKY_AT_ONCE, max_waiting=MAX_WAITING)
        self._pool = _Pool()

    def load(self) -> tuple[int, int]:
        """Return the numbers of calls that run and that wait for a thread."""
        counts = [shares.load() for shares in (self._shares, self._quick)]
        return sum(running for running, _ in counts), sum(waiting for _, waiting in counts)

    async def run(self, caller: str, what: str, arguments: Mapping[str, Any], work: Callable[[], ResultT]) -> ResultT:
        """Run `work` in a thread and return its result; if the call is cancelled, terminate its queries.

        `what` is the name of the tool, or `resource`, `prompt` or `completion`.

        Raises:
            ToolFailure: the client has too many calls in progress.
        """
        shares = self._quick if what in QUICK else self._shares
        async with _Permit(self._bulky, caller) if is_bulky(arguments) else nullcontext(), _Permit(shares, caller):
            with calling_as(caller), cancellable() as cancellation:
                try:
                    return await self._pool.run(work)
                except asyncio.CancelledError:
                    cancellation.cancel()
                    raise


class _Permit:
    """A permit that is held inside a block; all permits are requested and returned on the event loop."""

    def __init__(self, shares: FairShares, caller: str) -> None:
        self._shares, self._caller = shares, caller
        self._granted: asyncio.Event | None = None

    async def __aenter__(self) -> None:
        try:
            self._permit = self._shares.enter(self._caller, self._grant)
        except TooManyCalls:
            raise ToolFailure(
                "server_busy",
                f"This client already has {MAX_WAITING} calls that wait.",
                next="Wait for their answers before calling again.",
            ) from None
        if not self._permit.is_granted:
            self._granted = asyncio.Event()
            try:
                await self._granted.wait()
            except BaseException:
                self._shares.leave(self._permit)
                raise

    async def __aexit__(self, *raised: object) -> None:
        self._shares.leave(self._permit)

    def _grant(self) -> None:
        if self._granted is not None:
            self._granted.set()


class _Pool:
    """Daemon threads that run work for an event loop: one hop to a thread, and one back.

    anyio's threads cost a call more than checking a query does. Their number is limited by the permits.
    """

    def __init__(self) -> None:
        self._work: SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Future[Any], Context, Callable[[], Any]]]
        self._work = SimpleQueue()
        self._threads = self._busy = 0

    async def run(self, work: Callable[[], ResultT]) -> ResultT:
        """Run `work` in a thread, in a copy of the context; the thread continues if this task is cancelled."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[ResultT] = loop.create_future()
        self._busy += 1
        if self._busy > self._threads:
            self._threads += 1
            threading.Thread(target=self._serve, name="graphground-call", daemon=True).start()
        self._work.put((loop, future, copy_context(), work))
        return await future

    def _serve(self) -> None:
        while True:
            loop, future, context, work = self._work.get()
            result, error = None, None
            TURNS.take()
            try:
                result = context.run(work)
            except BaseException as raised:
                error = raised
            finally:
                TURNS.give()
            with suppress(RuntimeError):  # the event loop has been closed
                loop.call_soon_threadsafe(self._settle, future, result, error)
            # The thread now waits for its next work, and must not keep the last alive.
            del future, context, work, result, error

    def _settle(self, future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
        self._busy -= 1
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)


def is_bulky(arguments: Mapping[str, Any]) -> bool:
    """Whether checking the arguments may take long, because a value is a long text or has many entries."""
    return any(
        (isinstance(value, str) and len(value) > BULKY) or (isinstance(value, list | dict) and len(value) > 100)
        for value in arguments.values()
    )


def caller_of(request: Any) -> str:
    """Return a name for a request's client: its token's client, else its address; empty for stdio.

    Limits are per caller, so only what was authenticated counts. A session or another header costs a client nothing,
    and with one share for each it could take all shares.
    """
    if request is None:
        return ""
    return token_client(request) or f"address {request.client.host if request.client else ''}"


def token_client(request: Any) -> str:
    """Return the client that a request's bearer token names; empty without a token."""
    token = getattr(request.scope.get("user"), "access_token", None)
    return f"{CLIENT}{json.dumps([token.client_id, token.subject or ''])}" if token is not None else ""


def owner_of(request: Any) -> str:
    """Return the owner of the rows kept for a request's client: the session and the token's client, if any.

    Since the protocol of 2026-07-28 clients have no session, so without tokens only the unguessable cursor protects the
    rows.
    """
    if request is None:
        return ""
    session = request.headers.get("mcp-session-id", "")
    return f"session {session} {token_client(request)}"
