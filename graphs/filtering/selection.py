"""A selected part of a schema: the chosen elements, their relevance, and the resulting smaller schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from graphground.cypher.diagnostics import counted
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern
from graphground.graphs.schemas.forms import base_form, estimate_tokens

Write = Callable[[PropertyGraphSchema], str]
IDENTIFYING = ("name", "title", "label", "id")
"""Properties that identify a node; a label without a detected naming property keeps the first of these that it has."""


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
                identifying = label.naming or next((key for key in IDENTIFYING if key in label.properties), None)
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


PROPERTY_SHARE = 0.75
"""The factor of the relevance of properties: they rank below connecting patterns and above unmentioned elements."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The elements that a partial schema leaves out: labels and relationship types by name, all others as numbers.

    `LeftOut(("Venue",), ("partOfLeague",), 12)`.
    """

    labels: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    properties: int = 0
    patterns: int = 0

    def __bool__(self) -> bool:
        return bool(self.labels or self.types or self.properties or self.patterns)

    def names(self, most: int = 30) -> list[str]:
        """Return up to `most` labels and up to `most` relationship types, and texts for the numbers of other elements.

        Such a text is `… and 1,970 more labels` or `12 properties`. The number of patterns is left out if a
        relationship type is listed.
        """
        listed: list[str] = []
        for names, kind in ((self.labels, "label"), (self.types, "relationship type")):
            listed += names[:most]
            if len(names) > most:
                listed.append(f"… and {counted(len(names) - most, f'more {kind}')}")
        if self.properties:
            listed.append(counted(self.properties, "property", "properties"))
        if self.patterns and not self.types:
            listed.append(counted(self.patterns, "relationship pattern"))
        return listed


def left_out_of(whole: PropertyGraphSchema, part: PropertyGraphSchema) -> LeftOut:
    """Return the elements of the whole schema that a partial schema leaves out."""
    kept_types = {pattern.type for pattern in part.patterns}
    properties = sum(len(label.properties) for label in whole.labels.values())
    properties += sum(map(len, whole.relationship_properties.values()))
    kept_properties = sum(len(label.properties) for label in part.labels.values())
    kept_properties += sum(map(len, part.relationship_properties.values()))
    return LeftOut(
        tuple(name for name in whole.labels if name not in part.labels),
        tuple(type_ for type_ in whole.relationship_types if type_ not in kept_types),
        properties - kept_properties,
        len(whole.patterns) - len(part.patterns),
    )


def fit(selection: Selection, max_tokens: int, write: Write = base_form) -> Selection:
    """Return the most relevant part of a selection whose text fits into `max_tokens`: all of it if it fits.

    The part is empty if not even one label fits. `write` makes the text of a schema.
    """
    pieces = _pieces(selection)
    labels = [piece for piece in pieces if piece[1] == LABEL]

    def first(count: int, pieces: Sequence[Piece] = pieces) -> Selection:
        if count == len(pieces) and pieces is not labels:
            return selection
        chosen = Selection(selection.schema)
        for relevance, kind, owner, piece in pieces[:count]:
            if kind == LABEL:
                chosen.add_label(piece, relevance)
            elif kind == PATTERN:
                chosen.add_pattern(int(piece), relevance)
            elif kind == PROPERTY:
                chosen.add_property(owner, piece, relevance)
            else:
                chosen.add_type_property(owner, piece, relevance)
        return chosen

    # Where the first pattern with both its labels is too long, a label may fit.
    return find_largest(first, len(pieces), max_tokens, write) or find_largest(
        lambda count: first(count, labels), len(labels), max_tokens, write
    )


def find_largest(first: Callable[[int], Selection], count: int, max_tokens: int, write: Write) -> Selection:
    """Return the largest of the selections `first(0)` to `first(count)`, each a part of the next, whose text fits."""
    low, high = 0, count + 1
    guess = FIRST_GUESS  # a large selection is not written out only to be counted
    while high - low > 1:
        middle = min(guess, count) if high > count else (low + high) // 2
        if estimate_tokens(write(first(middle).part())) <= max_tokens:
            low, guess = middle, 4 * guess
        else:
            high = middle
    return first(low)


FIRST_GUESS = 64
LABEL, PATTERN, PROPERTY, TYPE_PROPERTY = 1, 0, 2, 3


Piece = tuple[float, int, str, str]
"""The relevance, kind, owner and name of a piece; the name of a pattern is its position as text."""


def _pieces(selection: Selection) -> list[Piece]:
    """Return patterns, labels and properties, the most relevant first; a property ranks below its owner."""
    types: dict[str, float] = {}
    pieces: list[Piece] = []
    for place, relevance in selection.patterns.items():
        type_ = selection.schema.patterns[place].type
        types[type_] = max(relevance, types.get(type_, 0.0))
        pieces.append((relevance, PATTERN, "", str(place)))
    pieces += [(relevance, LABEL, "", label) for label, relevance in selection.labels.items()]
    pieces += [
        (PROPERTY_SHARE * relevance * selection.labels[label], PROPERTY, label, key)
        for (label, key), relevance in selection.properties.items()
        if label in selection.labels
    ]
    pieces += [
        (PROPERTY_SHARE * relevance * types[type_], TYPE_PROPERTY, type_, key)
        for (type_, key), relevance in selection.type_properties.items()
        if type_ in types
    ]
    return sorted(pieces, key=lambda piece: (-piece[0], piece[1]))
