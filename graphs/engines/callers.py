"""The name of the calling client, in a context variable: the calls of one client share its slots and threads.

    >>> with calling_as("session-4711"):
    ...     graph.run("MATCH (n) RETURN count(n)")

Like the cancellation handle, it reaches the engines through worker threads that copy the context. A program with one
client (stdio, the command line) does not set it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CALLER: ContextVar[str] = ContextVar("graphground_caller", default="")
CLIENTS_QUERY: ContextVar[bool] = ContextVar("graphground_clients_query", default=False)
"""Whether the text that runs comes from a client, and not from the server itself (entity look-ups, the schema)."""


@contextmanager
def calling_as(caller: str) -> Iterator[None]:
    """Attribute everything that runs inside the block to that client."""
    token = CALLER.set(caller)
    try:
        yield
    finally:
        CALLER.reset(token)


@contextmanager
def clients_query() -> Iterator[None]:
    """Treat what runs inside the block as a client's query, which may move to another process; see `Slots`."""
    token = CLIENTS_QUERY.set(True)
    try:
        yield
    finally:
        CLIENTS_QUERY.reset(token)
