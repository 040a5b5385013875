"""Opens the Neo4j driver for an address, finds the connection of a session, and closes a driver's connections."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import neo4j
from neo4j import exceptions
from neo4j.auth_management import AuthManager

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.errors import translated

# A failure is raised to the caller; the driver would also print the failure to our stderr.
logging.getLogger("neo4j").setLevel(logging.CRITICAL)


def open_driver(address: BoltAddress, connections: int, check: Callable[[], None] | None = None) -> neo4j.Driver:
    """Return a driver for an address; it opens at most `connections` connections, each when it is first needed.

    If the address has a user, `check` is called before a connection is opened or used. It raises an error if the
    password must not be sent to the listening process.

    Raises:
        EngineUnavailable: no driver can be made for this address.
    """
    try:
        return neo4j.GraphDatabase.driver(
            address.uri,
            auth=_Auth(address, check) if address.user else None,
            connection_timeout=5.0,
            connection_acquisition_timeout=10.0,
            max_connection_pool_size=connections,
            keep_alive=True,
            user_agent="graphground",
        )
    except Exception as error:
        raise translated(error, address) from error


def connection_of(session: neo4j.Session) -> Any:
    """Return the connection that a session holds; None if it holds no connection."""
    return getattr(session, "_connection", None)


def pooled_connections(driver: neo4j.Driver) -> list[Any]:
    """Return the connections in a driver's pool, idle or in use."""
    pool = getattr(driver, "_pool", None)
    return [
        connection for same_address in dict(getattr(pool, "connections", {})).values() for connection in same_address
    ]


def close_driver(driver: neo4j.Driver) -> None:
    """Close a driver and all connections in its pool; call it again after closing a session that was still open."""
    connections = pooled_connections(driver)
    with suppress(BufferError):
        driver.close()
    for connection in [*connections, *pooled_connections(driver)]:
        with suppress(OSError):
            connection.kill()


class _Auth(AuthManager):
    """The user and password of an address, given to the driver only if `check` accepts the listening process."""

    def __init__(self, address: BoltAddress, check: Callable[[], None] | None) -> None:
        self._auth, self._check = neo4j.basic_auth(address.user, address.password), check

    def get_auth(self) -> neo4j.Auth:
        if self._check is not None:
            self._check()
        return self._auth

    def handle_security_exception(self, auth: Any, error: exceptions.Neo4jError) -> bool:
        return False
