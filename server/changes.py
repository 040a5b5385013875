"""Notifies clients when a graph is added or removed."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ResourcesListChanged

LOOK_SECONDS = 1.0
MOST_SESSIONS = 1_000
logger = logging.getLogger(__name__)


class Changes:
    """Sends `notifications/resources/list_changed`: since 2026-07-28 to subscribed clients, before that to every
    session.
    """

    def __init__(self, names: Callable[[], Sequence[str] | None]) -> None:
        self._names = names
        self._bus = InMemorySubscriptionBus()
        self._sessions: deque[Any] = deque(maxlen=MOST_SESSIONS)
        self.listen = ListenHandler(self._bus)

    async def greeted(self, context: Any, params: Any) -> None:
        """Handle `notifications/initialized`: a session of an older era has begun."""
        self._sessions.append(context.session)

    @asynccontextmanager
    async def watch(self, server: Any) -> AsyncIterator[dict[str, Any]]:
        """Check once a second, as long as the server runs, whether graphs were added or removed."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._look)
            yield {}
            self.listen.close()
            group.cancel_scope.cancel()

    async def _look(self) -> None:
        seen: list[str] | None = None
        while True:
            await anyio.sleep(LOOK_SECONDS)
            with suppress(Exception):  # a catalog that cannot be read is reported by the call that needs it
                names = self._names()
                if names is not None:
                    before, seen = seen, list(names)
                    if before is not None and before != seen:
                        await self._tell()

    async def _tell(self) -> None:
        await self._bus.publish(ResourcesListChanged())
        for session in list(self._sessions):
            try:
                await session.send_resource_list_changed()
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                self._sessions.remove(session)
