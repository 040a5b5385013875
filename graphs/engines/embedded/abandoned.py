"""Terminates queries whose client, a GraphGround server, has ended, for instance because it was killed.

While ArcadeDB evaluates an expression, it does not notice that the client has closed its connection, so an endless
query would use a core for as long as the machine runs. Such a query is terminated; if it ignores the termination, the
engine process must end.

On Linux the kernel's list of connections shows which clients are still connected, so the query of a connected client,
such as an export, may take any time. If the list cannot be read, a query that runs longer than `LONGEST_SECONDS` counts
as abandoned.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

CONNECTIONS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
ESTABLISHED, CLOSE_WAIT = "01", "08"
"""The kernel's codes for an open connection, and for a connection whose other end has closed it."""
LONG_SECONDS = 3.0
"""Seconds for which a query runs before this module checks whether its client is still connected."""
IGNORING_SECONDS = 60.0
"""The number of seconds for which a query may ignore its termination before the engine process ends.

A server that is still running kills the process sooner if one of its own queries ignores its termination.
"""
LONGEST_SECONDS = 660.0
"""A number of seconds above the longest timeout of a tool call.

Queries that run longer are terminated, unless their clients are known to be connected.
"""


class AbandonedQueries:
    """The running queries that no client waits for: `AbandonedQueries(server.getRunningQueries(), 2424)`.

    `registry` is ArcadeDB's list of running queries, `port` the port on which it serves Bolt. A query may continue
    for `patience` seconds after its termination was requested.
    """

    def __init__(self, registry: Any, port: int, patience: float = IGNORING_SECONDS) -> None:
        self._registry, self._port, self._patience = registry, port, patience
        self._terminated: dict[str, float] = {}

    def terminate(self) -> bool:
        """Terminate the abandoned queries; return whether one of them has ignored its termination for too long."""
        if not self._registry.size():
            self._terminated.clear()
            return False
        long_running = [
            query for query in self._registry.getRunning() if query.getElapsedMillis() > LONG_SECONDS * 1000
        ]
        connected = connected_clients(self._port) if long_running else None
        abandoned = {str(query.getId()): query for query in long_running if self._is_abandoned(query, connected or {})}
        now = time.monotonic()
        since = {name: self._terminated.get(name, now) for name in abandoned}
        for name in since.keys() - self._terminated.keys():
            abandoned[name].terminate("graphground: no client waits for it")
        self._terminated = since
        return any(now - terminated > self._patience for terminated in since.values())

    def _is_abandoned(self, query: Any, connected: dict[int, bool]) -> bool:
        port = _port_of(str(query.getClientAddress()))
        if port in connected:
            return not connected[port]
        if query.getElapsedMillis() <= LONGEST_SECONDS * 1000:
            return False
        # The list is not a snapshot: it may omit a connection if others open or close while it is read.
        return port is None or not (connected_clients(self._port) or {}).get(port, False)


def connected_clients(port: int) -> dict[int, bool] | None:
    """Return for each connection to a local port, by its remote port, whether the client is still connected.

    The value is False if the client has closed the connection. The result is None if the kernel's list of connections
    cannot be read, as on systems other than Linux.
    """
    found: dict[int, bool] = {}
    is_read = False
    for file in CONNECTIONS:
        try:
            lines = file.read_text().splitlines()[1:]
        except OSError:
            continue
        is_read = True
        for line in lines:
            _, local, remote, state, *_ = line.split()
            if state in (ESTABLISHED, CLOSE_WAIT) and int(local.rpartition(":")[2], 16) == port:
                client = int(remote.rpartition(":")[2], 16)
                found[client] = state == ESTABLISHED and found.get(client, True)
    return found if is_read else None


def _port_of(address: str) -> int | None:
    port = address.rpartition(":")[2]
    return int(port) if port.isdecimal() else None
