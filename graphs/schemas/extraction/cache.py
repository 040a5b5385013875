"""A cache of schemas read from databases: one file per database, with a fingerprint of the database's content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

import orjson

from graphground.cypher.schema import Combination, Index, Label, PropertyGraphSchema, RelationshipPattern
from graphground.cypher.text_values import TextValues
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.schemas.extraction.findings import Extraction
from graphground.graphs.storage.home import replacing

VERSION = 5
CHEAP_SECONDS = 5.0
CHEAP_QUERIES = (
    "MATCH (n) RETURN count(n) AS c",
    "MATCH ()-[r]->() RETURN count(r) AS c",
    "CALL db.labels()",
    "CALL db.relationshipTypes()",
    "CALL db.propertyKeys()",
)


def fingerprint(engine: Engine) -> str:
    """Return a hash of the numbers of nodes and relationships, and of the names of labels, types and properties.

    The hash stays the same if a value changes in place or a property moves to another label; call `Graph.refresh` after
    such a change.
    """
    answers: list[Any] = []
    for query in CHEAP_QUERIES:
        try:
            answers.append(sorted(map(str, engine.run(query, limit=100_000, timeout=CHEAP_SECONDS).rows)))
        except EngineError:
            answers.append(None)
    return hashlib.sha256(orjson.dumps(answers)).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Cached:
    """A stored extraction, with the fingerprint that the database had when its schema was read."""

    extraction: Extraction
    fingerprint: str


class SchemaCache:
    """A folder of stored schemas: `SchemaCache(home.schemas).load("bolt://localhost:7687 neo4j reader", "films")`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Return the path of the file for a database; `key` consists of its address, its name and the user."""
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"

    def load(self, key: str, name: str) -> Cached | None:
        """Return the stored extraction, with `name` as the graph's name; None if no readable file is stored."""
        try:
            document = orjson.loads(self.path(key).read_bytes())
            if document["version"] != VERSION:
                return None
            return Cached(extraction_of(document, name), document["fingerprint"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def store(self, key: str, extraction: Extraction, mark: str) -> None:
        """Store an extraction and `mark`, the fingerprint of its database; an older file is replaced atomically."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(self.path(key), private=True) as file:
            file.write(orjson.dumps({"version": VERSION, "fingerprint": mark, **document_of(extraction)}))


def document_of(extraction: Extraction) -> dict[str, Any]:
    """Return an extraction as a JSON document."""
    schema = extraction.schema
    return {
        "name": schema.name,
        "labels": [
            [
                label.name,
                dict(label.properties),
                label.description,
                sorted(label.reserved),
                label.count,
                texts_document(label.texts),
                label.naming,
                sorted(label.keys),
                sorted(label.filled),
            ]
            for label in schema.labels.values()
        ],
        "patterns": [
            [
                pattern.type,
                pattern.start,
                pattern.end,
                dict(pattern.properties),
                pattern.description,
                pattern.symmetric,
                pattern.count,
                texts_document(pattern.texts),
                sorted(pattern.filled),
            ]
            for pattern in schema.patterns
        ],
        "combinations": sorted(sorted(label_combination) for label_combination in schema.label_combinations),
        "counted": [
            [sorted(combination.labels), combination.count, combination.properties]
            for combination in schema.combinations
        ],
        "indexes": [astuple(index) for index in schema.indexes],
        "open": schema.open,
        "partial": extraction.partial,
        "problems": list(extraction.problems),
        "nodes": extraction.nodes,
        "relationships": extraction.relationships,
        "elapsed_ms": extraction.elapsed_ms,
        "samples": [[owner, key, values] for (owner, key), values in extraction.samples.items()],
    }


def extraction_of(document: Mapping[str, Any], name: str) -> Extraction:
    """Return the extraction in a JSON document, with `name` as the graph's name."""
    schema = PropertyGraphSchema(
        name,
        {
            label[0]: Label(
                label[0],
                label[1],
                label[2],
                frozenset(label[3]),
                label[4],
                texts_of(label[5]),
                label[6],
                frozenset(label[7]),
                frozenset(label[8]),
            )
            for label in document["labels"]
        },
        tuple(
            RelationshipPattern(
                type_, start, end, properties, description, symmetric, count, texts_of(texts), frozenset(filled)
            )
            for type_, start, end, properties, description, symmetric, count, texts, filled in document["patterns"]
        ),
        document["open"],
        frozenset(frozenset(item) for item in document["combinations"]),
        tuple(Combination(frozenset(labels), count, tuple(keys)) for labels, count, keys in document["counted"]),
        tuple(
            Index(kind, owner, tuple(keys), name, relationship)
            for kind, owner, keys, name, relationship in document["indexes"]
        ),
    )
    samples = {(owner, key): values for owner, key, values in document["samples"]}
    return Extraction(
        schema,
        samples,
        document["partial"],
        tuple(document["problems"]),
        document["nodes"],
        document["relationships"],
        document["elapsed_ms"],
    )


def texts_document(texts: Mapping[str, TextValues]) -> dict[str, Any]:
    """Return the profiles of text properties as a JSON document."""
    return {key: asdict(values) for key, values in texts.items()}


def texts_of(document: Mapping[str, Any]) -> dict[str, TextValues]:
    """Return the profiles in a document that `texts_document` made."""
    return {
        key: TextValues(**{**values, **{name: tuple(values[name]) for name in ("words", "placeholders")}})
        for key, values in document.items()
    }
