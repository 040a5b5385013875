"""Evaluates unbounded paths breadth-first if only the nodes at their ends matter.

On a dense graph with cycles there are too many paths between two nodes to enumerate, and a database that follows each
path does not finish. If a query asks only which nodes are reachable, visiting each node once is enough. The embedded
engine does so only if a whole query or subquery has a form such as `MATCH (a)-[*]->(b) RETURN DISTINCT b`. Other
queries about reachable nodes are therefore rewritten to this form:

    MATCH (a:P {name: 'x'}) WHERE (a)-[:T*]->(:Q) RETURN a
    MATCH (a:P {name: 'x'}) WHERE EXISTS { MATCH (a)-[:T*]->(anchor0:Q) RETURN DISTINCT anchor0 LIMIT 1 } RETURN a

    MATCH (a:P {name: 'x'}) MATCH (a)-[:T*]->(b) RETURN count(DISTINCT b) AS c
    MATCH (a:P {name: 'x'}) CALL (a) { MATCH (a)-[:T*]->(b) RETURN DISTINCT b } RETURN count(DISTINCT b) AS c

Why the rows are the same: a path in Cypher uses no relationship twice. A shortest walk between two nodes visits no node
twice, so it uses no relationship twice and is a path. A node that is reachable within n steps is therefore reachable by
a shortest walk within n steps. (This holds for a lower bound of 0 or 1, and only if no other relationship of the same
MATCH could be part of the path. Paths from a node to itself depend on the engine; the tests compare them.) A row that
occurred once per path now occurs once per end node, so later clauses must not depend on the number of rows: they remove
duplicates, or use only aggregates that ignore duplicates, such as `count(DISTINCT b)` or `min`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Edit, applied, reversed_text
from graphground.cypher.functions import aggregates_in
from graphground.cypher.quoting import in_backticks, quoted_name

ROUNDS = 8
LONG = 3
"""The smallest upper bound of a path's length with which the path is rewritten; a smaller one allows only few paths."""

CHANCE = frozenset({"rand", "randomuuid"})


def reaching(query: t.Query) -> t.Query:
    """Return the query with its unbounded paths rewritten, where possible, so that they are evaluated breadth-first."""
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
        cut = max(cuts, key=lambda candidate: self._rank(candidate.start, known))
        if clause.optional:
            bare = cut.start.variable is not None and cut.start.labels is None and cut.start.properties is None
            if not (len(rels) == len(clause.patterns) == 1 and bare and _name(cut.start) in bound):
                return
        text = self._split(clause, cut, bound)
        if text is not None:
            yield Edit(clause.start, clause.end, text)

    def _cuts(self, clause: t.Match, rel: t.RelationshipPattern) -> Iterator[_Cut]:
        for path in clause.patterns:
            places = [place for place, element in enumerate(path.elements) if element is rel]
            for place in places:
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

    def _split(self, clause: t.Match, cut: _Cut, bound: frozenset[str]) -> str | None:
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

    def _rank(self, node: t.NodePattern, known: dict[str, int]) -> int:
        return max(rank_of_properties(node), known.get(_name(node) or "", UNKNOWN))

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


def columns_named(query: t.Query) -> t.Query:
    """Return the query with an alias for each unnamed column whose text a rewrite may change.

    `RETURN EXISTS { (a)-->() }` becomes ``RETURN EXISTS { (a)-->() } AS `EXISTS { (a)-->() }` ``. If no column needs an
    alias, the same object is returned.
    """
    patterns = t.Subquery | t.PatternExpression | t.PatternComprehension
    names = [
        Edit(item.end, item.end, f" AS {in_backticks(item.name)}")
        for item in query.find(t.ReturnItem)
        if item.alias is None and any(isinstance(node, patterns) for node in item.expression.walk())
    ]
    return parse(applied(query.text, names)) if names else query


class FreshNames:
    """Names that a query does not use yet: `FreshNames(query).fresh()` returns `anchor0`, then `anchor1`."""

    def __init__(self, query: t.Query) -> None:
        self._query = query
        self._taken = {variable.name for variable in query.find(t.Variable)}
        self.may_be_added = not any(projection.star for projection in query.find(t.Projection)) and not any(
            call.star for call in query.find(t.CallSubquery)
        )
        """Whether new names may be added to the query; False if a `*` would return or import them."""

    def fresh(self) -> str:
        """Return an unused name, a different name at each call."""
        number = 0
        while f"anchor{number}" in self._taken:
            number += 1
        self._taken.add(f"anchor{number}")
        return f"anchor{number}"

    def of(self, node: t.NodePattern) -> tuple[str, str]:
        """Return a node's name and its text; an unnamed node receives a new name: `("anchor0", "(anchor0:Team)")`."""
        text = self._query.source(node)
        if node.variable is not None:
            return node.variable.name, text
        name = self.fresh()
        return name, f"({name}{text[1:]}"


def rank_of_properties(node: t.NodePattern) -> int:
    """Return the rank of a node: `KEYED` for `(p {name: 'x'})`, `FILTERED` for `(p {age: 3})`, `UNKNOWN` for `(p)`."""
    entries = node.properties.entries if isinstance(node.properties, t.MapLiteral) else []
    return max((KEYED if entry.key.text in KEYS else FILTERED for entry in entries), default=UNKNOWN)


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
