"""Finds the smallest part of a MATCH that matches nothing: a node, a hop, two neighbouring hops, or a condition.

A condition is explained by the values that exist instead.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process, utils

from graphground.cypher import tree as t
from graphground.cypher.checks.entities import FEW
from graphground.cypher.checks.names import TEXT_OPERATORS
from graphground.cypher.checks.values import retyped
from graphground.cypher.diagnostics import Diagnostic, Edit, all_of, applied, reversed_text, text_with
from graphground.cypher.names.nearest import abbreviates, opposed
from graphground.cypher.names.words import root, split_name
from graphground.cypher.quoting import quoted_name
from graphground.graphs.entities.candidate import Candidate
from graphground.graphs.entities.vectors.building import encoder
from graphground.graphs.why_empty.probe import Probe, all_hold, quoted, without_not


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
            yield blame_hop(probe, before, hop, pattern[len(_text(probe, hop)) :])
            continue
        about = [condition for condition in conditions if only_about(condition, hop.names)]
        if about and not probe.matches(before, pattern, [probe.source(condition) for condition in about]):
            named = [probe.source(conjunct) for conjunct in about if names_a_node(probe, conjunct)]
            if named and not probe.matches(before, pattern, named):
                yield blame_hop(probe, before, hop, pattern[len(_text(probe, hop)) :], named)
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
        other_way = reversed_text(probe.query.text, relationship)
        if probe.matches(before, text[start : relationship.start] + other_way + text[relationship.end : end]):
            message = (
                f"The whole pattern matches nothing, but it matches with {_text(probe, hop)} "
                f"reversed: {probe.source(hop.left)}{other_way}{probe.source(hop.right)}."
            )
            yield probe.diagnostic("reversed_direction", relationship, message, [other_way])


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
    for left, relationship, right in zip(path.elements, path.elements[1:], path.elements[2:], strict=False):
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
        is_named = node.variable and node.variable.name in names
        if is_named and (node.labels or node.properties) and not any(node is hop for hop in inside):
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


def blame_hop(probe: Probe, before: str, hop: Hop, others: str, conditions: Sequence[str] = ()) -> Diagnostic:
    """Return the diagnostic for a hop that matches nothing.

    `others` are further patterns that the hop must match together with, such as `, (n {name: 'x'})`, and `conditions`
    are the conditions on the names of its nodes.
    """

    def matches(middle: str) -> bool:
        return probe.matches(before, f"{probe.source(hop.left)}{middle}{probe.source(hop.right)}{others}", conditions)

    here, relationship = _text(probe, hop), hop.relationship
    other_way = reversed_text(probe.query.text, relationship)
    if relationship.direction != "both" and matches(other_way):
        message = f"{here} matches nothing, but it matches in the opposite direction."
        return probe.diagnostic("reversed_direction", relationship, message, [other_way])
    properties = relationship.properties
    if properties is not None and matches(
        text_with(probe.query.text, relationship, [Edit(properties.start, properties.end, "")])
    ):
        return _blame_map(probe, before, hop, properties, others, conditions)
    found = []
    for mark, before_type, after_type in (("right", "-[", "]->"), ("left", "<-[", "]-")):
        pattern = f"{probe.source(hop.left)}{before_type}any_of_them{after_type}{probe.source(hop.right)}{others}"
        rows = probe.rows(
            f"{before} MATCH {pattern}{all_hold(conditions)} RETURN DISTINCT type(any_of_them) AS type", 5
        )
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


def _blame_map(
    probe: Probe, before: str, hop: Hop, properties: t.Expression, others: str, conditions: Sequence[str]
) -> Diagnostic:
    """Return the diagnostic for the properties in a relationship's map, without which the hop matches."""
    relationship = hop.relationship
    text = probe.source(relationship)
    inside, _, arrow = text[: properties.start - relationship.start], *text.rpartition("]")[1:]
    variable = probe.source(relationship.variable) if relationship.variable else "only"
    if not relationship.variable:
        inside = inside.replace("[", f"[{variable}", 1)
    bare = f"{probe.source(hop.left)}{inside}]{arrow}{probe.source(hop.right)}{others}"
    entries = properties.entries if isinstance(properties, t.MapLiteral) and not relationship.length else []
    for entry in entries:
        equal = f"{variable}.{probe.source(entry.key)} = {probe.source(entry.value)}"
        if not probe.matches(before, bare, [*conditions, equal]):
            return explain_equality(probe, before, relationship, entry, f"{bare}{all_hold(conditions)}", variable)
    return probe.diagnostic(
        "filter_removes_all",
        properties,
        f"{_text(probe, hop)} matches nothing only because of {probe.source(properties)} on the relationship.",
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
        if not isinstance(value, str) or entry.key.text not in naming_keys(probe) - {"aliases"}:
            found = explain_equality(probe, before, node, entry, f"({variable}{labels})", variable)
        elif before.strip() and probe.matches("", f"({variable}{labels} {{{probe.source(entry)}}})"):
            yield _in_no_row(probe, entry)
            continue
        else:
            found = unknown_name(probe, _label(node), entry.key.text, value, entry.value)
        general = _general_label(probe, node, entry.key.text, value) if node.labels else None
        if general is not None and node.labels is not None:
            found = replace(found, edits=[Edit(node.labels.start, node.labels.end, quoted_name(general))])
        yield found
    if not alone:
        yield probe.diagnostic(
            "matches_nothing", node.properties, "Each of these property values occurs, but never all on one node."
        )


def _general_label(probe: Probe, node: t.NodePattern, key: str, value: Any) -> str | None:
    """Return the label that a node with this value shares with the nodes of the written label, if it is only one.

    `(:Band {act_name: 'Nova'})` matches nothing if Nova is no Band but another Act, and every Band is an Act.
    """
    written, lookup = _label(node), probe.graph.indexed_entities
    together = [labels for labels in probe.graph.schema.label_combinations if written in labels]
    if not together or lookup is None or not isinstance(value, str):
        return None
    holders = {item.label for item in lookup.find(value) if item.name == value and item.property == key}
    shared = holders & frozenset.union(*together)
    return shared.pop() if len(shared) == 1 else None


def _without_label(probe: Probe, before: str, node: t.NodePattern, bare: str, variable: str) -> str:
    """Return the message for a pattern `bare`, such as `(p:Player)`, that matches nothing in the rows of `before`."""
    labels = probe.source(node.labels) if node.labels else ""
    label = _label(node)
    has = f"has the label {labels}" if label else f"matches the label expression {labels}"
    if before.strip() and probe.matches("", bare):
        return f"In the rows before this MATCH, no {variable} {has}."
    return f"No node {has}{', though the schema has it' if label in probe.graph.schema.labels else ''}."


def _in_no_row(probe: Probe, condition: t.Node) -> Diagnostic:
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
    equal = isinstance(condition, t.Binary) and condition.operator == "="
    return equal and any(name.key.text in naming_keys(probe) for name, _ in _name_and_value(condition))


def blame_value(probe: Probe, before: str, node: t.NodePattern, condition: t.Expression) -> Diagnostic | None:
    """Return the diagnostic for a condition on a name, `p.name = 'Michael Man'`, that no row fulfils.

    The name is unknown, or its node is in none of the rows. Return None for any other condition.
    """
    variable = probe.source(node.variable) if node.variable else ""
    bare = f"({variable}:{probe.source(node.labels)})" if node.labels else ""
    for side, opposite in _name_and_value(condition):
        key, operator = side.key.text, str(getattr(condition, "operator", ""))
        value = probe.value(opposite)
        if key not in naming_keys(probe) or (key == "aliases") != (operator == "IN") or not isinstance(value, str):
            continue
        if bare and (before.strip() or node.properties) and probe.matches("", bare, [probe.source(condition)]):
            return _in_no_row(probe, condition)
        return unknown_name(probe, _label(node), key, value, opposite, operator)
    return None


def _name_and_value(condition: t.Expression) -> Iterator[tuple[t.Property, t.Expression]]:
    """Yield the property and the expression with which a condition compares it: `p.name` and `'Heat'`."""
    if not isinstance(condition, t.Binary):
        return
    left, right = condition.left, condition.right
    if condition.operator in ("=", "CONTAINS", "STARTS WITH") and isinstance(left, t.Property):
        yield left, right
    if condition.operator in ("=", "IN") and isinstance(right, t.Property):
        yield right, left


def unknown_name(
    probe: Probe, label: str | None, key: str, value: str, place: t.Node, operator: str = "="
) -> Diagnostic:
    """Return the diagnostic `entity_not_found`, with similar names and the labels of other nodes with the name."""
    names, notes, lookup, clear = list[str](), list[str](), probe.graph.indexed_entities, False
    if lookup is not None:
        aliases, labels = key == "aliases", None if label is None else (label,)
        judgement = lookup.judge(value, labels=labels, key=None if aliases else key)
        found = [item for item in judgement.candidates if not aliases or item.property == "aliases"]
        texts = dict.fromkeys((item.matched or "") if aliases else item.name for item in found)
        names = [quoted(text) for text in texts if text not in ("", value)][:SHOWN]
        notes = [f"it is an alias of {quoted(item.name)}" for item in found if item.match == "alias" and not aliases]
        if names and judgement.verdict == "not_found":
            notes, names = [f"no name is similar enough (nearest: {', '.join(names)})", *notes], []
        others = {item.label for item in lookup.find(value, limit=SOUGHT) if item.name == value} if labels else set()
        notes += [f"a node labelled {other} has this name" for other in sorted(others - {label})]
    if not names and operator == "=" and value.isupper():
        text, bare = f"n.{quoted_name(key)}", f"n:{quoted_name(label)}" if label else "n"
        known = _values(probe, f"MATCH ({bare}) WHERE {text} STARTS WITH {quoted(value[0])}", text, False)
        spelt = [quoted(name) for name in known if isinstance(name, str) and abbreviates(value, name, initials=True)]
        if len(spelt) == 1:
            names, notes, clear = spelt, [f"these are the initials of {spelt[0]}"], True
    named, owner = "property `label`" if key == "label" else key, label or "node"
    if operator == "IN":
        absent = f"No {owner} has {quoted(value)} among its {named}"
    elif operator != "=":
        absent = f"No {owner}'s {named} {TEXT_OPERATORS[operator][1]} {quoted(value)}"
    else:
        what = f"{quoted(value)} as its {named}" if key == "label" else f"the {named} {quoted(value)}"
        absent = f"No {owner} has {what}"
    return probe.diagnostic("entity_not_found", place, f"{'; '.join([absent, *notes[:2]])}.", names, clear=clear)


def explain_equality(
    probe: Probe, before: str, node: t.NodePattern | t.RelationshipPattern, entry: t.MapEntry, bare: str, variable: str
) -> Diagnostic:
    """Explain a property in the map of a node or relationship as if it were a condition in WHERE.

    `bare` is the pattern without the map, and `variable` is the variable in `bare`.
    """
    subject = t.Property(entry.start, entry.key.end, t.Variable(entry.start, entry.start, variable), entry.key)
    condition = t.Binary(entry.start, entry.end, "=", subject, entry.value)
    text = f"{variable}.{quoted_name(entry.key.text)}"
    found = explain_condition(probe, f"{before} MATCH {bare}", condition, text=text)
    if node.variable is not None:
        return found
    return replace(found, message=found.message.replace(text, quoted_name(entry.key.text)))


def _label(node: t.NodePattern) -> str | None:
    return node.labels.name.text if isinstance(node.labels, t.LabelName) else None


MOST_VALUES = 2_000
MOST_SHOWN = 3
SIMILAR, CLEARLY = 75.0, 8.0
"""The least similarity (of 100) of a value that is called similar, and the lead that makes the first one the fix."""


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def blame_condition(probe: Probe, before: str, conditions: Sequence[t.Expression]) -> Iterator[Diagnostic]:
    """Report each condition that alone removes every row; if there is none, the first whose removal leaves rows.

    If there is no such condition either, report that each condition alone leaves rows, but all together leave none.
    `before` is the text of the clauses to which the conditions apply.
    """

    def left(remaining: Sequence[t.Expression]) -> bool:
        return probe.has_rows(before + all_hold(map(probe.source, remaining)))

    alone = [condition for condition in conditions if not left([condition])]
    if alone:
        for condition in alone:
            yield explain_condition(probe, before, condition)
        return
    for condition in conditions:
        if left([other for other in conditions if other is not condition]):
            remaining = before + all_hold(probe.source(other) for other in conditions if other is not condition)
            yield explain_condition(probe, remaining, condition, rest=True)
            return
    if conditions:
        yield probe.diagnostic(
            "filter_removes_all", conditions[-1], "Each condition alone leaves rows, but together they leave none."
        )


def explain_condition(
    probe: Probe, before: str, condition: t.Expression, rest: bool = False, text: str = ""
) -> Diagnostic:
    """Explain a condition by the values that exist: for `n.year > 2000`, that `n.year` ranges from 1901 to 1987.

    `rest` is True if `before` includes the other conditions; `text` is the property, if the query has only its key.
    """
    if mistyped := unread_numbers(probe, before, condition) or _of_other_type(probe, before, condition):
        return mistyped
    where = "the rows that the other conditions leave" if rest else "the rows before this condition"
    opening = f"This condition removes every row: {probe.source(condition)}."
    inner, negated = without_not(condition)
    compared = _comparison(inner)
    if compared is None and isinstance(inner, t.Binary) and inner.operator == "OR" and not negated:
        sides = [explain_condition(probe, before, side, rest) for side in (inner.left, inner.right)]
        return next((found for found in sides if found.edits), sides[0])
    if compared is None:
        return probe.diagnostic("filter_removes_all", condition, opening)
    subject, literal = compared
    value = probe.value(literal)
    text = text or probe.source(subject)
    verb = _verb(inner, subject)
    if verb is not None and isinstance(value, str) and not isinstance(literal, t.FunctionCall):
        is_list = isinstance(inner, t.Binary) and inner.operator == "IN"
        existing = _values(probe, before, text, is_list)
        values = [item for item in existing if isinstance(item, str)]
        if not values:
            reason = _without_texts(text, value, [item for item in existing if item is not None], is_list)
            return probe.diagnostic("filter_removes_all", condition, f"{opening} In {where}, {reason}.")
        if negated:
            always = f"{text} is always {quoted(value)}" if verb == "is" else f"{text} always {verb} {quoted(value)}"
            return probe.diagnostic("filter_removes_all", condition, f"{opening} In {where}, {always}, or is null.")
        never = f"{opening} {text} {'is never' if verb == 'is' else f'never {verb}'} {quoted(value)} in {where}"
        within, folded = TEXT_OPERATORS.get(getattr(inner, "operator", "")), value.lower()
        if within is not None and verb != "is" and any(within[0](item.lower(), folded) for item in values):
            lower = text if isinstance(subject, t.FunctionCall) else f"toLower({text})"
            fixed = [probe.source(condition).replace(text, lower).replace(probe.source(literal), quoted(folded))]
            message = f"{never}, but in another case: write {fixed[0]}."
            return probe.diagnostic("filter_removes_all", condition, message, fixed, clear=True)
        sought = values
        if within is not None and verb != "is":  # a part of a value is sought: what it may be is as many words of one
            sought = list(dict.fromkeys(part for item in values for part in _parts(item, len(value.split()), verb)))
        apart = [item for item in sought if not opposed(item, value)]
        scored = process.extract(
            value,
            [item for item in apart if _of_like_length(item, value)],
            scorer=fuzz.WRatio,
            processor=utils.default_process,
            limit=MOST_SHOWN,
            score_cutoff=SIMILAR,
        )
        codes = [item for item in apart if abbreviates(item, value) or abbreviates(value, item)]
        for same in (
            [item for item in apart if _roots(item) == _roots(value)],
            [item for item in codes if abbreviates(*sorted((item, value), key=len), initials=True)],
            [item for item in codes if len(item) > 2],  # GE may well be the code of another word
        ):
            if len(same) == 1 and (verb == "is" or is_list):
                scored = [(same[0], 100.0, 0)]
                break
        nearest = [found for found, score, _ in scored if scored[0][1] - score < 2 * CLEARLY]
        clear = bool(nearest) and (len(scored) == 1 or scored[0][1] - scored[1][1] >= CLEARLY)
        kind = "similar values are" if len(nearest) > 1 else "a similar value is" if nearest else "its values include"
        shown, elsewhere = nearest or [item for item in values if item.strip()][:MOST_SHOWN], ""
        if not nearest and verb == "is" and len(existing) <= FEW:
            kind, shown = "its values are" if len(values) > 1 else "its only value is", _by_meaning(value, values)
            nearest = sorted((item for item in shown if item in apart), key=lambda item: item not in codes)
        elif not nearest and verb == "is":
            lookup = probe.graph.indexed_entities
            named = lookup.find(value) if lookup is not None else ()
            known = [item for item in named if item.match in ("exact", "alias")]
            aliased = [item.name for item in known if item.match == "alias" and item.name in values]
            if len(aliased) == 1:
                kind, shown, nearest, clear = "that is an alias of", aliased, aliased, True
            else:
                elsewhere = _elsewhere(known)
        return probe.diagnostic(
            "filter_removes_all",
            condition,
            f"{never}; {kind} {all_of([quoted(candidate) for candidate in shown])}.{elsewhere}",
            [probe.source(condition).replace(probe.source(literal), quoted(candidate)) for candidate in nearest],
            clear=clear,
        )
    read = _thousands(probe, before, inner, subject, literal, text) if not negated else None
    if read is not None:
        fixed = [read] if text in probe.source(condition) else []  # a condition has no place in a map
        return probe.diagnostic(
            "filter_removes_all", condition, f"{opening} {text} is text: {read}.", fixed, clear=True
        )
    if isinstance(literal, t.FunctionCall):
        missing = sorted(_missing(probe, before, subject, text))
        if missing:
            stand = f"{all_of([quoted(item) for item in missing])} stand{'s' if len(missing) == 1 else ''}"
            # What is valid after today includes what is open-ended.
            today = literal.key == "date" and not literal.arguments and getattr(inner, "operator", "") in (">", ">=")
            fixed = [f"{text} IN [{', '.join(map(quoted, missing))}]"] if today and not negated else []
            message = f"{opening} {text} is text, and {stand} in it for a missing value."
            return probe.diagnostic("filter_removes_all", condition, message, fixed, clear=True)
    span = probe.rows(f"{before} RETURN min({text}) AS least, max({text}) AS most", 1)
    if not span or span[0][0] is None:
        return probe.diagnostic("filter_removes_all", condition, f"{opening} {text} is null in {where}.")
    is_text = isinstance(value, str) and not isinstance(literal, t.FunctionCall)  # a date in a row is a text too
    least, most = (bound if isinstance(bound, str) and not is_text else quoted(bound) for bound in span[0])
    found = f"is always {least}, or is null" if least == most else f"ranges from {least} to {most}"
    return probe.diagnostic("filter_removes_all", condition, f"{opening} In {where}, {text} {found}.")


def unread_numbers(probe: Probe, before: str, expression: t.Expression) -> Diagnostic | None:
    """Report `toInteger(v.seats)` of texts such as '1,640', whose commas can only stand between thousands."""
    for call in expression.find(t.FunctionCall):
        if call.key == "tointeger" and isinstance(call.arguments[0], t.Property):
            subject = call.arguments[0]
            text = probe.source(subject)
            missing = {None, *_missing(probe, before, subject, text)}
            values = [item for item in _values(probe, before, text, False) if item not in missing]
            marked = [item for item in values if "," in str(item)]
            if marked and all(isinstance(item, str) and re.fullmatch(r"-?\d{1,3}(,\d{3})*", item) for item in values):
                written = f"toInteger(replace({text}, ',', ''))"
                message = f"{probe.source(call)} is null for texts such as {quoted(marked[0])}. Write {written}."
                return probe.diagnostic("text_compared", call, message, [written], clear=True)
    return None


def _of_other_type(probe: Probe, before: str, condition: t.Expression) -> Diagnostic | None:
    """Report a number or date compared with a text, `size(n.roles) > '1'`, if a conversion makes the condition hold."""
    if not isinstance(condition, t.Binary) or condition.operator not in {*_COMPARE, *TEXT_OPERATORS}:
        return None
    for literal, other in ((condition.left, condition.right), (condition.right, condition.left)):
        number = isinstance(literal, t.IntegerLiteral | t.FloatLiteral)
        if not number and not isinstance(literal, t.StringLiteral):
            continue
        types = ("str",) if number else ("float", "date", "datetime")
        fixes = [(literal, retyped(literal, type_, condition.operator)) for type_ in types]
        if number and condition.operator in _COMPARE:
            fixes = [(other, f"toFloat({probe.source(other)})")]
        for place, written in fixes:
            changed = applied(probe.query.text[: condition.end], [Edit(place.start, place.end, written)])
            if written and probe.has_rows(before + all_hold([changed[condition.start :]])):
                message = f"This condition compares values of two types: {probe.source(condition)}. Write {written}."
                return probe.diagnostic("type_mismatch", place, message, [written], clear=True)
    return None


def _parts(text: str, count: int, verb: str) -> list[str]:
    """Return each run of `count` words of a text that a condition may mean: at its beginning, its end, or anywhere."""
    words = text.split()
    places = range(max(1, len(words) - count + 1))
    places = places[:1] if verb == "starts with" else places[-1:] if verb == "ends with" else places
    return [" ".join(words[place : place + count]).strip(",;:.()") for place in places]


def _roots(text: str) -> list[str]:
    return [root(word) for word in split_name(text)]


def _of_like_length(first: str, second: str) -> bool:
    """Whether a text is more than half as long as another, or consists of words of it: a part is alike by chance."""
    short, long = sorted((first, second), key=len)
    return 2 * len(short) > len(long) or {*split_name(short)} <= {*split_name(long)}


def _by_meaning(value: str, others: Sequence[str]) -> list[str]:
    """Return texts in the order of their similarity in meaning to a value: `pending` before `failed` for `waiting`."""
    model = encoder()
    scores = model.encode([text.lower() for text in others]) @ model.encode([value.lower()])[0]
    return [others[place] for place in np.argsort(-scores, kind="stable")]


def _elsewhere(found: Sequence[Candidate]) -> str:
    places = dict.fromkeys(
        f"(:{quoted_name(item.label)} {{{quoted_name(item.name_property)}: {quoted(item.name)}}})"
        f"{' has this alias' if item.match == 'alias' else ' exists'}"
        for item in found
    )
    return f" {all_of(list(places), 3)}." if places else ""


def _missing(probe: Probe, before: str, subject: t.Expression, text: str) -> dict[str, int]:
    if not isinstance(subject, t.Property):
        return {}
    counts = f"{before} WITH {text} AS value WHERE value IS NOT NULL RETURN value, count(*) AS n ORDER BY n DESC"
    return probe.placeholders(subject.key.text, probe.rows(counts, MOST_VALUES))


def _thousands(
    probe: Probe, before: str, condition: t.Expression, subject: t.Expression, literal: t.Expression, text: str
) -> str | None:
    """Return a condition with its text as a number, if the one mark of its values can only stand between thousands.

    `178.400` is a number of three decimals as well, but none of these is greater than 150000. Some may have no mark.
    """
    if not isinstance(literal, t.IntegerLiteral | t.FloatLiteral) or not isinstance(condition, t.Binary):
        return None
    compare = _COMPARE.get(condition.operator)
    if compare is None or condition.left is not subject:
        return None
    missing = _missing(probe, before, subject, text)
    texts = [str(item) for item in _values(probe, before, text, False) if item not in missing]
    for mark in ",.":
        if all(re.fullmatch(rf"\d{{1,3}}(\{mark}\d{{3}})?", item) for item in texts):
            readings = ([float(item.replace(mark, by)) for item in texts] for by in ("", "."))
            if [any(compare(item, literal.value) for item in reading) for reading in readings] == [True, False]:
                return f"toFloat(replace({text}, '{mark}', '')) {condition.operator} {probe.source(literal)}"
    return None


def _without_texts(text: str, value: str, existing: Sequence[Any], is_list: bool) -> str:
    """Return why a property, whose values that are not null are `existing`, equals no text."""
    if is_list:
        return f"{text} contains no text" if existing else f"{text} is null or an empty list"
    if existing and isinstance(existing[0], list):
        return f"{text} is a list; compare with its items: {quoted(value)} IN {text}"
    return f"{text} is not a text; one of its values is {quoted(existing[0])}" if existing else f"{text} is null"


_VERBS = {"<>": "is", "=~": "matches"} | {key: verb for key, (_, verb) in TEXT_OPERATORS.items()}


def _verb(condition: t.Expression, subject: t.Expression) -> str | None:
    """Return the verb that describes a comparison of the property `subject` with a text: `is` for `n.name = 'Heat'`.

    None for a comparison by order, and if the constant is searched for the property, as in `'Heat 2' CONTAINS n.name`.
    """
    if not isinstance(condition, t.Binary):
        return None
    if condition.operator == "IN":
        return "contains" if condition.right is subject else None
    return _VERBS.get(condition.operator) if condition.left is subject or condition.operator in ("=", "<>") else None


def _comparison(condition: t.Expression) -> tuple[t.Expression, t.Expression] | None:
    """Return the property and the constant of a comparison such as `n.year > 1999` or `'x' IN n.list`, else None."""
    if isinstance(condition, t.ComparisonChain):
        properties = [operand for operand in condition.operands if isinstance(operand, t.Property)]
        others = [conjunct for conjunct in condition.operands if not isinstance(conjunct, t.Property)]
        return (properties[0], others[0]) if properties and others else None
    if not isinstance(condition, t.Binary) or condition.operator in ("OR", "XOR"):
        return None
    for side, opposite in ((condition.left, condition.right), (condition.right, condition.left)):
        subject = side
        while isinstance(subject, t.FunctionCall) and len(subject.arguments) == 1 and subject.key in _FOLDING:
            subject = subject.arguments[0]
        if isinstance(subject, t.Property | t.Variable) and not isinstance(opposite, t.Property | t.Variable):
            return side, opposite
    return None


_FOLDING = frozenset({"tolower", "toupper", "trim", "tostring", "lower", "upper"})


def _values(probe: Probe, before: str, text: str, listed: bool) -> list[Any]:
    query = f"UNWIND {text} AS value RETURN DISTINCT value" if listed else f"RETURN DISTINCT {text} AS value"
    return [row[0] for row in probe.rows(f"{before} {query}", MOST_VALUES)]
