"""The rows that follow those of an answer: just read, or kept since an earlier call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from graphground.graphs.engines.table import Table
from graphground.tools.kept_rows import ROWS, KeptRows, new_name
from graphground.tools.shortening import shorten_rows


class Rest(Protocol):
    """The rows of a result that an answer leaves out."""

    @property
    def total(self) -> int | None:
        """The number of rows of the whole answer, if known."""
        ...

    def cursor_after(self, count: int) -> str | None:
        """Return the cursor of the row after the first `count` rows, or None if that row is not kept."""
        ...


@dataclass(slots=True)
class FreshRest:
    """The remaining rows of a table that was just read; they are kept when a cursor is requested."""

    columns: list[str]
    table: Table
    query: str
    _name: str = field(default_factory=new_name)

    @property
    def total(self) -> int | None:
        """The number of rows of the table, or None if not all rows were read."""
        return None if self.table.truncated else len(self.table.rows)

    def cursor_after(self, count: int) -> str | None:
        """Keep the rows after the first `count`, and return their cursor; None if there are no rows to keep."""
        rows = self.table.rows[count:]
        shorten_rows(rows)
        kept = ROWS.keep(self._name, KeptRows.of(self.columns, count, rows, self.total, self.query))
        return f"{self._name}.{count}" if kept else None


@dataclass(slots=True)
class KeptRest:
    """The remaining rows of an earlier answer, from row number `first` on."""

    name: str
    kept: KeptRows
    first: int

    @classmethod
    def at(cls, cursor: str) -> KeptRest:
        """Find the rows of a cursor of the calling client.

        Raises:
            ToolFailure: the cursor has expired, is unknown, or belongs to another client.
        """
        return cls(*ROWS.find(cursor))

    @property
    def total(self) -> int | None:
        """The number of rows of the whole answer, if known."""
        return self.kept.total

    def rows(self, limit: int) -> tuple[list[Any], bool]:
        """Return the next rows as JSON, and whether more rows follow (True if the total is unknown)."""
        place = self.first - self.kept.first
        rows = self.kept.rows[place : place + limit]
        return [orjson.Fragment(row) for row in rows], self.first + len(rows) != self.kept.total

    def cursor_after(self, count: int) -> str | None:
        """Return the cursor of the row after the next `count` rows, or None if that row is not kept."""
        number = self.first + count
        return f"{self.name}.{number}" if number < self.kept.end else None
