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
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import orjson

from graphground.tools.failure import ToolFailure

LIFE_SECONDS = 600.0
MAX_ANSWER_BYTES, MAX_OWNER_BYTES, MAX_BYTES = 4_000_000, 16_000_000, 64_000_000
"""The maximum number of bytes kept for one answer, for one client, and in total."""
ROW_BYTES = 64
"""The estimated bytes of memory that a row takes in addition to its JSON text."""
MAX_FORGOTTEN = 1_000
RUN_AGAIN = "Run the query again, with a larger limit or with ORDER BY, SKIP and LIMIT."

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


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Kept rows of one answer, each as JSON; `first` is the number of the first kept row, counted from 0.

    `total` is the number of rows of the whole answer, or None if unknown.
    """

    columns: list[str]
    first: int
    rows: list[bytes]
    total: int | None
    owner: str
    query: str
    size: int

    @classmethod
    def encode(cls, columns: list[str], first: int, rows: list[list[Any]], total: int | None, query: str) -> KeptRows:
        """Return the first of `rows` as JSON, as many as fit, for the client of the current call."""
        encoded: list[bytes] = []
        size = 0
        for row in rows:
            text = orjson.dumps(row, default=str, option=orjson.OPT_NON_STR_KEYS)
            if size + len(text) + ROW_BYTES > MAX_ANSWER_BYTES:
                break
            size += len(text) + ROW_BYTES
            encoded.append(text)
        return cls(columns, first, encoded, total, OWNER.get() or "", query, size)


class RowStore:
    """A thread-safe store of kept rows: `ROWS.keep("5cZt…", KeptRows.encode(["name"], 100, rows, 2687, query))`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, KeptRows]] = OrderedDict()
        """The kept rows by name, with the time of their last use in seconds; the least recently used come first."""
        self._forgotten: deque[tuple[str, str]] = deque(maxlen=MAX_FORGOTTEN)

    def keep(self, name: str, kept: KeptRows) -> None:
        """Keep rows under a name, replacing earlier rows of that name."""
        with self._lock:
            self._kept.pop(name, None)
            self._kept[name] = self._clock(), kept
            self._make_room(kept.owner)

    def find(self, cursor: str) -> Rest:
        """Return the rows from a cursor of the calling client on.

        Raises:
            ToolFailure: the cursor has expired, is unknown, or belongs to another client.
        """
        name, _, number = cursor.partition(".")
        owner = OWNER.get() or ""
        with self._lock:
            self._make_room(owner)
            _, kept = self._kept.get(name, (0.0, None))
            expired = (name, owner) in self._forgotten
            if kept is not None and kept.owner == owner and number.isascii() and number.isdigit() and len(number) < 10:
                place = int(number) - kept.first
                if 0 <= place < len(kept.rows):
                    self._kept[name] = self._clock(), kept
                    self._kept.move_to_end(name)
                    rows = [orjson.Fragment(row) for row in kept.rows[place:]]
                    return Rest(kept.columns, rows, kept.query, kept.total, int(number), name, is_kept=True)
        if expired:
            raise ToolFailure(
                "expired_cursor",
                f"The rows of this cursor are no longer kept: rows are kept for {LIFE_SECONDS / 60:.0f} minutes after "
                "their last use, or until newer answers need the memory.",
                next=RUN_AGAIN,
            )
        raise ToolFailure(
            "unknown_cursor",
            "There is no such cursor. Pass an unchanged `cursor` from one of this server's answers to this client. "
            "Cursors become invalid when the server stops.",
            next=RUN_AGAIN,
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
                self._forget(name)
        own = [name for name, (_, kept) in self._kept.items() if kept.owner == owner]
        while own and sum(self._kept[name][1].size for name in own) > MAX_OWNER_BYTES:
            self._forget(own.pop(0))
        while self.size > MAX_BYTES:
            self._forget(next(iter(self._kept)))

    def _forget(self, name: str) -> None:
        _, kept = self._kept.pop(name)
        self._forgotten.append((name, kept.owner))


ROWS = RowStore()


@dataclass(slots=True)
class Rest:
    """The rows of a result from number `first` on, just read or kept; an answer returns the first of them.

    `total` is the number of rows of the whole result, or None if the database has more than were read.
    """

    columns: list[str]
    rows: list[Any]
    query: str
    total: int | None
    first: int = 0
    name: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    is_kept: bool = False

    def cursor_after(self, count: int) -> str | None:
        """Return the cursor of the row after the first `count`, which are then kept; None if that row was not read."""
        if count >= len(self.rows):
            return None
        number = self.first + count
        if not self.is_kept:
            kept = KeptRows.encode(self.columns, number, self.rows[count:], self.total, self.query)
            if not kept.rows:
                return None
            ROWS.keep(self.name, kept)
        return f"{self.name}.{number}"
