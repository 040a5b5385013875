"""Imports a networkx graph, from Python.

    import networkx
    graph = networkx.MultiDiGraph()
    graph.add_node("heat", type="Movie", title="Heat")
    graph.add_edge("heat", "mann", "DIRECTED_BY", year=1995)
    import_records(NetworkX(graph), "films", Path("films.json"))

The attribute `labels` or `type` of a node is its label, the attribute `type` (or `label`) of an edge, or the key of an
edge of a multigraph, its type. An undirected edge keeps the direction in which networkx lists it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphground.graphs.loading.importing.problems import Problems
from graphground.graphs.loading.importing.records import NodeRecord, RelationshipRecord


class NetworkX:
    """Records of a `networkx` graph of any kind; `NetworkX(graph)`."""

    name = "the networkx graph"

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Each node; without a name attribute its key is its name."""
        for key, attributes in self._graph.nodes(data=True):
            properties = {str(name): value for name, value in attributes.items()}
            labels = properties.pop("labels", None) or properties.pop("type", None) or ()
            yield NodeRecord(str(key), (labels,) if isinstance(labels, str) else tuple(map(str, labels)), properties)

    def relationships(self, problems: Problems) -> Iterator[RelationshipRecord]:
        """Each edge."""
        multiple = self._graph.is_multigraph()
        for start, end, *key, attributes in self._graph.edges(data=True, **({"keys": True} if multiple else {})):
            properties = {str(name): value for name, value in attributes.items()}
            type_ = properties.pop("type", None) or properties.pop("label", None)
            if type_ is None and key and isinstance(key[0], str):
                type_ = key[0]
            yield RelationshipRecord(str(type_ or "RELATED_TO"), str(start), str(end), properties)
