"""The number of relationships of a candidate's node: a node with many relationships is more likely to be meant."""

from __future__ import annotations

from collections.abc import Sequence

from graphground.cypher.quoting import nodes
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.engine import Engine
from graphground.graphs.entities.candidate import Candidate
from graphground.graphs.entities.folding import fold

SECONDS = 1.0
MOST = 10_000
"""The number up to which relationships are counted; more relationships make no difference."""
FACTOR = 5
"""The minimum ratio of relationships at which another node may be meant.

The relationships of the other node are divided by those of the node with the best-matching name.
"""


def degree(engine: Engine, schema: PropertyGraphSchema, candidate: Candidate) -> int:
    """Return the number of relationships of a candidate's node, counted up to `MOST`: 18 for the genre `thriller`.

    Raises:
        EngineError: the database did not respond in time.
    """
    label = schema.labels.get(candidate.label)
    if label is None:
        return 0
    condition = "n.eid = $key" if "eid" in label.properties else engine.capabilities().dialect.by_id
    table = engine.run(
        f"{nodes(candidate.label).match()} WHERE {condition} MATCH (n)-[r]-() "
        f"WITH r LIMIT {MOST} RETURN count(r) AS degree",
        {"key": candidate.key},
        timeout=SECONDS,
    )
    return int(table.rows[0][0]) if table.rows else 0


def containing(candidate: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates of the same label whose longer names contain the name: `thriller film` for `thriller`."""
    words = set(fold(candidate.name).split())
    return [
        other
        for other in candidates
        if other.label == candidate.label and other.key != candidate.key and words < set(fold(other.name).split())
    ]
