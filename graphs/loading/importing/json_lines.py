"""Reads JSON Lines with one node or relationship per line, in the form that Neo4j's `apoc.export.json` writes.

    {"type": "node", "id": "1", "labels": ["Movie"], "properties": {"title": "Heat", "released": 1995}}
    {"type": "relationship", "id": "7", "label": "DIRECTED", "start": {"id": "2"}, "end": {"id": "1"},
     "properties": {}}

Text in the ISO form of a date or time is read as a date or time if all values of the property have that form; among
other texts it stays as it was written.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

import orjson

from graphground.graphs.loading.importing.cells import read_time_text
from graphground.graphs.loading.importing.records import (
    ImportRefused,
    NodeRecord,
    Problems,
    RelationshipRecord,
    bounded_lines,
)

SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


class JsonLines:
    """A JSON Lines file, gzipped if its name ends in .gz: `JsonLines(Path("films.jsonl"))`.

    Raises:
        ImportRefused: the file does not exist. Reading the nodes or relationships also raises this error if the file is
            damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name
        if not path.is_file():
            raise ImportRefused([f"there is no file {path}"], 1)

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Yield a record for each line of type `node`; invalid lines and unknown types are added to `problems`."""
        for line, record in self._records(problems):
            match record:
                case {"type": "node", "id": str() | int() as key}:
                    labels, properties = record.get("labels", []), record.get("properties", {})
                    if not _all_texts(labels) or not isinstance(properties, dict):
                        problems.add(self.name, line, "'labels' must be a list of texts, 'properties' an object")
                    else:
                        yield NodeRecord(str(key), tuple(labels), _dated(properties), line)
                case {"type": "node"}:
                    problems.add(self.name, line, "a node needs an 'id', a text or a whole number")
                case {"type": "relationship"}:
                    pass
                case _:
                    problems.add(self.name, line, "'type' must be 'node' or 'relationship'")

    def relationships(self, problems: Problems) -> Iterator[RelationshipRecord]:
        """Yield a record for each line of type `relationship`; invalid lines of this type are added to `problems`."""
        for line, record in self._records(Problems()):
            if record.get("type") != "relationship":
                continue
            start, end, type_ = _end(record.get("start")), _end(record.get("end")), record.get("label")
            properties = record.get("properties", {})
            if start is None or end is None or not isinstance(type_, str) or not type_:
                problems.add(self.name, line, "a relationship needs 'label', 'start' and 'end', each end with an 'id'")
            elif not isinstance(properties, dict):
                problems.add(self.name, line, "'properties' must be an object")
            else:
                yield RelationshipRecord(type_, start, end, _dated(properties), line)

    def _records(self, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
        opened = gzip.open if self.path.suffix == ".gz" else open
        try:
            with opened(self.path, "rb") as file:
                lines = bounded_lines(cast(IO[bytes], file), self.name, self.path.stat().st_size)
                for line, text in enumerate(lines, start=1):
                    if not text.strip():
                        continue
                    try:
                        record = orjson.loads(text)
                    except orjson.JSONDecodeError as error:
                        problems.add(self.name, line, f"not JSON: {error}")
                        continue
                    if isinstance(record, dict):
                        yield line, record
                    else:
                        problems.add(self.name, line, "a line must be a JSON object")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ImportRefused([f"{self.name}: the compressed file is damaged or cut off ({error})"], 1) from None


def _all_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) and part for part in value)


def _end(value: Any) -> str | None:
    key = value.get("id") if isinstance(value, dict) else value
    return str(key) if isinstance(key, str | int) and not isinstance(key, bool) and key != "" else None


def _dated(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {key: read_time_text(value) for key, value in properties.items()}
