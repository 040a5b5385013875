"""Real statements of Wikidata as entity documents: raw documents, and WD50K with WikiPeople in the same layout.

WD50K has qualifiers, and WikiPeople has dates with their precision; only the raw documents have ranks and units.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from tests.support.shared_data import SHARED

Document = dict[str, Any]
GREGORIAN = "http://www.wikidata.org/entity/Q1985727"
DATA_TYPES = {
    "wikibase-item": "wikibase-entityid",
    "quantity": "quantity",
    "time": "time",
    "globe-coordinate": "globecoordinate",
}
"""The type of the data value by the datatype of the property; all others are strings."""


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
            classes = {item: "normal" for item, _ in node["instance_of"] or node["codex_types"]}
            claims = defaultdict(list, {"P31": ranked(node["id"], "P31", classes)} if classes else {})
            key, name = node["id"], node["label"]
            documents[key] = document(key, name, claims, node["description"], node["aliases"])
    for subject, name, main_snak, qualifiers in _facts():
        if subject in documents:
            several = documents[subject]["claims"][name]
            several.append(statement(subject, len(several), main_snak, qualifiers))
    return tuple(documents.values())


def _facts() -> Iterator[tuple[str, str, Document, dict[str, list[Document]]]]:
    with gzip.open(SHARED / "wd50k_labelled" / "edges.jsonl.gz", "rt", encoding="utf-8") as file:
        for edge in map(json.loads, file):
            if edge["p"] != "P31":
                qualifiers: dict[str, list[Document]] = defaultdict(list)
                for name, item, _ in edge["qualifiers"]:
                    qualifiers[name].append(item_snak(name, item))
                yield edge["s"], edge["p"], item_snak(edge["p"], edge["o"]), qualifiers
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
                if isinstance(value, str):
                    yield subject, name, _snak(name, value), qualifiers


def _snak(name: str, value: str) -> Document:
    if value.startswith("Q") and value[1:].isdigit():
        return item_snak(name, value)
    moment, *_, precision, calendar = value.split("#")
    return time_snak(name, moment, int(precision), calendar or GREGORIAN)


def snak(name: str, datatype: str, value: Any) -> Document:
    """Return a snak with a value: `snak("P18", "commonsMedia", "Heat.jpg")`."""
    data = {"type": DATA_TYPES.get(datatype, "string"), "value": value}
    return {"snaktype": "value", "property": name, "datatype": datatype, "datavalue": data}


def item_snak(name: str, item: str) -> Document:
    return snak(name, "wikibase-item", {"entity-type": "item", "id": item})


def time_snak(name: str, moment: str, precision: int, calendar: str = GREGORIAN) -> Document:
    return snak(name, "time", {"time": moment, "precision": precision, "calendarmodel": calendar})


def statement(
    subject: str,
    number: int,
    main_snak: Document,
    qualifiers: Mapping[str, list[Document]] | None = None,
    rank: str = "normal",
) -> Document:
    """Return a statement about `subject`; `number` distinguishes those of one property."""
    return {
        "id": f"{subject}${main_snak['property']}-{number:05d}",
        "rank": rank,
        "type": "statement",
        "mainsnak": main_snak,
        "qualifiers": dict(qualifiers or {}),
    }


def ranked(subject: str, name: str, ranks: dict[str, str]) -> list[Document]:
    """Return statements with one property whose values are items: `ranked("Q31", "P36", {"Q239": "preferred"})`."""
    return [
        statement(subject, number, item_snak(name, item), rank=rank)
        for number, (item, rank) in enumerate(ranks.items())
    ]


def document(key: str, name: str, claims: Document, description: str = "", aliases: Iterable[str] = ()) -> Document:
    """Return the document of an item with an English name."""
    return {
        "id": key,
        "type": "item",
        "labels": {"en": {"language": "en", "value": name}},
        "descriptions": {"en": {"language": "en", "value": description}} if description else {},
        "aliases": {"en": [{"language": "en", "value": alias} for alias in aliases]} if aliases else {},
        "claims": claims,
        "sitelinks": {},
    }
