"""Keeps rows that were read but did not fit into an answer, so that a client can request them later.

    with keeping_for("session-4711"):
        answer = execute_cypher(graphs, request)
    answer.cursor     # "5cZtqJ0vJm3H2nWb0eYw3Q.100"

A cursor consists of an unguessable name and the number of the next row. Only the client that received a cursor can use
it, any number of times, until `LIFE_SECONDS` after its last use or until newer answers need the memory.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from graphground.tools.failure import ToolFailure

LIFE_SECONDS = 600.0
MAX_ANSWER_BYTES, MAX_OWNER_BYTES, MAX_BYTES = 4_000_000, 16_000_000, 64_000_000
"""The maximum number of bytes kept for one answer, for one client, and in total."""
ROW_BYTES = 64
"""The estimated bytes of memory that a row takes in addition to its JSON text."""

OWNER: ContextVar[str | None] = ContextVar("graphground_owner", default=None)
"""The client of the current call; None if the client has no means of requesting further rows."""


@contextmanager
def keeping_for(owner: str | None) -> Iterator[None]:
    """Keep further rows of calls inside the `with` block for this client; with None, keep no rows."""
    token = OWNER.set(owner)
    try:
        yield
    finally:
        OWNER.reset(token)


@dataclass(slots=True)
class Rest:
    """The rows of a result from number `first` on, just read or kept; an answer returns the first of them.

    `total` is the number of rows of the whole result, or None if the database has more than were read. `size` is the
    number of bytes that kept rows take; rows that were just read are not kept yet.
    """

    columns: list[str]
    rows: list[Any]
    query: str
    total: int | None
    first: int = 0
    name: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    owner: str = ""
    size: int = 0

    def encode(self, count: int) -> Rest:
        """Return the rows after the first `count` as JSON, as many as fit, to keep for the client of this call."""
        encoded: list[Any] = []
        size = 0
        for row in self.rows[count:]:
            text = orjson.dumps(row, default=str, option=orjson.OPT_NON_STR_KEYS)
            if size + len(text) + ROW_BYTES > MAX_ANSWER_BYTES:
                break
            size += len(text) + ROW_BYTES
            encoded.append(orjson.Fragment(text))
        return replace(self, rows=encoded, first=self.first + count, owner=OWNER.get() or "", size=size)

    def cursor_after(self, count: int) -> str | None:
        """Return the cursor of the row after the first `count`, which are then kept; None if that row was not read."""
        if count >= len(self.rows):
            return None
        if not self.size:
            kept = self.encode(count)
            if not kept.rows:
                return None
            ROWS.keep(kept)
        return f"{self.name}.{self.first + count}"


class RowStore:
    """A thread-safe store of kept rows by their names: `ROWS.keep(rest)`, then `ROWS.find("5cZt….100")`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, Rest]] = OrderedDict()
        """The kept rows by name, with the time of their last use in seconds; the least recently used come first."""

    def keep(self, rest: Rest) -> None:
        """Keep rows under their name, replacing earlier rows of that name."""
        with self._lock:
            self._kept.pop(rest.name, None)
            self._kept[rest.name] = self._clock(), rest
            self._make_room(rest.owner)

    def find(self, cursor: str) -> Rest:
        """Return the rows from a cursor of the calling client on.

        Raises:
            ToolFailure: the cursor is unknown or no longer kept, or belongs to another client.
        """
        name, _, number = cursor.partition(".")
        owner = OWNER.get() or ""
        with self._lock:
            self._make_room(owner)
            _, kept = self._kept.get(name, (0.0, None))
            if kept is not None and kept.owner == owner and number.isascii() and number.isdigit() and len(number) < 10:
                place = int(number) - kept.first
                if 0 <= place < len(kept.rows):
                    self._kept[name] = self._clock(), kept
                    self._kept.move_to_end(name)
                    return replace(kept, rows=kept.rows[place:], first=int(number))
        raise ToolFailure(
            "unknown_cursor",
            "There is no such cursor. Pass an unchanged `cursor` from one of this server's answers to this client. Rows "
            f"are kept for {LIFE_SECONDS / 60:.0f} minutes after their last use, or until newer answers need the memory.",
            next="Run the query again, with a larger limit or with ORDER BY, SKIP and LIMIT.",
        )

    @property
    def size(self) -> int:
        """The number of bytes that are kept."""
        return sum(kept.size for _, kept in self._kept.values())

    def _make_room(self, owner: str) -> None:
        """Remove expired rows; then, until the limits hold, the least recently used rows.

        Rows of the client `owner` are removed first, until its limit holds, then those of all clients.
        """
        for name, (used, _) in list(self._kept.items()):
            if self._clock() - used > LIFE_SECONDS:
                del self._kept[name]
        own = [name for name, (_, kept) in self._kept.items() if kept.owner == owner]
        while own and sum(self._kept[name][1].size for name in own) > MAX_OWNER_BYTES:
            del self._kept[own.pop(0)]
        while self.size > MAX_BYTES:
            self._kept.popitem(last=False)


ROWS = RowStore()
