"""Finds, in the database's list of running queries, a query that this process has sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class QueryTag:
    """The marks by which a running query is found in the database's list: `QueryTag("3f9a41c02b7d-17", ":50412")`."""

    name: str
    """The tag that is sent with the query."""
    client: str = ""
    """The end of the address of the connection that sent the query, `:PORT`; empty if the port is not known."""
    numbers: set[str] = field(default_factory=set)
    """The transaction numbers under which the query was listed; they identify it when its connection is closed."""

    def fit(self, number: str, values: Iterable[Any]) -> bool:
        """Whether a row of the list, with this transaction number and these values, describes this query."""
        return number in self.numbers or any(
            value == self.name or self.name in str(value) or (self.client and str(value).endswith(self.client))
            for value in values
        )
