"""Terminates queries whose client, a GraphGround server, has ended, for instance because it was killed.

While ArcadeDB evaluates an expression, it does not notice that the client has closed its connection, so an endless
query would use a core for as long as the machine runs. Such a query is terminated; if it ignores the termination, the
engine process must end.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

CONNECTIONS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
CLOSE_WAIT = "08"
"""The kernel's code for a connection whose other end has closed it."""
LONG_SECONDS = 3.0
"""Seconds for which a query runs before this module checks whether its client is still connected."""
IGNORING_SECONDS = 60.0
"""The number of seconds for which a query may ignore its termination before the engine process ends.

A server that is still running kills the process sooner if one of its own queries ignores its termination.
"""
LONGEST_SECONDS = 660.0
"""A number of seconds above the longest timeout of a tool call; queries that run longer are terminated."""


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
        closed_ports = closed_by_client(self._port) if long_running else set()
        abandoned = {
            str(query.getId()): query
            for query in long_running
            if query.getElapsedMillis() > LONGEST_SECONDS * 1000
            or _port_of(str(query.getClientAddress())) in closed_ports
        }
        now = time.monotonic()
        since = {name: self._terminated.get(name, now) for name in abandoned}
        for name in since.keys() - self._terminated.keys():
            abandoned[name].terminate("graphground: no client waits for it")
        self._terminated = since
        return any(now - terminated > self._patience for terminated in since.values())


def closed_by_client(port: int) -> set[int]:
    """Return the remote ports of connections to a local port that their clients have closed; empty except on Linux."""
    found = set()
    for file in CONNECTIONS:
        try:
            lines = file.read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            _, local, remote, state, *_ = line.split()
            if state == CLOSE_WAIT and int(local.rpartition(":")[2], 16) == port:
                found.add(int(remote.rpartition(":")[2], 16))
    return found


def _port_of(address: str) -> int | None:
    port = address.rpartition(":")[2]
    return int(port) if port.isdecimal() else None
