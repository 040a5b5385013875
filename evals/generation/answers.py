"""Runs the queries of task generation, each once, and keeps their rows.

    answers = Answers(graph)
    answers.rows("MATCH (n:Team) WITH DISTINCT n RETURN n.name", limit=5_001)     # [["Chicago Bulls"], …]

Generation repeats its queries: a pattern has few shapes on a small schema, and each template reads the same columns of
a candidate. Queries that failed or reached the time limit are remembered too, so a slow query costs 30 s only once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from graphground.graphs.engines.engine import EngineError, EngineUnavailable
from graphground.graphs.graph import Graph

SECONDS = 30.0
"""The time limit of a query, in seconds."""
MOST_HELD = 500_000
"""The maximum number of values kept in all, about 40 MB; the least recently used queries are dropped first."""


class Answers:
    """A cache of query results for one graph, which must not change while the cache is used."""

    def __init__(self, graph: Graph, most_held: int = MOST_HELD) -> None:
        self._graph, self._most_held = graph, most_held
        self._kept: OrderedDict[tuple[str, int, str], list[list[Any]] | None] = OrderedDict()
        self._held = 0

    def rows(self, query: str, limit: int, parameters: Mapping[str, Any] | None = None) -> list[list[Any]] | None:
        """Return at most `limit` rows of a query; None if the query fails or takes too long. Do not modify the rows.

        Raises:
            EngineUnavailable: the graph cannot be queried at all.
        """
        key = (query, limit, str(parameters))
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        rows: list[list[Any]] | None
        try:
            rows = self._graph.run(query, parameters, limit=limit, timeout=SECONDS).rows
        except EngineUnavailable:
            raise
        except EngineError:
            rows = None
        self._kept[key] = rows
        self._held += _weight(rows)
        while self._held > self._most_held:
            _, forgotten = self._kept.popitem(last=False)
            self._held -= _weight(forgotten)
        return rows


def _weight(rows: list[list[Any]] | None) -> int:
    return 1 + sum(map(len, rows or ()))
