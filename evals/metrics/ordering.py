"""Whether a gold query orders its answer, so that the order of rows counts in execution accuracy."""

from __future__ import annotations

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.cypher.language import Language
from graphground.cypher.semantics.projections import is_aggregate
from graphground.evals.metrics.values import Rule


def orders(text: str, language: Language = "cypher5", rule: Rule = "paper") -> bool:
    """Whether the rows of the query's answer have a defined order.

        >>> orders("MATCH (m:Movie) RETURN m.name ORDER BY m.year")
        True
        >>> orders("MATCH (m:Movie {name: 'Order by numbers'}) RETURN m.year")
        False
        >>> orders("MATCH (m:Movie) WITH m ORDER BY m.year LIMIT 3 RETURN m.name")
        True

    An ORDER BY of a WITH carries over when only a plain RETURN follows: databases keep the order there. The published
    implementation looks for `order by` anywhere in the text.

    Raises:
        CypherSyntaxError: the text is no query.
    """
    if rule == "published":
        return "order by" in text.lower()
    body = parse(text, language).body
    while isinstance(body, t.Braced):
        body = body.body
    if not isinstance(body, t.SingleQuery):
        return False
    for clause in reversed(body.clauses):
        match clause:
            case t.OrderAndPage(order_by=sorting) if sorting:
                return True
            case t.Return(projection=projection) | t.With(projection=projection):
                if projection.order_by:
                    return True
                if projection.distinct or projection.group_by is not None or aggregates(projection):
                    return False
            case t.OrderAndPage() | t.Let() | t.Filter():
                pass
            case _:
                return False
    return False


def aggregates(projection: t.Projection) -> bool:
    """Whether WITH or RETURN groups its rows: one of its items aggregates."""
    return any(is_aggregate(node) for item in projection.items for node in _outside_subqueries(item.expression))


def _outside_subqueries(node: t.Node) -> list[t.Node]:
    found = [node]
    if not isinstance(node, t.Subquery):
        for child in node.children():
            found += _outside_subqueries(child)
    return found
