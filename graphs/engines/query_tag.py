"""Identifies a query that runs over Bolt in the database's list of running queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class QueryTag:
    """Identifies a query in the database's list of running queries: its tag, its client's port, its number."""

    name: str
    client: str = ""
    numbers: set[str] = field(default_factory=set)
    """The numbers that the list has shown for the query, kept because a closed connection no longer has a port."""

    def fit(self, number: str, values: Iterable[Any]) -> bool:
        """Whether a row of the list describes this query."""
        return number in self.numbers or any(
            value == self.name or self.name in str(value) or (self.client and str(value).endswith(self.client))
            for value in values
        )
