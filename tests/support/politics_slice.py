"""A slice of the politics graph, from real Wikidata statements in the shared data: countries, parties, politicians.

Like other extracts of Wikidata the slice is incomplete: it has no dates, few official languages and no heads of state,
and most but not all diplomatic relations exist in both directions.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphground.graphs.loading.simplekg import write_simplekg
from tests.support.documents import INTERVAL, make_entity, make_relation, schema
from tests.support.shared_data import SHARED

PATTERNS = {
    "P530": ("hasDiplomaticRelationWith", "Country", "Country"),
    "P102": ("memberOf", "Politician", "PoliticalParty"),
    "P47": ("borders", "Country", "Country"),
}
NEEDED = ("wd50k_labelled", "edges.jsonl.gz")
SCHEMA = schema(
    "politics",
    {
        "Politician": {"date_of_birth": "date", "gender": "str", "country_of_citizenship": "list[str]"},
        "Country": {"founding_date": "date", "official_language": "list[str]"},
        "PoliticalParty": {"founding_date": "date"},
        "Position": {},
    },
    [
        "Country hasDiplomaticRelationWith Country",
        "Country borders Country",
        "Politician memberOf PoliticalParty",
        "Country hasHeadOfState Politician",
        "Politician holdsPosition Position",
    ],
    {"hasHeadOfState": INTERVAL},
)


def write_politics(path: Path) -> Path:
    """Write the slice as a SimpleKG file."""
    folder = SHARED / "wd50k_labelled"
    nodes = {node["id"]: node for node in _lines(folder / "nodes.jsonl.gz")}
    labels: dict[str, str] = {}
    found: list[tuple[str, str, str]] = []
    languages: dict[str, list[str]] = {}
    citizens: dict[str, list[str]] = {}
    edges = [edge for edge in _lines(folder / "edges.jsonl.gz") if edge["s"] in nodes and edge["o"] in nodes]
    for edge in edges:
        if edge["p"] == "P530":
            labels[edge["s"]] = labels[edge["o"]] = "Country"
    for edge in edges:
        start, end = edge["s"], edge["o"]
        if edge["p"] == "P102" and start not in labels and end not in labels:
            labels[start] = "Politician"
    for edge in edges:
        start, end = edge["s"], edge["o"]
        if edge["p"] == "P102" and labels.get(start) == "Politician":
            labels.setdefault(end, "PoliticalParty")
        if edge["p"] == "P37" and labels.get(start) == "Country":
            languages.setdefault(start, []).append(nodes[end]["label"])
        if edge["p"] == "P27" and labels.get(start) == "Politician":
            citizens.setdefault(start, []).append(nodes[end]["label"])
    for edge in edges:
        pattern = PATTERNS.get(edge["p"])
        if pattern and (labels.get(edge["s"]), labels.get(edge["o"])) == pattern[1:]:
            found.append((pattern[0], edge["s"], edge["o"]))
    properties = {"Country": ("official_language", languages), "Politician": ("country_of_citizenship", citizens)}

    def entities() -> Iterator[dict[str, Any]]:
        for eid, label in labels.items():
            key, values = properties.get(label, ("", {}))
            node, given = nodes[eid], {key: values[eid]} if eid in values else {}
            yield make_entity(eid, label, node["label"], node["aliases"], node["description"], **given)

    relations = (
        make_relation(number, type_, start, end) for number, (type_, start, end) in enumerate(dict.fromkeys(found))
    )
    write_simplekg(path, SCHEMA, entities(), relations)
    return path


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
