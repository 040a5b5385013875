"""Finds the smallest part of a MATCH that matches nothing: a node, a hop, two neighbouring hops, or a condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from graphground.cypher import to_text
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic, all_of, reversed_text
from graphground.cypher.quoting import quoted_name
from graphground.cypher.tree import altered
from graphground.graphs.why_empty.filters import blame_condition, explain_condition
from graphground.graphs.why_empty.probe import Probe, quoted


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


def blame_hop(
    probe: Probe,
    before: str,
    left: t.NodePattern,
    relationship: t.RelationshipPattern,
    right: t.NodePattern,
    others: str = "",
    conditions: Sequence[str] = (),
) -> Diagnostic:
    """Return the diagnostic for a hop that matches nothing.

    `others` are further patterns that the hop must match together with, such as `, (n {name: 'x'})`, and `conditions`
    are the conditions on the names of its nodes.
    """

    def matches(middle: str) -> bool:
        return probe.matches(before, f"{probe.source(left)}{middle}{probe.source(right)}{others}", conditions)

    here = probe.query.text[left.start : right.end]
    other_way = reversed_text(relationship)
    if relationship.direction != "both" and matches(other_way):
        return probe.diagnostic(
            "reversed_direction",
            relationship,
            f"{here} matches nothing, but it matches in the opposite direction.",
            [other_way],
        )
    if relationship.properties is not None and matches(to_text(altered(relationship, properties=None))):
        return probe.diagnostic(
            "filter_removes_all",
            relationship.properties,
            f"{here} matches nothing only because of {probe.source(relationship.properties)} on the relationship.",
        )
    found = []
    for mark, before_type, after_type in (("right", "-[", "]->"), ("left", "<-[", "]-")):
        pattern = f"{probe.source(left)}{before_type}any_of_them{after_type}{probe.source(right)}{others}"
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = probe.rows(f"{before} MATCH {pattern}{where} RETURN DISTINCT type(any_of_them) AS type", 5)
        found += [f"-[:{quoted_name(row[0])}]->" if mark == "right" else f"<-[:{quoted_name(row[0])}]-" for row in rows]
    if found:  # other types have other meanings, so they are listed but not suggested as replacements
        return probe.diagnostic(
            "matches_nothing",
            relationship,
            f"Both ends of {here} exist, but no such relationship connects them. Relationships of other types, with "
            f"other meanings, do: "
            f"{', '.join(dict.fromkeys(found))}.",
        )
    return probe.diagnostic(
        "matches_nothing", relationship, f"Both ends of {here} exist, but no relationship connects them."
    )


SHOWN, SOUGHT = 5, 5
"""The maximum numbers of names that are shown, and of candidates that are looked up in all labels."""


def blame_node(probe: Probe, before: str, node: t.NodePattern) -> Iterator[Diagnostic]:
    """Report why `(p:Person {name: 'Michael Man'})` matches nothing: its label, or the properties in its map."""
    variable = probe.source(node.variable) if node.variable else "only"
    labels = f":{probe.source(node.labels)}" if node.labels else ""
    bare = f"({variable}{labels})"
    if node.labels and not probe.matches(before, bare):
        yield probe.diagnostic("matches_nothing", node.labels, _without_label(probe, before, node, bare, variable))
        return
    if not isinstance(node.properties, t.MapLiteral):
        yield probe.diagnostic("matches_nothing", node, f"No node matches {probe.source(node)}.")
        return
    entries = node.properties.entries
    alone = [entry for entry in entries if not probe.matches(before, f"({variable}{labels} {{{probe.source(entry)}}})")]
    for entry in alone:
        value = probe.value(entry.value)
        if isinstance(value, str) and entry.key.text in naming_keys(probe) - {"aliases"}:
            if before.strip() and probe.matches("", f"({variable}{labels} {{{probe.source(entry)}}})"):
                yield _elsewhere(probe, entry)
            else:
                yield unknown_name(probe, _label(node), entry.key.text, value, entry.value)
        else:
            yield explain_equality(probe, before, node, entry, f"({variable}{labels})", variable)
    if not alone:
        yield probe.diagnostic(
            "matches_nothing", node.properties, "Each of these property values occurs, but never all on one node."
        )


def _without_label(probe: Probe, before: str, node: t.NodePattern, bare: str, variable: str) -> str:
    """Return the message for a pattern `bare`, such as `(p:Player)`, that matches nothing in the rows of `before`."""
    labels = probe.source(node.labels) if node.labels else ""
    label = _label(node)
    has = f"has the label {labels}" if label else f"matches the label expression {labels}"
    if before.strip() and probe.matches("", bare):
        return f"In the rows before this MATCH, no {variable} {has}."
    return f"No node {has}{', though the schema has it' if label in probe.graph.schema.labels else ''}."


def _elsewhere(probe: Probe, condition: t.Node) -> Diagnostic:
    """Return the diagnostic for a condition that holds for some node, but in none of the rows that it filters."""
    return probe.diagnostic(
        "filter_removes_all",
        condition,
        f"This condition removes every row: {probe.source(condition)}. A node that satisfies it exists, but in none of "
        "the rows before this condition.",
    )


def naming_keys(probe: Probe) -> frozenset[str]:
    """Return the properties that name nodes in the graph, and `label` and `aliases`."""
    return probe.graph.schema.naming_properties | {"label", "aliases"}


def names_a_node(probe: Probe, condition: t.Expression) -> bool:
    """Whether a condition compares a naming property by `=`: `p.name = 'Michael Mann'`."""
    return (
        isinstance(condition, t.Binary)
        and condition.operator == "="
        and any(
            isinstance(item, t.Property) and item.key.text in naming_keys(probe)
            for item in (condition.left, condition.right)
        )
    )


def blame_value(probe: Probe, before: str, node: t.NodePattern, condition: t.Expression) -> Diagnostic | None:
    """Return the diagnostic for a condition on a name, `p.name = 'Michael Man'`, that no row fulfils.

    The name is unknown, or its node is in none of the rows. Return None for any other condition.
    """
    if not isinstance(condition, t.Binary):
        return None
    for side, opposite in _name_and_value(condition):
        key = side.key.text
        is_list = condition.operator == "IN"
        value = probe.value(opposite)
        if key not in naming_keys(probe) or (key == "aliases") != is_list or not isinstance(value, str):
            continue
        bare = (
            f"({probe.source(node.variable) if node.variable else ''}:{probe.source(node.labels)})"
            if node.labels
            else ""
        )
        if bare and (before.strip() or node.properties) and probe.matches("", bare, [probe.source(condition)]):
            return _elsewhere(probe, condition)
        return unknown_name(probe, _label(node), key, value, opposite, condition.operator)
    return None


def _name_and_value(condition: t.Binary) -> Iterator[tuple[t.Property, t.Expression]]:
    """Yield the property and the expression with which a condition compares it: `p.name` and `'Heat'`."""
    left, right = condition.left, condition.right
    if condition.operator in ("=", "CONTAINS", "STARTS WITH") and isinstance(left, t.Property):
        yield left, right
    if condition.operator in ("=", "IN") and isinstance(right, t.Property):
        yield right, left


def unknown_name(
    probe: Probe, label: str | None, key: str, value: str, place: t.Node, operator: str = "="
) -> Diagnostic:
    """Return the diagnostic `entity_not_found`, with similar names and the labels of other nodes with the name."""
    names: list[str] = []
    notes: list[str] = []
    lookup = probe.graph.indexed_entities
    known = False
    if lookup is not None:
        judgement = lookup.judge(
            value, labels=None if label is None else (label,), key=None if key == "aliases" else key
        )
        if key == "aliases":
            found = [item.matched or "" for item in judgement.candidates if item.property == "aliases"]
        else:
            found = [candidate.name for candidate in judgement.candidates]
            notes += [
                f"it is an alias of {quoted(candidate.name)}"
                for candidate in judgement.candidates
                if candidate.match == "alias"
            ]
        names = [quoted(name) for name in dict.fromkeys(found) if name not in ("", value)][:SHOWN]
        known = judgement.verdict != "not_found"
        if names and not known:
            notes.insert(0, f"no name is similar enough (nearest: {', '.join(names)})")
        if label is not None:
            others = sorted(
                {
                    other.label
                    for other in lookup.find(value, limit=SOUGHT)
                    if other.label != label and other.name == value
                }
            )
            notes += [f"a node labelled {other} has this name" for other in others]
    return probe.diagnostic(
        "entity_not_found",
        place,
        f"{_absent(label or 'node', key, value, operator)}{'; ' + '; '.join(notes[:2]) if notes else ''}.",
        names if known else (),
    )


def _absent(owner: str, key: str, value: str, operator: str) -> str:
    """Return the sentence that no node has a name, without its full stop: `No Film has the name 'Haet'`."""
    named = "property `label`" if key == "label" else key
    match operator:
        case "CONTAINS":
            return f"No {owner}'s {named} contains {quoted(value)}"
        case "STARTS WITH":
            return f"No {owner}'s {named} starts with {quoted(value)}"
        case "IN":
            return f"No {owner} has {quoted(value)} among its {named}"
    return f"No {owner} has {f'{quoted(value)} as its {named}' if key == 'label' else f'the {named} {quoted(value)}'}"


def explain_equality(
    probe: Probe, before: str, node: t.NodePattern, entry: t.MapEntry, bare: str, variable: str
) -> Diagnostic:
    """Explain a property in a node's map as if it were a condition in WHERE.

    `bare` is the node without its map, and `variable` is the variable in `bare`.
    """
    subject = t.Property(entry.start, entry.key.end, t.Variable(entry.start, entry.start, variable), entry.key)
    condition = t.Binary(entry.start, entry.end, "=", subject, entry.value, entry.key.end)
    text = f"{variable}.{quoted_name(entry.key.text)}"
    found = explain_condition(_Named(probe, subject, text), f"{before} MATCH {bare}", condition)
    if node.variable is not None:
        return found
    return replace(found, message=found.message.replace(text, quoted_name(entry.key.text)))


class _Named(Probe):
    """A probe that writes `subject`, a property in the map of a node, as `n.key`."""

    def __init__(self, probe: Probe, subject: t.Property, text: str) -> None:
        self.__dict__.update(probe.__dict__)
        self._subject, self._text = subject, text

    def source(self, node: t.Node) -> str:
        return self._text if node is self._subject else super().source(node)


def _label(node: t.NodePattern) -> str | None:
    return node.labels.name.text if isinstance(node.labels, t.LabelName) else None
