"""Stand-in graphs: made-up graphs on which given queries find something.

A stand-in holds the names and values that the queries mention, and for each pattern that they match a few
relationships between the nodes named and others. It is what queries are tried on where the graph that they were
written for is not at hand.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.synth.graph import SyntheticGraph, synth
from graphground.graphs.synth.names import make_name
from graphground.graphs.synth.vocabulary import Link, Vocabulary

POOL = 60
"""Nameless nodes of each label that the planted relationships go through."""


def stand_in(schema: PropertyGraphSchema, queries: Iterable[str], nodes: int, relationships: int, seed: int = 0,
             instances: int = 3) -> SyntheticGraph:
    """A graph on which most of `queries` find rows.

    `MATCH (m:Movie)-[:directedBy]->(p:Person {name: 'Michael Mann'}) WHERE m.runtime_minute > 90 RETURN m.name`
    gives it a person of that name, movies of 90 minutes and more, and `instances` movies that he directed.
    The sizes are raised where the queries need more.
    """
    vocabulary = _Gathered(schema, random.Random(seed), instances).of(queries)
    named = sum(map(len, vocabulary.names.values()))
    return synth(schema, max(nodes, 2 * named + len(schema.labels)), max(relationships, 2 * len(vocabulary.links)),
                 seed, vocabulary)


class _Gathered:
    def __init__(self, schema: PropertyGraphSchema, rng: random.Random, instances: int) -> None:
        self._schema, self._rng, self._instances = schema, rng, instances
        self._patterns = {(one.type, one.start, one.end) for one in schema.patterns}
        self._names: dict[str, dict[str, int]] = {label: {} for label in schema.labels}
        for label, names in self._names.items():
            for number in range(POOL):
                names.setdefault(make_name(label, number), len(names))
        self._pools = {label: len(names) for label, names in self._names.items()}
        self._values: dict[tuple[str, str], list[Any]] = defaultdict(list)
        self._links: list[Link] = []

    def of(self, queries: Iterable[str]) -> Vocabulary:
        for text in queries:
            try:
                query = parse(text)
            except CypherSyntaxError:
                continue
            self._take(query)
        return Vocabulary({label: tuple(names) for label, names in self._names.items()},
                          dict(self._values), self._links)

    def _take(self, query: t.Query) -> None:
        nodes = list(query.find(t.NodePattern))
        labels = {node.variable.name: label for node in nodes
                  if node.variable and (label := _one_name(node.labels)) in self._schema.labels}
        types = {rel.variable.name: type_ for rel in query.find(t.RelationshipPattern)
                 if rel.variable and (type_ := _one_name(rel.types))}
        for owner, key, value in _compared({**types, **labels}, query):
            self._mention(owner, key, value)
        numbers: dict[str, int] = {}
        for node in nodes:
            label = labels.get(node.variable.name, "") if node.variable else _one_name(node.labels)
            if label and label in self._schema.labels and isinstance(node.properties, t.MapLiteral):
                for entry in node.properties.entries:
                    value = _constant(entry.value)
                    if entry.key.text == "name" and isinstance(value, str):
                        number = self._names[label].setdefault(value, len(self._names[label]))
                        if node.variable:
                            numbers[node.variable.name] = number
                    elif value is not None:
                        self._mention(label, entry.key.text, value)
        for match in query.find(t.Match):
            for _ in range(self._instances):
                self._plant(match, labels, dict(numbers))

    def _mention(self, owner: str, key: str, value: Any) -> None:
        if key == "name" and owner in self._names and isinstance(value, str):
            self._names[owner].setdefault(value, len(self._names[owner]))
        elif key not in ("name", "eid", "aliases", "description", "provenance"):
            type_ = self._type(owner, key)
            self._values[owner, key] += [near for near in _nearby(value) if _fits(near, type_)]

    def _type(self, owner: str, key: str) -> str | None:
        if owner in self._schema.labels:
            return self._schema.labels[owner].properties.get(key)
        return self._schema.relationship_properties.get(owner, {}).get(key)

    def _plant(self, match: t.Match, labels: Mapping[str, str], numbers: dict[str, int]) -> None:
        for path in match.patterns:
            elements = path.elements
            for place in range(0, len(elements) - 2, 2):
                left, rel, right = elements[place:place + 3]
                if not (isinstance(left, t.NodePattern) and isinstance(right, t.NodePattern)
                        and isinstance(rel, t.RelationshipPattern)):
                    continue
                one, other = (left, right) if rel.direction != "left" else (right, left)
                type_ = _one_name(rel.types)
                ends = [self._end(node, labels, numbers) for node in (one, other)]
                if type_ and ends[0] and ends[1] and (type_, ends[0][0], ends[1][0]) in self._patterns:
                    self._links.append(Link(type_, *ends[0], *ends[1]))

    def _end(self, node: t.NodePattern, labels: Mapping[str, str], numbers: dict[str, int]) -> tuple[str, int] | None:
        name = node.variable.name if node.variable else None
        label = labels.get(name) if name else _one_name(node.labels)
        if label is None or label not in self._schema.labels:
            return None
        if isinstance(node.properties, t.MapLiteral):
            for entry in node.properties.entries:
                value = _constant(entry.value)
                if entry.key.text == "name" and isinstance(value, str):
                    return label, self._names[label][value]
        number = self._rng.randrange(self._pools[label])
        return label, numbers.setdefault(name, number) if name else number


def _one_name(labels: t.LabelExpression | None) -> str:
    return labels.name.text if isinstance(labels, t.LabelName) else ""


def _constant(node: t.Node) -> Any:
    """`'x'`, `3`, `-3`, `date('1999-01-01')` as a value; None for anything else."""
    match node:
        case t.StringLiteral() | t.IntegerLiteral() | t.FloatLiteral() | t.BooleanLiteral():
            return node.value
        case t.FunctionCall(key="date" | "datetime", arguments=[t.StringLiteral() as text]):
            return text.value
        case t.Unary(operator="-", operand=t.IntegerLiteral() | t.FloatLiteral() as number):
            return -number.value
    return None


def _compared(owners: Mapping[str, str], query: t.Query) -> Iterable[tuple[str, str, Any]]:
    """`n.year > 1999` gives the owner of `n`, `year` and 1999; also `'x' IN n.list` and `n.year IN [1, 2]`."""
    for binary in query.find(t.Binary):
        for one, other in ((binary.left, binary.right), (binary.right, binary.left)):
            if isinstance(one, t.Property) and isinstance(one.subject, t.Variable) and one.subject.name in owners:
                items: Sequence[t.Node] = other.items if isinstance(other, t.ListLiteral) else [other]
                for value in map(_constant, items):
                    if value is not None:
                        yield owners[one.subject.name], one.key.text, value


def _nearby(value: Any) -> list[Any]:
    """A value, and for an order its neighbours, so that `<`, `=` and `>` all find something."""
    if isinstance(value, bool):
        return [value]
    if isinstance(value, int):
        return [value - 1, value, value + 1]
    if isinstance(value, float):
        return [value * 0.9, value, value * 1.1 + 1]
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return [value]
    return [(day + timedelta(days=offset)).isoformat() for offset in (-1, 0, 1)]


def _fits(value: Any, type_: str | None) -> bool:
    kind = (type_ or "").removeprefix("list[").removesuffix("]")
    match kind:
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "bool":
            return isinstance(value, bool)
        case "date":
            return isinstance(value, str) and len(value) == 10 and value[4:5] == "-"
        case "str":
            return isinstance(value, str)
    return False
