"""Detects queries that the embedded engine may not be able to terminate; they run in a separate process.

ArcadeDB checks for termination between rows, but not while it evaluates an expression. Expressions that may take very
long are recognised by their form: `reduce`, list comprehensions and list predicates, if they are nested or the query
calls `range` or `replace`; `reduce` with a step that uses the accumulator more than once; and additions that repeatedly
double a text or a list.
"""

from __future__ import annotations

from graphground.cypher import tree

_ITERATING = (tree.Reduce, tree.AllReduce, tree.ListComprehension, tree.ListPredicate)
MOST_DOUBLINGS = 4
"""The number of times that a harmless query may add a variable to itself; each addition doubles the value's size."""


def may_not_end(query: tree.Query) -> bool:
    """Whether evaluating a single expression of the query may take very long.

    >>> from graphground.cypher import parse
    >>> may_not_end(parse("RETURN reduce(s = 0, x IN range(1, 100000) | s + x)"))
    True
    >>> may_not_end(parse("MATCH p = (a)-->(b) RETURN reduce(s = 0, r IN relationships(p) | s + r.weight)"))
    False
    """
    iterates = ranges = False
    doublings = 0
    for node in query.walk():
        if isinstance(node, _ITERATING):
            iterates = True
            if any(isinstance(inner, _ITERATING) for inner in node.walk() if inner is not node):
                return True
            if isinstance(node, tree.Reduce | tree.AllReduce) and _mentions(node.step, node.accumulator.name) > 1:
                return True
        elif isinstance(node, tree.FunctionCall):
            ranges = ranges or node.key in ("range", "replace")
        elif isinstance(node, tree.Binary) and node.operator in ("+", "||"):
            doublings += bool(_names(node.left) & _names(node.right))
        if (iterates and ranges) or doublings > MOST_DOUBLINGS:
            return True
    return False


def _mentions(node: tree.Node, name: str) -> int:
    return sum(variable.name == name for variable in node.find(tree.Variable))


def _names(node: tree.Expression) -> set[str]:
    """Return the name of a variable as a set; an empty set for any other operand."""
    return {node.name} if isinstance(node, tree.Variable) else set()
