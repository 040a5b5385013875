"""The pattern of a query whose answer is empty, with the number of matches up to each point.

    MATCH (p:Player)-[:playsFor]->(t:Team) WHERE p.height_cm > 300 RETURN t.name

For this query, the node `p:Player` with the filter `p.height_cm > 300` is marked as failing: 0 of 403 players match.
Each other node is then counted only by itself. If each node has matches, the first relationship after which no match
is left is marked as failing, or else the conditions on several nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from graphground.cypher import tree as t
from graphground.graphs.graph import Graph
from graphground.graphs.why_empty.causes import only_about
from graphground.graphs.why_empty.probe import OutOfTime, Probe, all_hold

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
    """Return the first MATCH after which no row is left, with counts; None if none is found within `seconds`."""
    probe = Probe(graph, query, parameters or {}, seconds)
    try:
        for single in query.find(t.SingleQuery):
            for clause in single.clauses:
                if isinstance(clause, t.Match) and clause.search is None and not clause.optional:
                    before = query.text[single.start : clause.start]
                    if not probe.has_rows(query.text[single.start : clause.end]):
                        return _Counting(probe, before, clause).pattern()
    except OutOfTime:
        pass
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
        try:
            for points, path in zip(paths, elements, strict=True):
                for point, element in zip(points, path, strict=True):
                    if isinstance(element, t.NodePattern):
                        self._count_alone(point, element)
            if not any(point.failing for points in paths for point in points):
                self._count_prefixes(paths, rest)
        except OutOfTime:
            pass
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
        """Count the nodes that match a node pattern by itself, with and without the filters."""
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
