"""What the Neo4j driver has no public way to do: find a session's connection, and close every connection."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import neo4j


def connection_of(session: neo4j.Session) -> Any:
    """Return the connection that a session holds, or None."""
    return getattr(session, "_connection", None)


def pooled_connections(driver: neo4j.Driver) -> list[Any]:
    """Return the connections in a driver's pool, idle or in use."""
    pool = getattr(driver, "_pool", None)
    return [
        connection for same_address in dict(getattr(pool, "connections", {})).values() for connection in same_address
    ]


def close_driver(driver: neo4j.Driver) -> None:
    """Close a driver and every connection in its pool; call it again after a session that was open at the time.

    The driver itself stops at a connection to which another thread is writing (`BufferError`), and a session that is
    open when its driver is closed may connect again.
    """
    connections = pooled_connections(driver)
    with suppress(BufferError):
        driver.close()
    for connection in [*connections, *pooled_connections(driver)]:
        with suppress(OSError):
            connection.kill()
