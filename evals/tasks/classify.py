"""Derives from a gold query's tree which of the 12 graph patterns and which RETURN template it uses.

CypherBench (arXiv 2412.18702, §4.2) makes a question from one of 12 graph patterns (7 basic, 5 special) and a RETURN
template. In the name of a pattern, `*` marks a node whose name the query gives:

    >>> classify("MATCH (n:Movie)-[r0:directedBy]->(m0:Person {name: 'X'}) WITH DISTINCT n RETURN n.name")
    ('basic_(n)-(m0*)', 'n_name')
    >>> classify("MATCH (n:A {name: 'x'}), (m0:A {name: 'y'}) RETURN n.age - m0.age AS answer")
    ('special_comparison', 'other')
"""

from __future__ import annotations

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.functions import groups_rows

BASIC = (
    "basic_(n)",
    "basic_(n*)",
    "basic_(n)-(m0)",
    "basic_(n)-(m0*)",
    "basic_(n)-(m0)-(m1*)",
    "basic_(n)-(m0*),(n)-(m1*)",
    "basic_(n)-(m0),(n)-(m0)",
)
SPECIAL = (
    "special_comparison",
    "special_grouping",
    "special_optional_match",
    "special_time_sensitive",
    "special_union",
)
TEMPLATES = ("n_name", "n_prop", "n_order_by", "n_argmax", "n_where", "n_agg")
OTHER = "other"

COMBINED = dict.fromkeys(("n_name_prop", "n_prop_distinct", "n_prop_array_distinct", "n_prop_combined"), "n_prop")
"""The group of each template that CypherBench's report counts together with others."""


def classify(gold: str) -> tuple[str, str]:
    """Return the graph pattern and the RETURN template of a gold query, each `other` if none matches."""
    try:
        body = parse(gold).body
    except CypherSyntaxError:
        return OTHER, OTHER
    if isinstance(body, t.Union):
        return "special_union", OTHER
    if not isinstance(body, t.SingleQuery):
        return OTHER, OTHER
    return _pattern(body), _template(body)


def _pattern(body: t.SingleQuery) -> str:
    matches = [clause for clause in body.clauses if isinstance(clause, t.Match)]
    if any(isinstance(clause, t.CallSubquery) and isinstance(clause.body, t.Union) for clause in body.clauses):
        return "special_union"
    if any(match.optional for match in matches):
        return "special_optional_match"
    paths = [path for match in matches for path in match.patterns]
    relationships = {
        element.variable.name
        for path in paths
        for element in path.elements
        if isinstance(element, t.RelationshipPattern) and element.variable
    }
    conditions = [clause.where for clause in body.clauses if isinstance(clause, t.Match | t.With) and clause.where]
    if any(
        isinstance(property_.subject, t.Variable) and property_.subject.name in relationships
        for where in conditions
        for property_ in where.find(t.Property)
    ):
        return "special_time_sensitive"
    nodes = [[element for element in path.elements if isinstance(element, t.NodePattern)] for path in paths]
    lengths = [len(path) for path in nodes]
    named = {name for path in nodes for node in path if (name := _name(node)) and _is_named(node)}
    if lengths == [1, 1] and len(named) == 2:
        return "special_comparison"
    if any(isinstance(clause, t.With) and groups_rows(clause.projection) for clause in body.clauses):
        return "special_grouping"
    marks = [["*" if _is_named(node) else "" for node in path] for path in nodes]
    match lengths:
        case [1]:
            return "basic_(n*)" if marks[0][0] else "basic_(n)"
        case [2]:
            return "basic_(n)-(m0*)" if any(marks[0]) else "basic_(n)-(m0)"
        case [3]:
            if any(marks[0][::2]) and not marks[0][1]:
                return "basic_(n)-(m0)-(m1*)"
            return "basic_(n)-(m0*),(n)-(m1*)" if all(marks[0][::2]) else OTHER
        case [2, 2]:
            ends = [{_name(node) for node in path} for path in nodes]
            if len(ends[0] & ends[1]) == 2:
                return "basic_(n)-(m0),(n)-(m0)"
            return "basic_(n)-(m0*),(n)-(m1*)" if len(named) == 2 or all(any(path) for path in marks) else OTHER
    return OTHER


def _name(node: t.NodePattern) -> str:
    return node.variable.name if node.variable else f" {node.start}"


def _is_named(node: t.NodePattern) -> bool:
    properties = node.properties
    return isinstance(properties, t.MapLiteral) and any(entry.key.text == "name" for entry in properties.entries)


def _template(body: t.SingleQuery) -> str:
    last = body.clauses[-1] if body.clauses else None
    if not isinstance(last, t.Return):
        return OTHER
    projection = last.projection
    if projection.order_by:
        limit = projection.limit
        return "n_argmax" if isinstance(limit, t.IntegerLiteral) and limit.value == 1 else "n_order_by"
    if groups_rows(projection):
        return "n_agg"
    keys = [
        item.expression.key.text
        for item in projection.items
        if isinstance(item.expression, t.Property) and isinstance(item.expression.subject, t.Variable)
    ]
    filtered = any(isinstance(clause, t.With) and clause.where is not None for clause in body.clauses)
    if len(keys) != len(projection.items):
        unwound = any(isinstance(clause, t.Unwind) for clause in body.clauses)
        return "n_prop" if unwound else OTHER
    if filtered:
        return "n_where"
    return "n_name" if keys == ["name"] else "n_prop"
