"""Warnings about slow queries: Cartesian products, unbounded paths, results without a limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from graphground.cypher import tree as t
from graphground.cypher.checks.findings import Findings
from graphground.cypher.facts.data import Data
from graphground.cypher.facts.expressions import operands
from graphground.cypher.facts.model import Facts, MatchUse, PropertyUse, Symbol
from graphground.cypher.wording import all_of, either

MANY = 10_000
"""The number of nodes that a node pattern must be able to match for a result without LIMIT to be reported."""
AGGREGATES = frozenset(
    {"count", "sum", "avg", "min", "max", "collect", "stdev", "stdevp", "percentilecont", "percentiledisc"}
)


def anchored_symbols(facts: Facts) -> set[int]:
    """Return the ids (`id`) of symbols that an equality restricts to a few nodes: `n.name = $name`, `n.name IN […]`."""
    return {
        id(comparison.left.symbol)
        for comparison in facts.comparisons
        if isinstance(comparison.left, PropertyUse)
        and comparison.operator in ("=", "IN")
        and not comparison.negated
        and not isinstance(comparison.right, PropertyUse)
    }


def cartesian_products(facts: Facts, findings: Findings) -> None:
    """Report unconnected patterns, `MATCH (a:Person), (b:Company)`: each row for a is combined with each row for b."""
    anchored: set[int] | None = None
    for use in facts.matches:
        if len(use.parts) < 2:
            continue
        if anchored is None:
            anchored = anchored_symbols(facts)
        groups = _components(facts, use)
        loose = [group for group in groups if not any(id(symbol) in anchored for symbol in group)]
        if len(loose) >= 2:
            names = [next((symbol.name for symbol in group if symbol.name), "") for group in loose]
            parts = (
                f"The patterns around {all_of([name for name in names if name])}"
                if all(names)
                else "Parts of this MATCH"
            )
            clause = use.clause
            findings.add(
                "cartesian_product",
                "warning",
                f"{parts} share no variable: every row of one is joined with every row of the "
                f"other{'s' if len(names) > 2 else ''}. Connect them by a relationship or a condition.",
                clause.start,
                clause.patterns[-1].end,
            )


def _components(facts: Facts, use: MatchUse) -> list[list[Symbol]]:
    """Group the paths of one MATCH: two paths belong together if they share a node or one condition refers to both."""
    groups = [set(map(id, part)) for part in use.parts]
    symbols = {id(symbol): symbol for part in use.parts for symbol in part}
    by_name = {symbol.name: key for key, symbol in symbols.items() if symbol.name}
    if use.clause.where is not None:
        for conjunct in _conjuncts(use.clause.where):
            named = {by_name[variable.name] for variable in conjunct.find(t.Variable) if variable.name in by_name}
            if len(named) > 1:
                groups.append(named)
    for pattern, part in zip(use.clause.patterns, use.parts, strict=False):
        for entries in pattern.find(t.MapLiteral):
            holders = {by_name[inner.name] for inner in entries.find(t.Variable) if inner.name in by_name}
            if holders:
                groups.append(holders | set(map(id, part)))
    return [[symbols[key] for key in group] for group in _merged(groups)]


def _merged(groups: list[set[int]]) -> list[list[int]]:
    """Merge sets that share a member: `[{1, 2}, {3}, {2, 4}]` gives `[[1, 2, 4], [3]]`."""
    leader: dict[int, int] = {}

    def find(key: int) -> int:
        while leader[key] != key:
            leader[key] = key = leader[leader[key]]
        return key

    for group in groups:
        first: int | None = None
        for key in group:
            leader.setdefault(key, key)
            if first is None:
                first = find(key)
            else:
                leader[find(key)] = first
    members: dict[int, list[int]] = {}
    for key in leader:
        members.setdefault(find(key), []).append(key)
    return list(members.values())


def _conjuncts(where: t.Expression) -> list[t.Expression]:
    return operands(where) if isinstance(where, t.Binary) and where.operator == "AND" else [where]


def unbounded_paths(facts: Facts, findings: Findings) -> None:
    """Report unbounded paths, `-[:hasParent*]->`: on a graph with cycles their number can explode."""
    for relationship in facts.unbounded:
        types = [
            use.name.name.text
            for use in facts.types
            if use.symbol.link is not None and use.symbol.link.pattern is relationship
        ]
        findings.add(
            "unbounded_path",
            "warning",
            f"The path over {either(types) or 'relationships of any type'} has no upper bound and may take a very long "
            "time on a graph with cycles; give it an upper bound, such as *1..4.",
            relationship.start,
            relationship.end,
        )


def missing_limits(facts: Facts, findings: Findings, data: Data | None) -> None:
    """Report a query that lists everything without a LIMIT: `MATCH (p:Person) RETURN p.name`."""
    if not facts.returned or not facts.matches or anchored_symbols(facts) or _narrowed(facts) or _small(facts, data):
        return
    few = {id(clauses[-1]) for clauses in _branches(facts.query.body) if _gives_few_rows(clauses)}
    for clause, _ in facts.returned:
        projection = clause.projection
        if projection.limit is not None or any(map(aggregates, projection.items)) or id(clause) in few:
            continue
        findings.add(
            "no_limit",
            "hint",
            "The result may have very many rows. Add a LIMIT only if the question asks for a few rows.",
            clause.start,
            clause.end,
        )


def _branches(body: t.QueryBody | t.Command) -> Iterator[list[t.Clause]]:
    """Yield the clauses of each query that UNION joins."""
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
            few |= projection.limit is not None or (bool(projection.items) and some(map(aggregates, projection.items)))
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


def _narrowed(facts: Facts) -> bool:
    """Return whether a query compares a property, as in `n.year > 1990` or `{year: 1990}`."""
    return any(isinstance(comparison.left, PropertyUse) for comparison in facts.comparisons)


def aggregates(item: t.ReturnItem) -> bool:
    """Whether a column contains an aggregate: `count(*) + 1`."""
    return any(
        isinstance(node, t.CountStar) or (isinstance(node, t.FunctionCall) and node.key in AGGREGATES)
        for node in item.expression.walk()
    )


def _small(facts: Facts, data: Data | None) -> bool:
    """Return whether each pattern node is known to match fewer than `MANY` nodes."""
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
