"""Generates stand-in graphs: given queries return rows on them, and wrong queries usually return different rows.

For each query a few witnesses are planted: nodes and relationships that satisfy its patterns and conditions. Near
misses are planted beside the witnesses. Each is wrong in one way: a relationship of another type or direction between
the same labels, a condition just violated, a missing relationship, a node of the same name, a node that matches twice.
A stand-in graph serves to compare queries where the original graph is not available; scores measured on it are
estimates.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.stand_ins.synth import SyntheticGraph, make_name, make_values, with_gaps, word
from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern

HOMONYMS = 20
"""One in `HOMONYMS` of the vocabulary's names is given to two nodes."""
BORROWED = 0.3
"""The share of a property's values that come from the vocabulary, if the vocabulary has values for the property."""
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
    named, links = sum(map(len, vocabulary.names.values())), len(vocabulary.links)
    return StandIn(
        schema,
        max(nodes, named + named // 4 + len(schema.labels)),
        max(relationships, links + links // 4) if schema.patterns else 0,
        seed,
        vocabulary,
    )


class Link(NamedTuple):
    """A relationship that must exist, with the numbers of its nodes: `Link("directedBy", "Movie", 0, "Person", 3)`.

    `properties` overrides random values; a property whose value is None is left out.
    """

    type: str
    start: str
    start_number: int
    end: str
    end_number: int
    properties: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Names and values of the queries that will be run on a graph.

    `names={"Movie": ("Heat", "Ronin")}` gives the first two movies these names. `values={("Movie", "runtime_minute"):
    (90, 91.5)}` mixes these values with the random ones, and likewise `("releasedIn", "date")` for the property of a
    relationship. Dates are ISO 8601 text. `properties={("Movie", 0): {"runtime_minute": 170, "released": None}}` fixes
    values of one node; None means no value. `links` are relationships that the graph must have.
    """

    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    values: Mapping[tuple[str, str], Sequence[Any]] = field(default_factory=dict)
    links: Sequence[Link] = ()
    properties: Mapping[tuple[str, int], Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class StandIn(SyntheticGraph):
    """A generated graph with the names, values and relationships of a vocabulary."""

    vocabulary: Vocabulary = field(default_factory=Vocabulary)

    def given_names(self, label: str) -> Sequence[str]:
        """Return the vocabulary's names for a label's first nodes; a name that two nodes share appears twice."""
        names = list(self.vocabulary.names.get(label, ()))
        return names + names[::HOMONYMS]

    def entities(self) -> Iterator[dict[str, Any]]:
        """Yield SimpleKG entities with the properties that the vocabulary fixes."""
        for entity in super().entities():
            label, number = entity["label"], int(entity["eid"].rpartition("#")[2])
            fixed = self.vocabulary.properties.get((label, number))
            yield {**entity, "properties": _fix(entity["properties"], fixed, self.schema.labels[label].properties)}

    def relations(self) -> Iterator[dict[str, Any]]:
        """Yield SimpleKG relations; for each pattern, the vocabulary's relationships come first."""
        remaining = {ends: iter(links) for ends, links in self._links.items()}
        types = {(known.type, known.start, known.end): known.properties for known in self.schema.patterns}
        for relation in super().relations():
            ends = relation["label"], relation["subj_id"].partition("#")[0], relation["obj_id"].partition("#")[0]
            link = next(remaining.get(ends, iter(())), None)
            fixed = link.properties if link is not None else None
            yield {**relation, "properties": _fix(relation["properties"], fixed, types[ends])}

    def ends(
        self, pattern: RelationshipPattern, place: int, count: int, planted: int = 0
    ) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64], np.random.Generator]]:
        """Yield the ends of the vocabulary's relationships of a pattern, then blocks of random ends."""
        if links := self._links.get((pattern.type, pattern.start, pattern.end)):
            starts, ends = ([link[side] for link in links] for side in (2, 4))
            yield len(links), np.array(starts), np.array(ends), np.random.default_rng([self.seed, 3, place])
        yield from super().ends(pattern, place, count, len(links or ()))

    def column(self, owner: str, key: str, type_: str, size: int, rng: np.random.Generator) -> list[Any]:
        """Return values of a property, a share of which are the vocabulary's."""
        values = make_values(key, type_, size, rng)
        if borrowed := self.vocabulary.values.get((owner, key), ()):
            chosen = rng.integers(0, len(borrowed), size)
            for place in np.flatnonzero(rng.random(size) < BORROWED).tolist():
                value = borrowed[chosen[place]]
                values[place] = [value] if type_.startswith("list[") and not isinstance(value, list) else value
        return with_gaps(key, values, rng)

    @cached_property
    def _links(self) -> Mapping[tuple[str, str, str], list[Link]]:
        grouped: dict[tuple[str, str, str], list[Link]] = defaultdict(list)
        for link in self.vocabulary.links:
            grouped[link.type, link.start, link.end].append(link)
        return grouped

    @cached_property
    def _twins(self) -> Mapping[int, Any]:
        """No twins: relationships that join the same nodes by chance would be near misses that nobody planted."""
        return super()._twins if not self.vocabulary.links else {}


def _fix(values: dict[str, Any], fixed: Mapping[str, Any] | None, known: Mapping[str, str]) -> dict[str, Any]:
    """Replace random values by the vocabulary's (`fixed`); a random end year before its start year is left out."""
    if not fixed:
        return values
    values = {**values, **{key: value for key, value in fixed.items() if key in known}}
    start, end = values.get("start_year"), values.get("end_year")
    if start is not None and end is not None and end < start and "end_year" not in fixed:
        values["end_year"] = None
    return {key: value for key, value in values.items() if value is not None}


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


MOST_ALTERNATIVES = 6
"""Of the ways to satisfy a part's conditions, at most this many are considered; an OR with many operands has more."""

MIDNIGHT = "T00:00:00Z"

OPPOSITE = {
    "=": "<>",
    "<>": "=",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "IN": "NOT IN",
    "NOT IN": "IN",
    "HAS": "HAS NOT",
    "HAS NOT": "HAS",
    "IS NULL": "IS NOT NULL",
    "IS NOT NULL": "IS NULL",
    "CONTAINS": "CONTAINS NOT",
    "CONTAINS NOT": "CONTAINS",
    "STARTS WITH": "CONTAINS NOT",
    "ENDS WITH": "CONTAINS NOT",
}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}


class Condition(NamedTuple):
    """A condition on a property: `n.year > 1990` is `Condition("n", "year", ">", 1990)`.

    `element` is the variable of a node or relationship. `'x' IN n.list` has the operator `HAS`.
    """

    element: str
    key: str
    operator: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class WitnessLink:
    """A relationship between two nodes of a part; conditions refer to it by `element`."""

    element: str
    type: str
    start: str
    end: str
    optional: bool = False


@dataclass(slots=True)
class Part:
    """One MATCH … RETURN of a query, reduced to the conditions that its matches must satisfy.

    Elements are the variables of nodes and relationships; where the query has no variable, a name is generated.
    `labels` and `names` map the elements of nodes to labels and names. `inline` are the conditions in patterns, and
    `alternatives` the ways to satisfy WHERE. `answer` is the element of the returned node.
    """

    labels: dict[str, str] = field(default_factory=dict)
    links: list[WitnessLink] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    inline: list[Condition] = field(default_factory=list)
    alternatives: list[tuple[Condition, ...]] = field(default_factory=lambda: [()])
    wanted: list[tuple[str, str]] = field(default_factory=list)
    """Properties that the query returns or sorts by, each as element and key; they should have values."""
    larger: list[tuple[tuple[str, str], tuple[str, str]]] = field(default_factory=list)
    """Pairs of properties, each as element and key; the first property of a pair should have the larger value.

    The first WHEN of a CASE in the query compares the two properties, and is then true. A wrong query compares other
    properties, which may be null, and takes the ELSE branch.
    """
    answer: str = ""


def parts_of(query: t.Query) -> list[Part]:
    """Return the parts of a query that match nodes: the query itself, its subqueries, and the branches of a UNION."""
    found = []
    for single in query.find(t.SingleQuery):
        part = _part(single)
        if part.labels:
            found.append(part)
    return found


def _part(single: t.SingleQuery) -> Part:
    part = Part()
    for clause in single.clauses:
        if isinstance(clause, t.Match):
            for path in clause.patterns:
                _take_path(part, path, clause.optional)
        where = getattr(clause, "where", None)
        if isinstance(clause, t.Match | t.With | t.Filter) and where is not None:
            ways = list(_ways(where, False))
            part.alternatives = [(*alternative, *other) for alternative in part.alternatives for other in ways][
                :MOST_ALTERNATIVES
            ]
        if isinstance(clause, t.With | t.Return):
            found = [_element_and_key(property_) for property_ in clause.projection.find(t.Property)]
            part.wanted += [place for place in dict.fromkeys(found) if place is not None and place not in part.wanted]
            for case in clause.projection.find(t.Case):
                _take_case(part, case)
    for way in part.alternatives:
        for condition in way:
            if condition.key == "name" and condition.operator == "=" and isinstance(condition.value, str):
                part.names.setdefault(condition.element, condition.value)
    last = single.clauses[-1] if single.clauses else None
    returned = [variable.name for variable in last.find(t.Variable)] if last is not None else []
    part.answer = next((name for name in returned if name in part.labels), next(iter(part.labels), ""))
    return part


def _element_and_key(node: t.Node) -> tuple[str, str] | None:
    if isinstance(node, t.Property) and isinstance(node.subject, t.Variable):
        return node.subject.name, node.key.text
    return None


def _take_case(part: Part, case: t.Case) -> None:
    condition = case.branches[0].conditions[0] if case.subject is None and case.branches else None
    if isinstance(condition, t.Binary) and condition.operator in ("<", ">", "<=", ">="):
        left, right = _element_and_key(condition.left), _element_and_key(condition.right)
        if left is not None and right is not None:
            part.larger.append((left, right) if condition.operator.startswith(">") else (right, left))


def _take_path(part: Part, path: t.PathPattern, optional: bool) -> None:
    before, pending = "", None
    for element in path.elements:
        if isinstance(element, t.RelationshipPattern):
            pending = element
            continue
        if not isinstance(element, t.NodePattern):
            before, pending = "", None
            continue
        name = element.variable.name if element.variable else f" {len(part.labels)}"
        label = _one_name(element.labels)
        if label or name not in part.labels:
            part.labels[name] = label or part.labels.get(name, "")
        for key, value in _entries(element.properties):
            if key == "name" and isinstance(value, str):
                part.names[name] = value
            else:
                part.inline.append(Condition(name, key, "=", value))
        if before and pending is not None and (type_ := _one_name(pending.types)):
            link = pending.variable.name if pending.variable else f" r{len(part.links)}"
            start, end = (name, before) if pending.direction == "left" else (before, name)
            part.links.append(WitnessLink(link, type_, start, end, optional))
            part.inline += [Condition(link, key, "=", value) for key, value in _entries(pending.properties)]
        before, pending = name, None


def _one_name(labels: t.LabelExpression | None) -> str:
    return labels.name.text if isinstance(labels, t.LabelName) else ""


def _entries(properties: t.Expression | None) -> Iterator[tuple[str, Any]]:
    if isinstance(properties, t.MapLiteral):
        for entry in properties.entries:
            value = constant(entry.value)
            if value is not None:
                yield entry.key.text, value


def constant(node: t.Node) -> Any:
    """Return the value of a constant: `'x'`, `3`, `-3`, `[1, 2]`, or `date('1999-01-01')`, whose value is its text.

    A `datetime` without a time is at midnight. Return None for any other expression.

    >>> constant(next(parse("RETURN datetime('1999-01-01')").find(t.FunctionCall)))
    '1999-01-01T00:00:00Z'
    """
    match node:
        case t.StringLiteral() | t.IntegerLiteral() | t.FloatLiteral() | t.BooleanLiteral():
            return node.value
        case t.FunctionCall(key="date" | "datetime", arguments=[t.StringLiteral() as text]):
            is_day = node.key == "datetime" and len(text.value) == 10 and _is_date(text.value)
            return f"{text.value}{MIDNIGHT}" if is_day else text.value
        case t.Unary(operator="-", operand=t.IntegerLiteral() | t.FloatLiteral() as number):
            return -number.value
        case t.ListLiteral(items=items):
            values = [constant(item) for item in items]
            return None if None in values else values
    return None


def _ways(node: t.Expression, negated: bool) -> Iterator[tuple[Condition, ...]]:
    """Yield the ways to make a condition true (or false if `negated`), each a tuple of comparisons that must all hold.

    A comparison of an unsupported kind is left out, as if it were always true; so is a comparison with an empty list.
    """
    match node:
        case t.Unary(operator="NOT", operand=inner):
            yield from _ways(inner, not negated)
        case t.Binary(operator="AND" | "OR" as joined, left=left, right=right):
            if (joined == "AND") != negated:
                yield from ((*way, *other) for way in _ways(left, negated) for other in _ways(right, negated))
            else:
                yield from _ways(left, negated)
                yield from _ways(right, negated)
        case t.IsNull(operand=t.Property(subject=t.Variable(name=name), key=key), negated=positive):
            yield (Condition(name, key.text, "IS NOT NULL" if positive != negated else "IS NULL"),)
        case t.Binary():
            condition = _comparison(node)
            if condition is not None and negated:
                condition = condition._replace(operator=OPPOSITE[condition.operator])
            yield (condition,) if condition is not None else ()
        case _:
            yield ()


def _comparison(node: t.Binary) -> Condition | None:
    left, right = node.left, node.right
    match left, right:
        case t.Property(subject=t.Variable(name=name), key=key), _ if node.operator in OPPOSITE:
            value = constant(right)
            return Condition(name, key.text, node.operator, value) if value not in (None, []) else None
        case _, t.Property(subject=t.Variable(name=name), key=key):
            value = constant(left)
            operator = "HAS" if node.operator == "IN" else _TURNED.get(node.operator)
            return Condition(name, key.text, operator, value) if value is not None and operator else None
    return None


def satisfying(condition: Condition, rng: random.Random) -> Any:
    """Return a value for which a condition holds, at or near the condition's boundary if there is one.

    Return None for `IS NULL`, and also for `IS NOT NULL`, where the caller chooses a value of the property's type.

    >>> satisfying(Condition("n", "year", ">", 1990), random.Random(0)) > 1990
    True
    """
    value = condition.value
    match condition.operator:
        case "=" | "<=" | ">=":
            return value
        case "<" | ">" as operator:
            return _moved(value, rng.randint(1, 3) * (1 if operator == ">" else -1))
        case "<>" | "CONTAINS NOT":
            return _another(value, rng)
        case "IN":
            return rng.choice(value) if isinstance(value, list) and value else value
        case "HAS":
            return [value, _another(value, rng)]
        case "HAS NOT":
            return [_another(value, rng)]
        case "CONTAINS":
            return f"{word(rng.randrange(999))} {value} {word(rng.randrange(999))}"
        case "STARTS WITH":
            return f"{value}{word(rng.randrange(999)).lower()}"
        case "ENDS WITH":
            return f"{word(rng.randrange(999))}{value}"
        case "NOT IN":
            return _outside(value if isinstance(value, list) else [value], rng)
    return None


def _another(value: Any, rng: random.Random) -> Any:
    """Return another value of the same type: a random word for a text that is not a date."""
    return word(rng.randrange(999)) if isinstance(value, str) and not _is_date(value) else _moved(value, 5)


def _outside(values: Sequence[Any], rng: random.Random) -> Any:
    """Return a value that is not among the values: a number if there are numbers, otherwise a value of their type."""
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if numbers:
        return _moved(max(numbers), 1)
    texts = [value for value in values if isinstance(value, str)]
    if texts:
        return _moved(max(texts), 1) if all(map(_is_date, texts)) else word(rng.randrange(999))
    return _moved(values[0], 1)


def violating(condition: Condition, rng: random.Random) -> Any:
    """Return a value that fails a condition, near its boundary if there is one: 1990 for `n.year > 1990`.

    Return None for `IS NOT NULL`, and also for `IS NULL`, where the caller chooses a value of the property's type.
    """
    opposite = OPPOSITE.get(condition.operator)
    return satisfying(condition._replace(operator=opposite), rng) if opposite else None


def _is_date(value: str) -> bool:
    return len(value) >= 10 and value[4:5] == "-" and value[:4].isdigit()


def _moved(value: Any, steps: int) -> Any:
    """Move a value by a number of steps: an integer by 1 each, a date by a day, a float by a tenth of itself.

    Positive steps lead to a higher value, also of a negative float. A boolean is negated; a text is extended by one
    letter for each step.
    """
    match value:
        case bool():
            return not value
        case int():
            return value + steps
        case float():
            moved = value * (1 + 0.1 * (steps if value > 0 else -steps)) if value else float(steps)
            return float(f"{moved:.10g}")
        case str() if _is_date(value):
            try:
                return (date.fromisoformat(value[:10]) + timedelta(days=steps)).isoformat() + value[10:]
            except (ValueError, OverflowError):
                return value
    return f"{value}{'z' * abs(steps)}"


def fresh_value(key: str, type_: str, rng: random.Random) -> Any:
    """Return a random value of a property type; most values are distinct, except for booleans and years."""
    match _alternatives(type_)[0]:
        case "int":
            return rng.randint(1850, 2023) if "year" in key else rng.randint(1, 100_000)
        case "float":
            return round(rng.uniform(1, 10_000), 2)
        case "bool":
            return rng.random() < 0.5
        case "date" | "datetime" as kind:
            day = (date(1850, 1, 1) + timedelta(days=rng.randrange(62_000))).isoformat()
            return day if kind == "date" else f"{day}{MIDNIGHT}"
        case text if text.startswith("list["):
            return [fresh_value(key, text[5:-1], rng) for _ in range(2)]
    return word(rng.randrange(65_536))


def of_type(value: Any, type_: str | None) -> bool:
    """Whether a value may be stored under a property of this type.

    >>> of_type(3, "float"), of_type("long", "int"), of_type(["a"], "list[str]"), of_type(3, "int|str")
    (True, False, True, True)
    """
    alternatives = _alternatives(type_ or "")
    if len(alternatives) > 1:
        return any(of_type(value, alternative) for alternative in alternatives)
    if isinstance(value, list):
        return (type_ or "").startswith("list[") and all(of_type(item, str(type_)[5:-1]) for item in value)
    match type_:
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "bool":
            return isinstance(value, bool)
        case "date":
            return isinstance(value, str) and len(value) == 10 and _is_date(value)
        case "datetime":
            return isinstance(value, str) and _is_datetime(value)
        case "str":
            return isinstance(value, str)
    return False


def _alternatives(type_: str) -> list[str]:
    """Return the types in a union: `int` and `list[int|str]` for `int|list[int|str]`."""
    return re.split(r"\|(?![^\[]*\])", type_)


def _is_datetime(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return value[10:11] == "T"


def nearby(value: Any) -> Sequence[Any]:
    """Return a number or date between two neighbours, a lower and a higher value.

    Each of `<`, `=` and `>` then matches one of the values. For a boolean or any other text, return only the value
    itself. For a list, return the results for all its items as one list.
    """
    if isinstance(value, list):
        return [neighbour for item in value for neighbour in nearby(item)]
    if isinstance(value, bool) or (isinstance(value, str) and not _is_date(value)):
        return [value]
    return [_moved(value, -1), value, _moved(value, 1)]
