"""Reads the facts that task generation uses: cardinalities of relationships, and names."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern
from graphground.graphs.engines.engine import EngineError, EngineUnavailable
from graphground.graphs.graph import Graph

MOST_NAMES = 200_000
SAMPLED = 400
SECONDS = 30.0


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
    """All names that belong to a single node, by label; labels with more than `MOST_NAMES` named nodes are left out."""


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
    count = graph.run(f"MATCH (n:{text}) RETURN count(n)", timeout=SECONDS).rows[0][0]
    table = graph.run(f"MATCH (n:{text}) WHERE n.name IS NOT NULL RETURN n.name", limit=MOST_NAMES, timeout=SECONDS)
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
            timeout=SECONDS,
        ).rows
    except EngineUnavailable:
        raise
    except EngineError:
        return None
    count, starts, ends = map(int, row)
    if not count:
        return None
    return LinkFacts(pattern, count, starts, ends, starts == counts[pattern.start], ends == counts[pattern.end])
