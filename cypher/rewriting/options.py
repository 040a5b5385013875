"""Lists the alternatives for each part of a query with their costs: 0 for no change, about 1 for a wrong name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from graphground.cypher.checks.entities import EntityLookup
from graphground.cypher.facts.schema_index import SchemaIndex
from graphground.cypher.names.nearest import nearest
from graphground.cypher.rewriting.sketch import NameUse, SketchLink, SketchNode
from graphground.cypher.schema import RelationshipPattern

OTHER_LABEL, OTHER_TYPE, REVERSED = 1.3, 1.2, 0.5
MISSING_NAME, MISSING_PROPERTY, OTHER_KEY = 2.4, 1.6, 0.3
LIKE_ENOUGH = 0.62


@dataclass(frozen=True, slots=True)
class NodeOption:
    """A possible label for a node, with the names and property keys that must change to fit that label."""

    label: str
    cost: float
    names: tuple[tuple[NameUse, str | None, str], ...]
    """The names to change, each with its new property (None for the same property) and its spelling in the graph."""
    keys: Mapping[str, str]
    """The property keys to replace: `{"runtime": "runtime_minute"}`."""


@dataclass(frozen=True, slots=True)
class LinkOption:
    """A possible pattern of the schema for a link; `forward` if the pattern runs from left to right in the text."""

    pattern: RelationshipPattern
    forward: bool
    cost: float


class Reading(Protocol):
    """Evidence from the question for or against a choice, as an extra cost;
    negative if the question supports the choice."""

    def label(self, label: str, node: SketchNode) -> float:
        """Return the extra cost of a label for a node."""
        ...

    def step(self, pattern: RelationshipPattern, start: SketchNode, end: SketchNode) -> float:
        """Return the extra cost of a relationship from one node to the other."""
        ...

    def name(self, written: str, name: str) -> float:
        """Return the extra cost of replacing one name by another."""
        ...


class Names:
    """The names in a graph, each looked up once per search."""

    def __init__(self, entities: EntityLookup | None) -> None:
        self._entities = entities
        self._holds: dict[tuple[str, str, str], bool] = {}
        self._near: dict[tuple[str, str], list[tuple[str, float]]] = {}

    @property
    def known(self) -> bool:
        return self._entities is not None

    def holds(self, value: str, label: str, key: str) -> bool:
        """Return whether nodes of a label have exactly this value; True if unknown."""
        place = (value, label, key)
        if place not in self._holds:
            self._holds[place] = self._entities is None or self._entities.holds(value, label=label, property=key)
        return self._holds[place]

    def near(self, value: str, label: str) -> list[tuple[str, float]]:
        """Return the names of a label that are most similar to a text, each with its similarity from 0 to 1."""
        place = (value, label)
        if place not in self._near:
            found = [] if self._entities is None else self._entities.find(value, label=label, limit=3)
            self._near[place] = [
                (candidate.name, candidate.score) for candidate in found if candidate.score >= LIKE_ENOUGH
            ]
        return self._near[place]


def node_options(
    node: SketchNode, index: SchemaIndex, names: Names, reading: Reading | None, most: int = 6
) -> list[NodeOption]:
    """Return the labels that a node may have, the cheapest first."""
    written = [use.name.name.text for use in node.labels]
    unknown = {text for text in written if text not in index.label_masks}
    near = {
        text: {candidate.name: candidate.score for candidate in nearest(text, index.label_masks, limit=20, worst=0.0)}
        for text in unknown
    }
    found = []
    for label in index.label_masks:
        cost = 0.0
        for text in dict.fromkeys(written):
            if text in unknown:
                cost += 0.2 + 1.1 * (1 - min(1.0, near[text].get(label, 0.0)))
            elif text != label:
                cost += OTHER_LABEL
        chosen, name_cost = _named(node, label, index, names, reading)
        keys, key_cost = _keys(node, label, index, {id(use.use) for use, key, _ in chosen if key is not None})
        cost += name_cost + key_cost
        if reading is not None:
            cost += reading.label(label, node)
        found.append(NodeOption(label, cost, tuple(chosen), keys))
    found.sort(key=lambda option: option.cost)
    return found[:most]


def _named(
    node: SketchNode, label: str, index: SchemaIndex, names: Names, reading: Reading | None
) -> tuple[list[tuple[NameUse, str | None, str]], float]:
    """Return the names of a node that change for a given label, as in `NodeOption.names`, and the cost of all names."""
    chosen: list[tuple[NameUse, str | None, str]] = []
    cost = 0.0
    properties = index.schema.labels[label].properties
    naming = index.schema.labels[label].name_property
    for use in node.names if names.known else ():
        key = use.use.key
        if key in properties and key != naming and (properties[key] not in ("str", "list[str]")):
            continue
        if key in properties and names.holds(use.value, label, key):
            continue
        if naming is None or use.comparison.operator == "IN":
            continue
        moved = None if key == naming else naming
        if moved is not None and key in properties and not names.holds(use.value, label, naming):
            continue
        best: tuple[float, str] | None = None
        if names.holds(use.value, label, naming):
            best = (0.0, use.value)
        else:
            for name, score in names.near(use.value, label):
                price = 0.15 + 2.2 * (1 - score) + (reading.name(use.value, name) if reading is not None else 0.0)
                if best is None or price < best[0]:
                    best = (price, name)
        if best is None or best[0] > MISSING_NAME:
            cost += MISSING_NAME
            continue
        cost += best[0] + (OTHER_KEY if moved is not None else 0.0)
        chosen.append((use, moved, best[1]))
    return chosen, cost


def _keys(node: SketchNode, label: str, index: SchemaIndex, moved: set[int]) -> tuple[dict[str, str], float]:
    """Return replacements for the property keys that a label does not have, and their cost."""
    keys: dict[str, str] = {}
    cost = 0.0
    properties = index.schema.labels[label].properties
    for key in dict.fromkeys(use.key for use in node.properties if id(use) not in moved):
        if key in properties:
            continue
        near = nearest(key, properties, limit=2)
        if near:
            keys[key] = near[0].name
            lead = near[0].score - (near[1].score if len(near) > 1 else 0.0)
            cost += 0.15 + 1.0 * (1 - min(1.0, near[0].score)) + (0.25 if lead < 0.1 else 0.0)
        else:
            cost += MISSING_PROPERTY
    return keys, cost


def link_options(
    link: SketchLink,
    left: str,
    right: str,
    index: SchemaIndex,
    near: Mapping[str, float],
    reading: Reading | None,
    most: int = 4,
) -> list[LinkOption]:
    """Return the patterns that connect two labels, the cheapest first.

    `near` holds the similarity of each relationship type to the link's type, if the schema does not have that type.
    """
    found = []
    both = link.link.pattern.direction == "both"
    rightward = link.link.pattern.direction == "right"
    for pattern in index.schema.patterns:
        if link.type is None:
            cost = 0.25
        elif link.type in index.types:
            cost = 0.0 if pattern.type == link.type else OTHER_TYPE
        else:
            cost = 0.2 + 1.1 * (1 - min(1.0, near.get(pattern.type, 0.0)))
        for forward in (True, False):
            if (pattern.start, pattern.end) != ((left, right) if forward else (right, left)):
                continue
            if pattern.symmetric and left == right and forward != rightward:
                continue
            ends = (link.left, link.right) if forward else (link.right, link.left)
            extra = reading.step(pattern, *ends) if reading is not None else 0.0
            other_way = REVERSED if not both and forward != rightward else 0.0
            found.append(LinkOption(pattern, forward, cost + other_way + extra))
    found.sort(key=lambda option: option.cost)
    return found[:most]
