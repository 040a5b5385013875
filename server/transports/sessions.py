"""Sessions of streamable HTTP with limits: they expire, and beyond the limit a new session replaces an idle session."""

from __future__ import annotations

from collections import Counter

from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

IDLE_SECONDS = 30 * 60.0
MOST_SESSIONS = 1_000
MOST_BODY_BYTES = 1_048_576
"""The maximum size of a request in bytes: enough for a query of 100,000 characters and its parameters."""
USED = 50
"""A number of requests; sessions with this number of requests or more count as equally used."""


class BoundedSessions(StreamableHTTPSessionManager):
    """A session manager that closes an idle session to make room for a new one; the SDK's manager refuses new sessions.

    The idle session with the fewest requests is closed; of several such sessions, the session that has been idle
    longest. A session with a request in progress is never closed.
    """

    _requests: Counter[str]

    async def _handle_stateful_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = next((value.decode("latin-1") for key, value in scope["headers"] if key == b"mcp-session-id"), None)
        if session is not None and session in self._server_instances:
            self._requests[session] += 1
        elif session is None and self.max_sessions and len(self._server_instances) >= self.max_sessions:
            await self._make_room()
        await super()._handle_stateful_request(scope, receive, send)

    async def _make_room(self) -> None:
        idle: list[tuple[int, float, str, StreamableHTTPServerTransport]] = []
        for session, transport in self._server_instances.items():
            deadline = transport.idle_scope.deadline if transport.idle_scope is not None else float("inf")
            if deadline != float("inf"):
                idle.append((min(USED, self._requests[session]), deadline, session, transport))
        if idle:
            _, _, session, transport = min(idle, key=lambda entry: entry[:3])
            await self._discard_session(session, transport)

    async def _discard_session(self, session_id: str, transport: StreamableHTTPServerTransport) -> None:
        self._requests.pop(session_id, None)
        await super()._discard_session(session_id, transport)


def make_room(manager: StreamableHTTPSessionManager) -> None:
    """Turn a session manager that the SDK has created into a `BoundedSessions`, which the SDK cannot create."""
    manager.__class__ = BoundedSessions
    assert isinstance(manager, BoundedSessions)
    manager._requests = Counter()
