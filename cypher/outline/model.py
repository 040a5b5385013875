"""The facts about a query: its symbols, the relationships between them, the properties that it reads.

`MATCH (c:Company)<-[r:hasCEO]-(p) WHERE p.gender = 'male' RETURN c.name` gives the symbols c, r and p, one `Link`
from p to c, the property uses `p.gender` and `c.name`, and one `Comparison`. `reader` collects these facts, `solve`
infers that p is a Person, and the checks read them.

A node's *kind* is the set of labels that it has. If each node has one label, there are as many kinds as labels; each
set in `label_combinations` is a separate kind. The possible kinds of a variable are one integer, with a bit for each
kind, so inferring labels costs a few machine operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from graphground.cypher import tree as t
from graphground.cypher.safety.time_limit import check_work
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern


class Symbol:
    """The graph element behind a variable or an unnamed node.

    `kind` is `node`, `relationship`, `path` or `list`.

    `kinds` are the node kinds that the symbol may still have, one bit each; `declared` are the kinds that its written
    labels allow, and `contradicted` is true if these labels exclude each other. A subquery has its own symbol for an
    outer variable, and `parent` is that variable's outer symbol; `sources` are the symbols of the branches of a UNION.
    `suspect` is true if a label of the symbol is not in the schema.
    """

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

    @property
    def type(self) -> str | None:
        """The written type, even if the schema does not have it; None if the query gives no type or several."""
        return self.pattern.types.name.text if isinstance(self.pattern.types, t.LabelName) else None

    @property
    def simple(self) -> bool:
        """Whether the link has at most one type and length 1: only then can its type be replaced."""
        return isinstance(self.pattern.types, t.LabelName | None) and self.length == (1, 1)


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
    extremes of the values that were read; None if they have none. `distinct` is the number of different values, and
    `common` are the most frequent with their counts; `placeholders` are the texts that stand for a missing value.
    """

    @property
    def count(self) -> int: ...

    @property
    def of(self) -> int: ...

    @property
    def counted(self) -> bool: ...

    @property
    def distinct(self) -> int | None: ...

    @property
    def placeholders(self) -> Sequence[tuple[str, int]]: ...

    @property
    def common(self) -> Sequence[tuple[object, int]]: ...

    @property
    def least(self) -> object: ...

    @property
    def greatest(self) -> object: ...


class Data(Protocol):
    """The counts of a graph's nodes, relationships and properties; an unknown count is None, which is not zero."""

    def nodes(self, label: str) -> int | None:
        """Return the number of nodes with the label; None if unknown."""

    def relationships(self, type_: str, start: str | None = None, end: str | None = None) -> int | None:
        """Return the number of relationships of a type, between two labels if they are given; None if unknown."""

    def property(self, owner: str, key: str) -> Filled | None:
        """Return how many nodes of a label, or relationships of a type, have a property; None if unknown."""

    def mirror(self, type_: str) -> str | None:
        """Return the type that says the same, and more, in the opposite direction; None if there is none."""

    def namesakes(self, label: str) -> int | None:
        """Return the number of nodes of a label that share their name with another node; None if unknown."""


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


def common_texts(facts: Facts, symbol: Symbol, key: str, data: Data | None) -> set[str]:
    """Return the most frequent texts of a property; none if they are unknown."""
    known = [data.property(owner, key) for owner in owners(facts, symbol, key)] if data is not None else []
    return {text for item in known if item is not None for text, _ in item.common if isinstance(text, str)}


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


# A schema prepared for checking: label sets as bit masks, relationship patterns as pairs of masks


Pairs = tuple[tuple[int, int], ...]
MOST_WORK = 200_000
"""The number of ends of relationships that are followed for the pairs of a path with several steps; about 0.1 s."""


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class SchemaIndex:
    """Precomputed tables of a schema for the checks.

    For the schema `(:Company)-[:hasCEO]->(:Person)`: `label_masks` is `{"Company": 1, "Person": 2}`, `everything`
    is 3, and `pairs(("hasCEO",))` is `((1, 2),)`: a Company at the start, a Person at the end.
    """

    def __init__(self, schema: PropertyGraphSchema):
        self.schema = schema
        labels = list(schema.labels)
        counted = {combination.labels: frozenset(combination.properties) for combination in schema.combinations}
        several = frozenset[str]().union(*schema.label_combinations)
        kinds = [
            kind
            for label in labels
            if (kind := frozenset({label})) in counted or label not in several or not counted or schema.open
        ]
        known = set(kinds)
        for together in sorted(schema.label_combinations, key=sorted):
            if together not in known and all(label in schema.labels for label in together):
                kinds.append(together)
        self.kinds = kinds
        self._kind_properties = [counted.get(kind) if not schema.open else None for kind in kinds]
        self.everything = (1 << len(kinds)) - 1
        self.label_masks: dict[str, int] = {
            label: sum(1 << place for place, kind in enumerate(kinds) if label in kind) for label in labels
        }
        self.types = schema.relationship_types
        self.labels_by_property: dict[str, tuple[str, ...]] = {}
        for label in schema.labels.values():
            for key in label.properties:
                self.labels_by_property[key] = (*self.labels_by_property.get(key, ()), label.name)
        self.types_by_property: dict[str, tuple[str, ...]] = {}
        for type_, properties in schema.relationship_properties.items():
            for key in properties:
                self.types_by_property[key] = (*self.types_by_property.get(key, ()), type_)
        self._ends = {
            id(pattern): (self.label_masks[pattern.start], self.label_masks[pattern.end]) for pattern in schema.patterns
        }
        self._pairs: dict[object, Pairs] = {}
        self._property_types: dict[tuple[int, str], frozenset[str]] = {}

    def patterns(self, types: tuple[str, ...] | None) -> Iterable[RelationshipPattern]:
        """Return the schema's patterns of the given relationship types; all patterns for None."""
        if types is None:
            return self.schema.patterns
        return [pattern for type_ in types for pattern in self.types.get(type_, ())]

    def ends(self, pattern: RelationshipPattern) -> tuple[int, int]:
        """Return the masks of both ends of a pattern."""
        return self._ends[id(pattern)]

    def pairs(
        self, types: tuple[str, ...] | None, minimum: int = 1, maximum: int | None = 1, undirected: bool = False
    ) -> Pairs:
        """Return the pairs of kinds that a path of the given types and length connects, left end first."""
        key = (types, minimum, maximum, undirected)
        found = self._pairs.get(key)
        if found is None:
            single = tuple(dict.fromkeys(self._ends[id(pattern)] for pattern in self.patterns(types)))
            if undirected:
                single = tuple(dict.fromkeys(single + tuple((end, start) for start, end in single)))
            found = single if minimum == maximum == 1 else self._repeated(single, minimum, maximum)
            self._pairs[key] = found
        return found

    def _repeated(self, single: Pairs, minimum: int, maximum: int | None) -> Pairs:
        """Return the pairs for a path of `minimum` to `maximum` steps; all pairs if that takes more than `MOST_WORK`.

        Steps are followed until they reach no further kinds.
        """
        if maximum is not None and maximum < minimum:
            return ()
        size = len(self.kinds)
        step = [0] * size
        for start, end in single:
            for kind in _bits(start):
                step[kind] |= end
        reached = [0] * size
        now = [1 << kind for kind in range(size)]
        work = count = 0
        while work <= MOST_WORK:
            if count >= minimum:
                before, reached = reached, [old | new for old, new in zip(reached, now, strict=True)]
                if count == maximum or (count > minimum and reached == before):
                    return tuple((1 << kind, row) for kind, row in enumerate(reached) if row)
            following = []
            for row in now:
                after = 0
                for kind in _bits(row):
                    after |= step[kind]
                    work += 1
                following.append(after)
            now = following
            work += size
            count += 1
        return ((self.everything, self.everything),)

    def property_types(self, kinds: int, key: str) -> frozenset[str]:
        """Return the types that a property has on nodes of these kinds; empty if no kind has it."""
        found = self._property_types.get((kinds, key))
        if found is None:
            labels = self.schema.labels
            found = frozenset(
                labels[label].properties[key]
                for label in self.labels_of(self.having(kinds, key))
                if key in labels[label].properties
            )
            self._property_types[kinds, key] = found
        return found

    def having(self, kinds: int, key: str) -> int:
        """Return those of the given kinds whose nodes have a property; a kind with unknown properties is included.

        Of the kinds `:Application:Process` and `:Software:Application`, only the first may have a `pid`.
        """
        if not self.schema.combinations:
            return kinds
        return sum(
            1 << place
            for place, properties in enumerate(self._kind_properties)
            if kinds >> place & 1 and (properties is None or key in properties)
        )

    def labels_of(self, kinds: int) -> tuple[str, ...]:
        """Return the labels of some kinds, in the schema's order."""
        return tuple(label for label, mask in self.label_masks.items() if mask & kinds)

    def properties_of(self, kinds: int) -> Mapping[str, str]:
        """Return all properties of nodes of these kinds, with their types."""
        found: dict[str, str] = {}
        for label in self.labels_of(kinds):
            found.update(self.schema.labels[label].properties)
        return (
            {key: type_ for key, type_ in found.items() if self.having(kinds, key)}
            if self.schema.combinations
            else found
        )


def index_of(schema: PropertyGraphSchema) -> SchemaIndex:
    """Return the index of a schema; it is created once and cached with the schema."""
    attributes = vars(schema)
    found = attributes.get("_checks_index")
    if found is None:
        found = attributes["_checks_index"] = SchemaIndex(schema)
    assert isinstance(found, SchemaIndex)
    return found


def narrowed(left: int, right: int, pairs: Pairs) -> tuple[int, int]:
    """Reduce both ends to the kinds that some pair allows; return `(0, 0)` if no pair does.

    >>> narrowed(0b11, 0b11, ((0b01, 0b10),))
    (1, 2)
    """
    new_left = new_right = 0
    for start, end in pairs:
        a = start & left
        if a:
            b = end & right
            if b:
                new_left |= a
                new_right |= b
    return new_left, new_right


# Infers the labels of every symbol from all patterns together, and finds impossible relationships


MOST_AROUND = 40
"""Each of at most this many connected links is tried in reverse; for more links, no reversal is proposed."""


def solve(facts: Facts) -> None:
    """Narrow the kinds of all symbols until nothing changes; set `bad` on links that no pair of kinds can satisfy."""
    links = facts.links
    if facts.contradictions:
        links = [link for link in links if not (link.left.contradicted or link.right.contradicted)]
    for link in links:
        # The labels written at the link itself are tested first, so that this link is blamed.
        link.bad = not narrowed(written_kinds(link, True), written_kinds(link, False), link.pairs)[0]
    # Next to an unknown label the direction may be wrong too, so both directions are allowed when labels are inferred.
    good = [
        (link, link.pairs + link.reversed_pairs if link.left.suspect or link.right.suspect else link.pairs)
        for link in links
        if not link.bad
    ]
    families = [symbol for symbol in facts.symbols if symbol.parent is not None or symbol.sources]
    changed = True
    while changed:
        check_work()
        changed = False
        good.reverse()  # so that labels known at one end of a chain reach the other end within two passes
        for link, pairs in good:
            left, right = link.left, link.right
            before = left.kinds, right.kinds
            after = narrowed(left.kinds, right.kinds, pairs)
            if after == before:
                continue
            if not after[0]:
                link.bad = True
                continue
            left.kinds, right.kinds = after
            changed = True
        if changed and any(link.bad for link, _ in good):
            good = [item for item in good if not item[0].bad]
        for symbol in families:
            kinds = symbol.kinds
            if symbol.parent is not None:
                kinds &= symbol.parent.kinds
            if symbol.sources:
                source_kinds = 0
                for source in symbol.sources:
                    source_kinds |= source.kinds
                kinds &= source_kinds
            if kinds != symbol.kinds and kinds:
                symbol.kinds = kinds
                changed = True


def written_kinds(link: Link, left: bool) -> int:
    """Return the kinds that the written labels at one end of a link allow, without inference from patterns."""
    symbol = link.left if left else link.right
    kinds = symbol.declared
    while symbol.parent is not None:
        symbol = symbol.parent
        kinds = (kinds & symbol.declared) or kinds
    return kinds


def links_to_reverse(facts: Facts, blamed: Link) -> list[Link]:
    """Return the links that, if reversed alone, make the blamed link and everything connected to it consistent."""
    around = _connected(blamed)
    return [item for item in around if item.reversed_pairs != item.pairs and _fits(around, item)]


def _connected(start: Link) -> list[Link]:
    """Return a link and the consistent links connected to it, or an empty list if there are more than `MOST_AROUND`."""
    chosen, seen, waiting = {id(start): start}, set[int](), [start.left, start.right]
    while waiting:
        symbol = waiting.pop()
        if id(symbol) in seen:
            continue
        seen.add(id(symbol))
        for link in symbol.links:
            if not link.bad and id(link) not in chosen:
                chosen[id(link)] = link
                waiting += (link.left, link.right)
                if len(chosen) > MOST_AROUND:
                    return []
    return list(chosen.values())


def _fits(links: list[Link], reversed_link: Link) -> bool:
    kinds: dict[int, int] = {}
    for link in links:
        for symbol in (link.left, link.right):
            kinds[id(symbol)] = symbol.declared
            if symbol.parent is not None:
                kinds[id(symbol)] = symbol.declared & symbol.parent.kinds or symbol.declared
    changed = True
    while changed:
        changed = False
        for link in links:
            left, right = id(link.left), id(link.right)
            before = kinds[left], kinds[right]
            after = narrowed(*before, link.reversed_pairs if link is reversed_link else link.pairs)
            if after != before:
                if not after[0]:
                    return False
                kinds[left], kinds[right] = after
                changed = True
    return True
