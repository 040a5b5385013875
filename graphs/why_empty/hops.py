"""Explains why a relationship does not connect two existing nodes: its direction, type or properties are wrong."""

from __future__ import annotations

from collections.abc import Sequence

from graphground.cypher import to_text
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic, reversed_text
from graphground.cypher.quoting import quoted_name
from graphground.cypher.tree import altered
from graphground.graphs.why_empty.probe import Probe


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
