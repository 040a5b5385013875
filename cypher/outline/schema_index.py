"""A schema prepared for checking: label sets as bit masks, relationship patterns as pairs of masks.

A node's *kind* is the set of labels that it has. If each node has one label, there are as many kinds as labels; each
set in `label_combinations` is a separate kind. The possible kinds of a variable are one integer, with a bit for each
kind, so inferring labels costs a few machine operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from graphground.cypher.safety.time_limit import check_work
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern

if TYPE_CHECKING:
    from graphground.cypher.outline.model import Facts, Link

Pairs = tuple[tuple[int, int], ...]
MOST_WORK = 200_000
"""The number of ends of relationships that are followed for the pairs of a path with several steps; about 0.1 s."""


def _bits(mask: int) -> Iterator[int]:
    """Yield the positions of the bits that are set in a mask."""
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
    around = _connected(facts, blamed)
    return [item for item in around if item.reversed_pairs != item.pairs and _fits(around, item)]


def _connected(facts: Facts, start: Link) -> list[Link]:
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
