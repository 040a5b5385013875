"""The threads in which calls run, with limits for each client and in all.

Quick tools have a limit of their own, so they never wait behind queries. Checking a long query keeps the interpreter
busy, so at most `BULKY_AT_ONCE` calls with long arguments run at the same time, one per client. At most as many threads
compute as there are cores; those that wait for a database do not count (`Turns`).
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import Context, copy_context
from queue import SimpleQueue
from typing import Any, TypeVar

from graphground.graphs.engines.client_context import CLIENT, TURNS, calling_as, cancellable
from graphground.tools.tool import ToolFailure

CALLS_AT_ONCE, QUICK_AT_ONCE = max(16, 4 * (os.cpu_count() or 1)), 16
"""The maximum numbers of calls that run at once; a client may run three quarters of them."""
MAX_WAITING = 256
"""The maximum number of a client's calls that wait; further calls are refused."""
BULKY, BULKY_AT_ONCE = 5_000, 2
"""The number of characters above which an argument is long, and the maximum of concurrent calls with long arguments."""
LINGERING_SECONDS = 60.0
"""The time for which a call counts as running if the database did not terminate its query."""
QUICK = frozenset({"list_graphs", "get_schema", "resource", "prompt", "completion"})
ResultT = TypeVar("ResultT")
Settle = Callable[[Any, BaseException | None], None]


class Limit:
    """At most `total` calls at once, and at most `each` of one client: `await limit.enter("client")`, then `leave`.

    The next call is that of the client with the fewest running calls; of several such calls, the one that has waited
    longest. The only client of a program, whose name is empty, may run all. All methods run on the event loop.
    """

    def __init__(self, total: int, each: int) -> None:
        self._total, self._each = total, each
        self.running: Counter[str] = Counter()
        self.waiting: list[tuple[str, asyncio.Future[None]]] = []

    async def enter(self, caller: str) -> None:
        """Wait until the client `caller` may run another call.

        Raises:
            ToolFailure: the client has too many calls that wait.
        """
        if self._has_room(caller):
            self.running[caller] += 1
            return
        if sum(other == caller for other, _ in self.waiting) >= MAX_WAITING:
            raise ToolFailure(
                "server_busy",
                f"This client already has {MAX_WAITING} calls that wait.",
                next="Wait for their answers before calling again.",
            )
        entry = caller, asyncio.get_running_loop().create_future()
        self.waiting.append(entry)
        try:
            await entry[1]
        except BaseException:
            if entry in self.waiting:
                self.waiting.remove(entry)
            else:  # cancelled in the moment in which its turn came
                self.leave(caller)
            raise

    def leave(self, caller: str) -> None:
        """End a call of `caller`, and begin the calls that may run now."""
        self.running[caller] -= 1
        if not self.running[caller]:
            del self.running[caller]
        while allowed := [entry for entry in self.waiting if self._has_room(entry[0])]:
            entry = min(allowed, key=lambda entry: self.running[entry[0]])
            self.waiting.remove(entry)
            self.running[entry[0]] += 1
            if not entry[1].cancelled():
                entry[1].set_result(None)

    def _has_room(self, caller: str) -> bool:
        return self.running.total() < self._total and (not caller or self.running[caller] < self._each)


class WorkerThreads:
    """The threads in which calls run: `await WorkerThreads().run("client token-1", "get_schema", {}, work)`.

    They are daemon threads, one hop from the event loop and one back: anyio's threads cost a call more than checking a
    query does.
    """

    def __init__(self) -> None:
        self._calls = Limit(CALLS_AT_ONCE, CALLS_AT_ONCE * 3 // 4)
        self._quick = Limit(QUICK_AT_ONCE, QUICK_AT_ONCE * 3 // 4)
        self._bulky = Limit(BULKY_AT_ONCE, 1)
        self._work: SimpleQueue[tuple[asyncio.AbstractEventLoop, Settle, Context, Callable[[], Any]]] = SimpleQueue()
        self._threads = self._busy = 0

    def load(self) -> tuple[int, int]:
        """Return the numbers of calls that run and that wait for a thread."""
        limits = self._calls, self._quick
        return sum(limit.running.total() for limit in limits), sum(len(limit.waiting) for limit in limits)

    async def run(self, caller: str, what: str, arguments: Mapping[str, Any], work: Callable[[], ResultT]) -> ResultT:
        """Run `work` in a thread and return its result; if the call is cancelled, terminate its queries.

        `what` is the name of the tool, or `resource`, `prompt` or `completion`.

        Raises:
            ToolFailure: the client has too many calls in progress.
        """
        limits = [self._bulky] if is_bulky(arguments) else []
        limits.append(self._quick if what in QUICK else self._calls)
        entered: list[Limit] = []
        try:
            for limit in limits:
                await limit.enter(caller)
                entered.append(limit)
        except BaseException:
            for limit in entered:
                limit.leave(caller)
            raise
        loop = asyncio.get_running_loop()
        future: asyncio.Future[ResultT] = loop.create_future()
        with calling_as(caller), cancellable() as cancellation:

            def settle(result: Any, error: BaseException | None) -> None:
                """End the call on the event loop: only now, even if its client has cancelled it before."""
                self._busy -= 1
                for limit in entered:
                    if cancellation.lingers:
                        loop.call_later(LINGERING_SECONDS, limit.leave, caller)
                    else:
                        limit.leave(caller)
                if future.cancelled():
                    return
                if error is not None:
                    future.set_exception(error)
                else:
                    future.set_result(result)

            self._busy += 1
            if self._busy > self._threads:
                self._threads += 1
                threading.Thread(target=self._serve, name="graphground-call", daemon=True).start()
            self._work.put((loop, settle, copy_context(), work))
            try:
                return await future
            except asyncio.CancelledError:
                cancellation.cancel()
                raise

    def _serve(self) -> None:
        while True:
            loop, settle, context, work = self._work.get()
            result, error = None, None
            TURNS.take()
            try:
                result = context.run(work)
            except BaseException as raised:
                error = raised
            finally:
                TURNS.give()
            with suppress(RuntimeError):  # the event loop has been closed
                loop.call_soon_threadsafe(settle, result, error)
            # The thread now waits for its next work, and must not keep the last alive.
            del loop, settle, context, work, result, error


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
