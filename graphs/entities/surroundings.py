"""Describes a node by a few of its relationships, to distinguish it from other nodes with the same name.

Also counts them: a node with many relationships is more likely to be meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphground.cypher.quoting import nodes, property_of, quoted_name, quoted_string
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.engine import Engine
from graphground.graphs.entities.candidate import Candidate
from graphground.graphs.entities.paging import name_property
from graphground.graphs.entities.spans import fold

SECONDS = 2.0


def surroundings(engine: Engine, schema: PropertyGraphSchema, candidate: Candidate, limit: int = 2) -> list[str]:
    """Return up to `limit` relationships of a candidate's node: `["-[:playsFor]->(:Team {name: 'Chicago Bulls'})"]`.

    Raises:
        EngineError: the database did not respond in time.
    """
    if candidate.label not in schema.labels:
        return []
    found: list[str] = []
    for left, right, own_end, other_end in (("-", "->", "start", "end"), ("<-", "-", "end", "start")):
        labels = dict.fromkeys(
            getattr(pattern, other_end) for pattern in schema.patterns if getattr(pattern, own_end) == candidate.label
        )
        named = {name for its in labels if (name := name_property(schema.labels[its]))}
        if not named:
            continue
        values = {key: property_of("m", key) for key in sorted(named)}
        name = (
            "CASE "
            + " ".join(
                f"WHEN {value} IS NOT NULL THEN [{quoted_string(key)}, {value}]" for key, value in values.items()
            )
            + " END"
        )
        table = engine.run(
            f"{_match(engine, schema, candidate)} MATCH (n){left}[r]{right}(m) "
            f"RETURN DISTINCT type(r) AS type, labels(m) AS labels, {name} AS name LIMIT {limit}",
            {"key": candidate.key},
            timeout=SECONDS,
        )
        found += [
            f"{left}[:{quoted_name(type_)}]{right}(:{quoted_name(labels[0]) if labels else ''} "
            f"{{{quoted_name(found[0])}: {found[1]!r}}})"
            for type_, labels, found in table.rows
            if found is not None
        ]
        if len(found) >= limit:
            break
    return found[:limit]


def _match(engine: Engine, schema: PropertyGraphSchema, candidate: Candidate) -> str:
    """Return the clause that finds a candidate's node by the parameter `key`."""
    known = "eid" in schema.labels[candidate.label].properties
    return f"{nodes(candidate.label).match()} WHERE {'n.eid = $key' if known else engine.capabilities().dialect.by_id}"


DEGREE_SECONDS = 1.0
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
    if candidate.label not in schema.labels:
        return 0
    table = engine.run(
        f"{_match(engine, schema, candidate)} MATCH (n)-[r]-() WITH r LIMIT {MOST} RETURN count(r) AS degree",
        {"key": candidate.key},
        timeout=DEGREE_SECONDS,
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
