"""A selected part of a schema: the chosen elements, their relevance, and the resulting smaller schema."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern

IDENTIFYING = ("name", "title", "label", "id")
"""Properties that identify a node; a label without a detected naming property keeps the first of these that it has."""


def identifying_property(properties: Iterable[str]) -> str | None:
    """Return the first of the `IDENTIFYING` properties that a label has, or None."""
    known = set(properties)
    return next((key for key in IDENTIFYING if key in known), None)


@dataclass
class Selection:
    """Chosen labels, patterns and properties, each with its relevance from 0 to 1.

    `patterns` holds positions in `schema.patterns`; `properties` is keyed by label and name, `type_properties` by
    relationship type and name.
    """

    schema: PropertyGraphSchema
    labels: dict[str, float] = field(default_factory=dict)
    patterns: dict[int, float] = field(default_factory=dict)
    properties: dict[tuple[str, str], float] = field(default_factory=dict)
    type_properties: dict[tuple[str, str], float] = field(default_factory=dict)

    @classmethod
    def whole(cls, schema: PropertyGraphSchema) -> Selection:
        """Return a selection of the whole schema, in which each element has the relevance 0.5."""
        return cls(
            schema,
            dict.fromkeys(schema.labels, 0.5),
            dict.fromkeys(range(len(schema.patterns)), 0.5),
            {(label.name, key): 0.5 for label in schema.labels.values() for key in label.properties},
            {(type_, key): 0.5 for type_, properties in schema.relationship_properties.items() for key in properties},
        )

    def __bool__(self) -> bool:
        return bool(self.labels)

    def __len__(self) -> int:
        """The number of chosen elements."""
        return len(self.labels) + len(self.patterns) + len(self.properties) + len(self.type_properties)

    def add_label(self, label: str, relevance: float) -> None:
        self.labels[label] = max(relevance, self.labels.get(label, 0.0))

    def add_pattern(self, place: int, relevance: float) -> None:
        """Add a pattern and the labels at its ends."""
        self.patterns[place] = max(relevance, self.patterns.get(place, 0.0))
        pattern = self.schema.patterns[place]
        for end in (pattern.start, pattern.end):
            self.labels.setdefault(end, relevance)

    def add_property(self, label: str, key: str, relevance: float) -> None:
        """Add a property and its label."""
        self.properties[label, key] = max(relevance, self.properties.get((label, key), 0.0))
        self.labels.setdefault(label, relevance)

    def add_type_property(self, type_: str, key: str, relevance: float) -> None:
        self.type_properties[type_, key] = max(relevance, self.type_properties.get((type_, key), 0.0))

    def types(self) -> set[str]:
        """Return the relationship types of the chosen patterns."""
        return {self.schema.patterns[place].type for place in self.patterns}

    def part(self) -> PropertyGraphSchema:
        """Return the smaller schema, in the original order; each label keeps its identifying property."""
        labels = {}
        for name, label in self.schema.labels.items():
            if name in self.labels:
                identifying = label.naming or identifying_property(label.properties)
                labels[name] = replace(
                    label,
                    properties={
                        key: type_
                        for key, type_ in label.properties.items()
                        if key == identifying or (name, key) in self.properties
                    },
                )
        patterns = tuple(
            self._narrowed(pattern)
            for place, pattern in enumerate(self.schema.patterns)
            if place in self.patterns and pattern.start in labels and pattern.end in labels
        )
        return replace(self.schema, labels=labels, patterns=patterns)

    def _narrowed(self, pattern: RelationshipPattern) -> RelationshipPattern:
        if not pattern.properties:
            return pattern
        return replace(
            pattern,
            properties={
                key: type_ for key, type_ in pattern.properties.items() if (pattern.type, key) in self.type_properties
            },
        )
