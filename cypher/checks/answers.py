"""Hints about the result of a query: whole nodes, merged entities, columns used only for sorting, and conditions that
exclude open intervals.
"""

from __future__ import annotations

import re

from graphground.cypher import tree as t
from graphground.cypher.checks.costs import aggregates
from graphground.cypher.checks.findings import Findings
from graphground.cypher.checks.names import relationship_properties
from graphground.cypher.facts.data import Data
from graphground.cypher.facts.model import Comparison, Facts, PropertyUse, Symbol
from graphground.cypher.quoting import quoted_name

BEGIN = re.compile(r"^(start|begin|from|since|valid_?from)|(_start|_begin|_from|Start|From)(_|$)", re.I)
END = re.compile(r"^(end|until|to|till|valid_?to)(_|$|[A-Z])|(_end|_until|_to|End|Until)(_|$)")


def returned_nodes(facts: Facts, findings: Findings) -> None:
    """Report a whole node or relationship in the result, `RETURN n`: the question probably asks for a property."""
    for clause, values in facts.returned:
        for item, value in zip(clause.projection.items, values, strict=True):
            if isinstance(value, Symbol) and value.kind in ("node", "relationship"):
                suggestions = []
                if value.kind == "node" and value.name:
                    labels = [facts.index.schema.labels[label] for label in facts.index.labels_of(value.kinds)]
                    keys = dict.fromkeys(label.name_property for label in labels if label.name_property)
                    suggestions = [f"{findings.query.source(item.expression)}.{quoted_name(key)}" for key in keys][:3]
                findings.add(
                    "returns_node",
                    "hint",
                    f"This returns a whole {value.kind} with all its properties; "
                    "return the properties that the question asks for.",
                    item.expression.start,
                    item.expression.end,
                    suggestions,
                )


def merged_entities(facts: Facts, findings: Findings, data: Data | None) -> None:
    """Report `RETURN DISTINCT n.name` and `count(DISTINCT n.name)`, which merge nodes of the same name.

    Nothing is reported if the data are known to contain no two nodes of the same name.
    """
    for node, value in facts.distinct_values:
        if (
            isinstance(value, PropertyUse)
            and value.symbol.kind == "node"
            and value.symbol.name
            and not value.element
            and value.key in facts.index.schema.naming_properties
            and not _all_unique(facts, value, data)
        ):
            name = value.symbol.name
            counted = isinstance(node, t.FunctionCall) and node.key == "count"
            suggestion = f"count(DISTINCT {name})" if counted else ""
            findings.add(
                "distinct_merges_entities",
                "hint",
                f"DISTINCT on {name}.{value.key} merges different entities with the same {value.key}; "
                + (
                    f"to count each entity, write {suggestion}."
                    if counted
                    else f"to keep them apart, write WITH DISTINCT {name} and return {name}.{value.key}."
                ),
                node.start,
                node.end,
                [suggestion] if suggestion else [],
            )


def _all_unique(facts: Facts, use: PropertyUse, data: Data | None) -> bool:
    labels = facts.index.labels_of(use.symbol.kinds)
    return data is not None and bool(labels) and all(data.namesakes(label) == 0 for label in labels)


def sort_columns(facts: Facts, findings: Findings) -> None:
    """Report columns probably returned only for sorting: the year in `RETURN n.name, n.year ORDER BY n.year`."""
    for clause, _ in facts.returned:
        projection = clause.projection
        if len(projection.items) < 2 or not projection.order_by:
            continue
        keys = {findings.query.source(sort.expression): sort for sort in projection.order_by}
        for item in projection.items[1:]:
            text = findings.query.source(item.expression)
            sort = keys.get(text) or (keys.get(item.alias.name) if item.alias is not None else None)
            if sort is not None:
                findings.add(
                    "extra_sort_column",
                    "hint",
                    f"{text} is a sort key. {_without_column(findings, projection, item, sort)}",
                    item.start,
                    item.end,
                )


def _without_column(findings: Findings, projection: t.Projection, item: t.ReturnItem, sort: t.SortItem) -> str:
    """Return the sentence on how to sort by a column without returning it.

    DISTINCT and aggregates hide everything but the columns from ORDER BY, and so does an alias that hides a variable.
    """
    text, descending = findings.query.source(item.expression), " DESC" if sort.descending else ""
    aliases = {other.alias.name for other in projection.items if other.alias is not None}
    hidden = any(variable.name in aliases for variable in item.expression.find(t.Variable))
    if not (projection.distinct or hidden or any(aggregates(other) for other in projection.items)):
        return (
            f"Return it only if the question asks for its value; ORDER BY {text}{descending} works without the column."
        )
    name = quoted_name(item.alias.name) if item.alias is not None else "sort_key"
    return (
        "If the question does not ask for its value, compute all columns in a WITH and return only the others: "
        f"WITH {'DISTINCT ' if projection.distinct else ''}…, {text} AS {name} RETURN … ORDER BY {name}{descending}."
    )


def closed_intervals(facts: Facts, findings: Findings) -> None:
    """Report `r.start_year <= 2010 AND r.end_year >= 2010`, which drops relationships whose end_year is still null."""
    tested = {(id(use.symbol), use.key) for use in facts.null_tests}
    with_start = {
        id(other.left.symbol)
        for other in facts.comparisons
        if isinstance(other.left, PropertyUse) and other.operator in ("<", "<=", "=") and BEGIN.search(other.left.key)
    }
    for comparison in facts.comparisons:
        use = comparison.left
        if (
            isinstance(use, PropertyUse)
            and comparison.operator in (">", ">=")
            and not comparison.negated
            and use.symbol.kind == "relationship"
            and END.search(use.key)
            and id(use.symbol) in with_start
            and (id(use.symbol), use.key) not in tested
            and _has_begin(facts, use)
        ):
            _closed(comparison, use, findings)


def _has_begin(facts: Facts, use: PropertyUse) -> bool:
    link = use.symbol.link
    return link is not None and any(BEGIN.search(key) for key in relationship_properties(facts, link))


def _closed(comparison: Comparison, use: PropertyUse, findings: Findings) -> None:
    subject = findings.query.source(use.node)
    condition = f"({findings.query.source(comparison.node)} OR {subject} IS NULL)"
    findings.add(
        "time_open_interval",
        "warning",
        f"Relationships that have not ended have no {use.key} and are left out here. To include them, write {condition}.",
        comparison.node.start,
        comparison.node.end,
        [condition],
    )
