"""What generation knows of a graph: cardinality and participation of its relationships, names, and property values."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph

MOST_NAMES = 200_000
SAMPLED = 400
SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """How a relationship pattern is used: `LinkFacts(pattern, 1200, 600, 40, False, False)`."""

    pattern: RelationshipPattern
    count: int
    starts: int
    ends: int
    all_starts: bool
    """Whether every node of the start label takes part, so that having the relationship says nothing."""
    all_ends: bool

    def many(self, from_start: bool) -> bool:
        """Whether some node on that side has several relationships."""
        return self.count > (self.starts if from_start else self.ends)

    @property
    def timed(self) -> bool:
        """Whether it holds from a year to a year."""
        return {"start_year", "end_year"} <= self.pattern.properties.keys()


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """All that sampling starts from. Names are sampled from the sorted list, so a seed gives the same ones again."""

    schema: PropertyGraphSchema
    links: tuple[LinkFacts, ...]
    counts: Mapping[str, int]
    names: Mapping[str, tuple[str, ...]]
    """Names that one node of the label alone has."""
    values: Mapping[tuple[str, str], tuple[Any, ...]]
    """Values of each property, of sampled nodes, without nulls."""


def read_facts(graph: Graph, rng: random.Random) -> GraphFacts:
    """Ask the graph; a label or pattern that cannot be asked within the time limit is left out.

    Raises:
        EngineUnavailable: the graph cannot be asked at all.
    """
    counts: dict[str, int] = {}
    names: dict[str, tuple[str, ...]] = {}
    values: dict[tuple[str, str], tuple[Any, ...]] = {}
    for label in graph.schema.labels:
        counts[label], names[label] = _names(graph, label, rng)
        keys = [key for key in graph.schema.labels[label].properties if key not in graph.schema.labels[label].reserved]
        if names[label] and keys:
            rows = graph.run(
                f"MATCH (n:{quoted_name(label)}) WHERE n.name IN $names RETURN "
                + ", ".join(f"n.{quoted_name(key)}" for key in keys)
                + " ORDER BY n.name",
                {"names": list(names[label])},
                timeout=SECONDS,
            ).rows
            for key, column in zip(keys, zip(*rows, strict=True), strict=True):
                values[label, key] = tuple(value for value in column if value is not None)
    links = [facts for pattern in graph.schema.patterns if (facts := _link(graph, pattern, counts)) is not None]
    return GraphFacts(graph.schema, tuple(links), counts, names, values)


def _names(graph: Graph, label: str, rng: random.Random) -> tuple[int, tuple[str, ...]]:
    if "name" not in graph.schema.labels[label].properties:
        return 0, ()
    text = quoted_name(label)
    count = graph.run(f"MATCH (n:{text}) RETURN count(n)", timeout=SECONDS).rows[0][0]
    rows = graph.run(f"MATCH (n:{text}) WHERE n.name IS NOT NULL RETURN n.name", limit=MOST_NAMES, timeout=SECONDS).rows
    single = sorted(
        name
        for name, times in Counter(row[0] for row in rows).items()
        if times == 1 and isinstance(name, str) and name.strip()
    )
    return int(count), tuple(rng.sample(single, min(SAMPLED, len(single))))


def _link(graph: Graph, pattern: RelationshipPattern, counts: Mapping[str, int]) -> LinkFacts | None:
    try:
        (row,) = graph.run(
            f"MATCH (a:{quoted_name(pattern.start)})-[r:{quoted_name(pattern.type)}]->"
            f"(b:{quoted_name(pattern.end)}) RETURN count(r), count(DISTINCT a), count(DISTINCT b)",
            timeout=SECONDS,
        ).rows
    except EngineError:
        return None
    count, starts, ends = map(int, row)
    if not count:
        return None
    return LinkFacts(pattern, count, starts, ends, starts == counts[pattern.start], ends == counts[pattern.end])
