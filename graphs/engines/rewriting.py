"""Rewrites queries for a database with a weaker planner than Neo4j's: the rows are those of Neo4j, and arrive sooner.

    >>> rewrite_for(ARCADEDB, "MATCH (c:Company) WHERE NOT ()-[:subsidiaryOf]->(c) RETURN c.name", limit=100)
    "MATCH (c:Company) WHERE NOT (c)<-[:subsidiaryOf]-() RETURN c.name LIMIT 101"

`Guarding` prevents a null from being treated as an unbound node, `reachability` evaluates unbounded paths breadth-first
if only their ends matter, and `Anchoring` writes the most selective node first. Tests compare rows with and without
rewrites, on random graphs and with a real Neo4j.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Edit, applied, reversed_text
from graphground.cypher.functions import aggregates_in
from graphground.cypher.quoting import in_backticks, quoted_name

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
            # An unnamed column whose text a rewrite may change keeps that text as its alias.
            patterns = t.Subquery | t.PatternExpression | t.PatternComprehension
            names = [
                Edit(item.end, item.end, f" AS {in_backticks(item.name)}")
                for item in query.find(t.ReturnItem)
                if item.alias is None and any(isinstance(node, patterns) for node in item.expression.walk())
            ]
            named = parse(applied(query.text, names)) if names else query
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

    The embedded engine plans the first MATCH of a query by cost if all its nodes have labels. Inside a subquery, after
    other clauses, or for a pattern of variable length, it starts at the node that is written first:

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
                    if not (
                        isinstance(following, t.With | t.Return)
                        and following.projection.distinct
                        and all(
                            isinstance(item.expression, t.Variable | t.Property) for item in following.projection.items
                        )
                    ):
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
        if _name(its_nodes[0]) not in bound and _name(its_nodes[-1]) in bound and _reversible(path):
            yield Edit(path.start, path.end, self._backwards(path.elements))

    def _match(self, clause: t.Match, bound: frozenset[str], inside: bool) -> Iterator[Edit]:
        paths = clause.patterns
        names = [rel.variable.name for path in paths for rel in path.find(t.RelationshipPattern) if rel.variable]
        if len(set(names)) < len(names) and self._names.may_be_added:
            yield from self._never(clause)
        else:
            yield from self._reordered(clause, bound, inside)

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

    def _reordered(self, clause: t.Match, bound: frozenset[str], inside: bool) -> Iterator[Edit]:
        paths = clause.patterns
        variable_length = any(rel.length for path in paths for rel in path.find(t.RelationshipPattern))
        unlabelled = any(node.labels is None for path in paths for node in nodes(path))
        if not (inside or bound or variable_length or unlabelled):
            return
        if clause.hints or clause.mode or clause.search or any(not _reversible(path) for path in paths):
            return
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
        if text != self._query.text[start:end]:
            yield Edit(start, end, text)

    def _rank(self, node: t.NodePattern, known: dict[str, int], seen: set[str]) -> int:
        return BOUND if _name(node) in seen else rank_of(node, known)

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
                projection, self._projecting = clause.projection, True
                for item in projection.items:
                    self._expression(item.expression, bound, nullable, found)
                for sort in projection.order_by:
                    self._expression(sort.expression, bound | after(clause, frozenset()), nullable, found)
                self._projecting = False
                nullable = (nullable if projection.star else frozenset()) | {
                    item.name
                    for item in projection.items
                    if not isinstance(item.expression, t.Variable) or item.expression.name in nullable
                }
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


ROUNDS = 8
LONG = 3
"""The smallest upper bound of a path's length with which the path is rewritten; a smaller one allows only few paths."""

CHANCE = frozenset({"rand", "randomuuid"})


def reaching(query: t.Query) -> t.Query:
    """Return the query with its unbounded paths rewritten, where possible, so that they are evaluated breadth-first.

    On a dense graph with cycles there are too many paths between two nodes to enumerate, and a database that follows
    each path does not finish. If a query asks only which nodes are reachable, visiting each node once is enough. The
    embedded engine does so only if a whole query or subquery has a form such as `MATCH (a)-[*]->(b) RETURN DISTINCT b`.
    Other queries about reachable nodes are therefore rewritten to this form:

        MATCH (a:P {name: 'x'}) WHERE (a)-[:T*]->(:Q) RETURN a
        MATCH (a:P {name: 'x'}) WHERE EXISTS { MATCH (a)-[:T*]->(anchor0:Q) RETURN DISTINCT anchor0 LIMIT 1 } RETURN a

        MATCH (a:P {name: 'x'}) MATCH (a)-[:T*]->(b) RETURN count(DISTINCT b) AS c
        MATCH (a:P {name: 'x'}) CALL (a) { MATCH (a)-[:T*]->(b) RETURN DISTINCT b } RETURN count(DISTINCT b) AS c

    Why the rows are the same: a path in Cypher uses no relationship twice. A shortest walk between two nodes visits no
    node twice, so it uses no relationship twice and is a path. A node that is reachable within n steps is therefore
    reachable by a shortest walk within n steps. (This holds for a lower bound of 0 or 1, and only if no other
    relationship of the same MATCH could be part of the path. Paths from a node to itself depend on the engine; the
    tests compare them.) A row that occurred once per path now occurs once per end node, so later clauses must not
    depend on the number of rows: they remove duplicates, or use only aggregates that ignore duplicates, such as
    `count(DISTINCT b)` or `min`.
    """
    if not any(_open(rel) for rel in query.find(t.RelationshipPattern)) or any(
        call.key in CHANCE for call in query.find(t.FunctionCall)
    ):
        return query
    for _ in range(ROUNDS):
        edit = next(_Reaching(query).edits(), None)
        if edit is None:
            break
        query = parse(applied(query.text, [edit]))
    return query


def _open(rel: t.RelationshipPattern) -> bool:
    """Whether a variable-length relationship has a lower bound of 0 or 1, a large or no upper bound, and no WHERE."""
    length = rel.length
    return (
        length is not None
        and length.minimum in (None, 0, 1)
        and (length.maximum is None or length.maximum >= LONG)
        and rel.where is None
        and rel.quantifier is None
    )


@dataclass(frozen=True, slots=True)
class _Cut:
    """The unbounded step of a path that is cut off from the rest of the MATCH: from `start` over `rel` to `end`.

    `at_the_end` says whether the step is the last in the path; otherwise it is the first and is followed backwards.
    """

    path: t.PathPattern
    start: t.NodePattern
    rel: t.RelationshipPattern
    end: t.NodePattern
    at_the_end: bool


class _Reaching:
    """The search for places to rewrite in one query: `next(_Reaching(query).edits())`.

    Only the first edit is used. The next place may lie inside that edit, so the rewritten query is searched again.
    """

    def __init__(self, query: t.Query) -> None:
        self._query, self._names = query, FreshNames(query)
        self._may_be_null = any(clause.optional for clause in query.find(t.Match)) or any(
            clause.optional for clause in query.find(t.CallSubquery)
        )
        self._uses: dict[str, int] = {}
        for variable in query.find(t.Variable):
            self._uses[variable.name] = self._uses.get(variable.name, 0) + 1

    def edits(self) -> Iterator[Edit]:
        yield from self._body(self._query.body, frozenset(), rows_count=True)

    def _body(self, body: t.QueryBody, bound: frozenset[str], rows_count: bool) -> Iterator[Edit]:
        if isinstance(body, t.Union):
            for part in body.parts:
                yield from self._body(part, bound, rows_count=True)
        elif isinstance(body, t.SingleQuery):
            for place, clause in enumerate(body.clauses):
                following = body.clauses[place + 1 :]
                if isinstance(clause, t.Match):
                    if not (rows_count and _counts_rows(following)) and not (
                        place == 0 and _as_the_engine_does(clause, following)
                    ):
                        yield from self._match(clause, bound)
                    yield from self._expressions(clause.where, bound | set(variables(clause.patterns)))
                elif isinstance(clause, t.CallSubquery):
                    inside = bound if clause.star else frozenset(variable.name for variable in clause.imports or ())
                    yield from self._body(clause.body, inside, rows_count=True)
                else:
                    yield from self._expressions(clause, bound)
                bound = after(clause, bound)

    def _expressions(self, node: t.Node | None, bound: frozenset[str]) -> Iterator[Edit]:
        """Yield the edits for path conditions below a node: `EXISTS { (a)-[*]->(b) }`, `(a)-[*]->(b)`, `exists(…)`."""
        stack = [] if node is None else [node]  # no recursion: thousands of ORs are a tree of that depth
        while stack:
            node = stack.pop()
            match node:
                case t.PatternComprehension():
                    continue
                case t.FunctionCall(key="exists", arguments=[t.PatternExpression() as condition]):
                    yield from self._exists(node, [condition.pattern], None)
                case t.PatternExpression(pattern=pattern):
                    if pattern.shortest is None:
                        yield from self._exists(node, [pattern], None)
                case t.Subquery(kind="EXISTS", body=None):
                    yield from self._exists(node, node.patterns, node.where)
                    yield from self._expressions(node.where, bound | set(variables(node.patterns)))
                case t.Subquery(kind="EXISTS", body=t.SingleQuery(clauses=[t.Match(optional=False, hints=[]) as only])):
                    if only.mode is None:
                        yield from self._exists(node, only.patterns, only.where)
                    yield from self._expressions(only.where, bound | set(variables(only.patterns)))
                case t.Subquery(body=body):
                    if body is not None:
                        yield from self._body(body, bound, rows_count=node.kind != "EXISTS")
                case _:
                    stack += reversed(list(node.children()))

    def _exists(self, place: t.Node, paths: Sequence[t.PathPattern], where: t.Expression | None) -> Iterator[Edit]:
        """Rewrite a path condition to `EXISTS { MATCH (a)-[*]->(b) … RETURN DISTINCT b LIMIT 1 }`.

        The LIMIT makes the engine stop early.
        """
        if len(paths) != 1 or len(paths[0].elements) != 3 or not is_plain(paths[0]) or self._may_be_null:
            return  # the engine treats a null as an unbound node
        first, rel, last = paths[0].elements
        if not (
            isinstance(first, t.NodePattern)
            and isinstance(rel, t.RelationshipPattern)
            and _open(rel)
            and isinstance(last, t.NodePattern)
            and not self._used(rel)
        ) or _same(first, last):
            return
        name, end = self._names.of(last)
        condition = f" WHERE {self._query.source(where)}" if where is not None else ""
        yield Edit(
            place.start,
            place.end,
            f"EXISTS {{ MATCH {self._query.source(first)}{self._query.source(rel)}{end}"
            f"{condition} RETURN DISTINCT {name} LIMIT 1 }}",
        )

    def _match(self, clause: t.Match, bound: frozenset[str]) -> Iterator[Edit]:
        rels = [rel for path in clause.patterns for rel in path.find(t.RelationshipPattern)]
        long = [rel for rel in rels if rel.length or rel.quantifier]
        if (
            len(long) != 1
            or not _open(long[0])
            or clause.hints
            or clause.mode
            or self._used(long[0])
            or not all(map(is_plain, clause.patterns))
            or not _apart(long[0], rels)
        ):
            return
        if len(rels) == len(clause.patterns) == 1 and all(_name(node) in bound for node in nodes(clause.patterns[0])):
            if not self._may_be_null and not _same(*nodes(clause.patterns[0])):
                condition = f" WHERE {self._query.source(clause.where)}" if clause.where is not None else ""
                yield Edit(
                    clause.start,
                    clause.end,
                    f"WITH * WHERE EXISTS {{ MATCH {self._query.source(clause.patterns[0])}{condition} }}",
                )
            return
        known = dict(filtered(clause.where)) | dict.fromkeys(bound, BOUND)
        cuts = [cut for cut in self._cuts(clause, long[0]) if self._may_be_cut(cut, clause, bound)]
        if not cuts:
            return
        cut = max(cuts, key=lambda candidate: rank_of(candidate.start, known))
        if clause.optional:
            bare = cut.start.variable is not None and cut.start.labels is None and cut.start.properties is None
            if not (len(rels) == len(clause.patterns) == 1 and bare and _name(cut.start) in bound):
                return
        yield Edit(clause.start, clause.end, self._split(clause, cut, bound))

    def _cuts(self, clause: t.Match, rel: t.RelationshipPattern) -> Iterator[_Cut]:
        for path in clause.patterns:
            for place in [place for place, element in enumerate(path.elements) if element is rel]:
                before, behind = path.elements[place - 1], path.elements[place + 1]
                if isinstance(before, t.NodePattern) and isinstance(behind, t.NodePattern):
                    if place == len(path.elements) - 2:
                        yield _Cut(path, before, rel, behind, at_the_end=True)
                    if place == 1:
                        yield _Cut(path, behind, rel, before, at_the_end=False)

    def _may_be_cut(self, cut: _Cut, clause: t.Match, bound: frozenset[str]) -> bool:
        """Whether the step can be cut off.

        Nothing else may bind `cut.end`. It may have simple properties, but no WHERE. Unnamed nodes must be allowed to
        receive names.
        """
        name = _name(cut.end)
        if _same(cut.start, cut.end) or not _simple(cut.end.properties) or cut.end.where is not None:
            return False
        if (name is None or _name(cut.start) is None) and not self._names.may_be_added:
            return False
        elsewhere = [node for path in clause.patterns for node in nodes(path) if node is not cut.end]
        return name is None or (name not in bound and all(_name(node) != name for node in elsewhere))

    def _split(self, clause: t.Match, cut: _Cut, bound: frozenset[str]) -> str:
        start, start_text = self._names.of(cut.start)
        end, end_text = self._names.of(cut.end)
        rest = [self._query.source(path) for path in clause.patterns if path is not cut.path]
        elements = cut.path.elements[:-2] if cut.at_the_end else cut.path.elements[2:]
        if start not in bound or cut.start.labels or cut.start.properties or cut.start.where or len(elements) > 1:
            rest.append(
                "".join(start_text if element is cut.start else self._query.source(element) for element in elements)
            )
        inside, outside = [], []
        within = set(variables(clause.patterns)) | bound | {start}
        imports = {start}
        for condition in t.conjuncts(clause.where):
            names = {variable.name for variable in condition.find(t.Variable)}
            if not rest or end in names or _name(cut.end) in names:
                inside.append(self._query.source(condition))
                imports |= (names & within) - {end}
            else:
                outside.append(self._query.source(condition))
        steps = self._query.source(cut.rel) if cut.at_the_end else flipped(self._query, cut.rel)
        listed = ", ".join(quoted_name(name) for name in sorted(imports))
        here = f"MATCH {', '.join(rest)}{_where(outside)} " if rest else ""
        return (
            f"{here}{'OPTIONAL ' if clause.optional else ''}CALL ({listed}) {{ MATCH ({quoted_name(start)}){steps}"
            f"{end_text}{_where(inside)} RETURN DISTINCT {quoted_name(end)} }}"
        )

    def _used(self, rel: t.RelationshipPattern) -> bool:
        """Whether the query uses the path's relationships elsewhere, or their properties depend on other variables."""
        named = rel.variable is not None and (self._uses[rel.variable.name] > 1 or not self._names.may_be_added)
        return named or not _simple(rel.properties)


def _name(node: t.NodePattern) -> str | None:
    return node.variable.name if node.variable else None


def _same(left: t.NodePattern, right: t.NodePattern) -> bool:
    return _name(left) is not None and _name(left) == _name(right)


def _simple(properties: t.Expression | None) -> bool:
    """Whether the properties of a pattern are absent, a parameter, or a map of literals and parameters."""
    plain = t.StringLiteral | t.IntegerLiteral | t.FloatLiteral | t.BooleanLiteral | t.Parameter
    return (
        properties is None
        or isinstance(properties, t.Parameter)
        or (
            isinstance(properties, t.MapLiteral) and all(isinstance(entry.value, plain) for entry in properties.entries)
        )
    )


def _apart(rel: t.RelationshipPattern, rels: Sequence[t.RelationshipPattern]) -> bool:
    """Whether no other relationship of the MATCH can be part of the path, because their types differ."""
    own = _types(rel.types)
    others = [_types(link.types) for link in rels if link is not rel]
    return not others or (own is not None and all(other is not None and not own & other for other in others))


def _types(types: t.LabelExpression | None) -> frozenset[str] | None:
    """Return the type names in `A|B`; None if further types may match."""
    match types:
        case t.LabelName(name=name):
            return frozenset({name.text})
        case t.LabelOr(operands=operands):
            parts = [_types(operand) for operand in operands]
            return None if None in parts else frozenset().union(*(part for part in parts if part))
    return None


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(f'({condition})' for condition in conditions)}" if conditions else ""


def _counts_rows(following: Sequence[t.Clause]) -> bool:
    """Whether the result of the clauses depends on how often a row occurs; False if duplicates are removed first."""
    for clause in following:
        match clause:
            case t.Match() | t.Unwind() | t.CallSubquery(transactions=None):
                continue
            case t.With() | t.Return():
                projection = clause.projection
                aggregates = [call for item in projection.items for call in aggregates_in(item.expression)]
                if aggregates:
                    return not all(
                        isinstance(call, t.FunctionCall) and (call.distinct or call.key in ("min", "max"))
                        for call in aggregates
                    )
                if projection.distinct:
                    return False
                if isinstance(clause, t.Return) or projection.skip or projection.limit or projection.group_by:
                    return True
            case _:
                return True
    return True


def _as_the_engine_does(clause: t.Match, following: Sequence[t.Clause]) -> bool:
    """Whether the query already has a form that the engine evaluates breadth-first: `… RETURN DISTINCT b.name`."""
    if (
        clause.optional
        or len(clause.patterns) != 1
        or len(clause.patterns[0].elements) != 3
        or len(following) != 1
        or not isinstance(following[0], t.Return)
    ):
        return False
    ends = t.Variable | t.Property
    return all(
        isinstance(item.expression, ends)
        or (
            isinstance(item.expression, t.FunctionCall)
            and len(item.expression.arguments) == 1
            and isinstance(item.expression.arguments[0], ends)
        )
        for item in following[0].projection.items
    )


KEYS = frozenset({"name", "eid"})
"""Properties on which the embedded engine has an index."""

BOUND, KEYED, FILTERED, UNKNOWN = 3, 2, 1, 0
"""Ranks of a node pattern's selectivity: a pattern with a higher rank is expected to match fewer nodes."""


class FreshNames:
    """Names that a query does not use yet: `FreshNames(query).fresh()` returns `anchor0`, then `anchor1`."""

    def __init__(self, query: t.Query) -> None:
        self._query, self.fresh = query, query.fresh_names("anchor").__next__
        self.may_be_added = not any(projection.star for projection in query.find(t.Projection)) and not any(
            call.star for call in query.find(t.CallSubquery)
        )
        """Whether new names may be added to the query; False if a `*` would return or import them."""

    def of(self, node: t.NodePattern) -> tuple[str, str]:
        """Return a node's name and its text; an unnamed node receives a new name: `("anchor0", "(anchor0:Team)")`."""
        text = self._query.source(node)
        if node.variable is not None:
            return node.variable.name, text
        name = self.fresh()
        return name, f"({name}{text[1:]}"


def rank_of(node: t.NodePattern, known: dict[str, int]) -> int:
    """Return the rank of a node: `KEYED` for `(p {name: 'x'})`, `FILTERED` for `(p {age: 3})`, `UNKNOWN` for `(p)`.

    A higher rank that the variable of the node has in `known` counts instead.
    """
    entries = node.properties.entries if isinstance(node.properties, t.MapLiteral) else []
    ranks = (KEYED if entry.key.text in KEYS else FILTERED for entry in entries)
    return max(known.get(_name(node) or "", UNKNOWN), *ranks, UNKNOWN)


def is_plain(path: t.PathPattern) -> bool:
    """Whether a path consists of nodes and relationships alone: no name, no search for the shortest, no subquery."""
    return (
        path.variable is None
        and path.selector is None
        and path.shortest is None
        and all(isinstance(element, t.NodePattern | t.RelationshipPattern) for element in path.elements)
        and next(path.find(t.Subquery), None) is None
        and next(path.find(t.PatternComprehension), None) is None
    )


def flipped(query: t.Query, element: t.Node) -> str:
    """Return a relationship's text reversed, `<-[:T]-` for `-[:T]->`; a node's text unchanged."""
    return reversed_text(query.text, element) if isinstance(element, t.RelationshipPattern) else query.source(element)


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
