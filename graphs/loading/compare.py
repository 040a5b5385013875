"""Compares two SimpleKG files: nodes and relationships that were added, removed or changed.

    compare(Path("movie-2025.json.gz"), Path("movie.json.gz")).nodes.counts["added"]

Of each record, only the key and a short digest are held in memory. The key of a node is its `eid`. The key of a
relationship consists of its type and its ends; if several have the same type and ends, a number is added.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from graphground.graphs.loading.simplekg import SimpleKGError, SimpleKGFile

SHOWN = 10


@dataclass(slots=True)
class Changes:
    """The changes from one set of records to another: for each kind of change, the number of records and some keys.

    `kept` is the number of unchanged records; `examples` holds up to `SHOWN` keys for each kind of change.
    `Changes(3370, {"added": 1, "removed": 0, "changed": 0}, {"added": ["Movie#Q1"], "removed": [], "changed": []})`
    """

    kept: int = 0
    counts: dict[str, int] = field(default_factory=lambda: {"added": 0, "removed": 0, "changed": 0})
    examples: dict[str, list[str]] = field(default_factory=lambda: {"added": [], "removed": [], "changed": []})

    def note(self, kind: str, key: str) -> None:
        """Count a change of a record; keep the record's key as an example if the kind has fewer than `SHOWN`."""
        self.counts[kind] += 1
        if len(self.examples[kind]) < SHOWN:
            self.examples[kind].append(key)

    def __bool__(self) -> bool:
        return any(self.counts.values())


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two graphs; `schema` is True if the schemas differ."""

    schema: bool
    nodes: Changes
    relationships: Changes

    def __bool__(self) -> bool:
        return self.schema or bool(self.nodes) or bool(self.relationships)


def compare(old: Path, new: Path) -> Comparison:
    """Return the differences between two files; the order of records does not matter.

    Raises:
        SimpleKGError: one of the files is not a valid graph file.
    """
    before, after = SimpleKGFile(old), SimpleKGFile(new)
    return Comparison(
        before.schema.to_cypherbench() != after.schema.to_cypherbench(),
        _changes(_nodes(before), _nodes(after)),
        _changes(_relationships(before), _relationships(after)),
    )


def _changes(before: Iterable[tuple[str, bytes]], after: Iterable[tuple[str, bytes]]) -> Changes:
    changes, known = Changes(), dict(before)
    for key, digest in after:
        found = known.pop(key, None)
        if found is None:
            changes.note("added", key)
        elif found != digest:
            changes.note("changed", key)
        else:
            changes.kept += 1
    for key in known:
        changes.note("removed", key)
    return changes


def _digest(record: Mapping[str, Any], keys: Iterable[str]) -> bytes:
    content = [record.get(key) or None for key in keys]
    return hashlib.blake2b(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), digest_size=12).digest()


def _keys(place: str, record: Mapping[str, Any], *names: str) -> list[str]:
    for name in names:
        if not isinstance(record.get(name), str):
            raise SimpleKGError(f"{place} has no {name!r}, which must be text")
    return [record[name] for name in names]


def _nodes(file: SimpleKGFile) -> Iterator[tuple[str, bytes]]:
    for number, record in file.entities():
        yield (
            _keys(f"entities[{number}]", record, "eid")[0],
            _digest(record, ("label", "labels", "name", "aliases", "description", "properties", "provenance")),
        )


def _relationships(file: SimpleKGFile) -> Iterator[tuple[str, bytes]]:
    """Yield the key and the digest of each relationship.

    If several relationships have the same type and ends, their keys are numbered in the order of their digests.
    """
    seen: dict[str, list[bytes]] = {}
    for number, record in file.relations():
        start, type_, end = _keys(f"relations[{number}]", record, "subj_id", "label", "obj_id")
        key = f"({start})-[:{type_}]->({end})"
        seen.setdefault(key, []).append(_digest(record, ("properties", "provenance")))
    for key, digests in seen.items():
        for place, digest in enumerate(sorted(digests)):
            yield (key if place == 0 else f"{key} {place + 1}"), digest
