"""Checks a loaded graph: all nodes and relationships must be readable, and one name of each label must be indexed."""

from __future__ import annotations

from pathlib import Path

from graphground.cypher import matching
from graphground.cypher.wording import counted
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.graph import Graph
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home


class Incomplete(ValueError):
    """A graph that differs from what was loaded; the message describes the difference."""


def read_whole(graph: Graph, folder: Path) -> str:
    """Read all nodes and relationships of a graph in the data folder `folder`, and look up one name of each label.

    Return the result as a text: `all 541 nodes and 2,823 relationships can be read`. If the graph is in your own
    database, nothing is read, and the text says so.

    Raises:
        Incomplete: the catalog does not list the graph, the numbers of nodes or relationships are not those that were
            loaded, a node has a label that the schema does not have, or a name is not indexed.
        EngineError: a part of the graph cannot be read.
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
    for element, read, loaded in (("node", nodes, entry.nodes), ("relationship", relationships, entry.relationships)):
        if read != loaded:
            raise Incomplete(f"{counted(read, element)} can be read, but the graph was loaded with {loaded:,}.")
    if unknown:
        raise Incomplete(f"Nodes have labels that the schema does not have: {', '.join(sorted(unknown)[:5])}.")
    for label in graph.schema.labels:
        rows = graph.run(f"{matching.nodes(label).match()} RETURN n.name AS name LIMIT 1", timeout=60).rows
        if (
            rows
            and graph.entities is not None
            and rows[0][0]  # the index has no empty names
            and isinstance(rows[0][0], str)
            and not graph.entities.holds(rows[0][0], label=label)
        ):
            raise Incomplete(f"The entity index does not contain {rows[0][0]!r}, a name of the label {label}.")
    return f"all data can be read: {counted(nodes, 'node')} and {counted(relationships, 'relationship')}"
