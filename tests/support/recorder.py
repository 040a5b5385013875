"""A fake engine that runs no query and records the queries that it receives."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from graphground.cypher.tree import Query
from graphground.graphs.engines.dialects import ARCADEDB, Dialect
from graphground.graphs.engines.engine import Capabilities, Table


@dataclasses.dataclass(eq=False)
class Recorder:
    """An engine that answers every query with one row, and records the queries."""

    dialect: Dialect = ARCADEDB
    truncated: bool = False
    ran: list[str] = dataclasses.field(default_factory=list)

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        self.ran.append(query if isinstance(query, str) else query.text)
        return Table(["name"], [["Heat"]], self.truncated, 0.1)

    def explain(self, query: str) -> None:
        raise AssertionError("nothing here asks for a plan")

    def capabilities(self) -> Capabilities:
        return Capabilities("1", self.dialect, trial_write="accepted")

    def cancel(self) -> None:
        pass

    def close(self) -> None:
        pass
