"""Decides whether a gold query orders its answer, so that the order of rows counts in execution accuracy."""

from __future__ import annotations

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.cypher.language import Language
from graphground.cypher.matched import aggregates
from graphground.evals.metrics.values import Rule


def orders(text: str, language: Language = "cypher5", rule: Rule = "paper") -> bool:
    """Whether the rows of the query's answer have a defined order.

        >>> orders("MATCH (m:Movie) RETURN m.name ORDER BY m.year")
        True
        >>> orders("MATCH (m:Movie {name: 'Order by numbers'}) RETURN m.year")
        False
        >>> orders("MATCH (m:Movie) WITH m ORDER BY m.year LIMIT 3 RETURN m.name")
        True

    The order of a WITH counts if the later clauses only project, filter or page the rows, without DISTINCT, GROUP BY or
    aggregates: databases then keep the order. With `rule="published"`, `order by` anywhere in the text counts.

    Raises:
        CypherSyntaxError: the text is not a query; never raised with `rule="published"`.
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
