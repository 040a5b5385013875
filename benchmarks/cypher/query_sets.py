"""Reads the published query sets and their schemas from ../shared/data."""

from __future__ import annotations

import ast
import csv
import gzip
import json
from collections.abc import Iterator
from typing import Any

from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from tests.support.shared_data import SHARED

LABS_TYPES = {
    "STRING": "str",
    "INTEGER": "int",
    "FLOAT": "float",
    "BOOLEAN": "bool",
    "DATE": "date",
    "DATE_TIME": "datetime",
    "LOCAL_DATE_TIME": "datetime",
    "LIST": "list[unknown]",
    "POINT": "point",
}


def lines(*parts: str) -> Iterator[dict[str, Any]]:
    with gzip.open(SHARED.joinpath(*parts), "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def schemas() -> dict[str, PropertyGraphSchema]:
    return {
        path.stem: PropertyGraphSchema.from_cypherbench(path.read_bytes())
        for path in sorted((SHARED / "schemas").glob("*.json"))
    }


def labs_schemas() -> dict[str, PropertyGraphSchema]:
    """Return the schemas of the demo databases of neo4j-labs, by name."""
    csv.field_size_limit(1 << 30)
    found = {}
    with gzip.open(SHARED / "neo4j_labs_text2cypher" / "text2cypher_schemas.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            document = ast.literal_eval(row["structured_schema"])
            patterns = document["relationships"]
            types = {
                name: {property_["property"]: LABS_TYPES.get(property_["type"], "unknown") for property_ in properties}
                for name, properties in document["rel_props"].items()
            }
            nodes = {
                name: {column["property"]: LABS_TYPES.get(column["type"], "unknown") for column in properties}
                for name, properties in document["node_props"].items()
            }
            for pattern in patterns:
                nodes.setdefault(pattern["start"], {})
                nodes.setdefault(pattern["end"], {})
            found[row["database"]] = PropertyGraphSchema(
                row["database"],
                {name: Label(name, properties) for name, properties in nodes.items()},
                tuple(
                    RelationshipPattern(
                        pattern["type"], pattern["start"], pattern["end"], types.get(pattern["type"], {})
                    )
                    for pattern in patterns
                ),
                label_combinations=together(nodes, patterns),
            )
    return found


def together(nodes: dict[str, dict[str, str]], patterns: list[dict[str, str]]) -> frozenset[frozenset[str]]:
    """Return the pairs of labels that nodes probably have together.

    The published schemas do not state such pairs: a relationship of an `:Actor:Person` is listed once for each label.
    Two labels with properties form a pair if they occur at the same position of a pattern and one has all properties of
    the other.
    """
    places: dict[tuple[str, str, str], set[str]] = {}
    for pattern in patterns:
        places.setdefault(("from", pattern["type"], pattern["end"]), set()).add(pattern["start"])
        places.setdefault(("to", pattern["type"], pattern["start"]), set()).add(pattern["end"])
    return frozenset(
        frozenset({label, other})
        for labels in places.values()
        for label in labels
        for other in labels
        if label < other
        and nodes[label]
        and nodes[other]
        and (nodes[label].keys() <= nodes[other].keys() or nodes[other].keys() <= nodes[label].keys())
    )
