"""Statistics on disk: one small JSON file, versioned, replaced atomically."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import orjson

from graphground.graphs.schemas.statistics.model import (
    Degrees,
    LabelStatistics,
    PatternStatistics,
    PropertyStatistics,
    Statistics,
    TypeStatistics,
)
from graphground.graphs.storage.home import replacing

VERSION = 3
NAME = "statistics.json"
"""The name of the statistics file in the folder of a loaded graph."""


def write_statistics(path: Path, facts: Statistics) -> None:
    """Store statistics, replacing older ones; only the file's owner can read them, since they contain data values."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, private=True) as file:
        file.write(orjson.dumps(document_of(facts), default=str))


def read_statistics(path: Path) -> Statistics | None:
    """Read the stored statistics; None if there are none that this version can read."""
    try:
        document = orjson.loads(path.read_bytes())
        return statistics_of(document) if document["version"] == VERSION else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def document_of(facts: Statistics) -> dict[str, Any]:
    """Return statistics as a JSON document."""
    return {
        "version": VERSION,
        "mark": facts.mark,
        "complete": facts.complete,
        "provisional": facts.provisional,
        "seconds": round(facts.seconds, 4),
        "labels": [
            [label.label, label.nodes, label.naming, _values(label.properties)] for label in facts.labels.values()
        ],
        "types": [[type_.type, type_.relationships, _values(type_.properties)] for type_ in facts.types.values()],
        "patterns": [astuple(pattern) for pattern in facts.patterns],
    }


def statistics_of(document: Mapping[str, Any]) -> Statistics:
    """Return the statistics in a document that `document_of` made."""
    return Statistics(
        {
            label: LabelStatistics(label, nodes, _properties(values), naming)
            for label, nodes, naming, values in document["labels"]
        },
        {
            type_: TypeStatistics(type_, relationships, _properties(values))
            for type_, relationships, values in document["types"]
        },
        tuple(map(_pattern, document["patterns"])),
        document["complete"],
        document["mark"],
        document["seconds"],
        document["provisional"],
    )


def _values(properties: Mapping[str, PropertyStatistics]) -> dict[str, Any]:
    return {key: astuple(values) for key, values in properties.items()}


def _pattern(stored: Sequence[Any]) -> PatternStatistics:
    type_, start, end, relationships, both_ways, loops, starts, ends, exact = stored
    degrees = [Degrees(*side) if side is not None else None for side in (starts, ends)]
    return PatternStatistics(type_, start, end, relationships, both_ways, loops, degrees[0], degrees[1], exact)


def _properties(document: Mapping[str, Any]) -> dict[str, PropertyStatistics]:
    return {key: _property(*stored) for key, stored in document.items()}


def _property(
    count: int,
    of: int,
    distinct: int | None,
    repeated: int | None,
    least: Any,
    greatest: Any,
    common: Sequence[Sequence[Any]],
    exact: bool,
    counted: bool = True,
    placeholders: Sequence[Sequence[Any]] = (),
) -> PropertyStatistics:
    frequent, missing = (tuple((value, times) for value, times in pairs) for pairs in (common, placeholders))
    return PropertyStatistics(count, of, distinct, repeated, least, greatest, frequent, exact, counted, missing)
