"""HTTP connections with limits on their number and on the times for sending a request and reading a response.

uvicorn closes a connection that is idle after a response, but not a connection that never sends a complete request or
never reads its response.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import count
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS, REQUEST_SECONDS, UNREAD_SECONDS = 10.0, 30.0, 30.0
"""The time limits for a request's headers, for the whole request, and for reading some bytes of a response."""
MAX_CONNECTIONS = 512
_numbers = count()


class BoundedConnection(H11Protocol):
    """An HTTP/1.1 connection; beyond the limit, a new connection replaces the least important connection."""

    most = MAX_CONNECTIONS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection; beyond the limit, close the least important connection, which may be this one."""
        super().connection_made(transport)
        self.number, self._unread, self._reading = next(_numbers), 0, True
        self._timer: asyncio.TimerHandle | None = None
        self._await_request()
        if len(self.connections) > self.most:
            others: Any = self.connections - {self}
            victim = min(others, key=lambda other: (other.importance(), other.number), default=self)
            (self if victim.importance() == CALLING else victim).drop()

    def data_received(self, data: bytes) -> None:
        """Process bytes of a request."""
        if not self._reading and self.conn.their_state is not h11.SEND_BODY:
            self._await_request()
        super().data_received(data)
        if self.conn.their_state in (h11.DONE, h11.MUST_CLOSE, h11.CLOSED, h11.ERROR):
            self._reading = False
            self._look_again(UNREAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the connection's timer."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def importance(self) -> int:
        """Return the rank of the connection: INCOMPLETE request < IDLE < STANDING (an open stream) < CALLING."""
        if self._reading:
            return INCOMPLETE
        if self.cycle is None or self.cycle.response_complete:
            return IDLE
        return STANDING if self.scope is not None and self.scope.get("method") == "GET" else CALLING

    def drop(self) -> None:
        """Close the connection now."""
        self.connections.discard(self)
        with suppress(Exception):
            self.transport.abort()

    def _await_request(self) -> None:
        self._reading, self._begun = True, self.loop.time()
        self._look_again(HEADER_SECONDS)

    def _look_again(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, self._look)

    def _look(self) -> None:
        """Close the connection if its client keeps the server waiting; otherwise check again later."""
        if self.transport.is_closing():
            return
        unread: int = self.transport.get_write_buffer_size()
        if self._reading:
            left = REQUEST_SECONDS - (self.loop.time() - self._begun)
            is_late = self.conn.their_state is not h11.SEND_BODY or left <= 0
        else:
            left, is_late = UNREAD_SECONDS, bool(unread) and unread == self._unread
        self._unread = unread
        if is_late:
            self.drop()
        else:
            self._look_again(left)


INCOMPLETE, IDLE, STANDING, CALLING = range(4)


def connections_allowed() -> int:
    """Return the limit of connections, which leaves half of the file descriptors for databases and files."""
    try:
        import resource  # not on Windows
    except ImportError:
        return MAX_CONNECTIONS
    soft: Any = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(16, min(MAX_CONNECTIONS, soft // 2))
