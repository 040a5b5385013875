"""Prints a tree as text: on one line, with keywords in upper case and parentheses only if they are needed.

    >>> from graphground.cypher import parse
    >>> to_text(parse("match (n:Person {name:'x'})-->(m) where (n.a+1)*2>3 return m.name as `first name`"))
    "MATCH (n:Person {name: 'x'})-->(m) WHERE (n.a + 1) * 2 > 3 RETURN m.name AS `first name`"

Parsing the printed text in the same language gives an equal tree (its `shape` is the same); a prefix such as
`CYPHER 25` is not printed. `expressions`, `patterns` and `clauses` each
print one family of nodes.
"""

from __future__ import annotations

from graphground.cypher.printer.clauses import body
from graphground.cypher.printer.expressions import expression
from graphground.cypher.printer.patterns import path, relationship
from graphground.cypher.tree import Expression, PathPattern, Query, RelationshipPattern

__all__ = ["expression", "path", "to_text"]


def to_text(node: Query | Expression | PathPattern | RelationshipPattern) -> str:
    """Print a query, an expression, a path or a relationship of a path.

    >>> from graphground.cypher import parse
    >>> to_text(parse("match (n) return n"))
    'MATCH (n) RETURN n'
    """
    if isinstance(node, Query):
        prefix = f"{node.prefix} " if node.prefix else ""
        return prefix + body(node.body)
    if isinstance(node, PathPattern):
        return path(node)
    if isinstance(node, RelationshipPattern):
        return relationship(node)
    return expression(node)
