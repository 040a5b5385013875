"""Explains why a node does not exist: reports the nearest names, and other labels whose nodes have the name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic
from graphground.cypher.quoting import quoted_name
from graphground.graphs.why_empty.filters import explain_condition
from graphground.graphs.why_empty.probe import Probe, quoted

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
