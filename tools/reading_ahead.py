"""Reads more rows than an answer holds, so that the next rows need no second run of the query.

`ROWS_AHEAD` is small, because every answer waits for these rows. For a query that sorts or counts, the database has
done most of its work before the first row. Any other query may read ahead for the fraction `SHARE` of its time limit.
If that is too short, the query is run again in the remaining time, without reading ahead.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from graphground.cypher.tree import CountStar, FunctionCall, IntegerLiteral, Query, Return, SingleQuery
from graphground.graphs.engines.embedded.may_not_end import may_not_end
from graphground.graphs.engines.engine import QueryTimeout, timed_out
from graphground.graphs.engines.rewriting.reachability import AGGREGATES
from graphground.graphs.engines.table import Table
from graphground.graphs.graph import Graph
from graphground.tools.kept_rows import OWNER

ROWS_AHEAD = 40
SHARE = 0.25


def read_ahead(
    graph: Graph, query: Query, parameters: Mapping[str, Any] | None, *, limit: int, timeout: float
) -> Table:
    """Run a query; the returned table may have up to `ROWS_AHEAD` rows more than `limit`.

    Raises:
        EngineError: the query failed, as in `Graph.run`.
    """
    last = _last_return(query)
    if OWNER.get() is None or query.prefix or _fits(last, limit) or may_not_end(query):
        return graph.run(query, parameters, limit=limit, timeout=timeout)
    if last is not None and _works_first(last):
        return graph.run(query, parameters, limit=limit + ROWS_AHEAD, timeout=timeout)
    started = time.monotonic()
    try:
        return graph.run(query, parameters, limit=limit + ROWS_AHEAD, timeout=timeout * SHARE)
    except QueryTimeout:
        spent = time.monotonic() - started
    left = timeout - spent
    if left <= 0:
        raise timed_out(timeout)
    try:
        table = graph.run(query, parameters, limit=limit, timeout=left)
    except QueryTimeout:
        raise timed_out(timeout) from None
    return replace(table, elapsed_ms=table.elapsed_ms + spent * 1000)


def _last_return(query: Query) -> Return | None:
    """Return the last RETURN of a query; None if the query has a UNION or does not end with a RETURN."""
    last = query.body.clauses[-1] if isinstance(query.body, SingleQuery) else None
    return last if isinstance(last, Return) else None


def _fits(last: Return | None, limit: int) -> bool:
    """Whether the query itself limits its rows to at most `limit`."""
    own = last.projection.limit if last is not None else None
    return isinstance(own, IntegerLiteral) and own.value <= limit


def _works_first(last: Return) -> bool:
    """Whether the database sorts or counts before it returns a first row."""
    return bool(last.projection.order_by) or any(
        isinstance(node, CountStar) or (isinstance(node, FunctionCall) and node.key in AGGREGATES)
        for item in last.projection.items
        for node in item.expression.walk()
    )
