"""Fits a selection into a number of tokens: the least relevant properties go first, connecting patterns last."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.filtering.selection import Selection, identifying_property
from graphground.graphs.schema_forms import base_form
from graphground.graphs.tokens import estimate_tokens

TRIES = 12


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a part of a schema does not hold: labels and relationship types by name, properties by number.

    `LeftOut(("Venue",), ("partOfLeague",), 12)`.
    """

    labels: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    properties: int = 0
    patterns: int = 0

    def __bool__(self) -> bool:
        return bool(self.labels or self.types or self.properties or self.patterns)

    def names(self, most: int = 30) -> list[str]:
        """For an answer: the names, `… and 1,970 more labels`, the number of properties."""
        listed: list[str] = []
        for names, kind in ((self.labels, "labels"), (self.types, "relationship types")):
            listed += names[:most]
            if len(names) > most:
                listed.append(f"… and {len(names) - most:,} more {kind}")
        if self.properties:
            listed.append(f"{self.properties:,} properties")
        if self.patterns and not self.types:
            listed.append(f"{self.patterns:,} relationship patterns")
        return listed


def left_out_of(whole: PropertyGraphSchema, part: PropertyGraphSchema) -> LeftOut:
    """What the part lacks."""
    kept_types = {pattern.type for pattern in part.patterns}
    properties = sum(len(label.properties) for label in whole.labels.values())
    properties += sum(map(len, whole.relationship_properties.values()))
    kept = sum(len(label.properties) for label in part.labels.values())
    kept += sum(map(len, part.relationship_properties.values()))
    return LeftOut(tuple(name for name in whole.labels if name not in part.labels),
                   tuple(type_ for type_ in whole.relationship_types if type_ not in kept_types),
                   properties - kept, len(whole.patterns) - len(part.patterns))


@lru_cache(maxsize=100_000)
def _name_cost(name: str) -> int:
    return estimate_tokens(name)


@dataclass
class _Costs:
    """What each piece costs in the base form, roughly."""

    schema: PropertyGraphSchema

    def label(self, name: str) -> int:
        label = self.schema.labels[name]
        identifying = identifying_property(label.properties)
        return _name_cost(name) + 3 + (_name_cost(identifying) + 3 if identifying else 0)

    def property(self, key: str, type_: str) -> int:
        return _name_cost(key) + _name_cost(type_) + 2

    def pattern(self, place: int) -> int:
        pattern = self.schema.patterns[place]
        return _name_cost(pattern.start) + _name_cost(pattern.type) + _name_cost(pattern.end) + 5


def fit(selection: Selection, max_tokens: int) -> Selection:
    """The most relevant part of a selection whose base form keeps the budget; empty when not one label does."""
    aim = max_tokens
    for _ in range(TRIES):
        smaller = _greedy(selection, aim)
        used = estimate_tokens(base_form(smaller.part())) if smaller else 0
        if used <= max_tokens:
            return smaller
        aim = min(aim - 1, int(aim * max_tokens / used))
    return Selection(selection.schema)


def _greedy(selection: Selection, max_tokens: int) -> Selection:
    """Take labels and patterns by relevance, then properties, while their estimated costs fit."""
    costs = _Costs(selection.schema)
    chosen = Selection(selection.schema)
    left = max_tokens - 3
    for kind, piece, relevance in _structure(selection):
        if kind == "label":
            name = str(piece)
            cost = 0 if name in chosen.labels else costs.label(name)
            if cost <= left:
                left -= cost
                chosen.add_label(name, relevance)
        else:
            place = int(piece)
            pattern = selection.schema.patterns[place]
            ends = {pattern.start, pattern.end} - chosen.labels.keys()
            cost = costs.pattern(place) + sum(map(costs.label, ends))
            if cost <= left:
                left -= cost
                chosen.add_pattern(place, relevance)
    types = {selection.schema.patterns[place].type for place in chosen.patterns}
    wanted = [(relevance, owner, key, True) for (owner, key), relevance in selection.properties.items()
              if owner in chosen.labels]
    wanted += [(relevance, type_, key, False) for (type_, key), relevance in selection.type_properties.items()
               if type_ in types]
    for relevance, owner, key, of_label in sorted(wanted, key=lambda one: -one[0]):
        properties = (selection.schema.labels[owner].properties if of_label
                      else selection.schema.relationship_properties[owner])
        cost = costs.property(key, properties[key])
        if cost <= left:
            left -= cost
            if of_label:
                chosen.add_property(owner, key, relevance)
            else:
                chosen.add_type_property(owner, key, relevance)
    return chosen


def _structure(selection: Selection) -> list[tuple[str, str | int, float]]:
    """Labels and patterns, most relevant first; a pattern comes before a label of the same relevance."""
    pieces: list[tuple[str, str | int, float]] = [("pattern", place, relevance)
                                                  for place, relevance in selection.patterns.items()]
    pieces += [("label", label, relevance) for label, relevance in selection.labels.items()]
    return sorted(pieces, key=lambda piece: -piece[2])
