"""Reads the exact schema the slow way, as in Appendix A.4 of the CypherBench paper: by queries over all data.

The paper reads the types of values with APOC; `valueType` returns the same types without APOC.
"""

from typing import Any

from graphground.graphs.engines.engine import Engine
from graphground.graphs.schemas.extraction.findings import merged, property_type

PROPERTIES = (
    "MATCH (n) UNWIND labels(n) AS label UNWIND keys(n) AS key RETURN DISTINCT label, key, valueType(n[key]) AS type"
)
RELATIONSHIPS = (
    "MATCH (n)-[r]->(m) UNWIND labels(n) AS start UNWIND labels(m) AS end RETURN DISTINCT type(r) AS type, start, end"
)
RELATIONSHIP_PROPERTIES = (
    "MATCH ()-[r]->() UNWIND keys(r) AS key RETURN DISTINCT type(r) AS name, key, valueType(r[key]) AS type"
)


def exact_schema(engine: Engine) -> dict[str, Any]:
    """Return the labels with properties, the patterns, and the properties of relationship types."""

    def typed(query: str) -> dict[str, dict[str, str | None]]:
        found: dict[str, dict[str, list[str | None]]] = {}
        for owner, key, type_ in engine.run(query, limit=100_000, timeout=60).rows:
            found.setdefault(owner, {}).setdefault(key, []).append(property_type(type_))
        return {owner: {key: merged(types) for key, types in keys.items()} for owner, keys in found.items()}

    return {
        "nodes": typed(PROPERTIES),
        "relationships": typed(RELATIONSHIP_PROPERTIES),
        "patterns": {tuple(row) for row in engine.run(RELATIONSHIPS, limit=100_000, timeout=60).rows},
    }


def as_oracle(schema: Any) -> dict[str, Any]:
    """Convert a schema into the oracle's form."""
    return {
        "nodes": {label.name: dict(label.properties) for label in schema.labels.values() if label.properties},
        "relationships": {
            type_: dict(properties) for type_, properties in schema.relationship_properties.items() if properties
        },
        "patterns": {(pattern.type, pattern.start, pattern.end) for pattern in schema.patterns},
    }
