"""Checks WITH and RETURN: columns, grouping, and the variables visible in a following ORDER BY, WHERE,
SKIP or LIMIT."""

from __future__ import annotations

from typing import Any

from graphground.cypher import tree
from graphground.cypher.functions import is_aggregate
from graphground.cypher.safety.time_limit import check_work
from graphground.cypher.semantics import expressions
from graphground.cypher.semantics.checker import Binding, Checker, Scope
from graphground.cypher.types import INTEGER, Type

Shape = tuple[Any, ...]


def project(c: Checker, clause: tree.With | tree.Return, where: tree.Expression | None) -> list[Binding]:
    """Check a WITH or RETURN and replace the scope by its columns; return the columns that its items define."""
    projection = clause.projection
    before = c.scope
    word = "WITH" if isinstance(clause, tree.With) else "RETURN"
    if projection.star and word == "RETURN" and not before:
        c.problem("clause_order", clause, "RETURN * needs variables, and there are none")
    items = projection.items
    types: list[Type] = []
    aggregating: list[tree.ReturnItem] = []
    c.aggregates = "yes"
    for item in items:
        check_work()
        c.aggregated = False
        types.append(expressions.infer(c, item.expression))
        if c.aggregated:
            aggregating.append(item)
    c.aggregates = "no"
    if len(items) > 1:
        _check_names(c, items)
    if projection.group_by is not None:
        check_group_by(c, projection, projection.group_by, aggregating)
    elif aggregating:
        _check_grouping(c, projection, aggregating, before)
    after, columns = _columns(c, projection, types, before)
    if projection.order_by or where is not None:
        _check_order(c, clause, where, before, after, aggregating)
    for word_, bound in (("SKIP", projection.skip), ("LIMIT", projection.limit)):
        if bound is not None:
            row_count(c, bound, word_)
    if word == "WITH":
        for item in items:
            if item.alias is None and not isinstance(item.expression, tree.Variable | tree.MapProjection):
                named = f"{c.query.source(item.expression)} AS {_alias(item.expression)}"
                c.problem("missing_alias", item.expression, f"an expression in WITH needs a name: {named}", (named,))
        if clause in c.importing:
            c.left_outside.append((clause.start, c.importable, dict(after)))
        elif not projection.star:
            for name in before:
                if name not in after:
                    c.dropped[name] = clause.start
    c.scope = after
    return columns


def _alias(node: tree.Expression) -> str:
    return node.key.text if isinstance(node, tree.Property) else "value"


def _check_names(c: Checker, items: list[tree.ReturnItem]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.name in seen:
            c.problem_at(
                "duplicate_column",
                items[0].start,
                items[-1].end,
                f"two columns are called `{item.name}`; rename one of them with AS",
            )
            return
        seen.add(item.name)


def _columns(c: Checker, projection: tree.Projection, types: list[Type], before: Scope) -> tuple[Scope, list[Binding]]:
    defined: Scope = {}
    columns: list[Binding] = []
    for item, type_ in zip(projection.items, types, strict=True):
        value = item.expression
        if isinstance(value, tree.Variable):
            known = before.get(value.name)
            if known is not None and item.name == value.name:
                if item.alias is not None:
                    c.bindings[item.alias] = known
                defined[item.name] = known
                columns.append(known)
                continue
        binding = Binding(item.name, type_)
        if item.alias is not None:
            c.bindings[item.alias] = binding
        if item.name in c.base and (item.alias is not None or isinstance(value, tree.MapProjection)):
            c.problem(
                "variable_redefined",
                item.alias or value,
                f"`{item.name}` hides the variable of that name outside of this subquery; choose another name",
            )
        if item.alias is not None or isinstance(value, tree.Variable | tree.MapProjection):
            defined[item.name] = binding
        columns.append(binding)
    if not projection.star:
        return {**c.base, **defined}, columns
    # Nobody else holds the scope before a `WITH *`: copying it would make a chain of them take quadratic time.
    before.update(defined)
    return before, columns


def _check_order(
    c: Checker,
    clause: tree.With | tree.Return,
    where: tree.Expression | None,
    before: Scope,
    after: Scope,
    aggregating: list[tree.ReturnItem],
) -> None:
    projection = clause.projection
    group = projection.group_by
    restricted = bool(aggregating or projection.distinct or group is not None) and not projection.star
    shapes: frozenset[Shape] = frozenset()
    if aggregating or projection.distinct or group is not None:
        shapes = frozenset(item.expression.shape() for item in projection.items)
    if projection.star and not group:
        c.scope = after
    else:
        c.scope = dict(after) if restricted else {**before, **after}
    if group:
        shapes |= {key.shape() for key in group}
        c.scope.update(
            (key.name, before[key.name]) for key in group if isinstance(key, tree.Variable) and key.name in before
        )
    c.projected = shapes
    c.restricted = before if restricted else None
    for sort in projection.order_by:
        c.aggregates = "yes"
        c.aggregated = False
        count = len(c.problems)
        expressions.infer(c, sort.expression)
        c.aggregates = "no"
        if c.aggregated and not aggregating:
            c.problem(
                "aggregation",
                clause,
                "ORDER BY can use an aggregate only if the returned columns aggregate; return the "
                "aggregate, then sort by its name",
            )
        elif c.aggregated and len(c.problems) == count:
            _check_aggregates(c, sort.expression, shapes)
    if where is not None:
        expressions.condition(c, where)
    c.projected = frozenset()
    c.restricted = None


def _check_aggregates(c: Checker, node: tree.Node, shapes: frozenset[Shape]) -> None:
    todo = [node]
    while todo:
        check_work()
        part = todo.pop()
        if part.shape() in shapes:
            continue
        if is_aggregate(part):
            c.problem(
                "aggregation",
                part,
                f"ORDER BY can use an aggregate only if it is also returned: return "
                f"{c.query.source(part)}, then sort by its name",
            )
            return
        todo += reversed(list(part.children()))


def row_count(c: Checker, node: tree.Expression, word: str) -> None:
    """Check the number after SKIP or LIMIT, which must be known before the query runs."""
    for part in node.walk():
        if isinstance(part, tree.Variable | tree.PatternExpression | tree.PatternComprehension | tree.Subquery):
            c.mismatch(node, f"{word} takes a number or a parameter; it cannot use variables")
            return
    wrong = isinstance(node, tree.FloatLiteral | tree.StringLiteral | tree.BooleanLiteral | tree.NullLiteral) or (
        isinstance(node, tree.Unary)
        and node.operator == "-"
        and isinstance(node.operand, tree.IntegerLiteral | tree.FloatLiteral)
    )
    if wrong:
        c.mismatch(node, f"{word} takes a whole number of 0 or more")
        return
    c.expect(node, expressions.infer(c, node), INTEGER)


def _check_grouping(c: Checker, projection: tree.Projection, aggregating: list[tree.ReturnItem], before: Scope) -> None:
    keys: set[Shape] = set()
    aggregates = set(map(id, aggregating))
    for item in projection.items:
        if id(item) not in aggregates:
            value = item.expression
            inner = value.subject if isinstance(value, tree.Property) else value
            if isinstance(inner, tree.Variable):
                keys.add(value.shape())
    outside = (
        set()
        if projection.star
        else {id(binding) for binding in before.values()} - {id(binding) for binding in c.base.values()}
    )
    if not outside:
        return
    for item in aggregating:
        if isinstance(item.expression, tree.FunctionCall | tree.CountStar) and is_aggregate(item.expression):
            continue
        found = _ungrouped(c, item.expression, keys, outside)
        if found is not None:
            text = c.query.source(found)
            c.problem(
                "aggregation",
                item.expression,
                f"`{text}` is used beside an aggregate but is not a returned column; return `{text}` too, or "
                "compute the aggregate in an earlier WITH",
            )
            return


def _ungrouped(c: Checker, node: tree.Node, keys: set[Shape], outside: set[int]) -> tree.Node | None:
    todo = [node]
    while todo:
        check_work()
        part = todo.pop()
        if is_aggregate(part):
            continue
        if isinstance(part, tree.Variable | tree.Property):
            if part.shape() in keys:
                continue
            if isinstance(part, tree.Variable):
                binding = c.bindings.get(part)
                if binding is not None and id(binding) in outside:
                    return part
                continue
            if isinstance(part.subject, tree.Variable):
                binding = c.bindings.get(part.subject)
                if part.subject.shape() not in keys and binding is not None and id(binding) in outside:
                    return part
                continue
        todo += reversed(list(part.children()))
    return None


# Checks GROUP BY of Cypher 25: its keys, and the columns allowed next to the keys


def check_group_by(
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
        found = _column_outside_keys(c, item.expression, keys, item in aggregating)
        if found is not None:
            text = c.query.source(found)
            c.problem(
                "aggregation", item.expression, f"`{text}` is neither aggregated nor a grouping key; add it to GROUP BY"
            )
            return


def _column_outside_keys(
    c: Checker, node: tree.Node, keys: set[tuple[object, ...]], aggregating: bool
) -> tree.Node | None:
    """Return a variable that a column uses outside aggregates and grouping keys, or the property read from it.

    Return None if there is no such variable. A key that is a variable or a property may occur anywhere in the column;
    any other key must be the whole column.
    """
    if node.shape() in keys:
        return None
    todo = [node]
    while todo:
        part = todo.pop()
        if aggregating and is_aggregate(part):
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
