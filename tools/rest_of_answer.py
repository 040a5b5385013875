"""What follows the rows of an answer: read just now, or kept since an earlier call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from graphground.graphs.engines.table import Table
from graphground.tools.kept_rows import ROWS, KeptRows, new_name
from graphground.tools.shortening import shorten_rows


class Rest(Protocol):
    """What an answer of the first `count` rows leaves out."""

    @property
    def total(self) -> int | None:
        """The number of rows of the whole answer, where it is known."""
        ...

    def cursor_after(self, count: int) -> str | None:
        """The cursor of the row that follows the first `count` of this answer; None where it is not kept."""
        ...


@dataclass(slots=True)
class FreshRest:
    """Of a table that was just read; its rows past the answer's are kept when a cursor for them is wanted."""

    columns: list[str]
    table: Table
    query: str
    _name: str = field(default_factory=new_name)

    @property
    def total(self) -> int | None:
        """The number of rows, where all of them were read."""
        return None if self.table.truncated else len(self.table.rows)

    def cursor_after(self, count: int) -> str | None:
        """Keep the rows from there on."""
        rows = self.table.rows[count:]
        shorten_rows(rows)
        kept = ROWS.keep(self._name, KeptRows.of(self.columns, count, rows, self.total, self.query))
        return f"{self._name}.{count}" if kept else None


@dataclass(slots=True)
class KeptRest:
    """Of rows that were kept, from number `first` on."""

    name: str
    kept: KeptRows
    first: int

    @classmethod
    def at(cls, cursor: str) -> KeptRest:
        """What a cursor of the calling client stands for.

        Raises:
            ToolFailure: the cursor has expired or is unknown.
        """
        return cls(*ROWS.find(cursor))

    @property
    def total(self) -> int | None:
        """The number of rows of the whole answer."""
        return self.kept.total

    def rows(self, limit: int) -> tuple[list[Any], bool]:
        """The next rows, already in JSON, and whether there are more after them."""
        place = self.first - self.kept.first
        rows = self.kept.rows[place : place + limit]
        return [orjson.Fragment(row) for row in rows], self.first + len(rows) != self.kept.total

    def cursor_after(self, count: int) -> str | None:
        """The cursor behind the next `count` rows; None behind the last kept one."""
        number = self.first + count
        return f"{self.name}.{number}" if number < self.kept.end else None
