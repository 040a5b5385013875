"""Exports a loaded graph as a SimpleKG file, streamed from the engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphground.cypher.quoting import nodes, relationships
from graphground.cypher.schema import RESERVED_PROPERTIES, PropertyGraphSchema
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home


def export_graph(name: str, path: Path, home: Home) -> tuple[int, int]:
    """Write a loaded graph to a SimpleKG file; return the numbers of nodes and relationships.

    Raises:
        CatalogError: no loaded graph has that name.
    """
    catalog = Catalog(home)
    entry = catalog.get(name)
    schema = catalog.schema(entry)
    engine = EmbeddedEngine(home, entry.id)
    try:
        return write_simplekg(path, schema, _entities(engine, schema), _relations(engine, schema))
    finally:
        engine.close()


def _entities(engine: EmbeddedEngine, schema: PropertyGraphSchema) -> Iterator[dict[str, Any]]:
    several = frozenset[str]().union(*schema.label_combinations)
    for label in schema.labels.values():
        for properties, labels in engine.stream(f"{nodes(label.name).match()} RETURN properties(n), labels(n)"):
            if label.name in several and label.name != min(labels):
                continue  # the node has been or will be written with another of its labels
            own = label.properties.keys() - label.reserved
            reserved = {key: properties.pop(key, None) for key in RESERVED_PROPERTIES if key not in own}
            yield {
                "eid": reserved.get("eid"),
                "label": label.name,
                **({"labels": sorted(labels)} if len(labels) > 1 else {}),
                "name": reserved.get("name"),
                "aliases": reserved.get("aliases") or [],
                "description": reserved.get("description"),
                "properties": properties,
                "provenance": reserved.get("provenance") or [],
            }


def _relations(engine: EmbeddedEngine, schema: PropertyGraphSchema) -> Iterator[dict[str, Any]]:
    number = 0
    for type_ in schema.relationship_types:
        query = f"{relationships(type_).match()} RETURN a.eid, b.eid, properties(r)"
        for start, end, properties in engine.stream(query):
            provenance = properties.pop("provenance", None) or []
            yield {
                "rid": str(number),
                "label": type_,
                "subj_id": start,
                "obj_id": end,
                "properties": properties,
                "provenance": provenance,
            }
            number += 1
