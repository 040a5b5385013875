"""Reads sample values of properties: all distinct values that are found if there are few, otherwise some of them."""

from __future__ import annotations

from functools import partial

from graphground.cypher.matching import nodes, property_of, relationships
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.schemas.extraction.steps import Steps

LOOKED_AT = 1000
MOST_CATEGORIES = 20
FEW = 5
LONG_TEXT = frozenset({"description", "provenance", "eid"})


def read_samples(steps: Steps, schema: PropertyGraphSchema) -> None:
    """Read sample values of each property from the first nodes or relationships that have the property.

    Of labels, the properties `description`, `provenance` and `eid` are left out.
    """
    tasks = []
    for label in schema.labels.values():
        for key in label.properties:
            if key not in LONG_TEXT:
                tasks.append(
                    (
                        f"samples of {label.name}.{key}",
                        partial(sample, steps, label.name, key, nodes(label.name).match()),
                    )
                )
    for type_, properties in schema.relationship_properties.items():
        for key in properties:
            tasks.append(
                (
                    f"samples of {type_}.{key}",
                    partial(sample, steps, type_, key, relationships(type_, variable="n").match()),
                )
            )
    steps.each(tasks)


def sample(steps: Steps, owner: str, key: str, match: str) -> None:
    """Add distinct values of one property: all that are found if there are at most 20, otherwise a few."""
    value = property_of("n", key)
    rows = steps.rows(
        f"samples of {owner}.{key}",
        f"{match} WHERE {value} IS NOT NULL WITH {value} AS v "
        f"LIMIT {LOOKED_AT} RETURN DISTINCT v LIMIT {MOST_CATEGORIES + 1}",
    )
    values = [row[0] for row in rows or () if row[0] not in ("", [])]
    if values:
        steps.findings.samples[owner, key] = values if len(values) <= MOST_CATEGORIES else values[:FEW]
