"""Finds queries whose client has ended, for instance because the server was killed.

ArcadeDB does not notice that a client has gone while it evaluates an expression, so an endless query would use a core for
as long as the machine runs. Such a query is terminated; if it ignores that, the engine process has to end.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

CONNECTIONS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
CLOSE_WAIT = "08"
"""The kernel's code for a connection whose other end has closed it."""
LONG_SECONDS = 3.0
"""Seconds that a query runs before its client is looked for."""
IGNORING_SECONDS = 60.0
"""Seconds after its termination in which a query has to end.

Servers that live end the process themselves, earlier, if a query of theirs ignores its termination.
"""
LONGEST_SECONDS = 660.0
"""A limit above the longest timeout of a tool call: no client waits for a query that runs longer."""


class AbandonedQueries:
    """The running queries of one server that no client waits for: `AbandonedQueries(server.getRunningQueries(), 2424)`.

    A query may ignore its termination for `patience` seconds.
    """

    def __init__(self, registry: Any, port: int, patience: float = IGNORING_SECONDS) -> None:
        self._registry, self._port, self._patience = registry, port, patience
        self._terminated: dict[str, float] = {}

    def terminate(self) -> bool:
        """Terminate the abandoned queries; return whether a query has ignored that for too long."""
        if not self._registry.size():
            self._terminated.clear()
            return False
        long = [query for query in self._registry.getRunning() if query.getElapsedMillis() > LONG_SECONDS * 1000]
        gone = closed_by_client(self._port) if long else set()
        abandoned = {
            str(query.getId()): query
            for query in long
            if query.getElapsedMillis() > LONGEST_SECONDS * 1000 or _port_of(str(query.getClientAddress())) in gone
        }
        now = time.monotonic()
        since = {name: self._terminated.get(name, now) for name in abandoned}
        for name in since.keys() - self._terminated.keys():
            abandoned[name].terminate("graphground: no client waits for it")
        self._terminated = since
        return any(now - terminated > self._patience for terminated in since.values())


def closed_by_client(port: int) -> set[int]:
    """Return the clients' ports of connections to a local port that the clients have closed; empty except on Linux."""
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
