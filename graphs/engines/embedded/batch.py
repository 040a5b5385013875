"""Writes a graph to new engine files, or changes a copy of a graph's files.

Runs in its own process, because a process can start a JVM only once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from types import MappingProxyType
from typing import Any

import orjson

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.embedded.archive import archive_file, archive_option
from graphground.graphs.engines.embedded.edits import GraphEdits

ROWS_AT_ONCE = 20_000
ENGINE_TYPES = {
    "str": "STRING",
    "int": "LONG",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "date": "DATE",
    "datetime": "DATETIME",
}
INDEXED = ("name", "eid")
MIDNIGHT = "T00:00:00"
"""The time that is appended to a date. ArcadeDB tries to parse a time first, so a date alone takes three times as
long.
"""
OPTIONS = ("-Darcadedb.polyglotEngineEnabled=false",)
"""Options of the JVM. They stop ArcadeDB's search for scripting languages, which takes a third of a second."""
FOR_MANY = ("-XX:+UseParallelGC",)
"""Options of the JVM for loading many records."""
FOR_FEW = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""Options of the JVM for loading few records, where optimizing the code would take longer than the load."""


class GraphWriter:
    """The writer of a graph's engine files: nodes first, then relationships, which refer to the nodes' record ids.

        writer = GraphWriter(folder, schema, heap="2g")
        ids = writer.nodes("Movie", [{"name": "Heat"}, {"name": "Ronin"}])
        …
        writer.finish()

    If the folder exists, the graph in it is changed. A second thread writes relationships, so that the caller can
    continue to read its source meanwhile.
    """

    def __init__(
        self,
        folder: Path,
        schema: PropertyGraphSchema,
        heap: str,
        jvm_args: Sequence[str] = (),
        label_sets: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        """Start the JVM, unless it runs, and open the files.

        `label_sets` maps the name of each type for nodes with several labels to these labels.
        """
        import jpype

        from graphground.graphs.engines.embedded.jvm import start_jvm

        if not jpype.isJVMStarted():
            log = folder.parent / "log"
            log.mkdir(exist_ok=True)
            kind = FOR_FEW if folder.exists() else FOR_MANY
            start_jvm(heap, log, [*OPTIONS, *kind, *archive_option(archive_file()), *jvm_args])
        self._types = jpype.JClass("com.arcadedb.schema.Type")
        factory = jpype.JClass("com.arcadedb.database.DatabaseFactory")(str(folder))
        self._dates = {
            **{name: dates_of(schema.labels[name].properties) for name in schema.labels},
            **{name: dates_of(properties) for name, properties in schema.relationship_properties.items()},
            **{
                name: [key for label in labels for key in dates_of(schema.labels[label].properties)]
                for name, labels in label_sets.items()
            },
        }
        self._not_indexed = () if folder.exists() else tuple(schema.labels)
        if folder.exists():
            self._database = factory.open()
        else:
            self._database = factory.create()
            self._declare(schema)
            for name, labels in label_sets.items():
                several = self._database.getSchema().createVertexType(name, 1)
                for label in labels:
                    several.addSuperType(label)
        self._batch = self._new_batch()
        self._vertices = jpype.JClass("com.arcadedb.python.VertexBatcher")
        self._edges = jpype.JClass("com.arcadedb.python.EdgeBatcher")
        self._queue: Queue[tuple[str, bytes] | None] = Queue(maxsize=8)
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._write_edges, name="graphground-edges", daemon=True)
        self._thread.start()

    def nodes(self, label: str, rows: Sequence[dict[str, Any]]) -> list[str]:
        """Write one or more nodes; return their record ids in the same order."""
        return str(self._vertices.createVerticesJson(self._batch, label, self._json(label, rows).decode())).split(";")

    def relationships(self, type_: str, rows: Sequence[dict[str, Any]]) -> None:
        """Write relationships: each row has the properties and the record ids of the ends, `_src` and `_dst`."""
        if self._failure is not None:
            raise self._failure
        self._queue.put((type_, self._json(type_, rows)))

    def _json(self, name: str, rows: Sequence[dict[str, Any]]) -> bytes:
        """Return the rows of a label or relationship type as JSON for the engine, without changing the rows."""
        dates = self._dates[name]
        return orjson.dumps([{**row, **at_midnight(row, dates)} for row in rows] if dates else rows)

    @contextmanager
    def edits(self) -> Iterator[GraphEdits]:
        """Yield an object that changes existing records; use it after writing nodes, before writing relationships."""
        self._batch.close()
        with GraphEdits(self._database) as edits:
            yield edits
        self._batch = self._new_batch()

    def finish(self) -> None:
        """Write the remaining rows, build the indexes of new files and close the files."""
        self._queue.put(None)
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        self._batch.close()
        for label in self._not_indexed:
            for key in INDEXED:
                self._database.command("sql", f"CREATE INDEX ON {quoted(label)} ({key}) NOTUNIQUE").close()
        self._database.close()

    def _new_batch(self) -> Any:
        return (
            self._database.batch()
            .withWAL(False)
            .withBatchSize(200_000)
            .withParallelFlush(True)
            .withCommitEvery(50_000)
            .build()
        )

    def _write_edges(self) -> None:
        while (work := self._queue.get()) is not None:
            if self._failure is None:
                try:
                    self._edges.newEdgesJson(self._batch, work[0], work[1].decode())
                except BaseException as error:
                    self._failure = error

    def _declare(self, schema: PropertyGraphSchema) -> None:
        """Create the types with their declared properties, so that dates, which are text in JSON,
        are stored as dates."""
        structure = self._database.getSchema()
        for label in schema.labels.values():
            self._properties(structure.createVertexType(label.name, 1), label.properties)
        for name, properties in schema.relationship_properties.items():
            self._properties(structure.createEdgeType(name, 1), properties)

    def _properties(self, owner: Any, properties: Any) -> None:
        for key, type_ in properties.items():
            declared = "LIST" if type_.startswith("list[") else ENGINE_TYPES.get(type_)
            if declared:
                owner.createProperty(key, getattr(self._types, declared))


def quoted(name: str) -> str:
    """Quote a name for ArcadeDB's SQL."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def dates_of(properties: Mapping[str, str]) -> list[str]:
    """Return the names of the properties with the type `date`."""
    return [key for key, type_ in properties.items() if type_ == "date"]


def at_midnight(row: Mapping[str, Any], dates: Sequence[str]) -> dict[str, str]:
    """Return the properties in `dates` that the row has, each with the time of midnight appended to its date.

    >>> at_midnight({"name": "Heat", "released": "1995-12-15"}, ["released", "restored"])
    {'released': '1995-12-15T00:00:00'}
    """
    return {key: value + MIDNIGHT for key in dates if (value := row.get(key)) is not None}
