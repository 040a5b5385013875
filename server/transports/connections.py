"""HTTP connections with limits on their number and on the times for sending a request and reading a response.

uvicorn closes a connection that is idle after a response, but not a connection that never sends a complete request or
never reads its response.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import count
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS, REQUEST_SECONDS = 10.0, 30.0
"""The time limits for a request's headers and for the whole request, in seconds after the request's beginning."""
UNREAD_SECONDS = 30.0
"""The time in seconds after which a connection is closed if its client has read no byte of the response."""
MOST_CONNECTIONS = 512
_numbers = count()


class BoundedConnection(H11Protocol):
    """An HTTP/1.1 connection; beyond the limit, a new connection replaces the least important connection."""

    most = MOST_CONNECTIONS
    incomplete: ClassVar[dict[BoundedConnection, None]] = {}
    """The connections that have not yet sent a complete request, oldest first."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection; beyond the limit, close the least important connection, which may be this one."""
        super().connection_made(transport)
        self.number = next(_numbers)
        self._timer: asyncio.TimerHandle | None = None
        self._unread = 0
        self._reading = False
        self._await_request()
        if len(self.connections) > self.most:
            self._victim().drop()

    def data_received(self, data: bytes) -> None:
        """Process bytes of a request."""
        if not self._reading and self.conn.their_state is not h11.SEND_BODY:
            self._await_request()
        super().data_received(data)
        if self.conn.their_state in (h11.DONE, h11.MUST_CLOSE, h11.CLOSED, h11.ERROR):
            self._reading = False
            self.incomplete.pop(self, None)
            self._look_again(UNREAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection from `incomplete`, and cancel its timer."""
        self.incomplete.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def _victim(self) -> BoundedConnection:
        """Return the connection to close: the oldest with an incomplete request, else the least important.

        If every other connection is `CALLING`, this new connection is returned.
        """
        oldest = next(iter(self.incomplete))
        if oldest is not self:
            return oldest
        others = [
            connection
            for connection in self.connections
            if isinstance(connection, BoundedConnection) and connection is not self
        ]
        victim = min(others, key=lambda connection: (connection.importance(), connection.number), default=self)
        return self if victim.importance() > STANDING else victim

    def importance(self) -> int:
        """Return the rank of the connection: INCOMPLETE request < IDLE < STANDING (an open stream) < CALLING."""
        if self._reading:
            return INCOMPLETE
        if self.cycle is None or self.cycle.response_complete:
            return IDLE
        return STANDING if self.scope is not None and self.scope.get("method") == "GET" else CALLING

    def drop(self) -> None:
        """Close the connection now."""
        self.incomplete.pop(self, None)
        self.connections.discard(self)
        with suppress(Exception):
            self.transport.abort()

    def _await_request(self) -> None:
        self._reading = True
        self.incomplete[self] = None
        self._begun = self.loop.time()
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
            in_body = self.conn.their_state is h11.SEND_BODY
            left = REQUEST_SECONDS - (self.loop.time() - self._begun)
            if not in_body or left <= 0:
                self.drop()
            else:
                self._look_again(left)
        elif unread and unread == self._unread:
            self.drop()
        else:
            self._unread = unread
            self._look_again(UNREAD_SECONDS)


INCOMPLETE, IDLE, STANDING, CALLING = range(4)


def connections_allowed() -> int:
    """Return the limit of connections, which leaves half of the file descriptors for databases and files."""
    try:
        import resource  # not on Windows
    except ImportError:
        return MOST_CONNECTIONS
    soft: Any = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(16, min(MOST_CONNECTIONS, soft // 2))
