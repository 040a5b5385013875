"""Explains why a node does not exist: reports the nearest names, and other labels whose nodes have the name."""

from __future__ import annotations

from collections.abc import Iterator

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
        label = _label(node)
        yield probe.diagnostic(
            "matches_nothing",
            node.labels,
            f"No node has the label {probe.source(node.labels)}"
            + (", though the schema has it." if label in probe.graph.schema.labels else "."),
        )
        return
    if not isinstance(node.properties, t.MapLiteral):
        yield probe.diagnostic("matches_nothing", node, f"No node matches {probe.source(node)}.")
        return
    entries = node.properties.entries
    alone = [entry for entry in entries if not probe.matches(before, f"({variable}{labels} {{{probe.source(entry)}}})")]
    for entry in alone:
        value = probe.value(entry.value)
        if isinstance(value, str) and entry.key.text in naming_keys(probe):
            yield unknown_name(probe, _label(node), entry.key.text, value, entry.value)
        else:
            yield explain_equality(probe, before, node, entry, f"({variable}{labels})", variable)
    if not alone:
        yield probe.diagnostic(
            "matches_nothing", node.properties, "Each of these property values occurs, but never all on one node."
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


def blame_value(probe: Probe, node: t.NodePattern | None, condition: t.Expression) -> Diagnostic | None:
    """Return the diagnostic for an unknown name in WHERE, `p.name = 'Michael Man'`; None for any other condition."""
    if not isinstance(condition, t.Binary) or condition.operator not in ("=", "IN", "CONTAINS", "STARTS WITH"):
        return None
    keys = naming_keys(probe)
    for side, opposite in ((condition.left, condition.right), (condition.right, condition.left)):
        if isinstance(side, t.Property) and side.key.text in keys and isinstance(value := probe.value(opposite), str):
            return unknown_name(probe, _label(node) if node else None, side.key.text, value, opposite)
    return None


def unknown_name(probe: Probe, label: str | None, key: str, value: str, place: t.Node) -> Diagnostic:
    """Return the diagnostic `entity_not_found`, with similar names and the labels of other nodes with the name."""
    names: list[str] = []
    notes: list[str] = []
    lookup = probe.graph.indexed_entities
    known = False
    if lookup is not None:
        judgement = lookup.judge(
            value, labels=None if label is None else (label,), key=None if key == "aliases" else key
        )
        names = list(dict.fromkeys(quoted(candidate.name) for candidate in judgement.candidates))[:SHOWN]
        known = judgement.verdict != "not_found"
        if names and not known:
            notes.append(f"no similar name exists (nearest: {', '.join(names)})")
        notes += [
            f"it is an alias of {quoted(candidate.name)}"
            for candidate in judgement.candidates
            if candidate.match == "alias"
        ]
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
        f"No {label or 'node'} has the {key} {quoted(value)}{'; ' + '; '.join(notes[:2]) if notes else ''}.",
        names if known else (),
    )


def explain_equality(
    probe: Probe, before: str, node: t.NodePattern, entry: t.MapEntry, bare: str, variable: str
) -> Diagnostic:
    """Explain a property in a node's map as if it were a condition in WHERE.

    `bare` is the node without its map, and `variable` is the variable in `bare`.
    """
    subject = t.Property(entry.start, entry.key.end, t.Variable(entry.start, entry.start, variable), entry.key)
    condition = t.Binary(entry.start, entry.end, "=", subject, entry.value, entry.key.end)
    text = f"{variable}.{quoted_name(entry.key.text)}"
    return explain_condition(_Named(probe, subject, text), f"{before} MATCH {bare}", condition)


class _Named(Probe):
    """A probe that writes `subject`, a property in the map of a node, as `n.key`."""

    def __init__(self, probe: Probe, subject: t.Property, text: str) -> None:
        self.__dict__.update(probe.__dict__)
        self._subject, self._text = subject, text

    def source(self, node: t.Node) -> str:
        return self._text if node is self._subject else super().source(node)


def _label(node: t.NodePattern) -> str | None:
    return node.labels.name.text if isinstance(node.labels, t.LabelName) else None
