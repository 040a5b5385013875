"""Checks expressions that declare variables: comprehensions, list predicates, reduce, EXISTS / COUNT / COLLECT."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.semantics import clauses, expressions, patterns
from graphground.cypher.semantics.checker import Aggregates, Checker
from graphground.cypher.types import BOOLEAN, FLOAT, INTEGER, LIST, NUMBER, PATH, SOME_NUMBER, Type, element_of, list_of


def list_comprehension(c: Checker, node: tree.ListComprehension) -> Type:
    """Check `[x IN xs WHERE x > 1 | x * 2]` and return its type."""
    element = _source(c, node.source)
    outer = c.scope
    c.scope = dict(outer)
    binding = c.shadow(node.variable, element, node.source)
    binding.unwound = True
    before = _inside_list(c)
    if node.where is not None:
        expressions.condition(c, node.where)
    found = element
    if node.projection is not None:
        found = expressions.infer(c, node.projection)
    c.aggregates = before
    c.scope = outer
    return list_of(found)


def _inside_list(c: Checker) -> Aggregates:
    """Forbid aggregates within an expression over a list; return the previous setting."""
    before = c.aggregates
    if before == "yes":
        c.aggregates = "list"
    return before


def _source(c: Checker, source: tree.Expression) -> Type:
    found = expressions.infer(c, source)
    c.expect(source, found, LIST, "a list")
    return element_of(found)


def list_predicate(c: Checker, node: tree.ListPredicate) -> Type:
    """Check `any(x IN xs WHERE x > 1)` and return its type."""
    element = _source(c, node.source)
    if node.where is None:
        c.problem("syntax", node, f"{node.kind}(…) needs a WHERE: {node.kind}({node.variable.name} IN xs WHERE …)")
        return BOOLEAN
    outer = c.scope
    c.scope = dict(outer)
    binding = c.shadow(node.variable, element, node.source)
    binding.unwound = True
    before = _inside_list(c)
    expressions.condition(c, node.where)
    c.aggregates = before
    c.scope = outer
    return BOOLEAN


def reduce(c: Checker, node: tree.Reduce | tree.AllReduce) -> Type:
    """Check `reduce(total = 0, x IN xs | total + x)` and return its type."""
    start = expressions.infer(c, node.initial)
    element = _source(c, node.source)
    outer = c.scope
    c.scope = dict(outer)
    binding = c.shadow(node.variable, element, node.source)
    binding.unwound = True
    c.shadow(node.accumulator, start, node.initial)
    before = _inside_list(c)
    step = expressions.infer(c, node.step)
    c.aggregates = before
    if isinstance(node, tree.AllReduce):
        expressions.condition(c, node.predicate)
        c.scope = outer
        return BOOLEAN
    if not step.may_be(start) and (step.mask | start.mask) & ~NUMBER.mask:
        c.problem(
            "type_mismatch",
            node.step,
            f"the step must have the type of the accumulator, {start}, but has the type {step}",
        )
    c.scope = outer
    return SOME_NUMBER if start.mask == INTEGER.mask and step.mask == FLOAT.mask else start


def pattern_comprehension(c: Checker, node: tree.PatternComprehension) -> Type:
    """Check `[p = (n)-->(m) WHERE m.year > 1 | m.name]` and return its type."""
    outer = c.scope
    c.scope = dict(outer)
    c.level += 1
    before = c.aggregates
    c.aggregates = "no"
    patterns.match(c, [node.pattern], "exists")
    if node.path_variable is not None:
        c.shadow(node.path_variable, PATH)
    if node.where is not None:
        expressions.condition(c, node.where)
    found = expressions.infer(c, node.projection)
    c.aggregates = before
    c.level -= 1
    c.scope = outer
    return list_of(found)


def subquery(c: Checker, node: tree.Subquery) -> Type:
    """Check `EXISTS { … }`, `COUNT { … }` or `COLLECT { … }` and return its type: a Boolean, a number or a list."""
    outer = c.scope
    c.scope = dict(outer)
    c.level += 1
    before = c.aggregates
    c.aggregates = "no"
    lengths, quantified = c.lengths, c.quantified
    c.lengths, c.quantified = [], False
    if node.body is None:
        patterns.match(c, node.patterns, "exists")
        if node.where is not None:
            expressions.condition(c, node.where)
    else:
        clauses.nested(c, node.body, node.kind, node)
    c.aggregates = before
    c.level -= 1
    c.scope = outer
    clauses.check_lengths(c)
    c.lengths, c.quantified = lengths, quantified
    return BOOLEAN if node.kind == "EXISTS" else INTEGER if node.kind == "COUNT" else LIST
