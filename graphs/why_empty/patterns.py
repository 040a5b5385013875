"""Finds the smallest part of a MATCH that matches nothing: a node, a hop, two neighbouring hops, or a condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic, all_of, reversed_text
from graphground.graphs.why_empty.filters import blame_condition, explain_condition
from graphground.graphs.why_empty.hops import blame_hop
from graphground.graphs.why_empty.names import blame_node, blame_value, names_a_node
from graphground.graphs.why_empty.probe import Probe


@dataclass(frozen=True)
class Hop:
    """A relationship with its two nodes; `names` are the variables of the relationship and the nodes."""

    left: t.NodePattern
    relationship: t.RelationshipPattern
    right: t.NodePattern

    @property
    def names(self) -> set[str]:
        return {item.variable.name for item in (self.left, self.relationship, self.right) if item.variable}


def blame_pattern(probe: Probe, before: str, clause: t.Match) -> Iterator[Diagnostic]:
    """Report why a MATCH matches nothing after the clauses `before`."""
    conditions = t.conjuncts(clause.where)
    nodes = [element for path in clause.patterns for element in path.elements if isinstance(element, t.NodePattern)]
    blamed = list(_nodes(probe, before, nodes, conditions))
    if blamed:
        yield from blamed
        return
    shortest = [path for path in clause.patterns if path.shortest is not None]
    if shortest:
        yield from _no_path(probe, before, clause, shortest, nodes)
        return
    hops = [hop for path in clause.patterns for hop in _hops(path)]
    blamed = list(_single_hops(probe, before, nodes, hops, conditions))
    if blamed:
        yield from blamed
        return
    pattern = ", ".join(probe.source(path) for path in clause.patterns)
    if not probe.matches(before, pattern):
        found = list(_reversed_hops(probe, before, clause, hops))
        yield from found or [_meeting(probe, before, clause, nodes, hops)]
        return
    yield from blame_condition(probe, f"{before} MATCH {pattern}", conditions)


def _no_path(
    probe: Probe, before: str, clause: t.Match, shortest: Sequence[t.PathPattern], nodes: Sequence[t.NodePattern]
) -> Iterator[Diagnostic]:
    """Report a `shortestPath((a)-[:KNOWS*..6]-(b))` whose ends exist but are not connected by a path."""
    for path in shortest:
        ends = [node for node in (path.elements[0], path.elements[-1]) if isinstance(node, t.NodePattern)]
        names = {node.variable.name for node in ends if node.variable}
        others = [
            probe.source(node)
            for node in nodes
            if node.variable and node.variable.name in names and (node.labels or node.properties) and node not in ends
        ]
        about = [probe.source(conjunct) for conjunct in t.conjuncts(clause.where) if only_about(conjunct, names)]
        if not probe.matches(before, ", ".join([*others, probe.source(path)]), about):
            yield probe.diagnostic(
                "matches_nothing", path, "Both ends exist, but no path that fits this pattern connects them."
            )


def _nodes(
    probe: Probe, before: str, nodes: Sequence[t.NodePattern], conditions: Sequence[t.Expression]
) -> Iterator[Diagnostic]:
    if nodes and not before.strip() and not probe.matches("", "()"):
        yield probe.diagnostic("matches_nothing", nodes[0], "The database has no nodes.")
        return
    for node in nodes:
        if (node.labels or node.properties) and not probe.matches(before, probe.source(node)):
            yield from blame_node(probe, before, node)
            continue
        for condition in conditions:
            if (
                node.variable
                and (node.labels or node.properties)
                and only_about(condition, {node.variable.name})
                and not probe.matches(before, probe.source(node), [probe.source(condition)])
            ):
                named = blame_value(probe, before, node, condition)
                yield named or explain_condition(probe, f"{before} MATCH {probe.source(node)}", condition)


def _single_hops(
    probe: Probe, before: str, nodes: Sequence[t.NodePattern], hops: Sequence[Hop], conditions: Sequence[t.Expression]
) -> Iterator[Diagnostic]:
    for hop in hops:
        pattern = _with_occurrences(probe, [hop], nodes)
        if not probe.matches(before, pattern):
            yield blame_hop(probe, before, hop.left, hop.relationship, hop.right, pattern[len(_text(probe, hop)) :])
            continue
        about = [condition for condition in conditions if only_about(condition, hop.names)]
        if about and not probe.matches(before, pattern, [probe.source(condition) for condition in about]):
            named = [probe.source(conjunct) for conjunct in about if names_a_node(probe, conjunct)]
            if named and not probe.matches(before, pattern, named):
                yield blame_hop(
                    probe, before, hop.left, hop.relationship, hop.right, pattern[len(_text(probe, hop)) :], named
                )
            else:
                yield from blame_condition(probe, f"{before} MATCH {pattern}", about)


def _reversed_hops(probe: Probe, before: str, clause: t.Match, hops: Sequence[Hop]) -> Iterator[Diagnostic]:
    """Report each hop whose reversal makes the whole pattern match."""
    start, end = clause.patterns[0].start, clause.patterns[-1].end
    text = probe.query.text
    for hop in hops:
        relationship = hop.relationship
        if relationship.direction == "both":
            continue
        other_way = reversed_text(relationship)
        if probe.matches(before, text[start : relationship.start] + other_way + text[relationship.end : end]):
            yield probe.diagnostic(
                "reversed_direction",
                relationship,
                f"The whole pattern matches nothing, but it matches with {_text(probe, hop)} "
                f"reversed: {probe.source(hop.left)}{other_way}{probe.source(hop.right)}.",
                [other_way],
            )


def _meeting(
    probe: Probe, before: str, clause: t.Match, nodes: Sequence[t.NodePattern], hops: Sequence[Hop]
) -> Diagnostic:
    """Return a diagnostic for the first two neighbouring hops, each with matches, that do not match together.

    If there are none, it is for the first path without a match, or else for all paths together.
    """
    for first, second in combinations(hops, 2):
        shared = first.names & second.names
        if (shared or first.right is second.left) and not probe.matches(
            before, _with_occurrences(probe, [first, second], nodes)
        ):
            text = f"{_text(probe, first)} and {_text(probe, second)}"
            of = "combination of " if len(shared) > 1 else ""
            reason = f"no {of}{all_of(sorted(shared))} satisfies both" if shared else "they share no node"
            return probe.diagnostic("matches_nothing", second.relationship, f"{text} each match alone, but {reason}.")
    for path in clause.patterns:
        if not probe.matches(before, probe.source(path)):
            return probe.diagnostic(
                "matches_nothing",
                path,
                "Every step of this path matches on its own, but the whole path matches nothing.",
            )
    return probe.diagnostic(
        "matches_nothing",
        clause.patterns[-1],
        "Every path of this MATCH matches on its own, but they do not match together.",
    )


def _hops(path: t.PathPattern) -> Iterator[Hop]:
    elements = path.elements
    for place in range(len(elements) - 2):
        left, relationship, right = elements[place : place + 3]
        if (
            isinstance(left, t.NodePattern)
            and isinstance(relationship, t.RelationshipPattern)
            and isinstance(right, t.NodePattern)
        ):
            yield Hop(left, relationship, right)


def _text(probe: Probe, hop: Hop) -> str:
    return probe.query.text[hop.left.start : hop.right.end]


def _with_occurrences(probe: Probe, hops: Sequence[Hop], nodes: Sequence[t.NodePattern]) -> str:
    """Return the text of hops and of other occurrences of their nodes: `(n)-[:in]->(c), (n:Player {name: 'x'})`."""
    parts: list[str] = []
    inside: list[t.NodePattern] = []
    names: set[str] = set()
    for hop in hops:
        if parts and inside[-1] is hop.left:
            parts[-1] += probe.query.text[hop.left.end : hop.right.end]
        else:
            parts.append(_text(probe, hop))
        inside += [hop.left, hop.right]
        names |= hop.names
    for node in nodes:
        if (
            node.variable
            and node.variable.name in names
            and (node.labels or node.properties)
            and not any(node is hop for hop in inside)
        ):
            parts.append(probe.source(node))
    return ", ".join(parts)


def only_about(condition: t.Expression, names: set[str]) -> bool:
    """Whether a condition uses at least one variable, no variables but these, and no pattern or subquery."""
    used = {variable.name for variable in condition.find(t.Variable)}
    return (
        bool(used)
        and used <= names
        and next(condition.find(t.Subquery), None) is None
        and next(condition.find(t.PatternExpression), None) is None
    )
