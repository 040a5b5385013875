"""Changes records in an engine's files, in a process that has opened the database for writing."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

COMMIT_EVERY = 1_000
"""The number of changes per transaction; a partial result is harmless, because the files are a copy not yet in use."""


class GraphEdits:
    """Changes to the records of a graph: `with GraphEdits(database) as edits: edits.delete("#1:17")`.

    `database` is ArcadeDB's database object. Nodes are identified by the record ids that `GraphWriter.nodes` returned.
    """

    def __init__(self, database: Any) -> None:
        import jpype

        self._database = database
        self._rid = jpype.JClass("com.arcadedb.database.RID")
        self._json = jpype.JClass("com.arcadedb.serializer.json.JSONObject")
        self._directions = jpype.JClass("com.arcadedb.graph.Vertex$DIRECTION")
        self._changes = 0

    def __enter__(self) -> GraphEdits:
        self._database.begin()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            self._database.commit()

    def change(self, rid: str, content: bytes) -> None:
        """Replace all properties of a node with those in a JSON object."""
        self._node(rid).modify().fromJSON(self._json(content.decode())).save()
        self._changed()

    def delete(self, rid: str) -> None:
        """Delete a node and its relationships."""
        self._node(rid).delete()
        self._changed()

    def disconnect(self, rid: str, type_: str, outgoing: bool, others: Collection[str]) -> None:
        """Delete the relationships of a type between a node and the nodes `others`, given by their record ids.

        With `outgoing`, the relationships that begin at the node are deleted, otherwise those that end there.
        """
        direction = self._directions.OUT if outgoing else self._directions.IN
        for edge in list(self._node(rid).getEdges(direction, type_)):
            if str((edge.getIn() if outgoing else edge.getOut()).toString()) in others:
                edge.asEdge().delete()
                self._changed()

    def _node(self, rid: str) -> Any:
        return self._database.lookupByRID(self._rid(rid), True).asVertex()

    def _changed(self) -> None:
        self._changes += 1
        if self._changes % COMMIT_EVERY == 0:
            self._database.commit()
            self._database.begin()
