"""The name of the calling client, in a context variable: the calls of one client share its slots and threads.

    >>> with calling_as("session-4711"):
    ...     graph.run("MATCH (n) RETURN count(n)")

The name reaches the engines through worker threads that copy the context. A program with a single client (stdio, the
command line) sets no name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CALLER: ContextVar[str] = ContextVar("graphground_caller", default="")
CLIENTS_QUERY: ContextVar[bool] = ContextVar("graphground_clients_query", default=False)
"""Whether the running query comes from a client, and not from the server itself (entity lookups, the schema)."""


@contextmanager
def calling_as(caller: str) -> Iterator[None]:
    """Attribute all queries inside the block to the client called `caller`."""
    token = CALLER.set(caller)
    try:
        yield
    finally:
        CALLER.reset(token)


@contextmanager
def clients_query() -> Iterator[None]:
    """Mark the queries inside the block as a client's own; `Slots` may move such a query to another process."""
    token = CLIENTS_QUERY.set(True)
    try:
        yield
    finally:
        CLIENTS_QUERY.reset(token)
