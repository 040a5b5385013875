"""Generates stand-in graphs: given queries return rows on them, and wrong queries usually return different rows.

For each query a few witnesses are planted: nodes and relationships that satisfy its patterns and conditions. Near
misses are planted beside the witnesses. Each is wrong in one way: a relationship of another type or direction between
the same labels, a condition just violated, a missing relationship, a node of the same name, a node that matches twice.
A stand-in graph serves to compare queries where the original graph is not available; scores measured on it are
estimates.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.stand_ins.witnesses import (
    Condition,
    Part,
    fresh_value,
    nearby,
    of_type,
    parts_of,
    satisfying,
    violating,
)
from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.synth.graph import Link, SyntheticGraph, Vocabulary, make_name, synth

CONFUSED = 0.1
"""The probability that a relationship at a node with a given name has near misses of another type or direction.

In real graphs a reversed relationship at such a node mostly matches nothing, so these near misses must be rare.
"""
RESERVED = frozenset(("name", "eid", "aliases", "description", "provenance"))


def stand_in(
    schema: PropertyGraphSchema,
    queries: Iterable[str],
    nodes: int,
    relationships: int,
    seed: int = 0,
    instances: int = 3,
) -> SyntheticGraph:
    """Generate a graph on which `queries` return rows, and nearly right queries usually return different rows.

    `MATCH (m:Movie)-[:directedBy]->(p:Person {name: 'Michael Mann'}) WHERE m.runtime_minute > 90 RETURN m.name` adds a
    person of that name and `instances` movies of more than 90 minutes that he directed. It also adds near misses, for
    example a movie of 90 minutes, a movie with the same name as another movie, and sometimes a movie that he wrote.

    Queries that cannot be parsed are ignored. Nothing is planted for a part of a query in which a node has no label, or
    a label that the schema does not have. Relationships and properties that the schema does not have are left out. The
    graph has more than `nodes` nodes or `relationships` relationships if the queries need more.
    """
    planter = _Planter(schema, random.Random(seed), instances)
    for text in queries:
        try:
            parts = parts_of(parse(text))
        except CypherSyntaxError:
            continue
        for part in parts:
            planter.plant(part)
    vocabulary = planter.vocabulary()
    named = sum(map(len, vocabulary.names.values()))
    return synth(
        schema,
        max(nodes, named + named // 4 + len(schema.labels)),
        max(relationships, len(vocabulary.links) + len(vocabulary.links) // 4),
        seed,
        vocabulary,
    )


class _Planter:
    def __init__(self, schema: PropertyGraphSchema, rng: random.Random, instances: int) -> None:
        self._schema, self._rng, self._instances = schema, rng, instances
        self._patterns = {(pattern.type, pattern.start, pattern.end) for pattern in schema.patterns}
        self._symmetric = {pattern.type for pattern in schema.patterns if pattern.symmetric}
        self._names: dict[str, list[str]] = {label: [] for label in schema.labels}
        self._numbers: dict[tuple[str, str], int] = {}
        self._values: dict[tuple[str, str], list[Any]] = defaultdict(list)
        self._fixed: dict[tuple[str, int], dict[str, Any]] = {}
        self._links: list[Link] = []

    def vocabulary(self) -> Vocabulary:
        """Return everything that was planted, as a vocabulary."""
        return Vocabulary(
            {label: tuple(names) for label, names in self._names.items()}, dict(self._values), self._links, self._fixed
        )

    def plant(self, part: Part) -> None:
        """Plant the witnesses of one part of a query, and near misses unless the query names the returned node."""
        owners = self._owners(part)
        for way in part.alternatives:
            for condition in (*part.inline, *way):
                self._mention(owners.get(condition.element), condition)
        if any(label not in self._schema.labels for label in part.labels.values()):
            return
        for number in range(self._instances):
            self._witness(part, number, complete=number < 2)
        if part.answer not in part.names:
            self._near_misses(part)

    def _near_misses(self, part: Part) -> None:
        for place, link in enumerate(part.links):
            self._witness(part, 0, without={place})
            if {link.start, link.end} & part.names.keys() and self._rng.random() >= CONFUSED:
                continue
            start, end = part.labels[link.start], part.labels[link.end]
            for type_, begin, finish in sorted(self._patterns):
                if {begin, finish} == {start, end} and (type_, begin, finish) != (link.type, start, end):
                    self._witness(part, 0, instead={place: (type_, begin != start)})
            if start == end and link.type not in self._symmetric:
                self._witness(part, 0, instead={place: (link.type, True)})
        for number, way in enumerate(part.alternatives):
            for condition in (*part.inline, *way):
                self._witness(part, number, violated=condition)
        first = self._witness(part, 0)
        namesake = self._names[part.labels[part.answer]][first[part.answer]]
        self._witness(part, 0, named={part.answer: namesake})
        if any(element not in part.names for element in part.labels if element != part.answer):
            self._witness(part, 0, shared={part.answer: first[part.answer]})

    def _witness(
        self,
        part: Part,
        number: int,
        *,
        complete: bool = True,
        violated: Condition | None = None,
        without: Iterable[int] = (),
        instead: Mapping[int, tuple[str, bool]] | None = None,
        named: Mapping[str, str] | None = None,
        shared: Mapping[str, int] | None = None,
    ) -> dict[str, int]:
        """Plant nodes and relationships that satisfy a part of a query, and return the number of each node by variable.

        Args:
            part: the part of the query.
            number: selects one of the ways to satisfy WHERE; with an odd number, optional relationships are left out.
            complete: whether to give a value to each property that the query returns or sorts by.
            violated: the condition to violate; if it is None, all conditions are satisfied.
            without: positions of relationships that are left out.
            instead: other types of relationships, by position; each with True if the direction is reversed.
            named: names of nodes, by variable.
            shared: numbers of existing nodes to reuse, by variable.
        """
        way = part.alternatives[number % len(part.alternatives)]
        fixed: dict[str, dict[str, Any]] = defaultdict(dict)
        owners = self._owners(part)
        if complete:
            for element, key in part.wanted:
                type_ = self._type(owners.get(element), key)
                if type_ and key not in RESERVED:
                    fixed[element][key] = fresh_value(key, type_, self._rng)
            _order(part, fixed)
        for condition in (*part.inline, *way):
            wrong = condition == violated
            value = violating(condition, self._rng) if wrong else satisfying(condition, self._rng)
            if condition.operator == ("IS NULL" if wrong else "IS NOT NULL"):
                value = fixed[condition.element].get(condition.key) or fresh_value(
                    condition.key, self._type(owners.get(condition.element), condition.key) or "str", self._rng
                )
            if condition.key not in RESERVED and (
                value is None or of_type(value, self._type(owners.get(condition.element), condition.key))
            ):
                fixed[condition.element][condition.key] = value
        numbers = dict(shared or {})
        for element, label in part.labels.items():
            if element not in numbers:
                known = part.names.get(element)
                numbers[element] = self._node(
                    label, known or (named or {}).get(element), fixed[element], anchor=known is not None
                )
        for place, link in enumerate(part.links):
            if place in without or (link.optional and number % 2):
                continue
            type_, is_reversed = (instead or {}).get(place, (link.type, False))
            start, end = (link.end, link.start) if is_reversed else (link.start, link.end)
            if (type_, part.labels[start], part.labels[end]) in self._patterns:
                properties = fixed[link.element] if type_ == link.type else None
                ends = (part.labels[start], numbers[start], part.labels[end], numbers[end])
                self._links.append(Link(type_, *ends, properties))
                if type_ in self._symmetric:
                    self._links.append(Link(type_, *ends[2:], *ends[:2], properties))
        return numbers

    def _node(self, label: str, name: str | None, properties: Mapping[str, Any], anchor: bool) -> int:
        """Return the number of a new node, or of the existing node of that name if the query names it (`anchor`)."""
        names = self._names[label]
        if anchor and name is not None and (label, name) in self._numbers:
            number = self._numbers[label, name]
            for key, value in properties.items():
                self._fixed.setdefault((label, number), {}).setdefault(key, value)
            return number
        number = len(names)
        names.append(name if name is not None else make_name(label, number))
        self._numbers.setdefault((label, names[number]), number)
        if properties:
            self._fixed[label, number] = dict(properties)
        return number

    def _owners(self, part: Part) -> dict[str, str]:
        """Return the label or relationship type of each variable of a part."""
        return {**{link.element: link.type for link in part.links}, **part.labels}

    def _mention(self, owner: str | None, condition: Condition) -> None:
        """Add the value that a condition compares with, and its neighbouring values, to the vocabulary's values.

        `owner` is the label or relationship type of the property.
        """
        if owner is None or condition.value is None or condition.key in RESERVED:
            return
        type_ = self._type(owner, condition.key)
        self._values[owner, condition.key] += [
            value for value in nearby(condition.value) if of_type(value, type_) or of_type([value], type_)
        ]

    def _type(self, owner: str | None, key: str) -> str | None:
        owner = owner or ""
        if owner in self._schema.labels:
            return self._schema.labels[owner].properties.get(key)
        return self._schema.relationship_properties.get(owner, {}).get(key)


def _order(part: Part, fixed: Mapping[str, dict[str, Any]]) -> None:
    """Swap the values of two properties (a pair in `part.larger`) if the first is smaller than the second."""
    for (element, key), (other, other_key) in part.larger:
        if key in fixed[element] and other_key in fixed[other]:
            high, low = fixed[element][key], fixed[other][other_key]
            if type(high) is type(low) and high < low:
                fixed[element][key], fixed[other][other_key] = low, high
