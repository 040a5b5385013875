"""Imports a networkx graph from a Python program.

    import networkx
    graph = networkx.MultiDiGraph()
    graph.add_node("heat", type="Movie", title="Heat")
    graph.add_edge("heat", "mann", "DIRECTED_BY", year=1995)
    import_records(NetworkX(graph), "films", Path("films.json"))

A node's label is its attribute `labels` or `type`. An edge's type is its attribute `type` or `label`, or in a
multigraph its key. An undirected edge keeps the direction in which networkx lists it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphground.graphs.loading.importing.problems import Problems
from graphground.graphs.loading.importing.records import NodeRecord, RelationshipRecord


class NetworkX:
    """The nodes and edges of a `networkx` graph of any kind as records: `NetworkX(graph)`."""

    name = "the networkx graph"

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Yield each node; the key of the node in networkx becomes its id, and its name if no attribute names it."""
        for key, attributes in self._graph.nodes(data=True):
            properties = {str(name): value for name, value in attributes.items()}
            labels = properties.pop("labels", None) or properties.pop("type", None) or ()
            yield NodeRecord(str(key), (labels,) if isinstance(labels, str) else tuple(map(str, labels)), properties)

    def relationships(self, problems: Problems) -> Iterator[RelationshipRecord]:
        """Yield each edge."""
        multiple = self._graph.is_multigraph()
        for start, end, *key, attributes in self._graph.edges(data=True, **({"keys": True} if multiple else {})):
            properties = {str(name): value for name, value in attributes.items()}
            type_ = properties.pop("type", None) or properties.pop("label", None)
            if type_ is None and key and isinstance(key[0], str):
                type_ = key[0]
            yield RelationshipRecord(str(type_ or "RELATED_TO"), str(start), str(end), properties)
