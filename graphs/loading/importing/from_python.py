"""Imports frames of pandas, polars or pyarrow, and networkx graphs, from a Python program.

    frames = {"movies": movies, "people": people, "acted_in": acted_in}
    import_frames(frames, "films", Path("films.json"))
    import_records(NetworkX(graph), "films", Path("films.json"))

Frames are read like a folder of files with these names. `infer_frames` returns the mapping, which you can edit. The
index of a pandas frame is left out; `frame.reset_index()` makes it a column. Needs the extra `parquet`.

The label of a networkx node is its attribute `labels` or `type`. The type of an edge is its attribute `type` or
`label`, or in a multigraph its key. An undirected edge keeps the direction in which networkx lists it.
"""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from pathlib import Path
from typing import Any

from graphground import install_command
from graphground.graphs.loading.importing.mapping import Mapping, import_tables, infer_tables
from graphground.graphs.loading.importing.records import (
    ImportRefused,
    NodeRecord,
    Problems,
    Records,
    RelationshipRecord,
)
from graphground.graphs.loading.importing.tables import Table

Frames = AbstractMapping[str, Any]


def tables_of(frames: Frames) -> dict[str, Table]:
    """Convert frames to tables, by name.

    Raises:
        ImportRefused: a frame cannot be read, or the extra is not installed.
    """
    try:
        from graphground.graphs.loading.importing.arrow_tables import frame_table  # pyarrow is loaded on first use
    except ImportError:
        raise ImportRefused([f"frames need an extra: {install_command('parquet')}"], 1) from None
    return {name: frame_table(name, frame) for name, frame in frames.items()}


def infer_frames(frames: Frames, name: str) -> Mapping:
    """Infer the mapping of frames; the `file` of each table in the mapping is the name of a frame.

    Raises:
        ImportRefused: a frame cannot be read, or no mapping can be inferred (see `infer_tables`).
    """
    return infer_tables(list(tables_of(frames).values()), name)


def import_frames(frames: Frames, mapping: Mapping | str, output: Path) -> tuple[int, int]:
    """Convert frames to a SimpleKG file; return the numbers of nodes and relationships.

    `mapping` is a mapping, or the name of the graph, for which a mapping is then inferred.

    Raises:
        ImportRefused: a frame cannot be read, no mapping can be inferred, or rows are invalid; the message lists the
            first problems. Nothing is written.
    """
    tables = tables_of(frames)
    found = infer_tables(list(tables.values()), mapping) if isinstance(mapping, str) else mapping

    def table_of(name: str) -> Table:
        if name not in tables:
            raise ImportRefused([f"there is no frame {name!r}; known frames: {', '.join(tables)}"], 1)
        return tables[name]

    return import_tables(found, table_of, output)


class NetworkX:
    """The nodes and edges of a `networkx` graph of any kind as records: `NetworkX(graph)`."""

    name = "the networkx graph"

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def records(self, problems: Problems) -> Records:
        """Yield each node, then each edge.

        The key of a node in networkx becomes its id, and its name if no attribute names it.
        """
        for key, attributes in self._graph.nodes(data=True):
            properties = {str(name): value for name, value in attributes.items()}
            labels = properties.pop("labels", None) or properties.pop("type", None) or ()
            yield NodeRecord(str(key), (labels,) if isinstance(labels, str) else tuple(map(str, labels)), properties)
        multiple = self._graph.is_multigraph()
        for start, end, *key, attributes in self._graph.edges(data=True, **({"keys": True} if multiple else {})):
            properties = {str(name): value for name, value in attributes.items()}
            type_ = properties.pop("type", None) or properties.pop("label", None)
            if type_ is None and key and isinstance(key[0], str):
                type_ = key[0]
            yield RelationshipRecord(str(type_ or "RELATED_TO"), str(start), str(end), properties)
