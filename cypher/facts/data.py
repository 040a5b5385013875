"""The counts of a graph's data that the checks use; `graphs.schemas.statistics` provides them."""

from __future__ import annotations

from typing import Protocol

from graphground.cypher.facts.model import Facts, Link, PropertyUse, Symbol


class Filled(Protocol):
    """The number of nodes or relationships that have a property (`count`), and the number of all of them (`of`).

    `counted` is False if only a sample was counted; the checks ignore such figures.
    """

    @property
    def count(self) -> int: ...

    @property
    def of(self) -> int: ...

    @property
    def counted(self) -> bool: ...


class Data(Protocol):
    """The counts of a graph's nodes, relationships and properties; an unknown count is None, which is not zero."""

    def nodes(self, label: str) -> int | None:
        """Return the number of nodes with the label; None if unknown."""
        ...

    def relationships(self, type_: str, start: str | None = None, end: str | None = None) -> int | None:
        """Return the number of relationships of a type, between two labels if they are given; None if unknown."""
        ...

    def property(self, owner: str, key: str) -> Filled | None:
        """Return how many nodes of a label, or relationships of a type, have a property; None if unknown."""
        ...

    def namesakes(self, label: str) -> int | None:
        """Return the number of nodes of a label that share their name with another node; None if unknown."""
        ...


def owners(facts: Facts, symbol: Symbol, key: str) -> tuple[str, ...]:
    """Return the possible labels or types of a symbol for which the schema lists the property; empty if unknown."""
    index = facts.index
    if symbol.kind == "node":
        labels = index.labels_of(index.having(symbol.kinds, key))
        return tuple(label for label in labels if key in index.schema.labels[label].properties)
    types = symbol.link.types if symbol.link is not None else None
    if types is None:
        return ()
    return tuple(type_ for type_ in types if key in index.schema.relationship_properties.get(type_, {}))


def filled(facts: Facts, use: PropertyUse, data: Data) -> tuple[int, int] | None:
    """Return the number of nodes or relationships that have a property, and the number of all of them.

    Return None if the numbers are unknown or come from a sample.
    """
    counts = [data.property(owner, use.key) for owner in owners(facts, use.symbol, use.key)]
    known = [count for count in counts if count is not None and count.counted]
    if not counts or len(known) < len(counts):
        return None
    return sum(count.count for count in known), sum(count.of for count in known)


def matching(facts: Facts, link: Link, type_: str, data: Data) -> int | None:
    """Return the number of relationships of a type that a link can match in its written direction; None if unknown."""
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
