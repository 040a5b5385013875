"""Hints about the result of a query: whole nodes, merged entities, columns used only for sorting, and conditions that
exclude open intervals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from graphground.cypher import tree as t
from graphground.cypher.checks.findings import Findings
from graphground.cypher.checks.names import relationship_properties
from graphground.cypher.diagnostics import all_of, either
from graphground.cypher.functions import contains_aggregate, groups_rows
from graphground.cypher.outline.model import Data, Facts, MatchUse, PropertyUse, Symbol
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
                message = (
                    f"This returns a whole {value.kind} with all its properties; "
                    "return the properties that the question asks for."
                )
                findings.hint("returns_node", message, item.expression, suggestions)


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
            message = f"DISTINCT on {name}.{value.key} merges different entities with the same {value.key}; " + (
                f"to count each entity, write {suggestion}."
                if counted
                else f"to keep them apart, write WITH DISTINCT {name} and return {name}.{value.key}."
            )
            findings.hint("distinct_merges_entities", message, node, [suggestion] if suggestion else [])


def _all_unique(facts: Facts, use: PropertyUse, data: Data | None) -> bool:
    labels = facts.index.labels_of(use.symbol.kinds)
    return data is not None and bool(labels) and all(data.namesakes(label) == 0 for label in labels)


def sort_columns(facts: Facts, findings: Findings) -> None:
    """Report columns probably returned only for sorting: the year in `RETURN n.name, n.year ORDER BY n.year`.

    A count or an average is what the question asks for, or cannot be left out without another WITH.
    """
    for clause, _ in facts.returned:
        projection = clause.projection
        aliases = {item.alias.name for item in projection.items if item.alias is not None}
        if projection.distinct or groups_rows(projection):
            continue
        keys = {findings.query.source(sort.expression): sort for sort in projection.order_by}
        for item in projection.items[1:]:
            text = findings.query.source(item.expression)
            sort = keys.get(text) or (keys.get(item.alias.name) if item.alias is not None else None)
            # An alias that hides a variable hides it from ORDER BY too.
            if sort is not None and not any(variable.name in aliases for variable in item.expression.find(t.Variable)):
                descending = " DESC" if sort.descending else ""
                findings.hint(
                    "extra_sort_column",
                    f"{text} is a sort key. Return it only if the question asks for its value; "
                    f"ORDER BY {text}{descending} works without the column.",
                    item,
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
            subject = findings.query.source(use.node)
            condition = f"({findings.query.source(comparison.node)} OR {subject} IS NULL)"
            message = f"Relationships that have not ended have no {use.key} and are left out here. To include them, write {condition}."
            findings.warning("time_open_interval", message, comparison.node, [condition])


def _has_begin(facts: Facts, use: PropertyUse) -> bool:
    link = use.symbol.link
    return link is not None and any(BEGIN.search(key) for key in relationship_properties(facts, link))


# Warnings about slow queries: Cartesian products, unbounded paths, results without a limit


MANY = 10_000
"""The number of nodes that a node pattern must be able to match for a result without LIMIT to be reported."""


def cartesian_products(facts: Facts, findings: Findings) -> None:
    """Report unconnected patterns, `MATCH (a:Person), (b:Company)`: each row for a is combined with each row for b."""
    anchored: set[int] | None = None
    for use in facts.matches:
        if len(use.parts) < 2:
            continue
        if anchored is None:
            # Symbols that an equality restricts to a few nodes: `n.name = $name`, `n.name IN […]`.
            anchored = {
                id(comparison.left.symbol)
                for comparison in facts.comparisons
                if isinstance(comparison.left, PropertyUse)
                and comparison.operator in ("=", "IN")
                and not comparison.negated
                and not isinstance(comparison.right, PropertyUse)
            }
        groups = _components(use)
        loose = [group for group in groups if not any(id(symbol) in anchored for symbol in group)]
        if len(loose) >= 2:
            names = [next((symbol.name for symbol in group if symbol.name), "") for group in loose]
            parts = (
                f"The patterns around {all_of([name for name in names if name])}"
                if all(names)
                else "Parts of this MATCH"
            )
            clause = use.clause
            message = (
                f"{parts} share no variable: every row of one is joined with every row of the "
                f"other{'s' if len(names) > 2 else ''}. Connect them by a relationship or a condition."
            )
            findings.warning("cartesian_product", message, clause, to=clause.patterns[-1])


def _components(use: MatchUse) -> list[list[Symbol]]:
    """Group the paths of one MATCH: two paths belong together if they share a node or one condition refers to both."""
    groups = [set(map(id, part)) for part in use.parts]
    symbols = {id(symbol): symbol for part in use.parts for symbol in part}
    by_name = {symbol.name: key for key, symbol in symbols.items() if symbol.name}
    if use.clause.where is not None:
        for conjunct in t.conjuncts(use.clause.where):
            named = {by_name[variable.name] for variable in conjunct.find(t.Variable) if variable.name in by_name}
            if len(named) > 1:
                groups.append(named)
    for pattern, part in zip(use.clause.patterns, use.parts, strict=False):
        for entries in pattern.find(t.MapLiteral):
            holders = {by_name[inner.name] for inner in entries.find(t.Variable) if inner.name in by_name}
            if holders:
                groups.append(holders | set(map(id, part)))
    place: dict[int, set[int]] = {}
    for group in groups:
        found = {id(place[key]): place[key] for key in group if key in place}
        whole = max(found.values(), key=len, default=group)
        for joined in (group, *found.values()):
            # The largest set stays as it is, so that a long chain of paths does not take quadratic time.
            if joined is not whole or not found:
                whole |= joined
                place.update(dict.fromkeys(joined, whole))
    merged: dict[int, list[Symbol]] = {}
    for key, symbol in symbols.items():
        merged.setdefault(id(place[key]), []).append(symbol)
    return list(merged.values())


def unbounded_paths(facts: Facts, findings: Findings) -> None:
    """Report unbounded paths, `-[:hasParent*]->`: on a graph with cycles their number can explode."""
    for relationship in facts.unbounded:
        types = [
            use.name.name.text
            for use in facts.types
            if use.symbol.link is not None and use.symbol.link.pattern is relationship
        ]
        findings.warning(
            "unbounded_path",
            f"The path over {either(types) or 'relationships of any type'} has no upper bound and may take a very long "
            "time on a graph with cycles; give it an upper bound, such as *1..4.",
            relationship,
        )


def missing_limits(facts: Facts, findings: Findings, data: Data | None) -> None:
    """Report a query that lists everything without a LIMIT: `MATCH (p:Person) RETURN p.name`."""
    narrowed = any(isinstance(comparison.left, PropertyUse) for comparison in facts.comparisons)
    if not facts.returned or not facts.matches or narrowed or _small(facts, data):
        return
    few = {id(clauses[-1]) for clauses in _branches(facts.query.body) if _gives_few_rows(clauses)}
    for clause, _ in facts.returned:
        projection = clause.projection
        if projection.limit is not None or groups_rows(projection) or id(clause) in few:
            continue
        findings.hint(
            "no_limit",
            "The result may have very many rows. Add a LIMIT only if the question asks for a few rows.",
            clause,
        )


def _branches(body: t.QueryBody | t.Command) -> Iterator[list[t.Clause]]:
    if isinstance(body, t.SingleQuery):
        yield body.clauses
    elif isinstance(body, t.Union):
        for part in body.parts:
            yield from _branches(part)


def _gives_few_rows(clauses: Sequence[t.Clause], imported: Iterable[str] = ()) -> bool:
    """Whether a LIMIT or aggregates leave only a few rows.

    Patterns that contain a variable of a few rows are taken to match only a few times. `imported` names the variables
    of the outer row, if the clauses are a subquery.
    """
    few, bound = True, set(imported)
    for clause in clauses:
        if isinstance(clause, t.With | t.Return):
            projection = clause.projection
            some = any if isinstance(clause, t.Return) else all
            columns = [contains_aggregate(item.expression) for item in projection.items]
            few |= projection.limit is not None or (bool(columns) and some(columns))
            bound = {item.name for item in projection.items} | (bound if projection.star else set())
        elif isinstance(clause, t.OrderAndPage):
            few |= clause.limit is not None
        elif isinstance(clause, t.Unwind | t.CallProcedure):
            few = False
        elif isinstance(clause, t.CallSubquery):
            outer = bound if clause.star else {variable.name for variable in clause.imports or ()}
            branches = list(_branches(clause.body))
            few = few and bool(branches) and all(_gives_few_rows(branch, outer) for branch in branches)
            for branch in branches:
                bound |= {item.name for item in branch[-1].find(t.ReturnItem)}
        elif isinstance(clause, t.Match):
            for pattern in clause.patterns:
                names = {variable.name for variable in pattern.find(t.Variable)}
                few = few and bool(bound & names)
                bound |= names
    return few


def _small(facts: Facts, data: Data | None) -> bool:
    labels = facts.index.schema.labels
    largest = 0
    for use in facts.matches:
        for part in use.parts:
            for symbol in part:
                counts = [
                    data.nodes(label) if data is not None else labels[label].count
                    for label in facts.index.labels_of(symbol.kinds)
                ]
                if any(count is None for count in counts):
                    return False
                largest = max(largest, sum(count or 0 for count in counts))
    return largest < MANY
