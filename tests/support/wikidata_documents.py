"""Real statements of Wikidata as entity documents: raw documents, and WD50K with WikiPeople in the same layout.

WD50K has qualifiers, and WikiPeople has dates with their precision; only the raw documents have ranks and units.
"""

import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.support.shared_data import SHARED

Document = dict[str, Any]


@cache
def all_raw_documents() -> tuple[Document, ...]:
    """Return all raw documents; some items have several, of different years and layouts."""
    with gzip.open(SHARED / "wikidata_entities" / "entities.jsonl.gz", "rt", encoding="utf-8") as file:
        return tuple(map(json.loads, file))


def raw_documents() -> tuple[Document, ...]:
    """Return the first raw document of each item."""
    found: dict[str, Document] = {}
    for document in all_raw_documents():
        found.setdefault(document["id"], document)
    return tuple(found.values())


def raw_document(key: str, part: str = "") -> Document:
    """Return the raw document of an item; if there are several, the first with `part` in its source."""
    return next(document for document in all_raw_documents() if document["id"] == key and part in document["_source"])


@cache
def joined_documents() -> tuple[Document, ...]:
    """Return documents of the labelled items of WD50K, with statements from WD50K and WikiPeople."""
    documents: dict[str, Document] = {}
    with gzip.open(SHARED / "wd50k_labelled" / "nodes.jsonl.gz", "rt", encoding="utf-8") as file:
        for node in map(json.loads, file):
            documents[node["id"]] = document = {
                "id": node["id"],
                "type": "item",
                "labels": {"en": {"language": "en", "value": node["label"]}},
                "descriptions": {"en": {"language": "en", "value": node["description"]}} if node["description"] else {},
                "aliases": {"en": [{"language": "en", "value": alias} for alias in node["aliases"]]},
                "claims": defaultdict(list),
                "sitelinks": {},
            }
            classes = node["instance_of"] or node["codex_types"]
            for number, (item, _) in enumerate(classes):
                document["claims"]["P31"].append(_statement(node["id"], "P31", number, _item("P31", item), {}))
    for subject, name, snak, qualifiers in _facts():
        if subject in documents:
            several = documents[subject]["claims"][name]
            several.append(_statement(subject, name, len(several), snak, qualifiers))
    return tuple(documents.values())


def documents_with_unlabelled_values() -> Iterator[Document]:
    """Yield the joined documents, extended by WD50K's statements whose value has no label, such as a team's league."""
    labelled = {document["id"] for document in joined_documents()}
    found: dict[str, dict[str, list[Document]]] = defaultdict(lambda: defaultdict(list))
    for part in ("train", "valid", "test"):
        path = SHARED / "wd50k_labelled" / "raw_statements" / f"{part}.csv.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for subject, name, item, *_ in csv.reader(file):
                if subject in labelled and item not in labelled:
                    several = found[subject][name]
                    several.append(_statement(subject, name, 50_000 + len(several), _item(name, item), {}))
    for document in joined_documents():
        claims = {name: list(statements) for name, statements in document["claims"].items()}
        for name, statements in found[document["id"]].items():
            claims[name] = claims.get(name, []) + statements
        yield {**document, "claims": claims}


def _facts() -> Iterator[tuple[str, str, Document, dict[str, list[Document]]]]:
    with gzip.open(SHARED / "wd50k_labelled" / "edges.jsonl.gz", "rt", encoding="utf-8") as file:
        for edge in map(json.loads, file):
            if edge["p"] != "P31":
                qualifiers: dict[str, list[Document]] = defaultdict(list)
                for name, item, _ in edge["qualifiers"]:
                    qualifiers[name].append(_item(name, item))
                yield edge["s"], edge["p"], _item(edge["p"], edge["o"]), qualifiers
    for part in ("valid", "test"):
        with gzip.open(SHARED / "wikipeople" / f"n-ary_{part}.jsonl.gz", "rt", encoding="utf-8") as file:
            for fact in map(json.loads, file):
                fact.pop("N")
                head = next(key for key in fact if key.endswith("_h"))
                name, subject = head[:-2], fact.pop(head)
                value = fact.pop(f"{name}_t")
                qualifiers = {
                    key: [_snak(key, item) for item in (several if isinstance(several, list) else [several])]
                    for key, several in fact.items()
                }
                if _is_read(value):
                    yield subject, name, _snak(name, value), qualifiers


def _is_read(value: Any) -> bool:
    return isinstance(value, str)


def _snak(name: str, value: str) -> Document:
    if value.startswith("Q") and value[1:].isdigit():
        return _item(name, value)
    moment, *_, precision, calendar = value.split("#")
    return {
        "snaktype": "value",
        "property": name,
        "datatype": "time",
        "datavalue": {
            "type": "time",
            "value": {
                "time": moment,
                "precision": int(precision),
                "calendarmodel": calendar or "http://www.wikidata.org/entity/Q1985727",
            },
        },
    }


def _item(name: str, item: str) -> Document:
    return {
        "snaktype": "value",
        "property": name,
        "datatype": "wikibase-item",
        "datavalue": {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": item}},
    }


def _statement(subject: str, name: str, number: int, snak: Document, qualifiers: dict[str, list[Document]]) -> Document:
    return {
        "id": f"{subject}${name}-{number:05d}",
        "rank": "normal",
        "type": "statement",
        "mainsnak": snak,
        "qualifiers": dict(qualifiers),
    }
