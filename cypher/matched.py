"""The matching part of a query: its clauses up to the last MATCH, before RETURN projects the result."""

from __future__ import annotations

from collections.abc import Sequence

from graphground.cypher import tree as t
from graphground.cypher.functions import groups_rows


def matched_part(clauses: Sequence[t.Clause]) -> list[t.Clause]:
    """Return the clauses up to the last MATCH and the filters directly after it; empty without MATCH.

    A CALL subquery that contains a MATCH counts as a MATCH. A filter is a WITH … WHERE that neither aggregates nor
    sorts nor pages, or a FILTER. Clauses without a condition between the filters, such as LET, are included.
    """
    last = max((place for place, clause in enumerate(clauses) if _matches(clause)), default=None)
    if last is None:
        return []
    end = last + 1
    while end < len(clauses) and _only_filters(clauses[end]):
        end += 1
    while end > last + 1 and _needless(clauses[end - 1]):
        end -= 1
    return list(clauses[:end])


def _matches(clause: t.Clause) -> bool:
    if isinstance(clause, t.CallSubquery):
        return any(True for _ in clause.find(t.Match))
    return isinstance(clause, t.Match)


def _only_filters(clause: t.Clause) -> bool:
    match clause:
        case t.With(projection=projection):
            return not (
                groups_rows(projection)
                or projection.order_by
                or projection.skip
                or projection.limit
                or projection.group_by is not None
            )
        case t.Filter() | t.Let():
            return True
    return False


def _needless(clause: t.Clause) -> bool:
    return isinstance(clause, t.Let) or (isinstance(clause, t.With) and clause.where is None)
