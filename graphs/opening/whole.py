"""Reads all nodes, relationships, properties and indexed names of a graph and counts them."""

from __future__ import annotations

from pathlib import Path

from graphground.cypher import matching
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.graph import Graph
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home


class Incomplete(ValueError):
    """A part of a graph is missing or cannot be read; the message names the part."""


def read_whole(graph: Graph, folder: Path) -> str:
    """Read everything in a loaded graph; return a summary in words.

    Raises:
        Incomplete: the graph holds fewer or more nodes, relationships or names than were loaded.
        EngineError: a part cannot be read.
    """
    if not isinstance(graph.engine, EmbeddedEngine):
        return "is your own database, whose data is not checked"
    entry = Catalog(Home(folder)).find(graph.name)
    if entry is None:
        raise Incomplete("The catalog does not list the graph.")
    unknown: set[str] = set()
    nodes = 0
    for row in graph.engine.stream("MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties"):
        nodes += 1
        unknown.update(label for label in row[0] if label not in graph.schema.labels)
    relationships = sum(
        1
        for _ in graph.engine.stream(
            "MATCH (a)-[r]->(b) RETURN type(r) AS type, properties(r) AS properties, a.eid AS a, b.eid AS b"
        )
    )
    for what, read, loaded in (("nodes", nodes, entry.nodes), ("relationships", relationships, entry.relationships)):
        if read != loaded:
            raise Incomplete(f"{read:,} {what} can be read, and {loaded:,} were loaded.")
    if unknown:
        raise Incomplete(f"Nodes have labels that the schema does not have: {', '.join(sorted(unknown)[:5])}.")
    for label in graph.schema.labels:
        counted = graph.run(f"{matching.nodes(label).match()} RETURN n.name AS name LIMIT 1", timeout=60).rows
        if (
            counted
            and graph.entities is not None
            and isinstance(counted[0][0], str)
            and not graph.entities.holds(counted[0][0], label=label)
        ):
            raise Incomplete(f"The entity index does not hold {counted[0][0]!r}, a {label}.")
    return f"all {nodes:,} nodes and {relationships:,} relationships can be read"
