"""Finds the cheapest rewritings of a query: a beam search over labels and links, node by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from graphground.cypher import tree as t
from graphground.cypher.checks.names import GENERIC_NAMES, LIKE_ENOUGH
from graphground.cypher.diagnostics import Edit, applied, reversal
from graphground.cypher.names.nearest import nearest, spelling
from graphground.cypher.names.words import split_name
from graphground.cypher.outline.model import Facts, LabelUse, Link, PropertyUse, SchemaIndex, Symbol, narrowed
from graphground.cypher.quoting import quote_like, quoted_name
from graphground.cypher.safety.time_limit import check_work
from graphground.cypher.schema import RelationshipPattern

WIDTH = 60
"""The maximum number of partial combinations that the beam search keeps."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A rewritten query and its cost."""

    text: str
    cost: float
    doubtful: bool = False
    """Whether a valid label is replaced though no relationship contradicts it, or on a node without a map at
    the end of a path, where the query may miss a node, or an unknown type by one of several that are not similar."""


@dataclass(frozen=True, slots=True)
class _Choice:
    cost: float
    nodes: tuple[NodeOption, ...] = ()
    links: tuple[tuple[int, LinkOption], ...] = ()


def rewritings(facts: Facts, most: int = 6) -> list[Rewriting]:
    """Return the cheapest rewritings of a query that fit the schema, the cheapest first.

    The list is empty if the schema is open, if a node is written with several labels, or if the query is too large,
    negates a label or has no nodes.
    """
    sketch = sketch_of(facts) if not facts.index.schema.open else None
    if sketch is None or not sketch.nodes:
        return []
    if facts.index.schema.label_combinations and any(len(node.labels) > 1 for node in sketch.nodes):
        return []
    found: dict[str, Rewriting] = {}
    for choice in _choices(sketch):
        edits: list[Edit] = []
        for node, option in zip(sketch.nodes, choice.nodes, strict=True):
            edits += _node_edits(node, option, sketch.facts.query.text)
        for at, way in choice.links:
            link = sketch.facts.links[at]
            pattern = link.pattern
            if (pattern.direction == "right") != way.forward:
                edits += reversal(sketch.facts.query.text, pattern)
            if isinstance(pattern.types, t.LabelName) and link.type not in (way.pattern.type, None):
                edits.append(Edit(pattern.types.start, pattern.types.end, quoted_name(way.pattern.type)))
        text = applied(facts.query.text, edits)
        found.setdefault(text, Rewriting(text, choice.cost, _doubtful(sketch, choice)))
        if len(found) >= most:
            break
    return list(found.values())


def _doubtful(sketch: Sketch, choice: _Choice) -> bool:
    index = sketch.facts.index
    for option in choice.nodes:
        unlike = [key for key, new in option.keys.items() if spelling(key, new) < LIKE_ENOUGH]
        called = [split_name(label) for label in index.label_masks]
        right = [key for key in unlike if key in index.labels_by_property or split_name(key) in called]
        if any(key not in GENERIC_NAMES for key in right):
            return True  # other nodes have the property as written, or are called so
    for at, way in choice.links:
        written, ends = sketch.facts.links[at].type, {way.pattern.start, way.pattern.end}
        others = {pattern.type for pattern in index.schema.patterns if {pattern.start, pattern.end} == ends}
        if written is not None and written not in index.types and (len(others) > 1 or len(ends) == 1):
            near = nearest(written, others, worst=0.0)
            if not near or near[0].name != way.pattern.type or near[0].score < LIKE_ENOUGH:
                return True
    return any(
        (
            not any(link.bad for link in node.links)
            or (len(node.links) < 2 and not any(use.in_map for use in node.properties))
        )
        and node.written in sketch.facts.index.label_masks
        and node.written != option.label
        for node, option in zip(sketch.nodes, choice.nodes, strict=True)
    )


def _choices(sketch: Sketch) -> list[_Choice]:
    index = sketch.facts.index
    near: dict[str, Mapping[str, float]] = {}
    for link in sketch.facts.links:
        if link.type is not None and link.type not in index.types:
            near[link.type] = {
                candidate.name: candidate.score for candidate in nearest(link.type, index.types, limit=30, worst=0.0)
            }
    place = sketch.place
    beam = [_Choice(0.0)]
    joined: dict[tuple[int, str, str], list[LinkOption] | None] = {}
    for number, node in enumerate(sketch.nodes):
        ready = [
            (at, link)
            for at, link in enumerate(sketch.facts.links)
            if max(place[id(link.left)], place[id(link.right)]) == number
        ]
        options = node_options(node, index)
        grown = []
        for choice in beam:
            check_work()
            for option in options:
                partial = [replace(choice, cost=choice.cost + option.cost, nodes=(*choice.nodes, option))]
                for at, link in ready:
                    left = partial[0].nodes[place[id(link.left)]].label
                    right = partial[0].nodes[place[id(link.right)]].label
                    key = (at, left, right)
                    if key not in joined:
                        joined[key] = _joining(link, left, right, sketch, near.get(link.type or "", {}))
                    ways = joined[key]
                    if ways is None:
                        continue
                    partial = [
                        replace(combination, cost=combination.cost + way.cost, links=(*combination.links, (at, way)))
                        for combination in partial
                        for way in ways
                    ]
                    if not partial:
                        break
                grown += partial
        grown.sort(key=lambda choice: choice.cost)
        beam = grown[:WIDTH]
    return beam


def _joining(link: Link, left: str, right: str, sketch: Sketch, near: Mapping[str, float]) -> list[LinkOption] | None:
    """Return the possible links between two labels; None if the link stays as written."""
    index = sketch.facts.index
    if not link.simple:
        masks = index.label_masks
        return None if narrowed(masks[left], masks[right], link.pairs)[0] else []
    # The patterns that connect the two labels, the cheapest first.
    found = []
    written, rightward = link.type, link.pattern.direction == "right"
    for pattern in index.schema.patterns:
        for forward, ends in ((True, (left, right)), (False, (right, left))):
            if (pattern.start, pattern.end) != ends or (pattern.symmetric and left == right and forward != rightward):
                continue
            cost = REVERSED if link.pattern.direction != "both" and forward != rightward else 0.0
            if written is None:
                cost += 0.25
            elif written not in index.types:
                cost += 0.2 + 1.1 * (1 - min(1.0, near.get(pattern.type, 0.0)))
            elif pattern.type != written:
                cost += OTHER_TYPE
            found.append(LinkOption(pattern, forward, cost))
    found.sort(key=lambda option: option.cost)
    return found[:4]


def _node_edits(node: SketchNode, option: NodeOption, text: str) -> list[Edit]:
    edits = [
        Edit(use.name.start, use.name.end, quote_like(text[use.name.start :], option.label))
        for use in node.labels
        if use.name.name.text != option.label
    ]
    for use in node.properties:
        if use.key in option.keys:
            key_node = use.key_node
            new = quote_like(text[key_node.start :], option.keys[use.key])
            edits.append(Edit(key_node.start, key_node.end, new))
    return edits


# Lists the alternatives for each part of a query with their costs: 0 for no change, about 1 for a wrong name


OTHER_LABEL, OTHER_TYPE, REVERSED = 1.3, 1.2, 0.5
MISSING_PROPERTY = 1.6


@dataclass(frozen=True, slots=True)
class NodeOption:
    """A possible label for a node, with the property keys that must change to fit that label."""

    label: str
    cost: float
    keys: Mapping[str, str]
    """The property keys to replace: `{"runtime": "runtime_minute"}`."""


@dataclass(frozen=True, slots=True)
class LinkOption:
    """A possible pattern of the schema for a link; `forward` if the pattern runs from left to right in the text."""

    pattern: RelationshipPattern
    forward: bool
    cost: float


def node_options(node: SketchNode, index: SchemaIndex, most: int = 6) -> list[NodeOption]:
    """Return the labels that a node may have, the cheapest first."""
    written = [use.name.name.text for use in node.labels]
    unknown = {text for text in written if text not in index.label_masks}
    near = {
        text: {candidate.name: candidate.score for candidate in nearest(text, index.label_masks, limit=20, worst=0.0)}
        for text in unknown
    }
    found = []
    for label in index.label_masks:
        cost = 0.0
        for text in dict.fromkeys(written):
            if text in unknown:
                cost += 0.2 + 1.1 * (1 - min(1.0, near[text].get(label, 0.0)))
            elif text != label:
                cost += OTHER_LABEL
        keys, key_cost = _keys(node, label, index)
        found.append(NodeOption(label, cost + key_cost, keys))
    found.sort(key=lambda option: option.cost)
    return found[:most]


def _keys(node: SketchNode, label: str, index: SchemaIndex) -> tuple[dict[str, str], float]:
    keys: dict[str, str] = {}
    cost = 0.0
    properties = index.schema.labels[label].properties
    for key in dict.fromkeys(use.key for use in node.properties):
        if key in properties:
            continue
        near = nearest(key, properties, limit=2)
        if near:
            keys[key] = near[0].name
            lead = near[0].score - (near[1].score if len(near) > 1 else 0.0)
            cost += 0.15 + 1.0 * (1 - min(1.0, near[0].score)) + (0.25 if lead < 0.1 else 0.0)
        else:
            cost += MISSING_PROPERTY
    return keys, cost


# Represents a query as nodes and links, independent of variable names, for rewriting


MOST_NODES, MOST_LINKS = 8, 8


@dataclass(eq=False, slots=True)
class SketchNode:
    """A node of the sketch: all symbols of the query that must refer to the same graph node."""

    labels: list[LabelUse] = field(default_factory=list)
    properties: list[PropertyUse] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    @property
    def written(self) -> str | None:
        """The label in the query; None if the query gives no label or several."""
        names = {use.name.name.text for use in self.labels}
        return next(iter(names)) if len(names) == 1 else None


@dataclass(slots=True)
class Sketch:
    """The nodes of a query in the order in which they first occur."""

    facts: Facts
    nodes: list[SketchNode]
    place: dict[int, int]
    """The number of the node of each symbol, by the symbol's id (`id`)."""


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
    for link in facts.links:
        node_of(link.left).links.append(link)
        node_of(link.right).links.append(link)
    if len(nodes) > MOST_NODES:
        return None
    numbers = {root: number for number, root in enumerate(nodes)}
    place = {key: numbers[root] for key, root in groups.items() if root in numbers}
    return Sketch(facts, list(nodes.values()), place)


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
