"""A cache of schemas read from databases: one file per database, with a fingerprint of the database's content."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from graphground.cypher.text_values import TextValues
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.schemas.extraction.findings import Extraction
from graphground.graphs.storage.home import replacing

if TYPE_CHECKING:
    from pydantic import TypeAdapter

VERSION = 6
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


class SchemaCache:
    """A folder of stored schemas: `SchemaCache(home.schemas).load("bolt://localhost:7687 neo4j reader", "films")`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Return the path of the file for a database; `key` consists of its address, its name and the user."""
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"

    def load(self, key: str, name: str) -> tuple[Extraction, str] | None:
        """Return the stored extraction, with `name` as the graph's name; None if no readable file is stored.

        The second value is the fingerprint that the database had when its schema was read.
        """
        try:
            document = orjson.loads(self.path(key).read_bytes())
            if document["version"] != VERSION:
                return None
            found = _extraction_form().validate_python(document["extraction"])
            return replace(found, schema=replace(found.schema, name=name)), document["fingerprint"]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def store(self, key: str, extraction: Extraction, mark: str) -> None:
        """Store an extraction and `mark`, the fingerprint of its database; an older file is replaced atomically."""
        self.folder.mkdir(parents=True, exist_ok=True)
        document = {"version": VERSION, "fingerprint": mark, "extraction": extraction}
        with replacing(self.path(key), private=True) as file:
            file.write(orjson.dumps(document, default=sorted))


@cache
def _extraction_form() -> TypeAdapter[Extraction]:
    from pydantic import TypeAdapter  # imported on first use, like all of pydantic

    form = TypeAdapter(Extraction)
    form.rebuild(_types_namespace={"TextValues": TextValues})  # which `cypher.schema` imports for type checkers alone
    return form
