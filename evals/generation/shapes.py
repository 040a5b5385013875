"""Graph patterns with chosen labels, relationship types and directions, to be filled with sampled names.

>>> slots_of("MATCH (n)~r0~(m0)~r1~(m1*) WITH DISTINCT n").links
[('n', 'r0', 'm0'), ('m0', 'r1', 'm1')]
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern
from graphground.graphs.engines.engine import EngineError, EngineUnavailable
from graphground.graphs.graph import Graph

QUERY_SECONDS = 30.0
"""The time limit of each query of task generation."""
MAX_NAMES = 200_000
SAMPLED = 400
"""The maximum number of names that are read of a label, and the number of these that are sampled."""
MAX_PARTIAL_MATCHES = 2_000
"""The maximum number of partial matches from which a sampling query follows the next link."""

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
class PatternShape:
    """A pattern with labels and relationship types from a schema.

    `labels` holds the label of each node, `links` the facts of each link and whether the link points to the right.
    """

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


def choose_shape(
    match: str,
    facts: GraphFacts,
    rng: random.Random,
    accept: Callable[[PatternShape], bool] = lambda shape: True,
    *,
    timed: bool = False,
) -> PatternShape | None:
    """Choose a random shape that `accept` allows; None if the graph has no such shape.

    `timed` requires relationships with the properties `start_year` and `end_year`.
    """
    return next(filter(accept, _shapes(match, facts, rng, timed)), None)


def _shapes(match: str, facts: GraphFacts, rng: random.Random, timed: bool) -> Iterator[PatternShape]:
    """Yield all shapes of a pattern, in random order."""
    slots = slots_of(match)
    if not slots.links:
        known_labels = sorted(label for label, names in facts.names.items() if names)
        rng.shuffle(known_labels)
        for label in known_labels:
            yield PatternShape(match, dict.fromkeys(slots.nodes, label), {}, slots)
        return

    def extended(
        place: int, labels: Mapping[str, str], links: Mapping[str, tuple[LinkFacts, bool]]
    ) -> Iterator[PatternShape]:
        if place == len(slots.links):
            yield PatternShape(match, labels, links, slots)
            return
        left, link, right = slots.links[place]
        options = [
            (known, out)
            for known in facts.links
            for out in (True, False)
            if _fits(known, out, labels.get(left), labels.get(right)) and (known.timed or not timed)
        ]
        rng.shuffle(options)
        for known, out in options:
            ends = (known.pattern.start, known.pattern.end) if out else (known.pattern.end, known.pattern.start)
            chosen = {**labels, left: ends[0], right: ends[1]}
            yield from extended(place + 1, chosen, {**links, link: (known, out)})

    yield from extended(0, {}, {})


def _fits(known: LinkFacts, out: bool, left: str | None, right: str | None) -> bool:
    ends = (known.pattern.start, known.pattern.end) if out else (known.pattern.end, known.pattern.start)
    return left in (None, ends[0]) and right in (None, ends[1])


def sampling_query(shape: PatternShape) -> tuple[str, str]:
    """Return a query that finds names for the named nodes of a shape, and the node from which the query starts.

    The start is the last named node; the parameter `$names` holds sampled names of its label. Each further link is
    followed from at most `MAX_PARTIAL_MATCHES` partial matches, so that a node with very many neighbours does not make
    the query slow. The columns are the names, the number of nodes `n`, and the number of matches.
    """
    named = shape.slots.named
    start = named[-1]
    text = f"MATCH ({start}:{quoted_name(shape.labels[start])}) WHERE {start}.name IN $names"
    reached, left = {start}, list(shape.slots.links)
    while left:
        place = next((place for place, (a, _, b) in enumerate(left) if reached & {a, b}), 0)
        a, link, b = left.pop(place)
        path = f"({a}:{quoted_name(shape.labels[a])}){_arrow(shape, link)}({b}:{quoted_name(shape.labels[b])})"
        text += f" MATCH {path}"
        reached |= {a, b}
        if left:
            text += f" WITH {', '.join(sorted(reached))} LIMIT {MAX_PARTIAL_MATCHES}"
    columns = ", ".join(f"{name}.name AS {name}" for name in named)
    return f"{text} RETURN {columns}, count(DISTINCT n) AS found, count(*) AS matches", start


def _arrow(shape: PatternShape, link: str) -> str:
    facts, out = shape.links[link]
    return f"-[{link}:{quoted_name(facts.pattern.type)}]->" if out else f"<-[{link}:{quoted_name(facts.pattern.type)}]-"


def drop_time(shape: PatternShape) -> PatternShape:
    """Return a shape without the condition on years."""
    return replace(shape, match=shape.match.replace(" WHERE {time}", ""))


def weaken_conditions(shape: PatternShape, names: Mapping[str, str]) -> dict[str, str]:
    """Return, for each named node, the MATCH part without that node's name and without the condition on years.

    If the shape is realistic, each of these MATCH parts matches more nodes than the MATCH part with all conditions.
    """
    plain = drop_time(shape)
    return {
        removed: plain.cypher({node: name for node, name in names.items() if node != removed})
        for removed in shape.slots.named
    }


def exclude_starts(shape: PatternShape, names: Mapping[str, str], cypher: str) -> list[str]:
    """Return, for each named node to which a path may lead back, the query in which `n` must be a different node.

    A path may lead back if two of its relationships have the same type: in "teams that share a venue with the Bulls", a
    team with two contracts for its venue would share the venue with itself.
    """
    types = [facts.pattern.type for facts, _ in shape.links.values()]
    if len(set(types)) == len(types):
        return []
    return [
        f"{cypher} WHERE n.name <> {quoted_string(name)} WITH n"
        for node, name in names.items()
        if shape.labels[node] == shape.labels["n"]
    ]


def paths(shape: PatternShape, names: Mapping[str, str]) -> list[str]:
    """Return each link of a shape as a separate path in Cypher, with the given names of nodes."""
    return [
        PatternShape(
            f"({left}{'*' if left in names else ''})~{link}~({right}{'*' if right in names else ''})",
            shape.labels,
            shape.links,
            shape.slots,
        ).cypher(names)
        for left, link, right in shape.slots.links
    ]


def needless_inverse(shape: PatternShape) -> bool:
    """Whether a link repeats another link: both join the same nodes, or one of them only leads back along the other."""
    links = [(left, right, *shape.links[link]) for left, link, right in shape.slots.links]
    return any(_inverse(*pair) for pair in combinations(links, 2))


def _inverse(link: tuple[str, str, LinkFacts, bool], other: tuple[str, str, LinkFacts, bool]) -> bool:
    (left0, right0, facts0, out0), (left1, right1, facts1, out1) = link, other
    if facts0.pattern.type != facts1.pattern.type:
        return False
    if left0 == left1:  # (n)~r0~(m0),(n)~r1~(m1): the same relationship, or its inverse
        return right0 == right1 or (out0 == out1 and not facts0.many(out0))
    return out0 != out1 and not facts0.many(not out0)  # (n)~r0~(m0)~r1~(m1), back the way it came


def excludes_none(shape: PatternShape) -> bool:
    """Whether the shape's only condition is a relationship that every node `n` has."""
    if shape.slots.named or len(shape.links) != 1:
        return False
    ((left, link, _),) = shape.slots.links
    facts, out = shape.links[link]
    return facts.all_starts if out == (left == "n") else facts.all_ends


def counts_one(shape: PatternShape, *, optional: bool) -> bool:
    """Whether the number of nodes `m0` of each `n` is trivial: never above 1, or, with `optional`, never 0.

    The number is never 0 if every `n` has the relationship, or if another link of the shape requires the relationship.
    """
    for left, link, right in shape.slots.links:
        if (left, right) == ("n", "m0"):
            facts, out = shape.links[link]
            again = any(
                first == "n" and shape.links[other] == (facts, out)
                for first, other, _ in shape.slots.links
                if other != link
            )
            never_none = again or (facts.all_starts if out else facts.all_ends)
            return not facts.many(out) or (optional and never_none)
    return False


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """Facts about a relationship pattern: `count` relationships,
    from `starts` distinct nodes to `ends` distinct nodes."""

    pattern: RelationshipPattern
    count: int
    starts: int
    ends: int
    all_starts: bool
    """Whether every node of the start label has the relationship; as a condition, it would then exclude no node.

    False for a label without the property `name`, whose nodes are not counted."""
    all_ends: bool

    def many(self, from_start: bool) -> bool:
        """Whether some start node, or without `from_start` some end node, has several relationships of the pattern."""
        return self.count > (self.starts if from_start else self.ends)

    @property
    def timed(self) -> bool:
        """Whether the relationship has the properties `start_year` and `end_year`."""
        return {"start_year", "end_year"} <= self.pattern.properties.keys()


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """The facts from which sampling starts; the order of names is fixed, so a seed always gives the same sample."""

    schema: PropertyGraphSchema
    links: tuple[LinkFacts, ...]
    counts: Mapping[str, int]
    names: Mapping[str, tuple[str, ...]]
    """For each label, a sample of at most `SAMPLED` names that occur only once among the names that were read."""
    single: Mapping[str, frozenset[str]]
    """All names that belong to a single node, by label; labels with more than `MAX_NAMES` named nodes are left out."""


def read_facts(graph: Graph, rng: random.Random) -> GraphFacts:
    """Read the facts from a graph, without relationship patterns whose queries fail or reach the time limit.

    A label whose nodes or names cannot be read has no names, as if it had no property `name`.

    Raises:
        EngineError: the graph cannot be queried at all, or names exist but none could be read.
    """
    counts: dict[str, int] = {}
    names: dict[str, tuple[str, ...]] = {}
    all_single: dict[str, frozenset[str]] = {}
    failure: EngineError | None = None
    for label in graph.schema.labels:
        try:
            counts[label], single, complete = _single_names(graph, label)
        except EngineUnavailable:
            raise
        except EngineError as error:
            counts[label], single, complete, failure = 0, [], False, error
        names[label] = tuple(rng.sample(single, min(SAMPLED, len(single))))
        if complete:
            all_single[label] = frozenset(single)
    if failure is not None and not any(names.values()):
        raise failure
    links = [facts for pattern in graph.schema.patterns if (facts := _link(graph, pattern, counts)) is not None]
    return GraphFacts(graph.schema, tuple(links), counts, names, all_single)


def _single_names(graph: Graph, label: str) -> tuple[int, list[str], bool]:
    """Return the number of nodes, the sorted names that occur only once, and whether all names were read.

    Return `(0, [], False)` for a label without the property `name`.
    """
    if "name" not in graph.schema.labels[label].properties:
        return 0, [], False
    text = quoted_name(label)
    count = graph.run(f"MATCH (n:{text}) RETURN count(n)", timeout=QUERY_SECONDS).rows[0][0]
    table = graph.run(
        f"MATCH (n:{text}) WHERE n.name IS NOT NULL RETURN n.name", limit=MAX_NAMES, timeout=QUERY_SECONDS
    )
    single = sorted(
        name
        for name, times in Counter(row[0] for row in table.rows).items()
        if times == 1 and isinstance(name, str) and name.strip()
    )
    return int(count), single, not table.truncated


def _link(graph: Graph, pattern: RelationshipPattern, counts: Mapping[str, int]) -> LinkFacts | None:
    try:
        (row,) = graph.run(
            f"MATCH (a:{quoted_name(pattern.start)})-[r:{quoted_name(pattern.type)}]->"
            f"(b:{quoted_name(pattern.end)}) RETURN count(r), count(DISTINCT a), count(DISTINCT b)",
            timeout=QUERY_SECONDS,
        ).rows
    except EngineUnavailable:
        raise
    except EngineError:
        return None
    count, starts, ends = map(int, row)
    if not count:
        return None
    return LinkFacts(pattern, count, starts, ends, starts == counts[pattern.start], ends == counts[pattern.end])
