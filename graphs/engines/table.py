"""The rows that a query returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Table:
    """The columns and rows of a result: `Table(["m.name"], [["Heat"], ["Ronin"]], False, 1.8)`.

    Engines return plain JSON values: dates as ISO 8601 text; nodes, relationships and paths as maps. `truncated` is
    true if there were more rows than requested, or than fit into an answer. `elapsed_ms` is in milliseconds.
    """

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool
    elapsed_ms: float
