"""Checks an answer that has rows, with a few limited queries to the database.

Answers to slow queries are not checked, and the time for all checks is limited. Problems that the statistics rule out
(a label without namesakes, a property that all nodes have, a type whose relationships are never symmetric) are not
checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic
from graphground.graphs.engines.client_context import Waiting
from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph
from graphground.graphs.why_empty.probe import OutOfTime, Probe, QueryNeeded
from graphground.graphs.why_empty.second_look.names import differing_counts, merged_names
from graphground.graphs.why_empty.second_look.order import order_and_limit
from graphground.graphs.why_empty.second_look.rows import other_direction, repeated, total
from graphground.graphs.why_empty.second_look.shape import shape_of
from graphground.graphs.why_empty.second_look.vanished import texts_for_missing, vanished_rows

QUICK_MS = 50.0
"""The maximum time, in milliseconds, of a query whose answer is checked: a check takes about as long as the query."""
SMALL, SMALL_MS = 200_000, 2_000.0
"""The number of relationships below which a graph is small, and the limit that replaces `QUICK_MS` for a small graph.

Only a busy machine or a cold engine makes a query of a small graph slow.
"""
SECONDS = 0.5
"""The time limit, in seconds, for all queries of the checks together."""
PATIENCE = 0.04
"""The time, in seconds, for which an answer waits for its checks; if the query took longer, the answer waits as long as
the query took. Later findings are left out.
"""


@dataclass(frozen=True, slots=True)
class Look:
    """The findings about an answer; `settled` holds the codes of the diagnostics that these checks replace."""

    found: tuple[Diagnostic, ...] = ()
    settled: frozenset[str] = frozenset()


def second_look(graph: Graph, query: t.Query, table: Table, parameters: Mapping[str, Any] | None = None) -> Look:
    """Return the findings about an answer with rows; empty if the query was too slow, or cannot be checked.

    For `MATCH (p:Player) RETURN p.name ORDER BY p.height_cm DESC LIMIT 1` it returns one `tie_at_the_top` if several
    players share the greatest height.
    """
    facts = graph.statistics(fresh=True)
    small = facts is not None and sum(type_.relationships for type_ in facts.types.values()) < SMALL
    shape = shape_of(query, graph.schema) if table.elapsed_ms <= (SMALL_MS if small else QUICK_MS) else None
    if shape is None:
        return Look()
    probe = Probe(graph, query, parameters or {}, SECONDS)

    def looks() -> Iterator[Iterator[Diagnostic]]:
        yield total(probe, shape, table)
        yield order_and_limit(probe, shape)
        yield differing_counts(probe, shape)
        yield repeated(probe, shape, table)
        if facts is not None:
            yield merged_names(probe, shape, facts)
            yield vanished_rows(probe, shape, facts)
            yield texts_for_missing(probe, shape, facts)
            yield other_direction(probe, shape, facts)

    found: list[Diagnostic] = []

    def look_through() -> None:
        for look in looks():
            found.extend(look)

    try:
        probe.may_query = False
        look_through()  # most answers need no query: a thread for each would take as long as the answer
    except QueryNeeded:
        found.clear()
        probe.may_query = True
        pool = ThreadPoolExecutor(1, thread_name_prefix="graphground-second-look")
        try:
            # A running query is not terminated: termination takes longer than most of these queries run.
            looking = pool.submit(copy_context().run, look_through)
            with Waiting():
                looking.result(max(PATIENCE, table.elapsed_ms / 1000))
        except (OutOfTime, TimeoutError):
            return Look(tuple(found))
        finally:
            probe.give_up()
            pool.shutdown(wait=False)
    settled = {"distinct_merges_entities"} if facts is not None else set()
    if any(candidate.code == "more_rows" for candidate in found):
        settled.add("no_limit")
    return Look(tuple(found), frozenset(settled))
