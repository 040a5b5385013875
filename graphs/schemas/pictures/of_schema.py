"""Draws a schema: a box for each label, an arrow for each relationship pattern."""

from __future__ import annotations

from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.graphs.schemas.pictures.drawing import Arrow, Box, Drawing

MOST_PROPERTIES = 8
MOST_LABELS = 60


def schema_drawing(schema: PropertyGraphSchema, *, properties: bool = True) -> Drawing:
    """Return a drawing of the labels with their properties and counts, and of the patterns; empty labels are marked.

        schema_drawing(films).arrows[0]  # Arrow("Movie", "Person", "directedBy")

    If a schema has more than 60 labels, only those with the most patterns are drawn.
    """
    degree = dict.fromkeys(schema.labels, 0)
    for pattern in schema.patterns:
        for label in {pattern.start, pattern.end} & degree.keys():
            degree[label] += 1
    drawn = sorted(degree, key=lambda label: -degree[label])[:MOST_LABELS]
    boxes = tuple(_box(schema.labels[name], properties) for name in schema.labels if name in drawn)
    arrows = tuple(
        Arrow(
            pattern.start,
            pattern.end,
            pattern.type if pattern.count is None else f"{pattern.type} ({pattern.count:,})",
            symmetric=pattern.symmetric,
            empty=pattern.count == 0,
        )
        for pattern in schema.patterns
        if pattern.start in drawn and pattern.end in drawn
    )
    return Drawing(boxes, arrows, f"Schema of {schema.name}", len(schema.labels) - len(boxes))


def _box(label: Label, properties: bool) -> Box:
    title = label.name if label.count is None else f"{label.name} ({label.count:,})"
    lines: list[str] = []
    if properties:
        shown = [f"{key}: {type_}" for key, type_ in label.properties.items() if key not in label.reserved]
        lines = shown[:MOST_PROPERTIES]
        if len(shown) > MOST_PROPERTIES:
            lines.append(f"and {len(shown) - MOST_PROPERTIES} more")
    return Box(label.name, title, tuple(lines), kind=label.name, empty=label.count == 0)
