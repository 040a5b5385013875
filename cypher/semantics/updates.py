"""Checks writing clauses: most callers refuse them, but they are checked like all other clauses."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.semantics import clauses, expressions, patterns
from graphground.cypher.semantics.checker import Checker
from graphground.cypher.types import ENTITY, MAP, NODE, PATH, unwound


def create(c: Checker, clause: tree.Create) -> None:
    """Check a CREATE or INSERT."""
    patterns.match(c, clause.patterns, "insert" if clause.insert else "create")


def merge(c: Checker, clause: tree.Merge) -> None:
    """Check a MERGE with its actions."""
    patterns.match(c, [clause.pattern], "merge")
    for action in clause.actions:
        for item in action.items:
            _set_item(c, item)


def set_(c: Checker, clause: tree.Set) -> None:
    """Check a SET."""
    for item in clause.items:
        _set_item(c, item)


def _set_item(c: Checker, item: tree.SetItem) -> None:
    if isinstance(item, tree.SetProperty):
        _target(c, item.target)
        expressions.infer(c, item.value)
    elif isinstance(item, tree.SetProperties):
        c.expect(item.variable, c.use(item.variable), ENTITY)
        found = expressions.infer(c, item.value)
        if c.cypher25 and found.known and not found.mask & ~ENTITY.mask:
            text = c.query.source(item.value)
            c.problem(
                "type_mismatch",
                item.value,
                f"expected Map here, but this has the type {found}; write properties({text})",
                (f"properties({text})",),
            )
        else:
            c.expect(item.value, found, MAP)
    elif isinstance(item, tree.SetLabels):
        _labels(c, item.variable, item.labels)


def _target(c: Checker, target: tree.Expression) -> None:
    """Check that the property changed by SET or REMOVE belongs to a node or a relationship."""
    expressions.infer(c, target)
    if isinstance(target, tree.Property | tree.Subscript):
        subject = target.subject
        binding = c.bindings.get(subject) if isinstance(subject, tree.Variable) else None
        found = binding.type if binding is not None else c.types.get(subject)
        if found is not None and not found.mask & ENTITY.mask:
            c.problem(
                "type_mismatch",
                subject,
                f"only nodes and relationships have properties to change; this has the type {found}",
            )


def _labels(c: Checker, variable: tree.Variable, labels: list[tree.LabelExpression]) -> None:
    c.expect(variable, c.use(variable), NODE)
    for label in labels:
        patterns.label_expression(c, label, "node")


def remove(c: Checker, clause: tree.Remove) -> None:
    """Check a REMOVE."""
    for item in clause.items:
        if isinstance(item, tree.RemoveProperty):
            _target(c, item.target)
        else:
            _labels(c, item.variable, item.labels)


def delete(c: Checker, clause: tree.Delete) -> None:
    """Check a DELETE, which takes nodes, relationships and paths."""
    for expression in clause.expressions:
        found = expressions.infer(c, expression)
        if isinstance(expression, tree.HasLabels):
            c.problem("type_mismatch", expression, "DELETE cannot remove labels; use REMOVE")
        elif not found.mask & (ENTITY | PATH).mask:
            c.problem(
                "type_mismatch", expression, f"DELETE takes nodes, relationships and paths; this has the type {found}"
            )


def foreach(c: Checker, clause: tree.Foreach) -> None:
    """Check a FOREACH, whose variable is local."""
    before, c.aggregates = c.aggregates, "star"
    found = expressions.infer(c, clause.source)
    c.aggregates = before
    outer = c.scope
    c.scope = dict(outer)
    binding = c.shadow(clause.variable, unwound(found), clause.source)
    binding.unwound = True
    for step in clause.clauses:
        if not clauses.is_update(step):
            c.problem("clause_order", step, f"FOREACH takes writing clauses only, not {clauses.name(step)}")
        clauses.clause(c, step)
    c.scope = outer
