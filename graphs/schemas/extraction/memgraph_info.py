"""Memgraph's run-time schema: `SHOW SCHEMA INFO`, one row of JSON that the database itself keeps up to date.

The statement needs the flag `--schema-info-enabled=true`; without it the statement fails, and plain Cypher reads the
schema. Based on Memgraph's documentation (`querying/schema`) and source (`storage/v2/schema_info.cpp`); not tested with
a real Memgraph. The documentation writes an edge's type as `:EDGE`, the source as `EDGE`: both are supported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from graphground.graphs.schemas.extraction.findings import Findings
from graphground.graphs.schemas.extraction.steps import Steps
from graphground.graphs.schemas.extraction.value_types import merged, property_type


def read_memgraph(steps: Steps) -> None:
    """Read the whole schema from the row of `SHOW SCHEMA INFO`."""
    rows = steps.rows("schema info", "SHOW SCHEMA INFO")
    if rows:
        add_schema_info(steps.findings, rows[0][0])


def add_schema_info(findings: Findings, document: str | Mapping[str, Any]) -> None:
    """Add the nodes and edges in the document, with their properties, to `findings`."""
    info = json.loads(document) if isinstance(document, str) else document
    for node in info.get("nodes", ()):
        labels = [str(label) for label in node["labels"]]
        findings.add_combination(labels, int(node.get("count", 0)))
        for property_ in node.get("properties", ()):
            findings.add_property(labels, property_["key"], types_of(property_))
    for edge in info.get("edges", ()):
        type_ = str(edge["type"]).removeprefix(":")
        for start in edge["start_node_labels"]:
            for end in edge["end_node_labels"]:
                findings.add_pattern(type_, start, end, int(edge.get("count", 0)))
        for property_ in edge.get("properties", ()):
            findings.add_type_property(type_, property_["key"], types_of(property_))


def types_of(property_: Mapping[str, Any]) -> str | None:
    """Return the types of a property's values, joined into one type name; None if there are none."""
    return merged(property_type(type_["type"]) for type_ in property_.get("types", ()))
