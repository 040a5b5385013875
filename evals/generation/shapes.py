"""Graph patterns with chosen labels, relationship types and directions, to be filled with sampled names.

>>> slots_of("MATCH (n)~r0~(m0)~r1~(m1*) WITH DISTINCT n").links
[('n', 'r0', 'm0'), ('m0', 'r1', 'm1')]
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.evals.generation.facts import GraphFacts, LinkFacts

_NODE = re.compile(r"\((\w+)(\*?)\)")
_LINK = re.compile(r"\((\w+)\*?\)~(\w+)~(?=\((\w+)\*?\))")
_SLOT = re.compile(r"\((\w+)(\*?)\)|~(\w+)~")


@dataclass(frozen=True, slots=True)
class Slots:
    """The nodes, links and named nodes in a pattern's text."""

    nodes: list[str]
    links: list[tuple[str, str, str]]
    named: list[str]


def slots_of(match: str) -> Slots:
    """Parse the open slots of a pattern's text."""
    found = _NODE.findall(match)
    return Slots(
        list(dict.fromkeys(name for name, _ in found)),
        [(a, link, b) for a, link, b in _LINK.findall(match)],
        list(dict.fromkeys(name for name, star in found if star)),
    )


@dataclass(frozen=True)
class Shape:
    """A pattern on a schema: the label of each node; for each link, its facts and whether it points to the right."""

    match: str
    labels: Mapping[str, str]
    links: Mapping[str, tuple[LinkFacts, bool]]
    slots: Slots = field(compare=False)

    def cypher(self, names: Mapping[str, str], time: str = "") -> str:
        """Return the MATCH part in Cypher, with the given names of nodes and the condition `time`."""

        def slot(found: re.Match[str]) -> str:
            node, _, link = found.groups()
            if link:
                facts, out = self.links[link]
                type_ = quoted_name(facts.pattern.type)
                return f"-[{link}:{type_}]->" if out else f"<-[{link}:{type_}]-"
            name = f" {{name: {quoted_string(names[node])}}}" if node in names else ""
            return f"({node}:{quoted_name(self.labels[node])}{name})"

        return _SLOT.sub(slot, self.match).replace("{time}", time)


def choose_shape(match: str, facts: GraphFacts, rng: random.Random, *, timed: bool = False) -> Shape | None:
    """Choose a random shape for which the graph has relationships; None if this attempt found no shape."""
    slots = slots_of(match)
    labels: dict[str, str] = {}
    links: dict[str, tuple[LinkFacts, bool]] = {}
    if not slots.links:
        label = rng.choice(sorted(label for label, names in facts.names.items() if names) or [""])
        return Shape(match, dict.fromkeys(slots.nodes, label), {}, slots) if label else None
    for left, link, right in slots.links:
        options = [
            (known, out)
            for known in facts.links
            for out in (True, False)
            if _fits(known, out, labels.get(left), labels.get(right)) and (known.timed or not timed)
        ]
        if not options:
            return None
        known, out = rng.choice(options)
        links[link] = known, out
        ends = (known.pattern.start, known.pattern.end)
        labels[left], labels[right] = ends if out else ends[::-1]
    return Shape(match, labels, links, slots)


def _fits(known: LinkFacts, out: bool, left: str | None, right: str | None) -> bool:
    ends = (known.pattern.start, known.pattern.end) if out else (known.pattern.end, known.pattern.start)
    return left in (None, ends[0]) and right in (None, ends[1])


def sampling_query(shape: Shape) -> tuple[str, str]:
    """Return a query that finds names for the named nodes of a shape, and the node from which the query starts.

    The start is the only named node, or `n` if several nodes are named. The parameter `$names` holds sampled names of
    the start node.
    """
    named = shape.slots.named
    start = named[0] if len(named) == 1 else "n"
    paths = [
        f"({left}:{quoted_name(shape.labels[left])})"
        + _arrow(shape, link)
        + f"({right}:{quoted_name(shape.labels[right])})"
        for left, link, right in shape.slots.links
    ]
    columns = ", ".join(f"{name}.name AS {name}" for name in named)
    return (
        f"MATCH ({start}:{quoted_name(shape.labels[start])}) WHERE {start}.name IN $names "
        f"MATCH {', '.join(paths)} RETURN {columns}, count(DISTINCT n) AS found",
        start,
    )


def _arrow(shape: Shape, link: str) -> str:
    facts, out = shape.links[link]
    return f"-[{link}:{quoted_name(facts.pattern.type)}]->" if out else f"<-[{link}:{quoted_name(facts.pattern.type)}]-"


def weaker(shape: Shape, names: Mapping[str, str]) -> Sequence[str]:
    """Return the MATCH parts with a single name or link removed; each of them must match more nodes."""
    found = []
    plain = re.sub(r" WHERE \{time\}", "", shape.match)
    for node in shape.slots.named:
        found.append(
            Shape(plain, shape.labels, shape.links, shape.slots).cypher(
                {key: name for key, name in names.items() if key != node}
            )
        )
    return found
