"""The schema of a property graph: its labels, its relationship patterns, the types of their properties.

    >>> schema = PropertyGraphSchema.from_cypherbench({
    ...     "name": "films",
    ...     "entities": [{"label": "Movie", "description": None, "properties": {"runtime_minute": "float"}},
    ...                  {"label": "Person", "description": None, "properties": {}}],
    ...     "relations": [{"label": "directedBy", "subj_label": "Movie", "obj_label": "Person",
    ...                    "properties": {}}]})
    >>> schema.labels["Movie"].properties["runtime_minute"]
    'float'
    >>> [str(pattern) for pattern in schema.patterns]
    ['(:Movie)-[:directedBy]->(:Person)']

A property type is one of `str int float bool date datetime` (and, from your own databases, `time duration point`),
`list[…]` of such a type, several types joined by `|` for mixed values (`int|str`), or `unknown`. Mixed and unknown
types never cause an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from graphground.cypher.quoting import quoted_name

if TYPE_CHECKING:
    from graphground.cypher.text_values import TextValues

SCALAR_TYPES = frozenset({"str", "int", "float", "bool", "date", "datetime", "time", "duration", "point"})

RESERVED_PROPERTIES: Mapping[str, str] = {
    "name": "str",
    "eid": "str",
    "aliases": "list[str]",
    "description": "str",
    "provenance": "list[str]",
}
"""Properties that the loader adds to every node of a CypherBench graph; the graph's JSON form does not list them."""


class SchemaError(ValueError):
    """The error for an invalid schema document; the message names the invalid part and the fix."""


def is_property_type(text: str) -> bool:
    """Return whether a string is a property type.

    >>> is_property_type("list[str]"), is_property_type("int|str"), is_property_type("text")
    (True, True, False)
    """
    if text == "unknown" or text in SCALAR_TYPES:
        return True
    if text.startswith("list[") and text.endswith("]"):
        return is_property_type(text[5:-1])
    return "|" in text and all(part and is_property_type(part) for part in text.split("|"))


@dataclass(frozen=True, slots=True)
class Label:
    """A node label with the properties that its nodes may have.

    `reserved` names the properties that a loader adds to every node (`name`, `eid`, …): they are in
    `properties` too, but the CypherBench form leaves them out. Facts from the data of a connected database are
    optional: `texts` holds the formats of text properties, `naming` the property that names a node (`title`,
    `companyName`; None if unknown), `keys` the properties that are unique by themselves, `filled` the properties that
    every node had when the schema was read.
    """

    name: str
    properties: Mapping[str, str] = field(default_factory=dict)
    description: str | None = None
    reserved: frozenset[str] = frozenset()
    count: int | None = None
    texts: Mapping[str, TextValues] = field(default_factory=dict)
    naming: str | None = None
    keys: frozenset[str] = frozenset()
    filled: frozenset[str] = frozenset()

    @property
    def name_property(self) -> str | None:
        """The property that names a node: the detected or configured property, else `name` if the label has it."""
        return self.naming or ("name" if "name" in self.properties else None)


@dataclass(frozen=True, slots=True)
class RelationshipPattern:
    """A relationship type between two labels: `(:Movie)-[:hasCastMember {character_role}]->(:Person)`.

    `filled` names the properties that every relationship of the type had when the schema was read.
    """

    type: str
    start: str
    end: str
    properties: Mapping[str, str] = field(default_factory=dict)
    description: str | None = None
    symmetric: bool = False
    count: int | None = None
    texts: Mapping[str, TextValues] = field(default_factory=dict)
    filled: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"(:{self.start})-[:{self.type}]->(:{self.end})"


@dataclass(frozen=True, slots=True)
class Combination:
    """The nodes with exactly these labels, with their number and their properties.

    `Combination(frozenset({"Application", "Process"}), 1608, ("pid",))` describes 1608 nodes.
    """

    labels: frozenset[str]
    count: int
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Index:
    """An index or a constraint of the database: `Index("unique", "Movie", ("title",), "movie_title")`.

    `kind` is `unique exists key range text fulltext vector point`, or the database's own word in lower case;
    `owner` is a label or a relationship type.
    """

    kind: str
    owner: str
    properties: tuple[str, ...]
    name: str = ""
    relationship: bool = False


@dataclass(frozen=True)
class PropertyGraphSchema:
    """The labels and relationship patterns of one graph.

    `open=True` means that the graph may hold more than is listed, so a missing name is never an error.
    `label_combinations` lists the sets of labels that occur together, if nodes have several: a pattern's `start` and
    `end` then each name one of the node's labels.
    """

    name: str
    labels: Mapping[str, Label]
    patterns: tuple[RelationshipPattern, ...]
    open: bool = False
    label_combinations: frozenset[frozenset[str]] = frozenset()
    combinations: tuple[Combination, ...] = ()
    """The sets of labels with their counts and properties; empty unless some node has several labels."""
    indexes: tuple[Index, ...] = ()

    def __post_init__(self) -> None:
        for pattern in self.patterns:
            for end in (pattern.start, pattern.end):
                if end not in self.labels:
                    raise SchemaError(
                        f"schema {self.name!r}: the pattern {pattern} names the label {end!r}, "
                        f"which is not a label of the schema (labels: {', '.join(self.labels)})"
                    )

    @cached_property
    def naming_properties(self) -> frozenset[str]:
        """The properties that name nodes: `name`, `title`, and those detected or configured for a label."""
        return frozenset({"name", "title", *(label.naming for label in self.labels.values() if label.naming)})

    @cached_property
    def relationship_types(self) -> Mapping[str, tuple[RelationshipPattern, ...]]:
        """Each relationship type with its patterns, in the schema's order."""
        return {group[0].type: tuple(group) for group in grouped(self.patterns, lambda pattern: pattern.type)}

    @cached_property
    def relationship_properties(self) -> Mapping[str, Mapping[str, str]]:
        """Each relationship type with the union of the properties of its patterns."""
        return {
            name: merge_property_types(pattern.properties for pattern in patterns)
            for name, patterns in self.relationship_types.items()
        }

    @classmethod
    def from_cypherbench(cls, document: Mapping[str, Any] | str | bytes) -> PropertyGraphSchema:
        """Read CypherBench's JSON form (`name`, `entities`, `relations`), as parsed JSON or as text.

        `label_combinations`, which CypherBench does not have, lists the sets of labels that occur together; `reserved`
        of an entity lists the properties of `RESERVED_PROPERTIES` that its data have, by default all of them.

        Raises:
            SchemaError: a part is missing or has the wrong type; the message names the part.
        """
        if isinstance(document, str | bytes):
            try:
                document = json.loads(document)
            except ValueError as error:
                raise SchemaError(f"the schema is not JSON: {error}") from None
        if not isinstance(document, Mapping):
            raise SchemaError(f"the schema must be a JSON object, not {type(document).__name__}")
        name = document.get("name")
        if not isinstance(name, str) or not name:
            raise SchemaError("the schema has no 'name'; give it a non-empty string")
        labels: dict[str, Label] = {}
        for place, entity in _records(document, "entities", ("label",)):
            label = entity["label"]
            if label in labels:
                raise SchemaError(f"{place}: the label {label!r} appears twice")
            labels[label] = Label(
                label,
                {**_reserved(place, entity), **_properties(place, entity)},
                entity.get("description"),
                frozenset(_reserved(place, entity)) - frozenset(entity.get("properties") or ()),
            )
        patterns: list[RelationshipPattern] = []
        for place, relation in _records(document, "relations", ("label", "subj_label", "obj_label")):
            for end in ("subj_label", "obj_label"):
                if relation[end] not in labels:
                    raise SchemaError(
                        f"{place}: {end} {relation[end]!r} is not among the entities' labels ({', '.join(labels)})"
                    )
            patterns.append(
                RelationshipPattern(
                    relation["label"],
                    relation["subj_label"],
                    relation["obj_label"],
                    _properties(place, relation),
                    relation.get("description"),
                )
            )
        return cls(name, labels, tuple(patterns), label_combinations=_combinations(document, labels))

    def to_cypherbench(self) -> dict[str, Any]:
        """Return CypherBench's JSON form; `json.dumps(…, indent=2)` reproduces a CypherBench schema file byte
        for byte."""
        return {
            "name": self.name,
            "entities": [
                {
                    "label": label.name,
                    "description": label.description,
                    "properties": {key: type_ for key, type_ in label.properties.items() if key not in label.reserved},
                    **_partly_reserved(label),
                }
                for label in self.labels.values()
            ],
            "relations": [
                {
                    "label": pattern.type,
                    "subj_label": pattern.start,
                    "obj_label": pattern.end,
                    **({"description": pattern.description} if pattern.description else {}),
                    "properties": dict(pattern.properties),
                }
                for pattern in self.patterns
            ],
            **({"label_combinations": sorted(map(sorted, self.label_combinations))} if self.label_combinations else {}),
        }


def merge_property_types(many: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the union of several property maps; a property with different types gets a mixed type.

    >>> merge_property_types([{"year": "int"}, {"year": "str"}, {"role": "str"}])
    {'year': 'int|str', 'role': 'str'}
    """
    merged: dict[str, str] = {}
    for properties in many:
        for key, type_ in properties.items():
            known = merged.get(key)
            if known is None:
                merged[key] = type_
            elif type_ != known:
                merged[key] = "|".join(dict.fromkeys([*known.split("|"), *type_.split("|")]))
    return merged


def _records(
    document: Mapping[str, Any], key: str, required: tuple[str, ...]
) -> Iterable[tuple[str, Mapping[str, Any]]]:
    records = document.get(key)
    if not isinstance(records, list):
        raise SchemaError(f"the schema's {key!r} must be a list")
    for number, record in enumerate(records):
        place = f"{key}[{number}]"
        if not isinstance(record, Mapping):
            raise SchemaError(f"{place} must be an object, not {type(record).__name__}")
        for name in required:
            if not isinstance(record.get(name), str) or not record[name]:
                raise SchemaError(f"{place}.{name} must be a non-empty string")
        yield place, record


def _combinations(document: Mapping[str, Any], labels: Mapping[str, Label]) -> frozenset[frozenset[str]]:
    listed = document.get("label_combinations") or []
    if not isinstance(listed, list):
        raise SchemaError("the schema's 'label_combinations' must be a list")
    for number, together in enumerate(listed):
        if not isinstance(together, list) or len(together) < 2 or not all(isinstance(name, str) for name in together):
            raise SchemaError(f"label_combinations[{number}] must be a list of at least two labels")
        for name in together:
            if name not in labels:
                raise SchemaError(
                    f"label_combinations[{number}]: {name!r} is not among the entities' labels ({', '.join(labels)})"
                )
    return frozenset(frozenset(together) for together in listed)


def _reserved(place: str, record: Mapping[str, Any]) -> dict[str, str]:
    listed = record.get("reserved", list(RESERVED_PROPERTIES))
    if not isinstance(listed, list) or not all(name in RESERVED_PROPERTIES for name in listed):
        raise SchemaError(f"{place}.reserved must be a list of some of {', '.join(RESERVED_PROPERTIES)}")
    return {key: type_ for key, type_ in RESERVED_PROPERTIES.items() if key in listed}


def _partly_reserved(label: Label) -> dict[str, list[str]]:
    """Return the entry `reserved` of a label whose nodes have only some of the reserved properties; else no entry."""
    missing = RESERVED_PROPERTIES.keys() - label.reserved
    return {"reserved": sorted(label.reserved)} if label.reserved and missing else {}


def _properties(place: str, record: Mapping[str, Any]) -> dict[str, str]:
    properties = record.get("properties") or {}
    if not isinstance(properties, Mapping):
        raise SchemaError(f"{place}.properties must be an object")
    for key, type_ in properties.items():
        if not isinstance(type_, str) or not is_property_type(type_):
            raise SchemaError(
                f"{place}.properties.{key}: {type_!r} is not a property type; use "
                f"{', '.join(sorted(SCALAR_TYPES))}, list[…] of one of these, or unknown"
            )
    return dict(properties)


# Groups elements of a schema that differ only in a label or a type, so that a text states them once


ItemT = TypeVar("ItemT")


def grouped(items: Iterable[ItemT], key: Callable[[ItemT], Hashable]) -> list[list[ItemT]]:
    """Group items by a key, in the order in which the keys first occur.

    >>> grouped(["Heat", "Ronin", "Jaws"], len)
    [['Heat', 'Jaws'], ['Ronin']]
    """
    groups: dict[Hashable, list[ItemT]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def grouped_patterns(
    patterns: Iterable[RelationshipPattern], rest: Callable[[RelationshipPattern], Hashable]
) -> list[list[RelationshipPattern]]:
    """Group the patterns of each type that share their start or their end, whichever gives fewer groups.

    `rest` returns everything else that must be equal within a group, such as the properties.
    """
    groups: list[list[RelationshipPattern]] = []
    for of_type in grouped(patterns, lambda pattern: pattern.type):
        by_end = grouped(of_type, lambda pattern: (pattern.end, rest(pattern)))
        by_start = grouped(of_type, lambda pattern: (pattern.start, rest(pattern)))
        groups += by_start if len(by_start) < len(by_end) else by_end
    return groups


def grouped_types(
    groups: Iterable[list[RelationshipPattern]], rest: Callable[[RelationshipPattern], Hashable]
) -> list[list[list[RelationshipPattern]]]:
    """Collect the groups of `grouped_patterns` that differ only in their type:
    their labels and their `rest` are equal."""

    def key(group: list[RelationshipPattern]) -> Hashable:
        return tuple((pattern.start, pattern.end) for pattern in group), rest(group[0])

    return grouped(groups, key)


def pattern_text(
    group: Sequence[RelationshipPattern], properties: str = "", *, types: Sequence[str] = (), directed: bool = True
) -> str:
    """Return the text of a group of patterns: `(:Painting|Sculpture)-[:createdBy]->(:Person)`.

    With `types`, the text lists those types instead of the group's type: `(:Person)-[:drafted|signed]->(:Team)`.
    """
    starts = label_names(pattern.start for pattern in group)
    ends = label_names(pattern.end for pattern in group)
    names = label_names(types or [group[0].type])
    return f"(:{starts})-[:{names}{properties}]-{'>' if directed else ''}(:{ends})"


def pattern_texts(patterns: Iterable[RelationshipPattern]) -> list[str]:
    """Return patterns as texts without properties: `(:Character)-[:hasMother|hasFather]->(:Character)`."""
    groups = grouped_types(grouped_patterns(patterns, lambda _: None), lambda _: None)
    return [pattern_text(of_types[0], types=[group[0].type for group in of_types]) for of_types in groups]


def label_names(labels: Iterable[str]) -> str:
    """Return the names of labels for a node pattern, each once: `Painting|Sculpture`."""
    return "|".join(dict.fromkeys(map(quoted_name, labels)))
