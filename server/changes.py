"""Notifies clients when a graph or a tool is added or removed.

In the protocol of 2026-07-28 a client subscribes to notifications; in earlier protocols ("older protocol" below) it
opens a session, and every session is notified.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ResourcesListChanged, ServerEvent, ToolsListChanged

LOOK_SECONDS = 1.0
MOST_SESSIONS = 1_000
logger = logging.getLogger(__name__)


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
        self._sessions: deque[Any] = deque(maxlen=MOST_SESSIONS)
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
        """Publish an event to subscribers, and call `method` on every session of the older protocol."""
        await self._bus.publish(event)
        for session in list(self._sessions):
            try:
                await getattr(session, method)()
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                self._sessions.remove(session)
