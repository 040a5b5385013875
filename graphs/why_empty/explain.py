"""Finds the clause after which no row is left, and the smallest part of the clause that is the cause.

    MATCH (m:Movie)-[:directedBy]->(p:Person {name: 'Michael Man'}) WHERE m.runtime_minute > 90 RETURN m.name

Small queries to the database answer these questions in turn. Does each node of the pattern exist? If not, the node is
the cause, and is reported with the nearest names. Does `directedBy` connect a movie and that person? If not, the
opposite direction and other types are tried. Does the whole pattern match? If so, a condition removes the last row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Literal

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic, Edit, LineIndex, applied, counted
from graphground.cypher.functions import is_aggregate
from graphground.graphs.engines.engine import EngineError, is_empty_answer
from graphground.graphs.graph import Graph
from graphground.graphs.why_empty.causes import blame_condition, blame_pattern, only_about, unread_numbers
from graphground.graphs.why_empty.probe import OutOfTime, Probe, all_hold

MOST_ROUNDS = 4
"""The number of fixes, one upon the other, that are tried."""
MOST_COMPARED = 1_000
"""The most rows of the answers of alternatives that are compared."""
MOST_ALTERNATIVES = 5
"""The number of suggestions of one diagnostic that are tried if none of them is clear."""


def why_empty(
    graph: Graph, query: t.Query, parameters: Mapping[str, Any] | None = None, *, seconds: float = 2.0
) -> list[Diagnostic]:
    """Return diagnostics for a query whose answer is empty; none if no cause is found within `seconds`.

    For the query above this is one `entity_not_found` at `'Michael Man'` that suggests `'Michael Mann'`.
    """
    probe = Probe(graph, query, parameters or {}, seconds)
    found: list[Diagnostic] = []
    with suppress(OutOfTime):
        for cause in _body(probe, query.body):
            if cause not in found:
                found.append(cause)
    return found


def fixed_query(
    graph: Graph,
    query: t.Query,
    causes: Sequence[Diagnostic],
    suggested: str | None,
    parameters: Mapping[str, Any] | None = None,
    *,
    seconds: float = 2.0,
) -> str | None:
    """Return a query that returns rows where `query` does not: its fix by clear edits alone; None if there is none.

    `suggested` is the fix of the check of the query, and `causes` are the reasons of `why_empty`. A fix may reveal
    another mistake, so its empty answer is explained and fixed in turn.
    """
    deadline = monotonic() + seconds

    def follow(text: str) -> str | None:
        for _ in range(MOST_ROUNDS):
            left = deadline - monotonic()
            if text == query.text or left <= 0:
                return None
            try:
                if not is_empty_answer(graph.run(text, parameters, limit=2, timeout=left).rows):
                    return text
                tree = parse(text, graph.language)
            except (EngineError, CypherSyntaxError):
                return None
            further = why_empty(graph, tree, parameters, seconds=max(0.1, deadline - monotonic()))
            edited = applied(text, [edit for cause in further for edit in cause.edits])
            if edited == text:
                return None
            text = edited
        return None

    edits = [edit for cause in causes for edit in cause.edits]
    fixed = follow(suggested or applied(query.text, edits))
    if fixed is not None:
        return fixed
    tried = [follow(applied(query.text, [*edits, *fix])) for fix in _alternatives(query, causes)]
    found = [text for text in tried if text is not None]
    return found[0] if len(found) == 1 else _fullest(graph, found, parameters, deadline)


def _fullest(graph: Graph, queries: Sequence[str], parameters: Mapping[str, Any] | None, deadline: float) -> str | None:
    """Return the query whose answer contains those of all others; None if there is none, or several are equal.

    If one fact is written in two types of opposite direction, the way by the type that is not always written is part of
    the other: `(f)-[:FOUND_IN]->()<-[:CONTAINS]-(t)` and `(f)-[:FOUND_IN]->()-[:LAYER_OF]->(t)`.
    """
    answers = []
    for text in queries:
        try:
            table = graph.run(text, parameters, limit=MOST_COMPARED, timeout=max(0.01, deadline - monotonic()))
        except EngineError:
            return None
        if table.truncated:
            return None
        answers.append(frozenset(map(repr, table.rows)))
    whole = frozenset[str]().union(*answers)
    full = [text for text, rows in zip(queries, answers, strict=True) if len(rows) == len(whole)]
    return full[0] if len(full) == 1 else None


def _alternatives(query: t.Query, causes: Sequence[Diagnostic]) -> Iterator[Sequence[Edit]]:
    """Yield the fixes of which one may be meant: similar names, ways through another node, or places of a property.

    They belong to the first cause that has several; the data show whether only one of them returns rows.
    """
    for cause in causes:
        meant = cause.code == "entity_not_found" or all("(:" in text for text in cause.suggestions)
        if cause.edits or cause.severity == "hint":
            continue
        if cause.choices:
            yield from cause.choices[:MOST_ALTERNATIVES]
            return
        if meant and 1 < len(cause.suggestions) <= MOST_ALTERNATIVES:
            starts = LineIndex(query.text).starts
            start = starts[cause.line - 1] + cause.column - 1
            end = starts[cause.end_line - 1] + cause.end_column - 1
            yield from ([Edit(start, end, text)] for text in cause.suggestions)
            return


def _body(probe: Probe, body: t.QueryBody) -> Iterator[Diagnostic]:
    if isinstance(body, t.Union):
        for part in body.parts:
            yield from _body(probe, part)
    elif isinstance(body, t.SingleQuery):
        yield from _single(probe, body)


def _single(probe: Probe, single: t.SingleQuery) -> Iterator[Diagnostic]:
    text, start = probe.query.text, single.start
    for clause in single.clauses:
        before = text[start : clause.start]
        if isinstance(clause, t.Return):
            yield from _paging(probe, before, clause)
            return
        through = text[start : clause.end]
        if isinstance(clause, t.Match) and clause.optional and clause.search is None:
            where = f" WHERE {probe.source(clause.where)}" if clause.where else ""
            through = f"{before}MATCH {', '.join(map(probe.source, clause.patterns))}{where}"
        if probe.has_rows(through):
            continue
        match clause:
            case t.Match() if clause.search is None:
                yield from blame_pattern(probe, before, clause)
            case t.With():
                yield from _filter(probe, before, clause)
            case t.CallSubquery() if not clause.imports and not clause.star and not _imports(clause.body):
                yield from _body(probe, clause.body)
            case t.Unwind():
                yield probe.diagnostic(
                    "matches_nothing", clause, "UNWIND receives an empty list or null, so no row is left."
                )
            case _:
                yield probe.diagnostic("matches_nothing", clause, "No row is left after this clause.")
        return


def _imports(body: t.QueryBody) -> bool:
    parts = body.parts if isinstance(body, t.Union) else [body]
    return any(
        isinstance(part, t.SingleQuery) and part.clauses and isinstance(part.clauses[0], t.With) for part in parts
    )


def _filter(probe: Probe, before: str, clause: t.With) -> Iterator[Diagnostic]:
    through = before + probe.query.text[clause.start : clause.projection.end]
    if clause.where is None or not probe.has_rows(through):
        words = " or ".join(word for word, _ in _bounds(clause.projection)) or "The clause"
        yield probe.diagnostic("matches_nothing", clause, f"{words} leaves no row here.")
        return
    yield from blame_condition(probe, through, t.conjuncts(clause.where))


def _bounds(projection: t.Projection) -> list[tuple[str, t.Expression]]:
    """Return the keyword and the number of SKIP and of LIMIT, as far as a clause has them."""
    bounds = (("SKIP", projection.skip), ("LIMIT", projection.limit))
    return [(word, bound) for word, bound in bounds if bound is not None]


def _paging(probe: Probe, before: str, clause: t.Return) -> Iterator[Diagnostic]:
    paging = _bounds(clause.projection)
    if paging and before.strip():
        rows = probe.rows(f"{before} RETURN count(*) AS rows", 1)
        for word, bound in paging if rows else ():
            number = probe.value(bound)
            if isinstance(number, int) and (number >= rows[0][0] if word == "SKIP" else number == 0):
                yield probe.diagnostic(
                    "matches_nothing",
                    bound,
                    f"{word} {number} leaves no row; the clauses before RETURN give {counted(rows[0][0], 'row')}.",
                )
                return
    for item in clause.projection.items:
        if isinstance(item.expression, t.Property):
            yield from _null(probe, before, clause, item, item.expression)
        elif isinstance(item.expression, t.FunctionCall) and is_aggregate(item.expression) and not paging:
            message = f"The pattern matches, but {probe.source(item.expression)} is null, zero or empty."
            yield unread_numbers(probe, before, item.expression) or probe.diagnostic(
                "matches_nothing", item, message, severity="hint"
            )


def _null(probe: Probe, before: str, clause: t.Return, item: t.ReturnItem, value: t.Property) -> Iterator[Diagnostic]:
    """Report a returned property that is null in every row, or only in the rows that ORDER BY and LIMIT keep."""
    text = probe.source(value)
    counts = probe.rows(f"{before} RETURN count(*) AS found, count({text}) AS filled", 1)
    if not counts or not counts[0][0]:
        return
    found, filled = counts[0]
    if not filled:
        yield probe.diagnostic(
            "matches_nothing",
            item,
            f"The pattern matches, but {text} is null in "
            + ("the only row." if found == 1 else f"all {found:,} rows."),
            severity="hint",
        )
        return
    sorts = [
        sort
        for sort in clause.projection.order_by
        if sort.descending and probe.source(sort.expression) in (text, item.name)
    ]
    why = " ORDER BY … DESC puts nulls first." if sorts else ""
    where = f"{text} IS NOT NULL"
    message = (
        f"{text} is null in the returned rows, but {filled:,} of the {found:,} "
        f"rows before SKIP and LIMIT {'has' if filled == 1 else 'have'} a value.{why} Keep only the rows with a value: WHERE {where}."
    )
    yield probe.diagnostic("matches_nothing", item, message, severity="hint")


MOST_COUNTED = 10_000
"""The number up to which matches are counted; if there are more, `MOST_COUNTED` + 1 is returned."""


@dataclass(slots=True)
class Point:
    """A part of a pattern: a node, a relationship, or a group in parentheses; or a condition on several nodes."""

    kind: Literal["node", "relationship", "group"]
    text: str
    """The part without its filters: `p:Player`, `r:playsFor*1..3`."""
    direction: str = ""
    """The direction of a relationship: `right`, `left` or `both`."""
    filters: list[str] = field(default_factory=list)
    """The conditions on the part: `name: 'Chicago Bulls'`, `p.height_cm > 300`."""
    alone: int | None = None
    """The number of nodes with the labels that pass the filters; `of` is the number of nodes with the labels."""
    of: int | None = None
    count: int | None = None
    """The number of matches of the pattern up to this point; None if it was not counted."""
    failing: bool = False


@dataclass(slots=True)
class CountedPattern:
    """The paths of the MATCH after which no row is left, and the conditions that are not filters of a single part."""

    paths: list[list[Point]]
    conditions: list[Point]
    most_counted: int = MOST_COUNTED


def counted_pattern(
    graph: Graph, query: t.Query, parameters: Mapping[str, Any] | None = None, *, seconds: float = 3.0
) -> CountedPattern | None:
    """Return the first MATCH after which no row is left, with counts; None if none is found within `seconds`.

    In `MATCH (p:Player)-[:playsFor]->(t:Team) WHERE p.height_cm > 300 RETURN t.name`, the node `p:Player` with its
    filter is marked as failing: 0 of 403 players match. Each other node is then counted only by itself. If each node
    has matches, the first relationship after which no match is left is marked, or else the conditions on several nodes.
    """
    probe = Probe(graph, query, parameters or {}, seconds)
    with suppress(OutOfTime):
        for single in query.find(t.SingleQuery):
            for clause in single.clauses:
                if isinstance(clause, t.Match) and clause.search is None and not clause.optional:
                    before = query.text[single.start : clause.start]
                    if not probe.has_rows(query.text[single.start : clause.end]):
                        return _Counting(probe, before, clause).pattern()
    return None


class _Counting:
    """A count of the matches of each part of a MATCH that matches nothing."""

    def __init__(self, probe: Probe, before: str, clause: t.Match) -> None:
        self._probe, self._before, self._clause = probe, before, clause
        self._conditions = t.conjuncts(clause.where)
        self._placed: set[int] = set()
        """The positions of the conditions that are shown as filters of a node or a relationship."""

    def pattern(self) -> CountedPattern:
        """Return the paths and conditions with counts.

        Counting ends at a failing part or when the time is used up; later parts have no count.
        """
        elements = [list(path.elements) for path in self._clause.patterns]
        paths = [[self._point(element) for element in path] for path in elements]
        rest = [
            Point("group", self._probe.source(condition))
            for place, condition in enumerate(self._conditions)
            if place not in self._placed
        ]
        with suppress(OutOfTime):
            for points, path in zip(paths, elements, strict=True):
                for point, element in zip(points, path, strict=True):
                    if isinstance(element, t.NodePattern):
                        self._count_alone(point, element)
            if not any(point.failing for points in paths for point in points):
                self._count_prefixes(paths, rest)
        return CountedPattern(paths, rest)

    def _point(self, element: t.NodePattern | t.RelationshipPattern | t.ParenthesizedPath) -> Point:
        source = self._probe.source
        match element:
            case t.NodePattern():
                return Point(
                    "node", self._outer(element.variable, element.labels), filters=list(self._filters(element))
                )
            case t.RelationshipPattern():
                text = self._outer(element.variable, element.types, element.length)
                return Point("relationship", text, element.direction, list(self._filters(element)))
        return Point("group", source(element))

    def _outer(self, *parts: t.Node | None) -> str:
        """Return the text of neighbouring parts of an element, such as its variable and its labels: `p:Player`."""
        there = [part for part in parts if part is not None]
        text = self._probe.query.text[there[0].start : there[-1].end] if there else ""
        return text if not there or there[0] is parts[0] or text.startswith(":") else f":{text}"

    def _filters(self, element: t.NodePattern | t.RelationshipPattern) -> Iterator[str]:
        if element.properties is not None:
            yield self._probe.source(element.properties).strip("{}").strip()
        if element.where is not None:
            yield self._probe.source(element.where)
        for place, condition in enumerate(self._conditions):
            if element.variable and place not in self._placed and only_about(condition, {element.variable.name}):
                self._placed.add(place)
                yield self._probe.source(condition)

    def _count(self, pattern: str, conditions: Sequence[t.Expression]) -> int | None:
        rows = self._probe.rows(
            f"{self._before} MATCH {pattern}{all_hold(map(self._probe.source, conditions))} WITH 1 AS counted LIMIT {MOST_COUNTED + 1} "
            "RETURN count(counted) AS matches",
            1,
        )
        return int(rows[0][0]) if rows else None

    def _count_alone(self, point: Point, node: t.NodePattern) -> None:
        if not point.filters and node.labels is None:
            return
        name = {node.variable.name} if node.variable else set()
        about = [condition for condition in self._conditions if only_about(condition, name)]
        point.alone = self._count(self._probe.source(node), about)
        point.failing = point.alone == 0
        if point.filters and node.labels is not None:
            point.of = self._count(f"(:{self._probe.source(node.labels).lstrip(':')})", [])

    def _count_prefixes(self, paths: Sequence[Sequence[Point]], rest: Sequence[Point]) -> None:
        """Count the matches of longer and longer parts of the pattern until there are none.

        If the whole pattern has matches, the conditions on several nodes are marked as failing.
        """
        names: set[str] = {
            variable.name for variable in self._probe.query.find(t.Variable) if variable.start < self._clause.start
        }
        prefix = ""
        for points, path in zip(paths, self._clause.patterns, strict=True):
            for place, element in enumerate(path.elements):
                names |= {variable.name for variable in element.find(t.Variable)}
                last = place == len(points) - 1
                if not isinstance(element, t.NodePattern) or (path.shortest is not None and not last):
                    continue
                text = self._probe.query.text[path.elements[0].start : element.end]
                if path.shortest is not None:
                    text = self._probe.source(path)
                about = [
                    condition
                    for number, condition in enumerate(self._conditions)
                    if number in self._placed and only_about(condition, names)
                ]
                points[place].count = self._count(prefix + text, about)
                if points[place].count == 0:
                    points[max(place - 1, 0)].failing = True
                    return
            prefix += self._probe.source(path) + ", "
        for condition in rest:
            condition.failing = True
