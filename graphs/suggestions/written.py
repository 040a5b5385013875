"""Extracts the content of a query from its text, so that an agent's query can be compared with suggested queries.

A query with mistakes may not be valid Cypher, so it is not parsed: patterns and clauses are found with regular
expressions.

    >>> written = read_text("MATCH (n:Movie)-[:directedBy]->(p:Person {name: 'Ann'}) RETURN n.name")
    >>> written.target, written.steps, written.keys
    ('Movie', (Step(type='directedBy', outward=True, name='ann'),), frozenset({'name'}))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

LONGEST = 4_000
_TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_NODE = re.compile(rf"\(\s*`?(\w*)`?\s*(?::\s*`?(\w+)`?)?\s*((?:{_TEXT}|[^()'\"])*)\)")
_HOP = re.compile(rf"\s*(<?)-(?:\[\s*`?(\w*)`?\s*(?::\s*`?(\w+)`?)?((?:{_TEXT}|[^\]'\"])*)\])?-(>?)\s*")
_WITH, _WORD = re.compile(r"\bWITH\b", re.IGNORECASE), re.compile(r"\b[A-Za-z_]\w*")
_ESCAPED = re.compile(r"\\(.)")
_STRING = re.compile(rf"({_TEXT})")
_EQUAL = re.compile(rf"\b(\w+)\.(\w+)\s*(?:=|CONTAINS|STARTS WITH)\s*({_TEXT})", re.IGNORECASE)
_RETURN = re.compile(r"\bRETURN\b", re.IGNORECASE)
_ORDER = re.compile(r"\bORDER\s+BY\s+(.*?)(\bLIMIT\b|$)", re.IGNORECASE | re.DOTALL)
_AGGREGATE = re.compile(r"\b(count|avg|min|max|sum)\s*\(", re.IGNORECASE)
_PROPERTY = re.compile(r"\b(\w+)\.(\w+)")
_CONDITION = re.compile(r"\bWHERE\b(.*?)(?=\b(?:RETURN|WITH|MATCH|ORDER)\b|$)", re.IGNORECASE | re.DOTALL)


class Step(NamedTuple):
    """A relationship of a query, seen from the returned node: `Step("directedBy", True, "ann")`."""

    type: str
    outward: bool
    """Whether the relationship leads away from the returned node."""
    name: str
    """The name, in lower case, of the node at the relationship's far end; empty if the query does not name it."""


@dataclass(frozen=True, slots=True)
class Written:
    """The content of a query, which is compared with the content of other queries."""

    target: str
    """The label of the returned node."""
    labels: frozenset[str]
    steps: tuple[Step, ...]
    names: frozenset[str]
    """The texts in quotation marks, in lower case: names of nodes, and values of properties."""
    keys: frozenset[str]
    """The properties of nodes that the query returns."""
    aggregates: frozenset[str]
    order: tuple[str, bool] | None
    """The property by which rows are sorted, or `#` for another sort key such as a count; and whether it descends."""
    limited: bool
    union: bool
    optional: bool
    timed: bool
    """Whether a property of a relationship is compared in WHERE, as a time usually is."""
    conditions: frozenset[str]
    """The properties of nodes that are compared in WHERE and do not name the node."""

    def same(self, other: Written) -> bool:
        """Whether two queries have the same target, names, keys, aggregates, sort order and steps (in any sequence).

        Both or neither must have a limit.
        """
        return all(
            own == its
            for own, its in (
                (self.target, other.target),
                (sorted(self.steps), sorted(other.steps)),
                (self.names, other.names),
                (self.keys, other.keys),
                (self.aggregates, other.aggregates),
                (self.order, other.order),
                (self.limited, other.limited),
            )
        )


def read_text(text: str) -> Written:
    """Return the content of a query; a field is empty if the query has no such part."""
    text = text[:LONGEST]
    nodes: dict[str, tuple[str, str]] = {}
    hops: list[tuple[str, str, str, bool]] = []
    relationships: set[str] = set()
    for path in _paths(text):
        for place, (variable, label, name) in enumerate(path.nodes):
            known = nodes.get(variable, ("", ""))
            nodes[variable] = (known[0] or label, known[1] or name)
            if place:
                type_, rightward, own = path.hops[place - 1]
                left = path.nodes[place - 1][0]
                hops.append((left, variable, type_, rightward))
                if own:
                    relationships.add(own)
    returned = _RETURN.split(text)[-1] if _RETURN.search(text) else ""
    naming: set[tuple[str, str]] = set()
    for variable, key, value in _EQUAL.findall(text):
        if variable in nodes and not nodes[variable][1] and key.lower().endswith(("name", "title", "id")):
            nodes[variable] = (nodes[variable][0], _inside(value))
            naming.add((variable, key))
    target = _target(text, returned, nodes)
    head, _, _ = returned.partition("ORDER BY")
    condition = " ".join(_CONDITION.findall(_STRING.sub("''", text)))
    properties = _PROPERTY.findall(condition)
    return Written(
        nodes.get(target, ("", ""))[0],
        frozenset(label for label, _ in nodes.values() if label),
        tuple(_steps(target, nodes, hops)),
        frozenset(_inside(value).casefold() for value in _STRING.findall(text)),
        frozenset(key for variable, key in _PROPERTY.findall(head) if variable not in relationships),
        frozenset(name.lower() for name in _AGGREGATE.findall(text)),
        _order(returned),
        re.search(r"\bLIMIT\s+\d", returned, re.IGNORECASE) is not None,
        re.search(r"\bUNION\b|\)\s*OR\s*(EXISTS\s*)?[({]", text, re.IGNORECASE) is not None,
        re.search(r"\bOPTIONAL\b", text, re.IGNORECASE) is not None,
        any(variable in relationships for variable, _ in properties),
        frozenset(
            key for variable, key in properties if variable not in relationships and (variable, key) not in naming
        ),
    )


class _Path(NamedTuple):
    nodes: list[tuple[str, str, str]]
    hops: list[tuple[str, bool, str]]


def _paths(text: str) -> Iterator[_Path]:
    """Yield the paths in a text: nodes (variable, label, name), and hops between neighbouring nodes.

    A hop is a type, whether it leads to the right, and a variable. A node without a variable has a number instead,
    such as `#1`; other texts that are not given are empty. A single node without a label is left out.
    """
    place, number = 0, 0
    while node := _NODE.search(text, place):
        path = _Path([], [])
        while True:
            number += 1
            named = _STRING.search(node[3])
            path.nodes.append((node[1] or f"#{number}", node[2] or "", _inside(named[1]) if named else ""))
            place = node.end()
            hop = _HOP.match(text, place)
            following = _NODE.match(text, hop.end()) if hop else None
            if hop is None or following is None:
                break
            path.hops.append((hop[3] or "", not hop[1], hop[2] or ""))
            node = following
        if path.hops or path.nodes[0][1]:
            yield path


def _inside(literal: str) -> str:
    return _ESCAPED.sub(r"\1", literal[1:-1])


def _target(text: str, returned: str, nodes: dict[str, tuple[str, str]]) -> str:
    """Return the variable that the answer is about: the first node in RETURN, or else in the last WITH with a node.

    If neither contains a node, return the first node of the query; if it has none, return an empty text.
    """
    for part in (returned, *reversed(_WITH.split(text)[1:])):
        for word in _WORD.finditer(part):
            if word[0] in nodes:
                return word[0]
    return next(iter(nodes), "")


def _steps(target: str, nodes: dict[str, tuple[str, str]], hops: list[tuple[str, str, str, bool]]) -> Iterator[Step]:
    distance = {target: 0}
    for _ in hops:
        for left, right, _, _ in hops:
            for here, there in ((left, right), (right, left)):
                if here in distance and there not in distance:
                    distance[there] = distance[here] + 1
    for left, right, type_, rightward in hops:
        away = distance.get(left, 0) <= distance.get(right, 0)
        yield Step(type_, rightward is away, nodes[right if away else left][1].casefold())


def _order(returned: str) -> tuple[str, bool] | None:
    found = _ORDER.search(returned)
    if found is None:
        return None
    keys = _PROPERTY.findall(found[1])
    return (keys[0][1] if keys else "#"), re.search(r"\bDESC", found[1], re.IGNORECASE) is not None
