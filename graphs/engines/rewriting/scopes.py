"""Functions that the rewrites share: they determine bound variables, the selectivity of a node pattern, and more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Edit, applied, reversed_text
from graphground.cypher.quoting import in_backticks

KEYS = frozenset({"name", "eid"})
"""Properties on which the embedded engine has an index."""

BOUND, KEYED, FILTERED, UNKNOWN = 3, 2, 1, 0
"""Ranks of a node pattern's selectivity: a pattern with a higher rank is expected to match fewer nodes."""


def columns_named(query: t.Query) -> t.Query:
    """Return the query with an alias for each unnamed column whose text a rewrite may change.

    `RETURN EXISTS { (a)-->() }` becomes ``RETURN EXISTS { (a)-->() } AS `EXISTS { (a)-->() }` ``. If no column needs an
    alias, the same object is returned.
    """
    patterns = t.Subquery | t.PatternExpression | t.PatternComprehension
    names = [
        Edit(item.end, item.end, f" AS {in_backticks(item.name)}")
        for item in query.find(t.ReturnItem)
        if item.alias is None and any(isinstance(node, patterns) for node in item.expression.walk())
    ]
    return parse(applied(query.text, names)) if names else query


class FreshNames:
    """Names that a query does not use yet: `FreshNames(query).fresh()` returns `anchor0`, then `anchor1`."""

    def __init__(self, query: t.Query) -> None:
        self._taken = {variable.name for variable in query.find(t.Variable)}
        self.may_be_added = not any(projection.star for projection in query.find(t.Projection)) and not any(
            call.star for call in query.find(t.CallSubquery)
        )
        """Whether new names may be added to the query; False if a `*` would return or import them."""

    def fresh(self) -> str:
        """Return an unused name, a different name at each call."""
        number = 0
        while f"anchor{number}" in self._taken:
            number += 1
        self._taken.add(f"anchor{number}")
        return f"anchor{number}"


def rank_of_properties(node: t.NodePattern) -> int:
    """Return the rank of a node: `KEYED` for `(p {name: 'x'})`, `FILTERED` for `(p {age: 3})`, `UNKNOWN` for `(p)`."""
    entries = node.properties.entries if isinstance(node.properties, t.MapLiteral) else []
    return max((KEYED if entry.key.text in KEYS else FILTERED for entry in entries), default=UNKNOWN)


def flipped(query: t.Query, element: t.Node) -> str:
    """Return a relationship's text reversed, `<-[:T]-` for `-[:T]->`; a node's text unchanged."""
    return reversed_text(element) if isinstance(element, t.RelationshipPattern) else query.source(element)


def nodes(path: t.PathPattern) -> list[t.NodePattern]:
    """Return the nodes of a path, in written order."""
    return [element for element in path.elements if isinstance(element, t.NodePattern)]


def variables(paths: Iterable[t.PathPattern]) -> Iterator[str]:
    """Yield the variables of these paths, of their nodes and of their relationships."""
    for path in paths:
        if path.variable:
            yield path.variable.name
        for element in path.elements:
            if element.variable:
                yield element.variable.name


def filtered(where: t.Expression | None) -> Iterator[tuple[str, int]]:
    """Yield the variable and the rank of each condition that equates a property with a string, integer or parameter.

    `n.name = 'Heat'` gives `("n", KEYED)`, and `n.year = $year` gives `("n", FILTERED)`. Conditions inside OR
    or NOT are ignored.
    """
    for condition in t.conjuncts(where):
        if not isinstance(condition, t.Binary) or condition.operator != "=":
            continue
        for side, other in ((condition.left, condition.right), (condition.right, condition.left)):
            if (
                isinstance(side, t.Property)
                and isinstance(side.subject, t.Variable)
                and isinstance(other, t.StringLiteral | t.IntegerLiteral | t.Parameter)
            ):
                yield side.subject.name, KEYED if side.key.text in KEYS else FILTERED


def after(clause: t.Clause, bound: frozenset[str]) -> frozenset[str]:
    """Return the variables that are known to be bound after a clause.

    Variables inside a parenthesized path, columns that a subquery returns by `*`, and the variable of LOAD CSV are not
    included.
    """
    match clause:
        case t.Match():
            return bound | set(variables(clause.patterns))
        case t.With() | t.Return():
            names = frozenset(item.name for item in clause.projection.items)
            return bound | names if clause.projection.star else names
        case t.Unwind():
            return bound | {clause.variable.name}
        case t.CallSubquery():
            return bound | set(returned(clause.body))
        case t.CallProcedure():
            return bound | {item.variable.name for item in clause.yields or ()}
        case _:
            return bound


def returned(body: t.QueryBody) -> Iterator[str]:
    """Yield the names of the columns that a subquery returns, without those that `*` returns."""
    while isinstance(body, t.Union):
        body = body.parts[0]
    if isinstance(body, t.SingleQuery) and body.clauses and isinstance(body.clauses[-1], t.Return):
        yield from (item.name for item in body.clauses[-1].projection.items)


def outermost_patterns(node: t.Node) -> Iterator[t.Subquery | t.PatternExpression]:
    """Yield the outermost subqueries (`EXISTS { … }`) and path conditions (`(n)-->()`) in a node."""
    stack = [node]  # no recursion: thousands of ORs are a tree of that depth
    while stack:
        node = stack.pop()
        if isinstance(node, t.Subquery | t.PatternExpression):
            yield node
        else:
            stack += reversed(list(node.children()))
