"""Who asks: the name under which a client's calls share what there is, in a context variable.

    >>> with calling_as("session-4711"):
    ...     graph.run("MATCH (n) RETURN count(n)")

It travels like the cancellation handle: worker threads that copy the context carry it to the engines. A program with
one client (stdio, the command line) leaves it alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CALLER: ContextVar[str] = ContextVar("graphground_caller", default="")


@contextmanager
def calling_as(caller: str) -> Iterator[None]:
    """All that runs inside is asked by that client."""
    token = CALLER.set(caller)
    try:
        yield
    finally:
        CALLER.reset(token)
