"""The statistics of a graph's data, as plain values.

    >>> facts = graph.statistics()
    >>> facts.nodes("Country"), facts.fill("Country", "founding_date"), facts.namesakes("Person")
    (195, 0.0, 12)
    >>> facts.both_ways("borders", "Country")
    0.98

Every lookup returns None for an unknown figure, never a guess: zero means a count of zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

MOSTLY_SYMMETRIC = 0.66
"""The share of relationships present in both directions from which a relation counts as symmetric."""
FEWEST_FOR_SYMMETRY = 10
"""With fewer relationships the share is not meaningful."""


@dataclass(frozen=True, slots=True)
class PropertyStatistics:
    """The values of one property: `PropertyStatistics(count=3373, distinct=3340, least="10 Things I Hate About You", …)`.

    Attributes:
        count: nodes or relationships that have a value (not null).
        of: nodes or relationships that were read for it; `count / of` is the fill.
        blank: how many of the values are an empty list or an empty text.
        distinct: distinct values; None if unknown.
        repeated: nodes or relationships that share their value with another; None while unknown.
        least, greatest: the extremes in the order of their type; None for lists and for mixed types.
        common: the most frequent values with their counts, the most frequent first; lists are counted as a whole.
        exact: whether everything was read; otherwise the figures after `count` come from a sample.
    """

    count: int
    of: int
    blank: int = 0
    distinct: int | None = None
    repeated: int | None = None
    least: Any = None
    greatest: Any = None
    common: tuple[tuple[Any, int], ...] = ()
    exact: bool = True

    @property
    def fill(self) -> float:
        """The share that has a value, 0 to 1; 0 if there are no nodes or relationships."""
        return self.count / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class LabelStatistics:
    """The nodes of one label: `LabelStatistics("Country", 195, {"founding_date": PropertyStatistics(0, 195)}, "name")`.

    `naming` is the property that names the nodes, if known.
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
class Degrees:
    """The numbers of relationships of a pattern per node at one of its ends: `Degrees(nodes=195, having=190, …)`.

    Attributes:
        nodes: nodes of the label.
        having: of these, nodes with at least one such relationship.
        mean: relationships for each node of the label.
        most: the most that one node has.
        exact: whether all nodes were counted.
    """

    nodes: int
    having: int
    mean: float
    most: int
    exact: bool = True

    @property
    def without(self) -> float:
        """The share of nodes without such a relationship."""
        return 1 - self.having / self.nodes if self.nodes else 0.0


@dataclass(frozen=True, slots=True)
class PatternStatistics:
    """One pattern: `PatternStatistics("borders", "Country", "Country", 640, both_ways=0.98)`.

    Attributes:
        relationships: how many there are.
        both_ways: between nodes of one label, the share whose opposite is there too; None elsewhere and while unknown.
        loops: relationships from a node to itself; None while unknown.
        starts, ends: degrees of the nodes at the start and at the end; None while unknown.
        exact: whether `both_ways` and `loops` come from all relationships.
    """

    type: str
    start: str
    end: str
    relationships: int
    both_ways: float | None = None
    loops: int | None = None
    starts: Degrees | None = None
    ends: Degrees | None = None
    exact: bool = True

    @property
    def symmetric(self) -> bool:
        """Whether the data show that the relation holds in both directions."""
        return (
            self.both_ways is not None
            and self.both_ways >= MOSTLY_SYMMETRIC
            and self.relationships >= FEWEST_FOR_SYMMETRY
        )


@dataclass(frozen=True)
class Statistics:
    """The statistics of one graph; empty labels and patterns of the schema are included with zero.

    `complete` is False if something could not be read; `mark` identifies the state of the database that was read.
    """

    labels: Mapping[str, LabelStatistics] = field(default_factory=dict)
    types: Mapping[str, TypeStatistics] = field(default_factory=dict)
    patterns: tuple[PatternStatistics, ...] = ()
    complete: bool = True
    mark: str | None = None
    seconds: float = 0.0
    """The time that reading took."""

    def nodes(self, label: str) -> int | None:
        """The number of nodes with the label."""
        known = self.labels.get(label)
        return known.nodes if known is not None else None

    def relationships(self, type_: str, start: str | None = None, end: str | None = None) -> int | None:
        """The number of relationships of a type, from and to nodes of the given labels, if any."""
        if start is None and end is None:
            known = self.types.get(type_)
            return known.relationships if known is not None else None
        found = self.matching(type_, start, end)
        return sum(pattern.relationships for pattern in found) if found else None

    def matching(self, type_: str, start: str | None = None, end: str | None = None) -> tuple[PatternStatistics, ...]:
        """The patterns of a type that start and end at the given labels, if any."""
        return tuple(
            pattern
            for pattern in self._by_type.get(type_, ())
            if start in (None, pattern.start) and end in (None, pattern.end)
        )

    def pattern(self, type_: str, start: str, end: str) -> PatternStatistics | None:
        """The pattern with exactly these names."""
        return next(iter(self.matching(type_, start, end)), None)

    def property(self, owner: str, key: str) -> PropertyStatistics | None:
        """The values of a label's or a relationship type's property."""
        known = self.labels.get(owner) or self.types.get(owner)
        return known.properties.get(key) if known is not None else None

    def fill(self, owner: str, key: str) -> float | None:
        """The share of nodes of a label, or relationships of a type, that have the property."""
        known = self.property(owner, key)
        return known.fill if known is not None else None

    def namesakes(self, label: str) -> int | None:
        """How many nodes of a label share their name with another node of it; 0 if every name is unique."""
        known = self.labels.get(label)
        values = known.properties.get(known.naming) if known is not None and known.naming else None
        return values.repeated if values is not None else None

    def both_ways(self, type_: str, label: str) -> float | None:
        """The share of relationships between nodes of that label whose opposite exists too."""
        known = self.pattern(type_, label, label)
        return known.both_ways if known is not None else None

    def symmetric(self, type_: str, label: str) -> bool:
        """Whether the data show that the relation between nodes of that label holds in both directions."""
        known = self.pattern(type_, label, label)
        return known is not None and known.symmetric

    @cached_property
    def _by_type(self) -> Mapping[str, tuple[PatternStatistics, ...]]:
        grouped: dict[str, list[PatternStatistics]] = {}
        for pattern in self.patterns:
            grouped.setdefault(pattern.type, []).append(pattern)
        return {type_: tuple(patterns) for type_, patterns in grouped.items()}
