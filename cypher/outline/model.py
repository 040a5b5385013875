"""The facts about a query: its symbols, the relationships between them, the properties that it reads.

`MATCH (c:Company)<-[r:hasCEO]-(p) WHERE p.gender = 'male' RETURN c.name` gives the symbols c, r and p, one `Link`
from p to c, the property uses `p.gender` and `c.name`, and one `Comparison`. `reader` collects
these facts, `solver` infers that p is a Person, and the checks read them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from graphground.cypher import tree as t
from graphground.cypher.outline.schema_index import Pairs, SchemaIndex


class Symbol:
    """The graph element behind a variable or an unnamed node.

    `kind` is `node`, `relationship`, `path` or `list`.

    `kinds` are the node kinds that the symbol may still have, one bit each; `declared` are the kinds that its written
    labels allow, and `contradicted` is true if these labels exclude each other. A subquery has its own symbol for an
    outer variable, and `parent` is that variable's outer symbol; `sources` are the symbols of the branches of a UNION.
    `suspect` is true if a label of the symbol is not in the schema.
    """

    __slots__ = (
        "contradicted",
        "declared",
        "element",
        "kind",
        "kinds",
        "link",
        "links",
        "name",
        "parent",
        "sources",
        "suspect",
    )

    def __init__(self, kind: str, name: str | None = None, kinds: int = 0, parent: Symbol | None = None):
        self.kind = kind
        self.name = name
        self.kinds = kinds
        self.declared = kinds
        self.contradicted = False
        self.suspect = False
        self.parent = parent
        self.sources: list[Symbol] = []
        self.links: list[Link] = []
        self.link: Link | None = None
        self.element: Value = None


@dataclass(eq=False, slots=True)
class PropertyUse:
    """A use of a property, `n.name`: the symbol, the key and the node of the tree.

    `element` is true for a single item of a list property (after UNWIND); `in_map` is true for an entry of a pattern's
    map, `{name: 'x'}`; `node` is the whole expression, and `key_node` the part that names the property.
    """

    symbol: Symbol
    key: str
    key_node: t.Node
    node: t.Node
    in_map: bool = False
    element: bool = False


Value = Symbol | PropertyUse | None


@dataclass(eq=False, slots=True)
class Link:
    """A relationship of a pattern between two node symbols, in written order.

    `pairs` are the pairs of kinds that the link may connect, left to right as written; `reversed_pairs` are the pairs
    in the other direction. `types` is None if any type may match, or if the types are unknown. `unknown` is true if a
    named type is not in the schema, or if the type expression is too complex.
    """

    left: Symbol
    right: Symbol
    symbol: Symbol
    pattern: t.RelationshipPattern
    left_node: t.NodePattern
    right_node: t.NodePattern
    types: tuple[str, ...] | None
    pairs: Pairs
    reversed_pairs: Pairs
    length: tuple[int, int | None]
    unknown: bool
    bad: bool = False


@dataclass(slots=True)
class Comparison:
    """A comparison: `n.year > 1999`, `'x' IN n.names`, or `{name: 'x'}` (then `node` is the map entry
    and the operator `=`)."""

    node: t.Node
    operator: str
    left: Value
    right: Value
    left_node: t.Expression | t.Name
    right_node: t.Expression
    negated: bool
    certain: bool
    """Whether only rows for which the comparison is true are kept, as for a conjunct of WHERE or an entry of a map."""


@dataclass(slots=True)
class LabelUse:
    """An occurrence of the name of a label or of a relationship type, in a pattern or in a test such as `n:Person`."""

    name: t.LabelName
    symbol: Symbol
    negated: bool


@dataclass(slots=True)
class MatchUse:
    """A MATCH with the symbols of its nodes, one list per path."""

    clause: t.Match
    parts: list[list[Symbol]]
    anchored: bool = False


@dataclass
class Facts:
    """All facts about a query, in the order of the text."""

    query: t.Query
    index: SchemaIndex
    symbols: list[Symbol] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    labels: list[LabelUse] = field(default_factory=list)
    types: list[LabelUse] = field(default_factory=list)
    contradictions: list[tuple[Symbol, t.LabelExpression]] = field(default_factory=list)
    """Labels that never occur on one node together with labels required earlier: `(n:Movie)` and `(n:Person)`."""
    properties: list[PropertyUse] = field(default_factory=list)
    components: list[tuple[PropertyUse, t.Name]] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    null_tests: list[PropertyUse] = field(default_factory=list)
    matches: list[MatchUse] = field(default_factory=list)
    unbounded: list[t.RelationshipPattern] = field(default_factory=list)
    returned: list[tuple[t.Return, list[Value]]] = field(default_factory=list)
    """The outermost RETURNs with the value of each item."""
    calls: list[tuple[t.FunctionCall, t.Expression, PropertyUse]] = field(default_factory=list)
    """Calls, each with an argument that is a property: `max(n.year)`."""
    calculated: list[tuple[t.Binary, t.Expression, PropertyUse]] = field(default_factory=list)
    """Arithmetic operations, each with the operand that is a property: `n.price * 2`."""
    sorted: list[tuple[t.SortItem, PropertyUse]] = field(default_factory=list)
    """Sort keys that are properties, directly or through the alias of a column: `ORDER BY n.year`."""
    distinct_values: list[tuple[t.Node, Value]] = field(default_factory=list)
    """Values that are deduplicated, each with the call or column:
    `count(DISTINCT n.name)`, `RETURN DISTINCT n.name`."""


# The counts of a graph's data that the checks use; `graphs.schemas.statistics` provides them


class Filled(Protocol):
    """The number of nodes or relationships that have a property (`count`), and the number of all of them (`of`).

    `counted` is False if only a sample was counted; the checks ignore such figures. `least` and `greatest` are the
    extremes of the values that were read; None if they have none.
    """

    @property
    def count(self) -> int: ...

    @property
    def of(self) -> int: ...

    @property
    def counted(self) -> bool: ...

    @property
    def least(self) -> object: ...

    @property
    def greatest(self) -> object: ...


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
