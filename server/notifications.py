"""Notifications to clients: progress of a long call, log messages before its answer, changes of graphs and tools.

A call that takes over a second reports its stage and its elapsed seconds once a second, if the client sent a progress
token. Log records of a call are sent to the call's client if they have at least the level that the client has set.
Since the protocol of 2026-07-28 a client sets the level in the request; in earlier protocols ("older protocol" below),
with `logging/setLevel`. Changes are notified to subscribers; in earlier protocols, to every session.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Any, cast, get_args

import anyio
import anyio.to_thread
from mcp.server.connection import allowed_log_levels
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ResourcesListChanged, ServerEvent, ToolsListChanged
from mcp_types import LoggingLevel, LoggingMessageNotification, LoggingMessageNotificationParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from graphground.graphs.engines.client_context import PROGRESS, CallProgress

FIRST_SECONDS, EVERY_SECONDS = 1.0, 1.0
MOST_SESSIONS, MOST_RECORDS = 10_000, 1_000
LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
UNASKED: LoggingLevel = "warning"
"""The default minimum level of log messages for clients of the older protocol."""

_records: ContextVar[deque[logging.LogRecord] | None] = ContextVar("graphground_records", default=None)


class ClientLog(logging.Handler):
    """A handler that collects the log records of each call, to be sent to the client that made the call."""

    def emit(self, record: logging.LogRecord) -> None:
        records = _records.get()
        if records is not None:
            records.append(record)


def log_to_clients() -> None:
    """Collect graphground's log records of level info and above, to be sent to clients."""
    logger = logging.getLogger("graphground")
    logger.addHandler(ClientLog(logging.INFO))
    logger.setLevel(min(logging.INFO, logger.getEffectiveLevel()))


class LogLevels:
    """The minimum log level of each session that has set a level; at most the latest `MOST_SESSIONS` are kept."""

    def __init__(self) -> None:
        self._levels: OrderedDict[str, LoggingLevel] = OrderedDict()

    def set(self, context: Any, level: LoggingLevel) -> None:
        """Handle `logging/setLevel`: store the level for the session, if the request has a session."""
        session = session_id(context)
        if session is None:
            return
        self._levels[session] = level
        while len(self._levels) > MOST_SESSIONS:
            self._levels.popitem(last=False)

    def allowed(self, context: Any) -> frozenset[str]:
        """Return the levels of log messages that the client of a request accepts; none if it is answered as JSON."""
        if context.request is not None and context.request.scope.get("graphground.in_json"):
            return frozenset()
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return frozenset(allowed_log_levels(context.protocol_version, context.meta))
        session = session_id(context)
        least = UNASKED if session is None else self._levels.get(session, UNASKED)
        return frozenset(LEVELS[LEVELS.index(least) :])


def session_id(context: Any) -> str | None:
    """Return the session id in a request's HTTP header; None without the header, and an empty string over stdio."""
    headers: Mapping[str, str] = {"mcp-session-id": ""} if context.request is None else context.request.headers
    return headers.get("mcp-session-id")


class Reporting:
    """Sends the progress and log messages of a block to a request's client: `async with Reporting(context, levels):`

    They are sent during the block and at its end. `hide` replaces what log messages must not contain, such as paths of
    this machine. A block that ends within `FIRST_SECONDS` starts no task, because a task group for each call took a
    tenth of the server's time.
    """

    def __init__(self, context: Any, levels: LogLevels, hide: Callable[[str], str] = str) -> None:
        self._context, self._levels, self._hide = context, levels, hide
        self._records: deque[logging.LogRecord] = deque(maxlen=MOST_RECORDS)
        self._progress = CallProgress()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        self._tokens = _records.set(self._records), PROGRESS.set(self._progress)
        self._timer = asyncio.get_running_loop().call_later(FIRST_SECONDS, self._start)

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        _records.reset(self._tokens[0])
        PROGRESS.reset(self._tokens[1])
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])  # nothing may be sent after the answer
        if kind is None and self._records:
            await self._send_records()

    def _start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._report())

    async def _report(self) -> None:
        start = time.monotonic() - FIRST_SECONDS
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):  # the client has disconnected
            while True:
                seconds = time.monotonic() - start
                message = f"{self._progress.stage} ({seconds:.0f} s)"
                await self._context.session.report_progress(round(seconds, 1), None, message)
                await self._send_records()
                await anyio.sleep(EVERY_SECONDS)

    async def _send_records(self) -> None:
        allowed = self._levels.allowed(self._context) if self._records else frozenset()
        while self._records:
            record = self._records.popleft()
            if (level := record.levelname.lower()) in allowed:  # Python's names are names of the protocol too
                params = LoggingMessageNotificationParams(
                    level=cast("LoggingLevel", level), logger=record.name, data=self._hide(record.getMessage())
                )
                await self._context.session.send_notification(
                    LoggingMessageNotification(params=params), related_request_id=self._context.request_id
                )


LOOK_SECONDS, MOST_NOTIFIED = 1.0, 1_000


class Changes:
    """The sender of `list_changed` for resources and tools: a server runs `Changes(application.known_names).watch`.

    `names` returns the names of the graphs, or None until a graph is first used. `tools` returns the names of the
    owner's queries that are offered as tools. `check_tools` is called after the graphs have changed; it checks these
    queries again.
    """

    def __init__(
        self,
        names: Callable[[], Sequence[str] | None],
        tools: Callable[[], Sequence[str]] = tuple,
        check_tools: Callable[[], None] = lambda: None,
    ) -> None:
        self._names, self._tools, self._check_tools = names, tools, check_tools
        self._bus = InMemorySubscriptionBus()
        self._sessions: deque[Any] = deque(maxlen=MOST_NOTIFIED)
        self.listen = ListenHandler(self._bus)

    async def greeted(self, context: Any, params: Any) -> None:
        """Handle `notifications/initialized`: a session of the older protocol has begun."""
        self._sessions.append(context.session)

    @asynccontextmanager
    async def watch(self, server: Any) -> AsyncIterator[dict[str, Any]]:
        """While the server runs, check once a second whether graphs or tools have changed, and notify clients."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._look)
            yield {}
            self.listen.close()
            group.cancel_scope.cancel()

    async def _look(self) -> None:
        graphs: list[str] | None = None
        tools = list(self._tools())
        while True:
            await anyio.sleep(LOOK_SECONDS)
            with suppress(Exception):  # the call that needs the catalog reports that it cannot be read
                names = self._names()
                if names is not None:
                    before, graphs = graphs, list(names)
                    if before is not None and before != graphs:
                        await self._notify(ResourcesListChanged(), "send_resource_list_changed")
                        await anyio.to_thread.run_sync(self._check_tools)
            if tools != (tools := list(self._tools())):
                await self._notify(ToolsListChanged(), "send_tool_list_changed")

    async def _notify(self, event: ServerEvent, method: str) -> None:
        await self._bus.publish(event)
        for session in list(self._sessions):
            try:
                await getattr(session, method)()
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                self._sessions.remove(session)
