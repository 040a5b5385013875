"""Infers the possible types of each kind of expression, and checks the types of its parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphground.cypher import tree
from graphground.cypher.semantics import function_calls, operators, patterns, subqueries
from graphground.cypher.semantics.checker import Checker, Scope
from graphground.cypher.types import (
    ANY,
    BOOLEAN,
    DURATION,
    ENTITY,
    FLOAT,
    HAS_PROPERTIES,
    INTEGER,
    LIST,
    MAP,
    NODE,
    NUMBER,
    RELATIONSHIP,
    STORABLE,
    STRING,
    TEMPORAL,
    Type,
    element_of,
    list_of,
)

_ENTITIES = frozenset((NODE.mask, RELATIONSHIP.mask, ENTITY.mask))


def infer(c: Checker, node: tree.Expression) -> Type:
    """Return the type of an expression, after checking all its parts."""
    if c.projected and c.restricted is not None and node.shape() in c.projected:
        return _returned(c, node, c.restricted)
    found = _RULES[type(node)](c, node)
    c.types[node] = found
    return found


def _returned(c: Checker, node: tree.Expression, before: Scope) -> Type:
    """Check an ORDER BY expression that repeats a returned column, in the scope in which that column is computed."""
    scope, projected, aggregates = c.scope, c.projected, c.aggregates
    c.scope, c.projected, c.aggregates = before, frozenset(), "yes"
    found = infer(c, node)
    c.scope, c.projected, c.aggregates = scope, projected, aggregates
    return found


def condition(c: Checker, node: tree.Expression) -> None:
    """Check an expression that must be Boolean, such as a WHERE; a path in it tests whether a match exists."""
    if type(node) is tree.PatternExpression and node.pattern.shortest is None:
        c.types[node] = BOOLEAN
        patterns.expression(c, node)
        return
    found = infer(c, node)
    if not found.may_be(BOOLEAN) and (found.mask == LIST.mask or not found.mask & LIST.mask):
        if found.mask == LIST.mask:
            c.problem("type_mismatch", node, "a list is not a condition; write NOT isEmpty(…) or size(…) > 0")
        else:
            c.problem("type_mismatch", node, f"a condition must be true or false, but this has the type {found}")


def _variable(c: Checker, node: tree.Variable) -> Type:
    return c.use(node)


def _constant(type_: Type) -> Callable[[Checker, Any], Type]:
    def rule(_c: Checker, _node: Any) -> Type:
        return type_

    return rule


def _list(c: Checker, node: tree.ListLiteral) -> Type:
    inner: Type | None = None
    for item in node.items:
        found = infer(c, item)
        inner = found if inner is None else _merged(inner, found)
    return LIST if inner is None else list_of(inner)


def _merged(a: Type, b: Type) -> Type:
    """Return the smallest type that covers two types: for different types other than numbers, any type, as in Neo4j."""
    if a.mask == b.mask:
        return a | b
    if not (a.mask | b.mask) & ~NUMBER.mask or not a.known or not b.known:
        return a | b if not (a.mask | b.mask) & ~NUMBER.mask else ANY
    return ANY


def _map(c: Checker, node: tree.MapLiteral) -> Type:
    for entry in node.entries:
        infer(c, entry.value)
    return MAP


def _property(c: Checker, node: tree.Property) -> Type:
    subject = node.subject
    found = c.use(subject) if type(subject) is tree.Variable and not c.projected else infer(c, subject)
    mask = found.mask
    if mask in _ENTITIES:
        return STORABLE
    if mask != ANY.mask and not mask & HAS_PROPERTIES.mask:
        c.problem(
            "type_mismatch",
            subject,
            f"`.{node.key.text}` reads a property, but {_this(subject, found)}, which has no properties",
        )
    return ANY


def _this(node: tree.Expression, type_: Type) -> str:
    return f"`{node.name}` has the type {type_}" if type(node) is tree.Variable else f"this has the type {type_}"


def _subscript(c: Checker, node: tree.Subscript) -> Type:
    subject = infer(c, node.subject)
    index = infer(c, node.index)
    mask = subject.mask
    if mask == ANY.mask:
        return element_of(subject)
    if index.mask == INTEGER.mask:
        fits = bool(mask & LIST.mask)
    elif index.mask == STRING.mask:
        fits = bool(mask & (LIST | ENTITY | MAP).mask) or not mask & ~(TEMPORAL | DURATION).mask
    else:
        fits = bool(mask & (LIST | ENTITY | MAP).mask)
    if not fits and mask & (ENTITY | MAP).mask:
        c.problem(
            "type_mismatch",
            node.index,
            f"a node, relationship or map is indexed with a String, but this has the type {index}",
        )
    elif not fits:
        c.problem(
            "type_mismatch",
            node.subject,
            f"only a list, map, node or relationship can be indexed; this has the type {subject}",
        )
    elif mask & LIST.mask and not mask & (ENTITY | MAP).mask:
        if not index.may_be(INTEGER) or index.mask == FLOAT.mask:
            c.problem("type_mismatch", node.index, f"a list is indexed with an Integer, but this has the type {index}")
    elif not mask & ~(ENTITY | MAP).mask and not index.may_be(STRING):
        c.problem(
            "type_mismatch",
            node.index,
            f"a node, relationship or map is indexed with a String, but this has the type {index}",
        )
    if not mask & ~ENTITY.mask:
        return STORABLE
    return element_of(subject)


def _slice(c: Checker, node: tree.Slice) -> Type:
    subject = infer(c, node.subject)
    c.expect(node.subject, subject, LIST)
    for bound in (node.lower, node.upper):
        if bound is not None:
            c.expect(bound, infer(c, bound), INTEGER)
    return subject if subject.mask == LIST.mask else LIST


def _is_null(c: Checker, node: tree.IsNull) -> Type:
    infer(c, node.operand)
    return BOOLEAN


def _is_typed(c: Checker, node: tree.IsTyped) -> Type:
    infer(c, node.operand)
    return ANY


def _has_labels(c: Checker, node: tree.HasLabels) -> Type:
    subject = infer(c, node.operand)
    patterns.label_expression(c, node.labels, "either")
    if not subject.mask & ENTITY.mask:
        c.problem(
            "type_mismatch",
            node.operand,
            f"only nodes and relationships have labels and types, but {_this(node.operand, subject)}",
        )
    return BOOLEAN


def _case(c: Checker, node: tree.Case) -> Type:
    if node.subject is not None:
        infer(c, node.subject)
    result: Type | None = None
    for branch in node.branches:
        for conjunct in branch.conditions:
            if node.subject is None:
                condition(c, conjunct)
            else:
                infer(c, conjunct)
    for branch in node.branches:
        found = infer(c, branch.result)
        result = found if result is None else result | found
    if node.default is not None:
        found = infer(c, node.default)
        result = found if result is None else result | found
    return result or ANY


def _case_comparison(c: Checker, node: tree.CaseComparison) -> Type:
    if node.operand is not None:
        found = infer(c, node.operand)
        if node.operator == "=~":
            c.expect(node.operand, found, STRING)
    return BOOLEAN


def _count_star(c: Checker, node: tree.CountStar) -> Type:
    c.aggregated = True
    if c.aggregates not in ("yes", "star") and not (c.projected and node.shape() in c.projected):
        c.problem(
            "aggregation",
            node,
            "count(*) aggregates, which is not possible here; compute it in an earlier WITH and use its name"
            if c.aggregates != "inside"
            else "an aggregate is not allowed inside another aggregate; compute the inner aggregate in an earlier WITH",
        )
    return INTEGER


def _map_projection(c: Checker, node: tree.MapProjection) -> Type:
    subject = infer(c, node.subject)
    if not subject.mask & (ENTITY | MAP).mask:
        c.problem(
            "type_mismatch",
            node.subject,
            f"a map projection needs a node, a relationship or a map; `{node.subject.name}` has the type {subject}",
        )
    for item in node.items:
        if type(item) is tree.ProjectedVariable:
            c.use(item.variable)
        elif type(item) is tree.ProjectedEntry:
            infer(c, item.value)
    return MAP


_RULES: dict[type[tree.Node], Callable[[Checker, Any], Type]] = {
    tree.Variable: _variable,
    tree.Parameter: _constant(ANY),
    tree.IntegerLiteral: _constant(INTEGER),
    tree.FloatLiteral: _constant(FLOAT),
    tree.StringLiteral: _constant(STRING),
    tree.BooleanLiteral: _constant(BOOLEAN),
    tree.NullLiteral: _constant(ANY),
    tree.ListLiteral: _list,
    tree.MapLiteral: _map,
    tree.Property: _property,
    tree.Subscript: _subscript,
    tree.Slice: _slice,
    tree.Binary: operators.binary,
    tree.ComparisonChain: operators.chain,
    tree.Unary: operators.unary,
    tree.IsNull: _is_null,
    tree.IsTyped: _is_typed,
    tree.IsNormalized: _is_null,
    tree.HasLabels: _has_labels,
    tree.FunctionCall: function_calls.call,
    tree.CountStar: _count_star,
    tree.Case: _case,
    tree.CaseComparison: _case_comparison,
    tree.ListComprehension: subqueries.list_comprehension,
    tree.PatternComprehension: subqueries.pattern_comprehension,
    tree.ListPredicate: subqueries.list_predicate,
    tree.Reduce: subqueries.reduce,
    tree.AllReduce: subqueries.reduce,
    tree.MapProjection: _map_projection,
    tree.PatternExpression: patterns.value,
    tree.Subquery: subqueries.subquery,
}
