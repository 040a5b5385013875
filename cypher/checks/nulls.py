"""Reports comparisons with NULL: `n.x = NULL` is always null, so the condition never holds, even if `n.x` is null."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from graphground.cypher import tree as t
from graphground.cypher.checks.findings import Findings, free_name

EQUAL = frozenset({"=", "<>"})
ORDERED = frozenset({"<", "<=", ">", ">="})


def compared_with_null(findings: Findings) -> None:
    """Report `WHERE n.x = NULL`, `<> NULL`, `{x: NULL}` in a pattern and `CASE n.x WHEN NULL`."""
    if next(findings.query.find(t.NullLiteral), None) is None:
        return
    seen: set[int] = set()  # a condition inside a subquery belongs to an outer condition too
    for condition in conditions(findings.query):
        for node in condition.find(t.Binary):
            if node.operator in EQUAL | ORDERED and id(node) not in seen:
                seen.add(id(node))
                _comparison(node, findings)
    created = {
        id(element)
        for clause in findings.query.walk()
        if isinstance(clause, t.Create | t.Merge)
        for element in clause.walk()
    }
    for element in findings.query.walk():
        if isinstance(element, t.NodePattern | t.RelationshipPattern) and id(element) not in created:
            _pattern(element, findings)
    for case in findings.query.find(t.Case):
        if case.subject is not None:
            _case(case, case.subject, findings)


def _pattern(element: t.NodePattern | t.RelationshipPattern, findings: Findings) -> None:
    source = findings.query.source
    entries = element.properties.entries if isinstance(element.properties, t.MapLiteral) else []
    for entry in entries:
        if isinstance(entry.value, t.NullLiteral):
            findings.add(
                "null_comparison",
                "error",
                f"A pattern with {source(entry)} matches nothing, since no value equals null. "
                f"{_instead(element, source(entry.key), findings.query)}",
                entry.start,
                entry.end,
            )


def _instead(element: t.NodePattern | t.RelationshipPattern, key: str, query: t.Query) -> str:
    """Return the advice to test the property in WHERE: `Delete this entry and write WHERE n.name IS NULL.`"""
    if isinstance(element, t.RelationshipPattern) and (element.length or element.quantifier):
        return f"Delete this entry, and test in WHERE that {key} IS NULL in each relationship."
    if element.variable is not None:
        return f"Delete this entry and write WHERE {query.source(element.variable)}.{key} IS NULL."
    kind: Literal["node", "relationship"] = "node" if isinstance(element, t.NodePattern) else "relationship"
    name = free_name(kind, query)
    return f"Delete this entry, name the {kind} {name}, and write WHERE {name}.{key} IS NULL."


def conditions(query: t.Query) -> Iterator[t.Expression]:
    """Yield the conditions of WHERE, and of the branches of a CASE without a subject."""
    for node in query.walk():
        where = getattr(node, "where", None)
        if isinstance(where, t.Expression):
            yield where
        if isinstance(node, t.Case) and node.subject is None:
            for branch in node.branches:
                yield from branch.conditions


def _comparison(node: t.Binary, findings: Findings) -> None:
    nulls = [isinstance(side, t.NullLiteral) for side in (node.left, node.right)]
    if not any(nulls):
        return
    source = findings.query.source
    message = f"{source(node)} is always null, never true"
    if all(nulls) or node.operator in ORDERED:
        findings.add(
            "null_comparison", "error", f"{message}: a value cannot be compared with null.", node.start, node.end
        )
        return
    operand = node.right if nulls[0] else node.left
    subject = (
        source(operand) if isinstance(operand, t.Property | t.Variable | t.FunctionCall) else f"({source(operand)})"
    )
    fix = f"{subject} IS {'NOT ' if node.operator == '<>' else ''}NULL"
    findings.add("null_comparison", "error", f"{message}.", node.start, node.end, [fix], clear=True)


def _case(case: t.Case, subject: t.Expression, findings: Findings) -> None:
    for branch in case.branches:
        for condition in branch.conditions:
            if isinstance(condition, t.NullLiteral):
                findings.add(
                    "null_comparison",
                    "error",
                    "NULL after WHEN never matches: CASE compares with =, and no value equals null. Write CASE WHEN "
                    f"{findings.query.source(subject)} IS NULL THEN ….",
                    condition.start,
                    condition.end,
                )
