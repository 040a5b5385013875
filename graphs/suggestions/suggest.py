"""From entities to ranked queries: enumerate patterns, count their matches in the database, rank them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from graphground.cypher.quoting import quoted_name
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.entities.paging import name_property
from graphground.graphs.graph import Graph
from graphground.graphs.suggestions.mentions import Entity
from graphground.graphs.suggestions.patterns import QueryShape, shapes
from graphground.graphs.suggestions.rank import Question, parts, score

BATCH = 24
"""Patterns counted per round trip."""
MOST_COUNTED = 96
MOST_PROPERTIES = 2


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A query that can be run as it is; `rows` is the number of distinct `n` that match, None if not counted."""

    cypher: str
    reason: str
    rows: int | None
    shape: QueryShape


def suggest(
    graph: Graph,
    entities: Sequence[Entity],
    question: str = "",
    *,
    hops: int = 2,
    limit: int = 10,
    seconds: float = 20.0,
) -> list[Suggestion]:
    """The best queries around the entities, best first.

    For 'Which sculptures were created by Auguste Rodin?' and `Entity("Auguste Rodin", "Person", …)` the first is
    `MATCH (n:Sculpture)-[r0:createdBy]->(m0:Person {name: 'Auguste Rodin'}) RETURN DISTINCT n.name AS name`.
    """
    asked = Question(question, tuple(entity.mention for entity in entities))
    ranked = sorted(shapes(graph.schema, entities, hops), key=lambda shape: -score(shape, asked, 1))
    kept = ranked[: max(MOST_COUNTED, limit)]
    counts = _counted(graph, kept, time.monotonic() + seconds)
    found = [(score(shape, asked, 1), shape, rows) for shape, rows in zip(kept, counts, strict=True) if rows != 0]
    found.sort(key=lambda one: -one[0])
    return [
        Suggestion(_query(graph, shape, asked), _reason(shape, rows), rows, shape) for _, shape, rows in found[:limit]
    ]


def _counted(graph: Graph, kept: Sequence[QueryShape], deadline: float) -> list[int | None]:
    """The number of `n` that match each pattern, many patterns per query; not counted without a database."""
    counts: list[int | None] = [None] * len(kept)
    if graph.engine is None:
        return counts
    for start in range(0, len(kept), BATCH):
        batch = range(start, min(start + BATCH, len(kept)))
        left = deadline - time.monotonic()
        if left <= 0:
            break
        union = " UNION ALL ".join(
            f"MATCH {kept[number].cypher()} RETURN {number} AS pattern, count(DISTINCT n) AS matches"
            for number in batch
        )
        try:
            rows = graph.run(union, limit=len(batch), timeout=left).rows
        except EngineError:
            continue
        for number in batch:  # a pattern without a match has no row
            counts[number] = 0
        for number, matches in rows:
            counts[number] = matches
    return counts


def _query(graph: Graph, shape: QueryShape, asked: Question) -> str:
    label = graph.schema.labels[shape.target]
    wanted = [
        key
        for key in label.properties
        if key not in label.reserved and len(parts(key)) > 0 and asked.mentions(key) >= 0.99
    ][:MOST_PROPERTIES]
    named = name_property(label)
    keys = (
        list(dict.fromkeys(key for key in (named, *wanted) if key in label.properties and key is not None))
        or list(label.properties)[:1]
    )
    returned = ", ".join(f"n.{quoted_name(key)} AS {quoted_name(key)}" for key in keys) or "count(n) AS matches"
    return f"MATCH {shape.cypher()} RETURN DISTINCT {returned}"


def _reason(shape: QueryShape, rows: int | None) -> str:
    """`1 hop over createdBy from Person 'Auguste Rodin' to Sculpture; 34 found`."""
    count = "" if rows is None else f"; {rows} found"
    entities = " and ".join(f"{entity.label} '{entity.name}'" for entity in shape.entities)
    if shape.itself:
        return f"the properties of {entities}{count}"
    over = ", ".join(dict.fromkeys(step.pattern.type for step in shape.steps))
    if len(shape.chains) > 1:
        return f"{shape.target} that connects {entities} over {over}{count}"
    hops = len(shape.steps)
    return f"{hops} hop{'s' if hops > 1 else ''} over {over} from {entities} to {shape.target}{count}"
