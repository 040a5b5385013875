"""Parses writing clauses: CREATE, INSERT, MERGE, SET, REMOVE, DELETE, FOREACH."""

from __future__ import annotations

from typing import Literal

from graphground.cypher.parser import atoms, clauses, expressions, labels, patterns, subqueries
from graphground.cypher.parser.cursor import Cursor
from graphground.cypher.tree import (
    Clause,
    Create,
    Delete,
    Expression,
    Foreach,
    LabelAnd,
    LabelExpression,
    Merge,
    MergeAction,
    Property,
    Remove,
    RemoveLabels,
    RemoveProperty,
    Set,
    SetItem,
    SetLabels,
    SetProperties,
    SetProperty,
    Subscript,
    Variable,
)


def create(c: Cursor) -> Create:
    """Parse `CREATE (n:Person {name: 'x'})` or `INSERT (n:Person)`."""
    i = c.i
    insert = c.kinds[i] == "INSERT"
    c.i += 1
    found = [patterns.path(c)]
    while c.accept(","):
        found.append(patterns.path(c))
    return Create(c.starts[i], c.end, found, insert)


def merge(c: Cursor) -> Merge:
    """Parse `MERGE (n) ON CREATE SET n.x = 1`."""
    start = c.starts[c.i]
    c.i += 1
    pattern = patterns.path(c)
    actions: list[MergeAction] = []
    while c.kinds[c.i] == "ON":
        begin = c.starts[c.i]
        c.i += 1
        kind = c.kinds[c.i]
        if kind not in ("CREATE", "MATCH"):
            raise c.fail("CREATE or MATCH")
        c.i += 1
        c.expect("SET")
        on: Literal["create", "match"] = "create" if kind == "CREATE" else "match"
        items = _set_items(c)
        actions.append(MergeAction(begin, c.end, on, items))
    return Merge(start, c.end, pattern, actions)


def set_(c: Cursor) -> Set:
    """Parse `SET n.x = 1, n += $map, n:Person`."""
    start = c.starts[c.i]
    c.i += 1
    items = _set_items(c)
    return Set(start, c.end, items)


def _set_items(c: Cursor) -> list[SetItem]:
    items = [_set_item(c)]
    while c.accept(","):
        items.append(_set_item(c))
    return items


def _set_item(c: Cursor) -> SetItem:
    start = c.starts[c.i]
    if c.names[c.i] is not None:
        after = c.kinds[c.i + 1]
        if after in ("=", "+="):
            variable = c.variable()
            c.i += 1
            value = expressions.expression(c)
            return SetProperties(start, value.end, variable, value, after == "+=")
        if after in (":", "IS"):
            variable = c.variable()
            found = _labels(c)
            return SetLabels(start, c.end, variable, found)
    target = _target(c)
    if c.kinds[c.i] != "=":
        raise c.fail("'='")
    c.i += 1
    value = expressions.expression(c)
    return SetProperty(start, value.end, target, value)


def _target(c: Cursor) -> Expression:
    """Parse the target of SET or REMOVE: a property, as `n.x` or `n['x']`."""
    value = atoms.atom(c)
    while c.kinds[c.i] in (".", "["):
        if c.kinds[c.i] == ".":
            c.i += 1
            key = c.name("a property name")
            value = Property(value.start, key.end, value, key)
        else:
            c.i += 1
            index = expressions.expression(c)
            c.expect("]")
            value = Subscript(value.start, c.end, value, index)
    if not isinstance(value, Property | Subscript):
        raise c.fail("'.', '[', ':', '=' or '+='" if isinstance(value, Variable) else "'.'")
    return value


def _labels(c: Cursor) -> list[LabelExpression]:
    c.i += 1
    found = labels.label_expression(c)
    if isinstance(found, LabelAnd) and found.colon:
        return found.operands
    return [found]


def remove(c: Cursor) -> Remove:
    """Parse `REMOVE n.x, n:Person`."""
    start = c.starts[c.i]
    c.i += 1
    items: list[RemoveProperty | RemoveLabels] = []
    while True:
        begin = c.starts[c.i]
        if c.names[c.i] is not None and c.kinds[c.i + 1] in (":", "IS"):
            variable = c.variable()
            found = _labels(c)
            items.append(RemoveLabels(begin, c.end, variable, found))
        else:
            target = _target(c)
            items.append(RemoveProperty(begin, target.end, target))
        if not c.accept(","):
            return Remove(start, c.end, items)


def delete(c: Cursor) -> Delete:
    """Parse `DETACH DELETE n, r`."""
    start = c.starts[c.i]
    kind = c.kinds[c.i]
    c.i += 1
    detach: str | None = None
    if kind != "DELETE":
        detach = kind
        c.expect("DELETE")
    found = [expressions.expression(c)]
    while c.accept(","):
        found.append(expressions.expression(c))
    return Delete(start, c.end, detach, found)


def foreach(c: Cursor) -> Foreach:
    """Parse `FOREACH (x IN xs | SET x.y = 1)`."""
    start = c.starts[c.i]
    c.i += 1
    c.expect("(")
    variable = c.variable()
    c.expect("IN")
    source = subqueries.up_to_bar(c, ("|",))
    c.expect("|")
    c.deeper()
    found: list[Clause] = []
    while c.kinds[c.i] in clauses.CLAUSES:
        found.append(clauses.CLAUSES[c.kinds[c.i]](c))
    c.depth -= 1
    if not found:
        raise c.fail("a clause such as SET or CREATE")
    c.expect(")")
    return Foreach(start, c.end, variable, source, found)
