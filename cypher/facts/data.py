"""What checks ask of a graph's data: counts alone, known beforehand. `graphs.schemas.statistics` answers them."""

from __future__ import annotations

from typing import Protocol

from graphground.cypher.facts.model import Facts, Link, PropertyUse, Symbol


class Filled(Protocol):
    """How many nodes or relationships have a property (`count`), of how many (`of`)."""

    @property
    def count(self) -> int: ...

    @property
    def of(self) -> int: ...


class Data(Protocol):
    """Counts of a graph; None wherever a count is not known, which no check takes for zero."""

    def nodes(self, label: str) -> int | None:
        """Nodes with the label."""
        ...

    def relationships(self, type_: str, start: str | None = None, end: str | None = None) -> int | None:
        """Relationships of a type, between nodes of two labels where given."""
        ...

    def property(self, owner: str, key: str) -> Filled | None:
        """How many nodes of a label, or relationships of a type, have a property."""
        ...

    def namesakes(self, label: str) -> int | None:
        """Nodes of a label that share their name with another."""
        ...


def owners(facts: Facts, symbol: Symbol, key: str) -> tuple[str, ...]:
    """The labels or types that a symbol may be of and whose schema has the property; empty where that is open."""
    index = facts.index
    if symbol.kind == "node":
        labels = index.labels_of(index.having(symbol.kinds, key))
        return tuple(label for label in labels if key in index.schema.labels[label].properties)
    types = symbol.link.types if symbol.link is not None else None
    if types is None:
        return ()
    return tuple(type_ for type_ in types if key in index.schema.relationship_properties.get(type_, {}))


def filled(facts: Facts, use: PropertyUse, data: Data) -> tuple[int, int] | None:
    """How many of what a property's symbol may be have it, and of how many; None where that is not known."""
    counts = [data.property(owner, use.key) for owner in owners(facts, use.symbol, use.key)]
    known = [count for count in counts if count is not None]
    if not counts or len(known) < len(counts):
        return None
    return sum(count.count for count in known), sum(count.of for count in known)


def matching(facts: Facts, link: Link, type_: str, data: Data) -> int | None:
    """How many relationships of a type a link may stand for, in the direction that is written; None if not known."""
    if link.length != (1, 1):
        return None
    lefts, rights = facts.index.labels_of(link.left.kinds), facts.index.labels_of(link.right.kinds)
    direction = link.pattern.direction
    total = 0
    for pattern in facts.index.schema.relationship_types.get(type_, ()):
        forward = direction != "left" and pattern.start in lefts and pattern.end in rights
        backward = direction != "right" and pattern.start in rights and pattern.end in lefts
        if forward or backward:
            count = data.relationships(type_, pattern.start, pattern.end)
            if count is None:
                return None
            total += count
    return total
