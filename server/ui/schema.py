"""A graph's schema for the page: names, types, counts, share of filled values, common values, and the picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from graphground.cypher.functions import FUNCTIONS
from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.statistics.model import PropertyStatistics, Statistics
from graphground.tools.get_schema import note_on

LONGEST_VALUE, MOST_VALUES = 80, 5


def schema_with_picture(graph: Graph) -> dict[str, Any]:
    """Return a graph's schema: `{"labels": [{"name": "Team", "count": 30, …}], "patterns": […], "picture": […], …}`.

    `boxes` holds the labels in the order of the picture's boxes. `statistics` is false until statistics have been
    collected. `note` says why the schema may be incomplete or outdated; it is empty for a current schema.
    """
    from graphground.graphs.schemas.pictures.of_schema import schema_drawing  # loads NumPy
    from graphground.server.ui.picture import picture

    # The note is read first: if the schema is completed in between, the note is outdated, but never missing.
    note = note_on(graph)
    facts = graph.statistics()
    schema = with_counts(graph.schema, facts)
    drawing = schema_drawing(schema)
    return {
        **names_of(schema, facts),
        "statistics": facts is not None,
        "expected": graph.facts is not None,
        "note": note,
        "picture": picture(drawing),
        "boxes": [box.id for box in drawing.boxes],
    }


def names_of(schema: PropertyGraphSchema, facts: Statistics | None) -> dict[str, Any]:
    """Return the labels and patterns of a schema, with properties and statistics, and the names of all functions."""
    return {
        "labels": [
            {
                "name": label.name,
                "quoted": quoted_name(label.name),
                "description": label.description,
                "count": label.count,
                "naming": label.name_property,
                "namesakes": facts.namesakes(label.name) if facts is not None else None,
                "properties": properties_of(label.name, label.properties, facts),
                "reserved": sorted(label.reserved - {label.name_property}),
            }
            for label in schema.labels.values()
        ],
        "patterns": [
            {
                "type": pattern.type,
                "quoted": quoted_name(pattern.type),
                "start": pattern.start,
                "end": pattern.end,
                "description": pattern.description,
                "count": pattern.count,
                "symmetric": pattern.symmetric,
                "properties": properties_of(pattern.type, pattern.properties, facts),
            }
            for pattern in schema.patterns
        ],
        "functions": sorted(FUNCTIONS),
    }


def properties_of(owner: str, types: Mapping[str, str], facts: Statistics | None) -> list[dict[str, Any]]:
    """Return each property with its type and, if known, its share of filled values, its extremes and common values."""
    return [
        {
            "name": key,
            "quoted": quoted_name(key),
            "type": type_,
            **(values_of(known) if facts is not None and (known := facts.property(owner, key)) is not None else {}),
        }
        for key, type_ in types.items()
    ]


def values_of(known: PropertyStatistics) -> dict[str, Any]:
    """Return the statistics of a property's values; long values are cut."""
    return {
        "fill": round(known.fill, 4),
        "distinct": known.distinct,
        "least": cut_value(known.least),
        "greatest": cut_value(known.greatest),
        "common": [[cut_value(value), count] for value, count in known.common[:MOST_VALUES]],
        "exact": known.exact,
    }


def cut_value(value: Any) -> str | None:
    """Return a value as a short text: `cut_value(1995)` is `"1995"`; None for null."""
    if value is None:
        return None
    text = f"[{', '.join(map(str, value))}]" if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def with_counts(schema: PropertyGraphSchema, facts: Statistics | None) -> PropertyGraphSchema:
    """Return the schema with missing counts taken from the statistics, so that the picture shows the counts."""
    if facts is None:
        return schema
    labels = {
        name: replace(label, count=label.count if label.count is not None else facts.nodes(name))
        for name, label in schema.labels.items()
    }
    patterns = tuple(
        replace(
            pattern,
            count=pattern.count
            if pattern.count is not None
            else facts.relationships(pattern.type, pattern.start, pattern.end),
        )
        for pattern in schema.patterns
    )
    return replace(schema, labels=labels, patterns=patterns)
