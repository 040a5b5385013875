"""Checks GROUP BY of Cypher 25: its keys, and the columns allowed next to the keys."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.semantics import expressions, projections
from graphground.cypher.semantics.checker import Checker


def check(
    c: Checker, projection: tree.Projection, group: list[tree.Expression], aggregating: list[tree.ReturnItem]
) -> None:
    """Check that each column is an aggregate or built from grouping keys: `RETURN n.x, count(*) GROUP BY n.x`."""
    aliases = {item.alias.name: item for item in projection.items if item.alias is not None}
    keys = set()
    named: set[str] = set()
    for key in group:
        if isinstance(key, tree.Variable) and key.name in aliases and key.name not in c.scope:
            named.add(key.name)
            keys.add(aliases[key.name].expression.shape())
        else:
            expressions.infer(c, key)
            keys.add(key.shape())
    for item in projection.items:
        if item.name in named:
            continue
        found = _ungrouped(c, item.expression, keys, item in aggregating)
        if found is not None:
            text = c.query.source(found)
            c.problem(
                "aggregation", item.expression, f"`{text}` is neither aggregated nor a grouping key; add it to GROUP BY"
            )
            return


def _ungrouped(c: Checker, node: tree.Node, keys: set[tuple[object, ...]], aggregating: bool) -> tree.Node | None:
    """Return a variable that a column uses outside aggregates and grouping keys, or the property read from it.

    Return None if there is no such variable. A key that is a variable or a property may occur anywhere in the column;
    any other key must be the whole column.
    """
    if node.shape() in keys:
        return None
    todo = [node]
    while todo:
        part = todo.pop()
        if aggregating and projections.is_aggregate(part):
            continue
        if isinstance(part, tree.Variable | tree.Property) and part.shape() in keys:
            continue
        variable = part.subject if isinstance(part, tree.Property) else part
        if (
            isinstance(variable, tree.Variable)
            and variable.shape() not in keys
            and variable in c.bindings
            and c.bindings[variable].name not in c.base
            and c.scope.get(variable.name) is c.bindings[variable]
        ):
            return part
        todo += reversed(list(part.children()))
    return None
