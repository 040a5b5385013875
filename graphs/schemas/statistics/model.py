"""The statistics of a graph's data, as plain values.

    >>> facts = graph.statistics()
    >>> facts.nodes("Country"), facts.fill("Country", "founding_date"), facts.namesakes("Person")
    (195, 0.0, 12)

Every lookup returns None for an unknown figure and never guesses; 0 means that the count is zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from graphground.graphs.storage.home import replacing

if TYPE_CHECKING:
    from pydantic import TypeAdapter

VERSION = 4
"""The version of the file format, which this module alone writes and reads."""
NAME = "statistics.json"
"""The name of the statistics file in the folder of a loaded graph."""
MOSTLY_SYMMETRIC = 0.66
"""The share of relationships that must exist in both directions for a pattern to count as symmetric."""
FEWEST_FOR_SYMMETRY = 10
"""The minimum number of relationships for which the share of symmetric relationships is meaningful."""


@dataclass(frozen=True, slots=True)
class PropertyStatistics:
    """The values of one property: `PropertyStatistics(count=3373, of=3373, distinct=3340, least="12 Angry Men", …)`.

    Attributes:
        count: nodes or relationships that have a value (not null).
        of: nodes or relationships that were read; `count / of` is the fill.
        distinct: the number of distinct values; None if unknown.
        repeated: nodes or relationships that share their value with another; None if unknown.
        least, greatest: the extremes in the order of their type; None for lists and for mixed types.
        placeholders: texts that stand for a missing value, such as `N/A` among dates, with their counts: null tests and
            counts treat them as values. The counts come from a sample unless `exact`.
        common: the most frequent values with their counts, the most frequent first; lists are counted as a whole.
        exact: whether everything was read; otherwise `distinct` and the figures after it come from a sample.
        counted: whether `count` and `of` cover all nodes or relationships. If they cover only a sample, they prove
            neither that a property is empty nor that every node has it.
    """

    count: int
    of: int
    distinct: int | None = None
    repeated: int | None = None
    least: Any = None
    greatest: Any = None
    common: tuple[tuple[Any, int], ...] = ()
    exact: bool = True
    counted: bool = True
    placeholders: tuple[tuple[str, int], ...] = ()

    @property
    def fill(self) -> float:
        """The share of nodes or relationships that have a value, from 0 to 1; 0 if nothing was read."""
        return self.count / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class LabelStatistics:
    """The nodes of one label: `LabelStatistics("Country", 195, {"founding_date": PropertyStatistics(0, 195)}, "name")`.

    `naming` is the property that names the nodes, or None if unknown.
    """

    label: str
    nodes: int
    properties: Mapping[str, PropertyStatistics] = field(default_factory=dict)
    naming: str | None = None


@dataclass(frozen=True, slots=True)
class TypeStatistics:
    """All relationships of one type, between any labels."""

    type: str
    relationships: int
    properties: Mapping[str, PropertyStatistics] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PatternStatistics:
    """One pattern: `PatternStatistics("borders", "Country", "Country", 640, both_ways=0.98)`.

    Attributes:
        relationships: the number of relationships.
        both_ways: the share of relationships, other than loops, whose reverse exists too; None if unknown, or if the
            labels at the ends differ.
        exact: whether `both_ways` comes from all relationships.
    """

    type: str
    start: str
    end: str
    relationships: int
    both_ways: float | None = None
    exact: bool = True

    @property
    def symmetric(self) -> bool:
        """Whether the data show that the relationships exist in both directions."""
        return (
            self.both_ways is not None
            and self.both_ways >= MOSTLY_SYMMETRIC
            and self.relationships >= FEWEST_FOR_SYMMETRY
        )


@dataclass(frozen=True)
class Statistics:
    """The statistics of one graph; labels and patterns without data are included with counts of zero.

    `complete` is False if something could not be read; `mark` identifies the state of the database that was read.
    `provisional` is True while some properties have been counted only in a sample and are still being counted exactly.
    """

    labels: Mapping[str, LabelStatistics] = field(default_factory=dict)
    types: Mapping[str, TypeStatistics] = field(default_factory=dict)
    patterns: tuple[PatternStatistics, ...] = ()
    complete: bool = True
    mark: str | None = None
    seconds: float = 0.0
    """The time that reading took, in seconds."""
    provisional: bool = False

    def nodes(self, label: str) -> int | None:
        """Return the number of nodes with the label; None if unknown."""
        known = self.labels.get(label)
        return known.nodes if known is not None else None

    def relationships(self, type_: str, start: str | None = None, end: str | None = None) -> int | None:
        """Return the number of relationships of a type; None if unknown.

        With `start` and `end`, only relationships from a node labelled `start` to a node labelled `end` are counted.
        With one of them, a relationship whose other end has several labels is counted once for each of these labels.
        """
        if start is None and end is None:
            known = self.types.get(type_)
            return known.relationships if known is not None else None
        found = self.matching(type_, start, end)
        return sum(pattern.relationships for pattern in found) if found else None

    def matching(self, type_: str, start: str | None = None, end: str | None = None) -> tuple[PatternStatistics, ...]:
        """Return the statistics of the patterns of a type with these start and end labels; None allows any label."""
        return tuple(
            pattern
            for pattern in self._by_type.get(type_, ())
            if start in (None, pattern.start) and end in (None, pattern.end)
        )

    def pattern(self, type_: str, start: str, end: str) -> PatternStatistics | None:
        """Return the statistics of the pattern with exactly these names; None if unknown."""
        return next(iter(self.matching(type_, start, end)), None)

    def property(self, owner: str, key: str) -> PropertyStatistics | None:
        """Return the statistics of a property of a label or relationship type; None if unknown."""
        known = self.labels.get(owner) or self.types.get(owner)
        return known.properties.get(key) if known is not None else None

    def fill(self, owner: str, key: str) -> float | None:
        """Return the share of nodes of a label, or relationships of a type, that have the property; None if unknown."""
        known = self.property(owner, key)
        return known.fill if known is not None else None

    def namesakes(self, label: str) -> int | None:
        """Return the number of nodes of a label that share their name with another; None if unknown."""
        known = self.labels.get(label)
        values = known.properties.get(known.naming) if known is not None and known.naming else None
        return values.repeated if values is not None else None

    def symmetric(self, type_: str, label: str) -> bool:
        """Whether the data show that the relationships between nodes of a label exist in both directions."""
        known = self.pattern(type_, label, label)
        return known is not None and known.symmetric

    @cached_property
    def _by_type(self) -> Mapping[str, tuple[PatternStatistics, ...]]:
        grouped: dict[str, list[PatternStatistics]] = {}
        for pattern in self.patterns:
            grouped.setdefault(pattern.type, []).append(pattern)
        return {type_: tuple(patterns) for type_, patterns in grouped.items()}


def write_statistics(path: Path, facts: Statistics) -> None:
    """Store statistics, replacing older ones; only the file's owner can read them, since they contain data values."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, private=True) as file:
        file.write(orjson.dumps({"version": VERSION, "statistics": facts}, default=str))


def read_statistics(path: Path) -> Statistics | None:
    """Read the stored statistics; None if there are none that this version can read."""
    try:
        document = orjson.loads(path.read_bytes())
        if document["version"] != VERSION:
            return None
        return _statistics_form().validate_python(document["statistics"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


@cache
def _statistics_form() -> TypeAdapter[Statistics]:
    from pydantic import TypeAdapter  # imported on first use, like all of pydantic

    return TypeAdapter(Statistics)
