"""Checks Cypher 25's SEARCH, which finds one node or relationship of a pattern by a vector or full-text index."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.functions import VECTOR
from graphground.cypher.semantics import expressions, projections
from graphground.cypher.semantics.checker import Checker
from graphground.cypher.types import ENTITY, FLOAT, NUMBER, STRING, list_of

_NUMBERS = list_of(NUMBER)
_COMPARISONS = frozenset({"=", "<", "<=", ">", ">="})


def search(c: Checker, clause: tree.Match, node: tree.Search) -> None:
    """Check a SEARCH and declare its score; the patterns of its MATCH are already in scope."""
    name = node.variable.name
    found = c.use(node.variable)
    own = _variables(clause)
    if name in c.scope:
        if name not in own:
            c.problem("pattern", node.variable, f"`{name}` must be a variable of the pattern before SEARCH")
        else:
            c.expect(node.variable, found, ENTITY, "a node or a relationship")
            _check_pattern(c, clause, node, own)
    _check_wanted(c, node)
    if node.where is not None:
        for part in _conjuncts(node.where):
            _check_filter(c, part, name)
        expressions.condition(c, node.where)
    if node.skip is not None:
        if node.kind == "VECTOR":
            c.problem(
                "clause_order", node.skip, "SKIP cannot be combined with a VECTOR INDEX; request more rows with LIMIT"
            )
        projections.row_count(c, node.skip, "SKIP")
    projections.row_count(c, node.limit, "LIMIT")
    if node.score is not None:
        c.declare(node.score, FLOAT)


def _variables(clause: tree.Match) -> set[str]:
    return {
        part.variable.name
        for path in clause.patterns
        for part in path.walk()
        if isinstance(part, tree.NodePattern | tree.RelationshipPattern) and part.variable is not None
    }


def _check_pattern(c: Checker, clause: tree.Match, node: tree.Search, own: set[str]) -> None:
    if len(own) > 1:
        c.problem(
            "pattern",
            node,
            f"a MATCH with SEARCH may contain only the variable `{node.variable.name}`, but this MATCH contains "
            f"{', '.join(f'`{name}`' for name in sorted(own))}; match the other variables in a separate MATCH",
        )
        return
    path = clause.patterns[0]
    selective = path.shortest is not None or (path.selector is not None and path.selector.kind != "all")
    long = any(
        isinstance(element, tree.ParenthesizedPath)
        or (isinstance(element, tree.RelationshipPattern) and (element.length or element.quantifier) is not None)
        for element in path.elements
    )
    if len(clause.patterns) > 1 or selective or long or len(path.elements) > 3:
        c.problem(
            "pattern",
            node,
            "a MATCH with SEARCH takes a single node, or a single relationship of length one, without SHORTEST or ANY",
        )


def _check_wanted(c: Checker, node: tree.Search) -> None:
    found = expressions.infer(c, node.query)
    if node.kind == "FULLTEXT":
        c.expect(node.query, found, STRING)
    else:
        if _names(node.query, node.variable.name):
            c.problem(
                "pattern",
                node.query,
                f"the vector to search for cannot come from `{node.variable.name}`, the variable of this SEARCH",
            )
        if found.mask != VECTOR.mask:
            c.expect(node.query, found, _NUMBERS, "a vector or a list of numbers")
    if node.analyzer is not None:
        c.expect(node.analyzer, expressions.infer(c, node.analyzer), STRING)


def _conjuncts(node: tree.Expression) -> list[tree.Expression]:
    if isinstance(node, tree.Binary) and node.operator == "AND":
        return [*_conjuncts(node.left), *_conjuncts(node.right)]
    return [node]


def _names(node: tree.Node, name: str) -> bool:
    return any(variable.name == name for variable in node.find(tree.Variable))


def _check_filter(c: Checker, node: tree.Expression, name: str) -> None:
    """Check the filter: with the index, Neo4j can only compare properties of the searched variable with values."""
    sides: list[tree.Expression] = []
    if isinstance(node, tree.ComparisonChain) and set(node.operators) <= _COMPARISONS:
        sides = node.operands
    elif isinstance(node, tree.Binary) and node.operator in (*_COMPARISONS, "IN"):
        sides = [node.left] if node.operator == "IN" else [node.left, node.right]
    elif isinstance(node, tree.IsNull):
        sides = [node.operand]
    properties = [
        side
        for side in sides
        if isinstance(side, tree.Property) and isinstance(side.subject, tree.Variable) and side.subject.name == name
    ]
    if not properties:
        c.problem(
            "pattern",
            node,
            f"SEARCH filters by `{name}.property` compared with =, <, <=, >, >=, IN or IS "
            "NULL, joined by AND; put other conditions into a WHERE after it",
        )
    elif any(_names(child, name) for child in node.children() if child is not properties[0]):
        c.problem(
            "pattern",
            node,
            f"`{name}.{properties[0].key.text}` cannot be compared with a value that comes from `{name}`",
        )
