"""Finds the cheapest rewritings of a query: a beam search over labels and links, node by node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from graphground.cypher import tree as t
from graphground.cypher.checks.entities import EntityLookup
from graphground.cypher.edits import Edit, applied
from graphground.cypher.facts.model import Facts
from graphground.cypher.facts.schema_index import narrowed
from graphground.cypher.names.nearest import nearest
from graphground.cypher.printer import to_text
from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.cypher.rewriting.options import LinkOption, Names, NodeOption, Reading, link_options, node_options
from graphground.cypher.rewriting.sketch import Sketch, SketchLink, SketchNode, sketch_of
from graphground.cypher.tree import altered
from graphground.cypher.work import check_work

WIDTH = 60
"""The maximum number of partial combinations that the beam search keeps."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A rewritten query and its cost."""

    text: str
    cost: float
    doubtful: bool = False
    """Whether a valid label is replaced on a node without a name at the end of a path:
    the query may miss a node there."""


@dataclass(frozen=True, slots=True)
class _Choice:
    cost: float
    nodes: tuple[NodeOption, ...] = ()
    links: tuple[tuple[int, LinkOption], ...] = ()


def rewritings(
    facts: Facts, entities: EntityLookup | None = None, reading: Reading | None = None, most: int = 6
) -> list[Rewriting]:
    """Return the cheapest rewritings of a query that fit the schema, the cheapest first.

    The list is empty if the schema is open, if its nodes have several labels, or if the query is too large, negates a
    label or has no nodes.
    """
    index = facts.index
    sketch = sketch_of(facts) if not index.schema.label_combinations and not index.schema.open else None
    if sketch is None or not sketch.nodes:
        return []
    found: dict[str, Rewriting] = {}
    for choice in _choices(sketch, Names(entities), reading):
        edits = _edits(sketch, choice)
        text = applied(facts.query.text, edits)
        found.setdefault(text, Rewriting(text, choice.cost, _doubtful(sketch, choice)))
        if len(found) >= most:
            break
    return list(found.values())


def _doubtful(sketch: Sketch, choice: _Choice) -> bool:
    return any(
        not node.names
        and len(node.links) < 2
        and node.written in sketch.facts.index.label_masks
        and node.written != option.label
        for node, option in zip(sketch.nodes, choice.nodes, strict=True)
    )


def _choices(sketch: Sketch, names: Names, reading: Reading | None) -> list[_Choice]:
    index = sketch.facts.index
    near: dict[str, Mapping[str, float]] = {}
    for link in sketch.links:
        if link.type is not None and link.type not in index.types:
            near[link.type] = {
                candidate.name: candidate.score for candidate in nearest(link.type, index.types, limit=30, worst=0.0)
            }
    place = {id(node): number for number, node in enumerate(sketch.nodes)}
    beam = [_Choice(0.0)]
    joined: dict[tuple[int, str, str], list[LinkOption] | None] = {}
    for number, node in enumerate(sketch.nodes):
        ready = [
            (at, link)
            for at, link in enumerate(sketch.links)
            if max(place[id(link.left)], place[id(link.right)]) == number
        ]
        options = node_options(node, index, names, reading)
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
                        joined[key] = _joining(link, left, right, sketch, near.get(link.type or "", {}), reading)
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


def _joining(
    link: SketchLink, left: str, right: str, sketch: Sketch, near: Mapping[str, float], reading: Reading | None
) -> list[LinkOption] | None:
    """Return the possible links between two labels; None if the link stays as written."""
    index = sketch.facts.index
    if not link.simple:
        masks = index.label_masks
        return None if narrowed(masks[left], masks[right], link.link.pairs)[0] else []
    return link_options(link, left, right, index, near, reading)


def _edits(sketch: Sketch, choice: _Choice) -> list[Edit]:
    edits: list[Edit] = []
    for node, option in zip(sketch.nodes, choice.nodes, strict=True):
        edits += _node_edits(node, option, sketch.facts.query.text)
    for at, way in choice.links:
        edits += _link_edits(sketch.links[at], way)
    return edits


def _node_edits(node: SketchNode, option: NodeOption, text: str) -> list[Edit]:
    edits = [
        Edit(use.name.start, use.name.end, quoted_name(option.label))
        for use in node.labels
        if use.name.name.text != option.label
    ]
    moved = set()
    for name, key, value in option.names:
        if key is not None:
            moved.add(id(name.use))
            edits.append(Edit(name.use.key_node.start, name.use.key_node.end, quoted_name(key)))
        if value != name.value:
            edits.append(Edit(name.literal.start, name.literal.end, quoted_string(value)))
    for use in node.properties:
        if use.key in option.keys and id(use) not in moved:
            key_node = use.key_node
            new = option.keys[use.key]
            quoted = text[key_node.start : key_node.start + 1] in ("'", '"')
            edits.append(Edit(key_node.start, key_node.end, quoted_string(new) if quoted else quoted_name(new)))
    return edits


def _link_edits(link: SketchLink, way: LinkOption) -> list[Edit]:
    pattern = link.link.pattern
    direction = pattern.direction if pattern.direction == "both" else "right" if way.forward else "left"
    same = link.type == way.pattern.type or link.type is None
    if same and direction == pattern.direction:
        return []
    types = pattern.types
    if not same and isinstance(types, t.LabelName):
        name = altered(types.name, text=way.pattern.type)
        types = altered(types, name=name)
    return [Edit(pattern.start, pattern.end, to_text(altered(pattern, direction=direction, types=types)))]
