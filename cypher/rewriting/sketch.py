"""Represents a query as nodes and links, independent of variable names, for rewriting.

`MATCH (n:Company)<-[:hasCEO]-(p {name: 'Tim Cook'}) RETURN n.name` has two nodes, the second with a name, and one link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphground.cypher import tree as t
from graphground.cypher.facts.model import Comparison, Facts, LabelUse, Link, PropertyUse, Symbol

MOST_NODES, MOST_LINKS = 8, 8


@dataclass(slots=True)
class NameUse:
    """A comparison of a node's property with a string: `{name: 'Tim Cook'}`."""

    use: PropertyUse
    literal: t.StringLiteral
    comparison: Comparison

    @property
    def value(self) -> str:
        return self.literal.value


@dataclass(eq=False, slots=True)
class SketchNode:
    """A node of the sketch: all symbols of the query that must refer to the same graph node."""

    labels: list[LabelUse] = field(default_factory=list)
    properties: list[PropertyUse] = field(default_factory=list)
    names: list[NameUse] = field(default_factory=list)
    links: list[SketchLink] = field(default_factory=list)
    returned: bool = False

    @property
    def written(self) -> str | None:
        """The label in the query; None if the query gives no label or several."""
        names = {use.name.name.text for use in self.labels}
        return next(iter(names)) if len(names) == 1 else None


@dataclass(eq=False, slots=True)
class SketchLink:
    """A relationship between two nodes, in written order."""

    link: Link
    left: SketchNode
    right: SketchNode
    type: str | None
    """The written type, even if the schema does not have it; None if the query gives no type or several."""

    def other(self, node: SketchNode) -> SketchNode:
        """Return the node at the other end of the link."""
        return self.right if node is self.left else self.left

    @property
    def simple(self) -> bool:
        """Whether the link has at most one type and length 1: only then can its type be replaced."""
        return isinstance(self.link.pattern.types, t.LabelName | None) and self.link.length == (1, 1)


@dataclass(slots=True)
class Sketch:
    """The nodes of a query in the order in which they first occur, and its links."""

    facts: Facts
    nodes: list[SketchNode]
    links: list[SketchLink]


def sketch_of(facts: Facts) -> Sketch | None:
    """Return the sketch of a query; None if the query is too large for the search, or negates a label."""
    if len(facts.links) > MOST_LINKS or any(use.negated for use in facts.labels):
        return None
    groups = _grouped(facts.symbols)
    nodes: dict[int, SketchNode] = {}

    def node_of(symbol: Symbol) -> SketchNode:
        root = groups.get(id(symbol), id(symbol))
        return nodes.setdefault(root, SketchNode())

    for symbol in facts.symbols:
        if symbol.kind == "node":
            node_of(symbol)
    for label in facts.labels:
        node_of(label.symbol).labels.append(label)
    for use in facts.properties:
        if use.symbol.kind == "node":
            node_of(use.symbol).properties.append(use)
    for comparison in facts.comparisons:
        for name in _names(comparison):
            node_of(name.use.symbol).names.append(name)
    links = []
    for link in facts.links:
        left, right = node_of(link.left), node_of(link.right)
        types = link.pattern.types
        sketch_link = SketchLink(link, left, right, types.name.text if isinstance(types, t.LabelName) else None)
        links.append(sketch_link)
        left.links.append(sketch_link)
        right.links.append(sketch_link)
    for _, values in facts.returned:
        for value in values:
            symbol_of = value.symbol if isinstance(value, PropertyUse) else value
            if isinstance(symbol_of, Symbol) and symbol_of.kind == "node":
                node_of(symbol_of).returned = True
    if len(nodes) > MOST_NODES:
        return None
    return Sketch(facts, list(nodes.values()), links)


def _names(comparison: Comparison) -> list[NameUse]:
    use, operator = comparison.left, comparison.operator
    if operator == "IN" and isinstance(comparison.right, PropertyUse):
        use, literal = comparison.right, comparison.left_node
    else:
        literal = comparison.right_node
    if not isinstance(use, PropertyUse) or use.symbol.kind != "node" or operator not in ("=", "IN", "<>"):
        return []
    return [NameUse(use, text, comparison) for text in _texts(literal)]


def _texts(literal: t.Node) -> list[t.StringLiteral]:
    items = literal.items if isinstance(literal, t.ListLiteral) else [literal]
    return [item for item in items if isinstance(item, t.StringLiteral)]


def _grouped(symbols: Sequence[Symbol]) -> dict[int, int]:
    """Return the group of each symbol, by id; a symbol of a subquery
    or UNION branch joins the group of its outer symbol."""
    root: dict[int, int] = {}

    def find(key: int) -> int:
        while root.get(key, key) != key:
            key = root[key]
        return key

    for symbol in symbols:
        for other in (*((symbol.parent,) if symbol.parent is not None else ()), *symbol.sources):
            root[find(id(other))] = find(id(symbol))
    return {id(symbol): find(id(symbol)) for symbol in symbols}
