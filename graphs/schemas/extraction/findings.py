"""The findings of an extraction so far, and the schema built from them."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from graphground.cypher.schema import Combination, Index, Label, PropertyGraphSchema, RelationshipPattern
from graphground.graphs.schemas.extraction.value_types import merged

Ends = tuple[str, str, str]
"""The type, start label and end label of a pattern."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """A schema read from a database.

    `partial` is true if a step failed or ran out of time; `problems` describes each of these steps. The schema is then
    open: the database may contain names that the schema does not list.
    """

    schema: PropertyGraphSchema
    samples: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    partial: bool = False
    problems: tuple[str, ...] = ()
    nodes: int | None = None
    relationships: int | None = None
    elapsed_ms: float = 0.0


class Findings:
    """The findings of an extraction so far; the steps of the extraction add them from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.combinations: dict[frozenset[str], int] = {}
        self.node_types: dict[tuple[frozenset[str], str], set[str]] = {}
        self.patterns: dict[Ends, int] = {}
        self.type_types: dict[tuple[str, str], set[str]] = {}
        self.filled: set[tuple[frozenset[str] | str, str]] = set()
        self.type_counts: dict[str, int] = {}
        self.samples: dict[tuple[str, str], list[Any]] = {}
        self.indexes: tuple[Index, ...] = ()
        self.problems: list[str] = []

    def add_combination(self, labels: Iterable[str], count: int) -> None:
        """Add `count` to the number of nodes that have exactly these labels."""
        with self._lock:
            key = frozenset(labels)
            self.combinations[key] = self.combinations.get(key, 0) + count

    def add_property(self, labels: Iterable[str], key: str, type_: str | None) -> None:
        """Add a property and its type for nodes with exactly these labels; do nothing if `type_` is None."""
        if type_ is not None:
            with self._lock:
                self.node_types.setdefault((frozenset(labels), key), set()).add(type_)

    def add_filled(self, owner: Iterable[str] | str, key: str) -> None:
        """Record that all nodes with exactly these labels, or all relationships of a type, have a property."""
        with self._lock:
            self.filled.add((owner if isinstance(owner, str) else frozenset(owner), key))

    def add_type_property(self, type_: str, key: str, value_type: str | None) -> None:
        """Add a property and its type for relationships of a type; do nothing if `value_type` is None."""
        if value_type is not None:
            with self._lock:
                self.type_types.setdefault((type_, key), set()).add(value_type)

    def add_pattern(self, type_: str, start: str, end: str, count: int) -> None:
        """Add `count` to the number of relationships of a type from one label to another."""
        with self._lock:
            self.patterns[type_, start, end] = self.patterns.get((type_, start, end), 0) + count

    def add_problem(self, text: str) -> None:
        """Add a description of something that could not be read."""
        with self._lock:
            self.problems.append(text)

    def size(self) -> int:
        """Return the number of findings, by which the more complete of two extractions is chosen."""
        return len(self.combinations) + len(self.node_types) + len(self.patterns) + len(self.type_types)

    def schema(self, name: str) -> PropertyGraphSchema:
        """Build the schema; labels, relationship types and properties are in alphabetical order."""
        labels: dict[str, Label] = {}
        counts: dict[str, int] = {}
        for combination, count in self.combinations.items():
            for label in combination:
                counts[label] = counts.get(label, 0) + count
        for label in sorted(counts):
            types: dict[str, set[str]] = {}
            among = [combination for combination in self.combinations if label in combination]
            for (combination, key), found in self.node_types.items():
                if label in combination:
                    types.setdefault(key, set()).update(found)
            labels[label] = Label(
                label,
                {key: merged(types[key]) or "unknown" for key in sorted(types)},
                count=counts[label],
                filled=frozenset(
                    key for key in types if all((combination, key) in self.filled for combination in among)
                ),
            )
        patterns = []
        for (type_, start, end), count in sorted(self.patterns.items()):
            if start in labels and end in labels:
                properties = {
                    key: merged(found) or "unknown"
                    for (owner, key), found in sorted(self.type_types.items())
                    if owner == type_
                }
                filled = frozenset(key for key in properties if (type_, key) in self.filled)
                patterns.append(RelationshipPattern(type_, start, end, properties, count=count, filled=filled))
        several = frozenset(labels_together for labels_together in self.combinations if len(labels_together) > 1)
        return PropertyGraphSchema(
            name,
            labels,
            tuple(patterns),
            open=bool(self.problems),
            label_combinations=several,
            combinations=self._combinations() if several else (),
            indexes=self.indexes,
        )

    def _combinations(self) -> tuple[Combination, ...]:
        """Return each counted set of labels with its count and properties, the most frequent set first."""
        keys: dict[frozenset[str], list[str]] = {}
        for labels, key in sorted(self.node_types, key=lambda pair: pair[1]):
            keys.setdefault(labels, []).append(key)
        ordered = sorted(self.combinations.items(), key=lambda pair: (-pair[1], sorted(pair[0])))
        return tuple(
            Combination(labels, count, tuple(keys.get(labels, ()))) for labels, count in ordered if labels and count
        )
