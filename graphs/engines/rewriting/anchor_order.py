"""Writes the most selective node of a pattern first, because the embedded engine does not always start there.

The engine plans the first MATCH of a query by cost. Inside a subquery, after other clauses, or for a pattern of
variable length, it starts at the node that is written first:

    >>> rewrite_for(ARCADEDB, "CALL { MATCH (m:Movie)-[:directedBy]->(p:Person {name: 'Michael Mann'}) RETURN m } "
    ...             "RETURN m.name")
    "CALL { MATCH (p:Person {name: 'Michael Mann'})<-[:directedBy]-(m:Movie) RETURN m } RETURN m.name"

This rewrite changes only the order in which a MATCH writes its nodes and paths, which has no meaning in Cypher. A path
may be split in two at its most selective node. Named paths, and paths with named relationships of variable length, are
not changed, because their order is visible.
Two further rewrites avoid faults of the engine: `_distinct_union` and `_never`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Edit
from graphground.graphs.engines.rewriting.scopes import (
    BOUND,
    UNKNOWN,
    FreshNames,
    after,
    filtered,
    flipped,
    nodes,
    outermost_patterns,
    rank_of_properties,
    variables,
)


class Anchoring:
    """The edits that write the most selective nodes of a query first: `Anchoring(query).edits()`."""

    def __init__(self, query: t.Query) -> None:
        self._query, self._names = query, FreshNames(query)

    def edits(self) -> Iterator[Edit]:
        """Yield the edits of the query's MATCH clauses, pattern conditions and UNIONs; the edits do not overlap."""
        yield from self._distinct_union(self._query.body, ("", ""))
        yield from self._body(self._query.body, frozenset(), inside=False)

    def _body(self, body: t.QueryBody, bound: frozenset[str], inside: bool) -> Iterator[Edit]:
        if isinstance(body, t.Union):
            for part in body.parts:
                yield from self._body(part, bound, inside)
        elif isinstance(body, t.SingleQuery):
            for clause, following in zip(body.clauses, [*body.clauses[1:], None], strict=True):
                if isinstance(clause, t.Match):
                    yield from self._match(clause, bound, inside)
                    if clause.where is not None:
                        yield from self._expressions(clause.where, bound | set(variables(clause.patterns)))
                elif isinstance(clause, t.CallSubquery):
                    known = bound if clause.star else frozenset(v.name for v in clause.imports or ())
                    if not _makes_distinct(following):
                        yield from self._distinct_union(clause.body, self._imported(clause))
                    yield from self._body(clause.body, known, inside=True)
                else:
                    yield from self._expressions(clause, bound)
                bound = after(clause, bound)

    def _distinct_union(self, body: t.QueryBody, imported: tuple[str, str]) -> Iterator[Edit]:
        """Rewrite `A UNION B` of nodes to `CALL { A UNION B } WITH DISTINCT n RETURN n`.

        The embedded engine's UNION returns a node twice if one part found the node by its label and another part over a
        relationship. DISTINCT returns the node once.
        """
        if not isinstance(body, t.Union) or all(body.all_) or not isinstance(body.parts[0], t.SingleQuery):
            return
        last = body.parts[0].clauses[-1]
        if not isinstance(last, t.Return) or last.projection.star:
            return
        items = last.projection.items
        if not any(isinstance(item.expression, t.Variable) for item in items) or not all(
            item.alias or isinstance(item.expression, t.Variable) for item in items
        ):
            return
        columns = ", ".join(self._query.source(item.alias or item.expression) for item in items)
        yield Edit(body.start, body.start, f"{imported[0]}CALL {imported[1]}{{ ")
        yield Edit(body.end, body.end, f" }} WITH DISTINCT {columns} RETURN {columns}")

    def _imported(self, clause: t.CallSubquery) -> tuple[str, str]:
        """Return the texts before and after CALL with which a nested subquery imports the variables of `clause`.

        `CALL { WITH x … }` gives `("WITH x ", "")`, and `CALL (x) { … }` gives `("", "(x) ")`.
        """
        if clause.star:
            return "", "(*) "
        if clause.imports is not None:
            return "", f"({', '.join(self._query.source(variable) for variable in clause.imports)}) "
        first = clause.body.parts[0] if isinstance(clause.body, t.Union) else clause.body
        if isinstance(first, t.SingleQuery) and isinstance(first.clauses[0], t.With):
            return f"{self._query.source(first.clauses[0])} ", ""
        return "", ""

    def _expressions(self, clause: t.Node, bound: frozenset[str]) -> Iterator[Edit]:
        for pattern in outermost_patterns(clause):
            if isinstance(pattern, t.PatternExpression):
                yield from self._condition(pattern, bound)
            elif pattern.body is not None:
                yield from self._body(pattern.body, bound, inside=True)

    def _condition(self, condition: t.PatternExpression, bound: frozenset[str]) -> Iterator[Edit]:
        """Reverse a path if its last node is bound and its first is not: `(c)<-[:T]-()` for `()-[:T]->(c)`."""
        path = condition.pattern
        its_nodes = nodes(path)
        first, last = (node.variable.name if node.variable else None for node in (its_nodes[0], its_nodes[-1]))
        if first not in bound and last in bound and _reversible(path):
            yield Edit(path.start, path.end, self._backwards(path.elements))

    def _match(self, clause: t.Match, bound: frozenset[str], inside: bool) -> Iterator[Edit]:
        paths = clause.patterns
        names = [rel.variable.name for path in paths for rel in path.find(t.RelationshipPattern) if rel.variable]
        if len(set(names)) < len(names) and self._names.may_be_added:
            yield from self._never(clause)
        else:
            new = self._reordered(clause, bound, inside)
            if new is not None:
                yield new

    def _never(self, clause: t.Match) -> Iterator[Edit]:
        """Add a false condition to a MATCH that uses a relationship variable twice, and rename repeated uses.

        Such a MATCH matches nothing, but the engine would fail.
        """
        seen: set[str] = set()
        for path in clause.patterns:
            for rel in path.find(t.RelationshipPattern):
                if rel.variable and rel.variable.name in seen:
                    yield Edit(rel.variable.start, rel.variable.end, self._names.fresh())
                elif rel.variable:
                    seen.add(rel.variable.name)
        if clause.where is None:
            end = max(path.end for path in clause.patterns)
            yield Edit(end, end, " WHERE false")
        else:
            yield Edit(clause.where.start, clause.where.start, "false AND (")
            yield Edit(clause.where.end, clause.where.end, ")")

    def _reordered(self, clause: t.Match, bound: frozenset[str], inside: bool) -> Edit | None:
        paths = clause.patterns
        variable_length = any(rel.length for path in paths for rel in path.find(t.RelationshipPattern))
        if not (inside or bound or variable_length):
            return None
        if clause.hints or clause.mode or clause.search or any(not _reversible(path) for path in paths):
            return None
        known = dict.fromkeys(bound, BOUND)
        for name, rank in filtered(clause.where):
            known[name] = max(rank, known.get(name, UNKNOWN))
        remaining, written, seen = list(paths), [], set(bound)
        while remaining:
            ranks = [max(self._rank(node, known, seen) for node in nodes(path)) for path in remaining]
            path = remaining.pop(ranks.index(max(ranks)))
            written += self._written(path, known, seen)
            seen |= set(variables([path]))
        text = ", ".join(written)
        start, end = paths[0].start, paths[-1].end
        return Edit(start, end, text) if text != self._query.text[start:end] else None

    def _rank(self, node: t.NodePattern, known: dict[str, int], seen: set[str]) -> int:
        name = node.variable.name if node.variable else None
        if name in seen:
            return BOUND
        rank = known.get(name, UNKNOWN) if name else UNKNOWN
        return max(rank, rank_of_properties(node))

    def _written(self, path: t.PathPattern, known: dict[str, int], seen: set[str]) -> list[str]:
        its_nodes = nodes(path)
        ranks = [self._rank(node, known, seen) for node in its_nodes]
        best = ranks.index(max(ranks))
        as_it_is = [self._query.source(path)]
        if ranks[best] == ranks[0]:
            return as_it_is
        if best == len(its_nodes) - 1:
            return [self._backwards(path.elements)]
        if any(rel.length for rel in path.find(t.RelationshipPattern)):
            return [self._backwards(path.elements)] if ranks[-1] > ranks[0] else as_it_is
        anchor = its_nodes[best]
        text = self._query.source(anchor)
        if anchor.variable is None:
            if not self._names.may_be_added:
                return as_it_is
            name = self._names.fresh()
            text = f"({name}{text[1:]}"
        else:
            name = self._query.source(anchor.variable)
        place = 2 * best
        after = "".join(self._query.source(element) for element in path.elements[place + 1 :])
        return [text + after, f"({name}){self._backwards(path.elements[:place])}"]

    def _backwards(self, elements: Sequence[t.Node]) -> str:
        return "".join(flipped(self._query, element) for element in reversed(elements))


def limited(query: t.Query, limit: int | None) -> Iterator[Edit]:
    """Yield edits that add `LIMIT 101`, for a limit of 100 rows, to a query or to the parts of a `UNION ALL`.

    A query or part that already has a LIMIT is not changed, and neither is a UNION that removes duplicates.
    """
    if limit is None:
        return
    body = query.body
    for part in body.parts if isinstance(body, t.Union) and all(body.all_) else [body]:
        last = part.clauses[-1] if isinstance(part, t.SingleQuery) else None
        if isinstance(last, t.Return) and last.projection.limit is None:
            end = last.projection.end
            yield Edit(end, end, f" LIMIT {limit + 1}")


def _makes_distinct(clause: t.Clause | None) -> bool:
    """Whether a clause removes duplicates and computes nothing: `WITH DISTINCT n`, `RETURN DISTINCT n.name`."""
    return (
        isinstance(clause, t.With | t.Return)
        and clause.projection.distinct
        and all(isinstance(item.expression, t.Variable | t.Property) for item in clause.projection.items)
    )


def _reversible(path: t.PathPattern) -> bool:
    if path.variable is not None or path.selector is not None or path.shortest is not None:
        return False
    if next(path.find(t.Subquery), None) or next(path.find(t.PatternComprehension), None):
        return False
    return all(
        isinstance(element, t.NodePattern)
        or (
            isinstance(element, t.RelationshipPattern)
            and element.quantifier is None
            and not (element.length and element.variable)
        )
        for element in path.elements
    )
