"""A relationship that does not exist between nodes that do: the other way round, or by another type."""

from __future__ import annotations

from collections.abc import Sequence

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic
from graphground.cypher.quoting import quoted_name as name
from graphground.graphs.why_empty.probe import Probe


def blame_hop(probe: Probe, before: str, left: t.NodePattern, relationship: t.RelationshipPattern,
              right: t.NodePattern, others: str = "", conditions: Sequence[str] = ()) -> Diagnostic:
    """`others` is what else the query says of the two nodes: `, (n:Player {name: 'x'})`."""
    def matches(middle: str) -> bool:
        return probe.matches(before, f"{probe.source(left)}{middle}{probe.source(right)}{others}", conditions)

    here = probe.query.text[left.start:right.end]
    turned = turned_round(probe, relationship)
    if relationship.direction != "both" and matches(turned):
        return probe.diagnostic("reversed_direction", relationship,
                                f"Nothing matches {here}, but the other direction does: "
                                f"{probe.source(left)}{turned}{probe.source(right)}.", [turned])
    if relationship.properties is not None and matches(_without_properties(probe, relationship)):
        return probe.diagnostic("filter_removes_all", relationship.properties,
                                f"{here} matches nothing only because of {probe.source(relationship.properties)} "
                                "on the relationship.")
    found = []
    for mark, before_type, after_type in (("right", "-[", "]->"), ("left", "<-[", "]-")):
        pattern = f"{probe.source(left)}{before_type}any_of_them{after_type}{probe.source(right)}{others}"
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = probe.rows(f"{before} MATCH {pattern}{where} RETURN DISTINCT type(any_of_them) AS type", 5)
        found += [f"-[:{name(row[0])}]->" if mark == "right" else f"<-[:{name(row[0])}]-" for row in rows]
    if found:
        return probe.diagnostic("matches_nothing", relationship,
                                f"Both ends of {here} exist, but this relationship does not join them; these do: "
                                f"{', '.join(found)}.", found)
    return probe.diagnostic("matches_nothing", relationship,
                            f"Both ends of {here} exist, but no relationship joins them.")


def turned_round(probe: Probe, relationship: t.RelationshipPattern) -> str:
    """`-[r:directedBy]->` as `<-[r:directedBy]-`."""
    text = probe.source(relationship)
    inner = text[text.index("["):text.rindex("]") + 1] if "[" in text else ""
    return f"<-{inner}-" if relationship.direction == "right" else f"-{inner}->"


def _without_properties(probe: Probe, relationship: t.RelationshipPattern) -> str:
    assert relationship.properties is not None
    text, start = probe.source(relationship), relationship.start
    return text[:relationship.properties.start - start] + text[relationship.properties.end - start:]
