"""Answers for the page that no tool gives: a schema with its statistics, and what to draw of a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from graphground.cypher.functions import FUNCTIONS
from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.matches import with_elements
from graphground.graphs.schemas.statistics import PropertyStatistics, Statistics
from graphground.tools.execute_cypher import check_query, refuse_missing_parameters
from graphground.tools.get_schema import note_on


def drawn_queries(graph: Graph, query: str, parameters: dict[str, Any] | None) -> list[str]:
    """Return queries that find the rows of this query, each row with the nodes and relationships from which it comes.

    Raises:
        ToolFailure: `execute_cypher` would refuse the query.
    """
    tree, _ = check_query(graph, query, parameters)
    return with_elements(tree, graph.language)


def pattern(graph: Graph, query: str, parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the first MATCH after which no row is left, with the counts of its parts; None if not found in time.

    Raises:
        ToolFailure: `execute_cypher` would refuse the query.
    """
    from graphground.graphs.why_empty.explain import counted_pattern  # needs rapidfuzz

    tree, _ = check_query(graph, query, parameters)
    refuse_missing_parameters(tree, parameters or {})
    found = counted_pattern(graph, tree, parameters)
    return None if found is None else asdict(found)


LONGEST_VALUE, MOST_VALUES = 80, 5


def schema_for_page(graph: Graph) -> dict[str, Any]:
    """Return a graph's schema: `{"labels": [{"name": "Team", "count": 30, …}], "patterns": […], …}`.

    `statistics` is false until statistics have been collected. `note` says why the schema may be incomplete or
    outdated; it is empty for a current schema.
    """
    # The note is read first: if the schema is completed in between, the note is outdated, but never missing.
    note = note_on(graph)
    facts = graph.statistics()
    return {
        **names_of(graph.schema, facts),
        "statistics": facts is not None,
        "expected": graph.statistics_reader is not None,
        "note": note,
    }


def names_of(schema: PropertyGraphSchema, facts: Statistics | None) -> dict[str, Any]:
    """Return the labels and patterns of a schema, with properties and statistics, and the names of all functions."""
    return {
        "labels": [
            {
                "name": label.name,
                "quoted": quoted_name(label.name),
                "description": label.description,
                "count": facts.nodes(label.name) if label.count is None and facts is not None else label.count,
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
                "count": facts.relationships(pattern.type, pattern.start, pattern.end)
                if pattern.count is None and facts is not None
                else pattern.count,
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
