"""Questions that a graph answers in several ways, or not at all: the ten kinds of CypherBench-AU.

    harden(tasks, graph, kinds=["ambiguous_relation", "absent_time"])

| kind | CypherBench-AU | the question |
|---|---|---|
| `ambiguous_relation` | A1 | says `connected with`, and the named node has two relationship types to one label |
| `ambiguous_property` | A2 | asks for the `date`, and the named node has a date of birth and a date of death |
| `ambiguous_type` | A3 | has a name that nodes of two labels have, with a property that both have |
| `ambiguous_value` | A4 | has a part of a name that several nodes of its label share |
| `ambiguous_direction` | A5 | does not say from which end, and the named node has nodes at both ends of a type |
| `absent_property` | U1 | asks for a property that only other labels have |
| `absent_relation` | U2 | asks for a relationship type that only other labels have |
| `absent_type` | U3 | asks for nodes of a kind that the graph does not have |
| `absent_filter` | U4 | has a condition on a property that only other labels have |
| `absent_time` | U5 | asks for a year, and neither the nodes nor the relationships of the gold query have times |

An ambiguous question expects a clarifying question; the graph cannot answer an absent one. Each is about the label and
the name of a task, and each ambiguity is looked up in the data: both readings have an answer, and not the same one.
What is absent comes from the labels that are most like the named one, or from `strange`, labels of other graphs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.cypher.names.words import as_words, fold, plural, split_name
from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern

TIME_TYPES = frozenset({"date", "datetime", "time"})
YEARS = range(1990, 2021)
SAMPLED = 500
"""The maximum number of names that are compared to find one with two meanings."""
SHARED = 20
"""The maximum number of names that share a word: one that more share says what the thing is, as `Hotel` does."""
Rows = Callable[[str, Any], list[list[Any]]]
"""The rows of a query with a parameter `$name`."""


@dataclass(frozen=True)
class Named:
    """A task's question and gold query, with one node that it names; `rows` queries the graph."""

    question: str
    gold: str
    label: str
    name: str
    schema: PropertyGraphSchema
    rows: Rows
    strange: Sequence[str] = ()

    @property
    def node(self) -> str:
        """The pattern of the named node, whose name is `$name`."""
        return f"(n:{quoted_name(self.label)} {{name: $name}})"


def ambiguous_relation(named: Named, rng: random.Random) -> str | None:
    """Ask which nodes the named one is `connected with`."""
    for other, patterns in _shuffled(_by_other(named).items(), rng):
        neighbours = {pattern.type: _neighbours(named, pattern, pattern.start == named.label) for pattern in patterns}
        if _differ(neighbours.values()):
            return f"Which {plural(as_words(other))} is {named.name} connected with?"
    return None


def ambiguous_property(named: Named, rng: random.Random) -> str | None:
    """Ask for a word that the names of two properties share."""
    properties = _asked_properties(named.schema, named.label)
    for first, second in _shuffled(combinations(properties, 2), rng):
        shared = [word for word in split_name(first) if word in split_name(second) and len(word) > 2]
        types = {named.schema.labels[named.label].properties[key] for key in (first, second)}
        if not shared or len(types) > 1 or " ".join(shared) in map(as_words, properties):
            continue
        columns = f"n.{quoted_name(first)}, n.{quoted_name(second)}"
        rows = named.rows(f"MATCH {named.node} RETURN {columns} LIMIT 2", named.name)
        if len(rows) == 1 and None not in rows[0] and rows[0][0] != rows[0][1]:
            return f"What is the {' '.join(shared)} of {named.name}?"
    return None


def ambiguous_type(named: Named, rng: random.Random) -> str | None:
    """Ask for a property of a name that nodes of two labels have."""
    schema, own = named.schema, f"(n:{quoted_name(named.label)})"
    for other in _shuffled(set(schema.labels) - {named.label}, rng):
        shared = set(_asked_properties(schema, named.label)) & set(_asked_properties(schema, other))
        if "name" not in schema.labels[other].properties:
            continue
        for key in _shuffled(shared, rng):
            values = f"n.{quoted_name(key)}", f"m.{quoted_name(key)}"
            rows = named.rows(
                f"MATCH {own} WITH n LIMIT $name MATCH (m:{quoted_name(other)} {{name: n.name}}) "
                f"WHERE {values[0]} <> {values[1]} RETURN n.name LIMIT 20",
                SAMPLED,
            )
            if names := [row[0] for row in rows if isinstance(row[0], str)]:
                return f"What is the {as_words(key)} of {rng.choice(names)}?"
    return None


def ambiguous_value(named: Named, rng: random.Random) -> str | None:
    """Leave only a word of the name, which several names of the label have."""
    kinds = {word for label in named.schema.labels for word in split_name(label)}
    words = named.name.split(" ")
    ends = {word for word in (words[0], words[-1]) if len(word) > 3 and word.istitle() and word.isalpha()}
    for word in _shuffled((word for word in ends if fold(word) not in kinds), rng):
        rows = named.rows(
            f"MATCH (n:{quoted_name(named.label)}) WHERE n.name CONTAINS $name RETURN DISTINCT n.name LIMIT 200", word
        )
        names = [row[0] for row in rows if isinstance(row[0], str) and word in row[0].split(" ")]
        if 1 < len(names) <= SHARED and word not in names:
            return _replaced(named.question, named.name, word)
    return None


def ambiguous_direction(named: Named, rng: random.Random) -> str | None:
    """Ask for a relationship between nodes of one label, without its direction."""
    loops = [p for p in named.schema.patterns if p.start == p.end == named.label and not p.symmetric]
    for pattern in _shuffled(loops, rng):
        if _differ([_neighbours(named, pattern, out) for out in (True, False)]):
            label, relation = plural(as_words(named.label)), as_words(pattern.type)
            return f"Between {named.name} and which other {label} is there a “{relation}” relation?"
    return None


def absent_property(named: Named, rng: random.Random) -> str | None:
    """Ask for a property that labels like this one have."""
    key = _foreign_property(named.schema, named.label, rng)
    return key and f"Tell me the {as_words(key)} of {named.name}."


def absent_relation(named: Named, rng: random.Random) -> str | None:
    """Ask for the nodes at the end of a relationship type that labels like this one have."""
    own = {pattern.type for pattern in named.schema.patterns if named.label in (pattern.start, pattern.end)}
    for like in _like(named.schema, named.label):
        foreign = [p for p in named.schema.patterns if p.start == like and p.type not in own and p.end != named.label]
        if foreign:
            pattern = rng.choice(foreign)
            return f"Which {plural(as_words(pattern.end))} does {named.name} have as “{as_words(pattern.type)}”?"
    return None


def absent_type(named: Named, rng: random.Random) -> str | None:
    """Ask for nodes with a label of another graph."""
    known = {word for owner in (*named.schema.labels, *_types(named.schema)) for word in split_name(owner)}
    strange = [label for label in named.strange if not known & set(split_name(label))]
    return f"Which {plural(as_words(rng.choice(strange)))} are connected with {named.name}?" if strange else None


def absent_filter(named: Named, rng: random.Random) -> str | None:
    """Add a condition on a property that the nodes in the answer do not have."""
    unnamed = [node.labels for node in parse(named.gold).find(t.NodePattern) if node.labels and not node.properties]
    label = next((name.text for labels in unnamed for name in labels.find(t.Name)), named.label)
    key = _foreign_property(named.schema, label, rng) if label in named.schema.labels else None
    question = named.question.rstrip(" ?.")
    if key is None or "," in question or " each" in question:
        return None  # a further condition would belong to the wrong part of the question
    return f"{question}, considering only {plural(as_words(label))} with a known {as_words(key)}?"


def absent_time(named: Named, rng: random.Random) -> str | None:
    """Ask for the state in one year, of which neither nodes nor relationships of the gold query know anything."""
    names = {name.text for name in parse(named.gold).find(t.Name)}
    properties: list[Mapping[str, str]] = [p.properties for p in named.schema.patterns if p.type in names]
    properties += [known.properties for label, known in named.schema.labels.items() if label in names]
    timed = any(
        type_ in TIME_TYPES or {"year", "date"} & set(split_name(key))
        for owned in properties
        for key, type_ in owned.items()
    )
    return None if timed or "," in named.question else f"{named.question.rstrip(' ?.')} in {rng.choice(YEARS)}?"


UNCLEAR: Mapping[str, Callable[[Named, random.Random], str | None]] = {
    make.__name__: make
    for make in (
        *(ambiguous_relation, ambiguous_property, ambiguous_type, ambiguous_value, ambiguous_direction),
        *(absent_property, absent_relation, absent_type, absent_filter, absent_time),
    )
}
"""What makes a question of each kind; None if the task, its graph or its data do not allow one."""


def _shuffled(items: Iterable[Any], rng: random.Random) -> list[Any]:
    found = sorted(items, key=str)
    rng.shuffle(found)
    return found


def _by_other(named: Named) -> dict[str, list[RelationshipPattern]]:
    found: dict[str, list[RelationshipPattern]] = {}
    for pattern in named.schema.patterns:
        if pattern.start != pattern.end and named.label in (pattern.start, pattern.end):
            found.setdefault(pattern.end if pattern.start == named.label else pattern.start, []).append(pattern)
    return {other: patterns for other, patterns in found.items() if len(patterns) > 1}


def _neighbours(named: Named, pattern: RelationshipPattern, out: bool) -> frozenset[object]:
    link = f"-[:{quoted_name(pattern.type)}]-"
    arrow = f"{link}>" if out else f"<{link}"
    other = quoted_name(pattern.end if out else pattern.start)
    rows = named.rows(f"MATCH {named.node}{arrow}(m:{other}) RETURN DISTINCT m.name LIMIT 200", named.name)
    return frozenset(row[0] for row in rows if row[0] is not None)


def _differ(readings: Iterable[frozenset[object]]) -> bool:
    """Whether two readings have different answers."""
    return len({answer for answer in readings if answer}) > 1


def _asked_properties(schema: PropertyGraphSchema, label: str) -> list[str]:
    known = schema.labels[label]
    return [key for key in known.properties if key not in known.reserved and key != known.name_property]


def _like(schema: PropertyGraphSchema, label: str) -> list[str]:
    """Return the other labels, those that share the most properties and relationship types with this one first."""

    def features(of: str) -> set[str]:
        return {*schema.labels[of].properties, *(p.type for p in schema.patterns if of in (p.start, p.end))}

    own = features(label)
    others = [other for other in schema.labels if other != label]
    return sorted(others, key=lambda other: (-len(own & features(other)) / len(own | features(other)), other))


def _foreign_property(schema: PropertyGraphSchema, label: str, rng: random.Random) -> str | None:
    own = {word for key in schema.labels[label].properties for word in split_name(key)}
    for like in _like(schema, label):
        foreign = [key for key in _asked_properties(schema, like) if not own & set(split_name(key))]
        if foreign:
            return rng.choice(foreign)
    return None


def _types(schema: PropertyGraphSchema) -> set[str]:
    return {pattern.type for pattern in schema.patterns}


def _replaced(question: str, name: str, other: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, question)
