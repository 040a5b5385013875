"""Schemas and SimpleKG documents for tests, written in short."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphground.cypher.schema import PropertyGraphSchema

Document = dict[str, Any]
INTERVAL = {"start_year": "int", "end_year": "int"}


def schema_document(
    name: str,
    labels: Mapping[str, Mapping[str, str]],
    patterns: Iterable[str] = (),
    properties: Mapping[str, Mapping[str, str]] | None = None,
) -> Document:
    """Return a schema as CypherBench writes it; `properties` has those of relationships, by type."""
    relations = []
    for pattern in patterns:
        start, *words, end = pattern.split()
        type_ = " ".join(words)
        keys = (properties or {}).get(type_, {})
        relations.append({"label": type_, "subj_label": start, "obj_label": end, "properties": dict(keys)})
    entities = [{"label": label, "description": None, "properties": dict(keys)} for label, keys in labels.items()]
    return {"name": name, "entities": entities, "relations": relations}


def schema(
    name: str,
    labels: Mapping[str, Mapping[str, str]],
    patterns: Iterable[str] = (),
    properties: Mapping[str, Mapping[str, str]] | None = None,
    **more: Any,
) -> PropertyGraphSchema:
    """Build a schema: `schema("x", {"A": {"year": "int"}}, ["A KNOWS A"])`."""
    base = PropertyGraphSchema.from_cypherbench(schema_document(name, labels, patterns, properties))
    return PropertyGraphSchema(base.name, base.labels, base.patterns, **more) if more else base


def make_entity(
    eid: str,
    label: str,
    name: str,
    aliases: Iterable[str] = (),
    description: str | None = None,
    provenance: Iterable[str] = (),
    **properties: Any,
) -> Document:
    """Return the record of a node: `make_entity("M1", "Movie", "Heat", year=1995)`."""
    return {
        "eid": eid,
        "label": label,
        "name": name,
        "aliases": list(aliases),
        "description": description,
        "properties": properties,
        "provenance": list(provenance),
    }


def make_relation(
    rid: int, label: str, start: str, end: str, provenance: Iterable[str] = (), **properties: Any
) -> Document:
    """Return the record of a relationship: `make_relation(0, "directedBy", "M1", "P1", year=1995)`."""
    record = {"rid": str(rid), "label": label, "subj_id": start, "obj_id": end, "properties": properties}
    return {**record, "provenance": list(provenance)}
