"""Rewrites queries for a database with a weaker planner than Neo4j's: the rows are those of Neo4j, and arrive sooner.

    >>> rewrite_for(ARCADEDB, "MATCH (c:Company) WHERE NOT ()-[:subsidiaryOf]->(c) RETURN c.name", limit=100)
    "MATCH (c:Company) WHERE NOT (c)<-[:subsidiaryOf]-() RETURN c.name LIMIT 101"

`Guarding` prevents a null from being treated as an unbound node, `reachability` evaluates unbounded paths breadth-first
if only their ends matter, and `Anchoring` writes the most selective node first. Tests compare rows with and without
rewrites, on random graphs and with a real Neo4j.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Edit, applied
from graphground.cypher.quoting import quoted_name
from graphground.graphs.engines.rewriting.reachability import (
    BOUND,
    UNKNOWN,
    FreshNames,
    after,
    columns_named,
    filtered,
    flipped,
    is_plain,
    nodes,
    outermost_patterns,
    rank_of_properties,
    reaching,
    variables,
)

if TYPE_CHECKING:
    from graphground.graphs.engines.dialects import Dialect


class Planned(str):
    """A query whose paths begin at the most selective node: it is sent as it is, without being parsed.

    Rewriting takes a tenth of a second for the queries of one question, most of it for parsing.
    """


def rewrite_for(dialect: Dialect, query: str | t.Query, limit: int | None = None) -> str:
    """Return the text to send to a database of this dialect; the query's own text if no rewrite applies.

    A query given as text is parsed first. `limit` is the number of rows that the caller wants. For the embedded engine,
    a query with MATCH and without LIMIT receives a LIMIT that is one higher, to show whether there are further rows;
    otherwise the engine would compute the whole answer before it sends a row.
    """
    text = query if isinstance(query, str) else query.text
    if dialect.reads_options or isinstance(query, Planned):
        return text
    query = without_options(query)
    text = query if isinstance(query, str) else query.text
    if not dialect.needs_rewrites or "MATCH" not in text.upper():
        return text
    return _rewritten_text(query, limit) if isinstance(query, str) else _rewritten_tree(query, limit)


def without_options(query: str | t.Query) -> str | t.Query:
    """Return the query without `CYPHER 5` and the options after it, which only Neo4j knows; no position changes."""
    if "CYPHER" not in (query if isinstance(query, str) else query.text).upper():
        return query
    try:
        parsed = parse(query) if isinstance(query, str) else query
    except CypherSyntaxError:
        return query
    return t.altered(parsed, text=parsed.text_without_options(), preparser=[]) if parsed.preparser else query


@lru_cache(maxsize=512)
def _rewritten_text(text: str, limit: int | None) -> str:
    try:
        return _rewritten_tree(parse(text), limit)
    except CypherSyntaxError:
        return text


def _rewritten_tree(query: t.Query, limit: int | None) -> str:
    if query.prefix:
        return query.text
    try:
        changed = _rewritten(query)
        if changed != query.text:
            named = columns_named(query)
            changed = _rewritten(named) if named is not query else changed
            query = parse(changed, "cypher25" if query.language == "cypher25" else "cypher5")
    except CypherSyntaxError:
        return query.text
    return applied(changed, limited(query, limit))


def _rewritten(query: t.Query) -> str:
    query = reaching(guarded(query))
    return applied(query.text, Anchoring(query).edits())


class Anchoring:
    """The edits that write the most selective nodes of a query first: `Anchoring(query).edits()`.

    The embedded engine plans the first MATCH of a query by cost. Inside a subquery, after other clauses, or for a
    pattern of variable length, it starts at the node that is written first:

        CALL { MATCH (m:Movie)-[:directedBy]->(p:Person {name: 'Michael Mann'}) RETURN m } RETURN m.name
        CALL { MATCH (p:Person {name: 'Michael Mann'})<-[:directedBy]-(m:Movie) RETURN m } RETURN m.name

    Only the order changes in which a MATCH writes its nodes and paths, which has no meaning in Cypher. A path may be
    split in two at its most selective node. Named paths, and paths with named relationships of variable length, are not
    changed, because their order is visible. `_distinct_union` and `_never` avoid faults of the engine.
    """

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
        if anchor.variable is None and not self._names.may_be_added:
            return as_it_is
        name, text = self._names.of(anchor)
        place = 2 * best
        after = "".join(self._query.source(element) for element in path.elements[place + 1 :])
        return [text + after, f"({quoted_name(name)}){self._backwards(path.elements[:place])}"]

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
    return is_plain(path) and all(
        rel.quantifier is None and not (rel.length and rel.variable) for rel in path.find(t.RelationshipPattern)
    )


NOTHING = {"COUNT": "0", "COLLECT": "[]"}
Scope = frozenset[str]


class Guarding:
    """The null guards of one query: `Guarding(query).edits()` inserts a test into each pattern that needs it.

    In Cypher a null matches nothing. If a null variable is not the first node of a pattern, the embedded engine matches
    any node instead:

        MATCH (t:Team) OPTIONAL MATCH (t)-[:draftedBy]->(z) MATCH (t)<-[:playsFor]-(z) RETURN count(*) AS c

    returns 0 in openCypher and on Neo4j if no `z` was found, but the embedded engine counts every player. A variable
    may be null after an OPTIONAL MATCH, an UNWIND or an expression. Such a pattern is guarded by a null test:

        … WITH * WHERE z IS NOT NULL MATCH (t)<-[:playsFor]-(z) …
        … WHERE (z IS NOT NULL AND (t)<-[:playsFor]-(z)) …
        … CASE WHEN z IS NOT NULL THEN COUNT { (t)<-[:playsFor]-(z) } ELSE 0 END …
        … WITH *, z IS NOT NULL AS anchor0 OPTIONAL MATCH (t)<-[:playsFor]-(z) WHERE anchor0 …
    """

    def __init__(self, query: t.Query) -> None:
        self._query, self._names = query, FreshNames(query)
        self._projecting = False

    def edits(self) -> list[Edit]:
        """Return the edits, all insertions; those at the same position are applied in the order of the list."""
        found: list[Edit] = []
        self._body(self._query.body, frozenset(), frozenset(), found)
        return found

    def _body(self, body: t.QueryBody, bound: Scope, nullable: Scope, found: list[Edit]) -> Scope:
        """Visit the clauses of a body, add their edits to `found`, and return the variables that may then be null."""
        if isinstance(body, t.Union):
            parts = [self._body(part, bound, nullable, found) for part in body.parts]
            return frozenset().union(*parts)
        if not isinstance(body, t.SingleQuery):
            return frozenset()
        for clause in body.clauses:
            if isinstance(clause, t.Match):
                nullable = self._match(clause, bound, nullable, found)
            elif isinstance(clause, t.With | t.Return):
                self._items(clause, bound, nullable, found)
                nullable = after_projection(clause.projection, nullable)
                if isinstance(clause, t.With) and clause.where is not None:
                    self._expression(clause.where, after(clause, bound), nullable, found)
            elif isinstance(clause, t.CallSubquery):
                imports = (
                    None if clause.imports is None or clause.star else {variable.name for variable in clause.imports}
                )
                inner = nullable if imports is None else nullable & imports
                columns = self._body(clause.body, bound if imports is None else bound & imports, inner, found)
                nullable |= after(clause, frozenset()) if clause.optional else columns
            else:
                self._expression(clause, bound, nullable, found)
                if isinstance(clause, t.Unwind):
                    nullable |= {clause.variable.name}
            bound = after(clause, bound)
        return nullable

    def _match(self, clause: t.Match, bound: Scope, nullable: Scope, found: list[Edit]) -> Scope:
        own = frozenset(variables(clause.patterns))
        touched = sorted(own & nullable & bound)
        guard = ""
        if touched and not clause.optional:
            found.append(Edit(clause.start, clause.start, f"WITH * WHERE {present(touched)} "))
        elif touched and self._names.may_be_added:
            guard = self._names.fresh()
            found.append(Edit(clause.start, clause.start, f"WITH *, {present(touched)} AS {guard} "))
        known = nullable | (own - bound) if clause.optional else nullable - own
        for path in clause.patterns:
            self._expression(path, bound | own, known, found)
        if clause.where is not None:
            if guard:
                found.append(Edit(clause.where.start, clause.where.start, f"{guard} AND ("))
            self._expression(clause.where, bound | own, nullable - own, found)
            if guard:
                found.append(Edit(clause.where.end, clause.where.end, ")"))
        elif guard:
            found.append(Edit(clause.end, clause.end, f" WHERE {guard}"))
        return known

    def _items(self, clause: t.With | t.Return, bound: Scope, nullable: Scope, found: list[Edit]) -> None:
        projection, self._projecting = clause.projection, True
        for item in projection.items:
            self._expression(item.expression, bound, nullable, found)
        for sort in projection.order_by:
            self._expression(sort.expression, bound | after(clause, frozenset()), nullable, found)
        self._projecting = False

    def _expression(self, node: t.Node, bound: Scope, nullable: Scope, found: list[Edit]) -> None:
        match node:
            case t.FunctionCall(key="exists", arguments=[t.PatternExpression() as condition]):
                self._wrap(node, variables([condition.pattern]), nullable & bound, "", found)
            case t.PatternExpression():
                # In a projection the engine supports only the newer form, `EXISTS { (a)-->(b) }`.
                newer = [Edit(node.start, node.start, "EXISTS { "), Edit(node.end, node.end, " }")]
                self._wrap(
                    node,
                    variables([node.pattern]),
                    nullable & bound,
                    "",
                    found,
                    newer if self._projecting and node.pattern.shortest is None else [],
                )
            case t.PatternComprehension():
                inside = bound | set(variables([node.pattern]))
                inner: list[Edit] = []
                for child in node.children():
                    self._expression(child, inside, nullable & bound, inner)
                self._wrap(node, variables([node.pattern]), nullable & bound, "[]", found, inner)
            case t.Subquery():
                self._subquery(node, bound, nullable, found)
            case _:
                for child in node.children():
                    self._expression(child, bound, nullable, found)

    def _subquery(self, node: t.Subquery, bound: Scope, nullable: Scope, found: list[Edit]) -> None:
        inner: list[Edit] = []
        if node.body is None:
            paths = node.patterns
            if node.where is not None:
                self._expression(node.where, bound | set(variables(paths)), nullable, inner)
        elif (clauses := only_matches(node.body)) is not None:
            paths = [path for clause in clauses for path in clause.patterns]
            for clause in clauses:
                if clause.where is not None:
                    self._expression(clause.where, bound | set(variables(paths)), nullable, inner)
        else:
            self._body(node.body, bound, nullable, found)
            return
        self._wrap(node, variables(paths), nullable & bound, NOTHING.get(node.kind, ""), found, inner)

    def _wrap(
        self,
        node: t.Node,
        named: Iterable[str],
        nullable: Scope,
        nothing: str,
        found: list[Edit],
        inner: Iterable[Edit] = (),
    ) -> None:
        touched = sorted(set(named) & nullable)
        if touched:
            begin, end = (
                (f"CASE WHEN {present(touched)} THEN ", f" ELSE {nothing} END")
                if nothing
                else (f"({present(touched)} AND ", ")")
            )
            found += [Edit(node.start, node.start, begin), *inner, Edit(node.end, node.end, end)]
        else:
            found += inner


def only_matches(body: t.QueryBody) -> list[t.Match] | None:
    """Return the MATCH clauses of a body that has no other clause, apart from a RETURN without functions.

    None for any other body, and if a MATCH is optional. If one of the returned clauses has no rows, the body has none.
    """
    if not isinstance(body, t.SingleQuery):
        return None
    clauses = body.clauses[:-1] if isinstance(body.clauses[-1], t.Return) else body.clauses
    matches = [clause for clause in clauses if isinstance(clause, t.Match) and not clause.optional]
    returned = body.clauses[len(clauses) :]
    if len(matches) < len(clauses) or any(
        isinstance(part, t.FunctionCall | t.CountStar) for last in returned for part in last.walk()
    ):
        return None
    return matches


def after_projection(projection: t.Projection, nullable: Scope) -> Scope:
    """Return the variables that may be null after a WITH or RETURN: all but copies of variables that are not null."""
    passed_on = nullable if projection.star else frozenset()
    return passed_on | {
        item.name
        for item in projection.items
        if not isinstance(item.expression, t.Variable) or item.expression.name in nullable
    }


def present(names: Iterable[str]) -> str:
    """Return the condition that no variable is null: `z IS NOT NULL AND y IS NOT NULL`."""
    return " AND ".join(f"{quoted_name(name)} IS NOT NULL" for name in names)


def guarded(query: t.Query) -> t.Query:
    """Return the query with the null guards that it needs; if it needs none, the same object."""
    if not any(_may_need_guards(clause) for clause in query.find(t.Clause)):
        return query
    edits = Guarding(query).edits()
    return parse(applied(query.text, edits)) if edits else query


def _may_need_guards(clause: t.Clause) -> bool:
    match clause:
        case t.Match() | t.CallSubquery():
            return clause.optional
        case t.Unwind():
            return True
        case t.With():
            return any(not isinstance(item.expression, t.Variable) for item in clause.projection.items)
        case t.Return():
            return next(clause.find(t.PatternExpression), None) is not None
    return False
