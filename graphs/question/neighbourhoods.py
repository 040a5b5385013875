"""Reads what a named node really has: its labels, properties and relationships, from the database, within a time limit.

Results are cached by node until the graph's data change.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from graphground.cypher.quoting import nodes
from graphground.graphs.engines.client_context import run_concurrently
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.engines.rewriting import Planned
from graphground.graphs.graph import Graph
from graphground.graphs.question.kept import PerData
from graphground.graphs.question.model import Link, Neighbourhood, Node

MAX_NODES = 24
"""The maximum number of nodes of one question whose neighbourhoods are read."""
MAX_CACHED = 2_000
MAX_LABEL_SETS = 400
"""The maximum number of rows for one node: a row is a type, a direction and the labels of the other end."""
MAX_TEXT = 200


_kept = PerData(MAX_CACHED)


def read_neighbourhoods(graph: Graph, named: Sequence[Node], seconds: float) -> dict[str, Neighbourhood]:
    """Return the neighbourhoods of nodes by key, as far as they can be read within `seconds`.

    At most `MAX_NODES` nodes are read, all at once. A node that the database did not answer for in time is incomplete:
    it has no links, and `complete` is false.
    """
    engine = graph.engine
    wanted = list({node.key: node for node in named if not node.is_value}.values())[:MAX_NODES]
    if engine is None or not wanted or seconds <= 0:
        return {}
    kept = _kept(graph)
    known = {node.key: kept[node.labels[0], node.key] for node in wanted if (node.labels[0], node.key) in kept}
    end = time.monotonic() + _kept.limit(graph, seconds)
    missing = [node for node in wanted if node.key not in known]
    read = run_concurrently(lambda node: _read(graph, engine, node, end), missing)
    kept |= {
        (node.labels[0], node.key): neighbourhood
        for node, neighbourhood in zip(missing, read, strict=True)
        if neighbourhood.complete
    }
    return known | {node.key: neighbourhood for node, neighbourhood in zip(missing, read, strict=True)}


def _read(graph: Graph, engine: Engine, node: Node, end: float) -> Neighbourhood:
    label = graph.schema.labels.get(node.labels[0])
    condition = "n.eid = $key"
    try:
        if label is None or "eid" not in label.properties:
            condition = engine.capabilities().dialect.by_id
        # Types and labels are counted in the database: a hub with 28,000 relationships comes back as a few dozen items.
        query = (
            f"{nodes(node.labels[0]).match()} WHERE {condition} OPTIONAL MATCH (n)-[r]-(m) WITH n, type(r) AS type, "
            "startNode(r) = n AS out, labels(m) AS labels, count(*) AS count ORDER BY count DESC "
            f"LIMIT {MAX_LABEL_SETS} WITH n, collect(type) AS types, collect(out) AS outs, collect(labels) AS ends, "
            "collect(count) AS counts RETURN labels(n), properties(n), types, outs, ends, counts"
        )
        left = max(end - time.monotonic(), 0.05)
        rows = engine.run(Planned(query), {"key": node.key}, timeout=left).rows
    except EngineError:
        return Neighbourhood(condition, node.key, node.labels, complete=False)
    labels, properties, *links = rows[0] if rows else ((), {})
    return Neighbourhood(
        condition,
        node.key,
        tuple(labels),
        # No question needs the rest of a very long text or list.
        {
            key: its[:MAX_TEXT] if isinstance(its, (str, list)) else its
            for key, its in properties.items()
            if its is not None
        },
        _links_of(zip(*links, strict=False)),  # without relationships, there is one count of nothing
    )


def _links_of(rows: Iterable[tuple[str, bool, Sequence[str], int]]) -> tuple[Link, ...]:
    counts: dict[tuple[str, bool], int] = {}
    labels: dict[tuple[str, bool], dict[str, int]] = {}
    for type_, out, its_labels, count in rows:
        counts[type_, out] = counts.get((type_, out), 0) + count
        by_label = labels.setdefault((type_, out), {})
        for label in its_labels:
            by_label[label] = by_label.get(label, 0) + count
    return tuple(
        Link(type_, "out" if out else "in", count, labels[type_, out])
        for (type_, out), count in sorted(counts.items(), key=lambda item: -item[1])
    )
