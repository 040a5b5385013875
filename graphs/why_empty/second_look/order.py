"""Reports problems that ORDER BY with a LIMIT hides: a tie at the boundary, and nulls that come first."""

from __future__ import annotations

from collections.abc import Iterator

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic
from graphground.cypher.functions import contains_aggregate
from graphground.graphs.why_empty.probe import Probe
from graphground.graphs.why_empty.second_look.shape import Shape, Step

MOST_KEPT, LOOKED_AT = 10, 20


def order_and_limit(probe: Probe, shape: Shape) -> Iterator[Diagnostic]:
    """Report `ORDER BY p.height_cm DESC LIMIT 1` if several share the greatest height, or if nulls come first."""
    for step in shape.steps:
        projection = step.projection
        limit = projection.limit
        if not projection.order_by or not isinstance(limit, t.IntegerLiteral) or not 0 < limit.value <= MOST_KEPT:
            continue
        if projection.skip is not None:
            continue
        query = _sort_key_query(shape, step, limit.value + LOOKED_AT)
        if query is None:
            continue
        keys = [row[: len(projection.order_by)] for row in probe.rows(query, limit.value + LOOKED_AT)]
        first = projection.order_by[0]
        if keys and keys[0][0] is None and first.descending:
            yield _nulls_first(probe, shape, step, first)
        elif len(keys) > limit.value and keys[limit.value] == keys[limit.value - 1] and None not in keys[limit.value]:
            yield _tie(probe, step, keys, limit)


def _tie(probe: Probe, step: Step, keys: list[list[object]], limit: t.IntegerLiteral) -> Diagnostic:
    boundary = keys[limit.value - 1]
    tied = sum(1 for key in keys if key == boundary)
    inside = sum(1 for key in keys[: limit.value] if key == boundary)
    more = "At least " if len(keys) == limit.value + LOOKED_AT and keys[-1] == boundary else ""
    value = ", ".join(str(part) for part in boundary)
    return probe.diagnostic(
        "tie_at_the_top",
        limit,
        f"{more}{tied} rows share the value {value} of the sort key, and LIMIT {limit.value} keeps "
        f"{inside} of them, an arbitrary choice. Raise the LIMIT to see them all.",
        severity="hint",
    )


def _nulls_first(probe: Probe, shape: Shape, step: Step, sort: t.SortItem) -> Diagnostic:
    return probe.diagnostic(
        "nulls_sorted_first",
        sort,
        f"The first row has no {shape.source(sort.expression)}: descending order puts nulls first, so LIMIT keeps rows "
        f"without a value. Keep only rows that have one: {_not_null(shape, step, sort.expression)}.",
    )


def _not_null(shape: Shape, step: Step, expression: t.Expression) -> str:
    """Return the advice that keeps only rows with a sort key.

    A WHERE before the clause can use neither an aggregation nor the name of one of the clause's columns.
    """
    items = step.projection.items
    place = _place(step.projection, expression)
    item = items[place] if place is not None else None
    computed = item.expression if item is not None else expression
    text = shape.source(computed)
    if contains_aggregate(computed):
        name = shape.source(item.alias) if item is not None and item.alias is not None else "value"
        return f"write `WITH …, {text} AS {name} WHERE {name} IS NOT NULL` before this clause"
    columns = {column.alias.name for column in items if column.alias is not None}
    if item is None and any(variable.name in columns for variable in computed.find(t.Variable)):
        return f"write `WITH … WHERE {text} IS NOT NULL`, with the same columns, before this clause"
    return f"WHERE {text} IS NOT NULL, before the ORDER BY"


def _sort_key_query(shape: Shape, step: Step, limit: int) -> str | None:
    """Return a query for the sort keys of the first `limit` rows, with equal rows of the answer counted once.

    Return None if the answer does not contain a sort key and the rows are grouped or distinct.
    """
    projection = step.projection
    columns = [f"{shape.source(item.expression)} AS c{place}" for place, item in enumerate(projection.items)]
    names: list[str] = []
    for place, sort in enumerate(projection.order_by):
        column = _column(projection, sort.expression)
        if column is None:
            if step.aggregates or projection.distinct or contains_aggregate(sort.expression):
                return None
            columns.append(f"{shape.source(sort.expression)} AS k{place}")
            column = f"k{place}"
        names.append(column)
    order = ", ".join(
        f"{name}{' DESC' if sort.descending else ''}" for name, sort in zip(names, projection.order_by, strict=True)
    )
    distinct = "" if step.aggregates else "DISTINCT "
    return f"{step.before} WITH {distinct}{', '.join(columns)} ORDER BY {order} LIMIT {limit} RETURN " + ", ".join(
        f"{name} AS r{place}" for place, name in enumerate(names)
    )


def _column(projection: t.Projection, expression: t.Expression) -> str | None:
    """Return the name that `_sort_key_query` gives to the column of a sort key; None if no column is the sort key."""
    place = _place(projection, expression)
    return None if place is None else f"c{place}"


def _place(projection: t.Projection, expression: t.Expression) -> int | None:
    """Return the place of the column to which a sort key refers, by its alias or by an equal expression, else None."""
    for place, item in enumerate(projection.items):
        alias = item.alias.name if item.alias is not None else None
        if isinstance(expression, t.Variable) and expression.name in (alias, item.name):
            return place
        if expression.shape() == item.expression.shape():
            return place
    return None
