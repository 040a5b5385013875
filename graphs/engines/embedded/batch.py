"""Writes a graph to new engine files.

Runs in its own process, because a process can start a JVM only once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import Queue
from threading import Thread
from types import MappingProxyType
from typing import Any

import orjson

from graphground.cypher.schema import RESERVED_PROPERTIES, PropertyGraphSchema
from graphground.cypher.tree import Query
from graphground.graphs.engines.dialects import ARCADEDB
from graphground.graphs.engines.engine import Capabilities, QueryFailed, QueryRunner, Table
from graphground.graphs.engines.temporal import function_for, read_datetime, temporal_types

ROWS_AT_ONCE = 20_000
ENGINE_TYPES = {"str": "STRING", "int": "LONG", "float": "DOUBLE", "bool": "BOOLEAN", "date": "DATE"}
INDEXED = ("name", "eid")
MIDNIGHT = "T00:00:00"
"""The time that is appended to a date. ArcadeDB tries to parse a time first, so a date alone takes three times as
long.
"""
COMMAND_SECONDS = 10
OPTIONS = (
    "-Darcadedb.polyglotEngineEnabled=false",
    "-XX:+UseParallelGC",
    f"-Darcadedb.command.timeout={COMMAND_SECONDS * 1000}",
)
"""Options of the JVM. The first stops ArcadeDB's search for scripting languages, which takes a third of a second."""
TEMPORAL = "com.arcadedb.query.opencypher.temporal"
JAVA_TIMES = {
    "date": "LocalDate",
    "datetime": "ZonedDateTime",
    "localdatetime": "LocalDateTime",
    "time": "OffsetTime",
    "localtime": "LocalTime",
}
"""The Java class for the values of each Cypher function that makes a date or a time."""


class GraphWriter:
    """The writer of a graph's engine files: nodes first, then relationships, which refer to the nodes' record ids.

        writer = GraphWriter(folder, schema, heap="2g")
        ids = writer.nodes("Movie", [{"name": "Heat"}, {"name": "Ronin"}])
        …
        writer.finish()

    A second thread writes relationships, so that the caller can continue to read its source meanwhile. Dates and times
    are given as canonical texts (`graphs.engines.temporal`).
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

        from graphground.graphs.engines.embedded.launcher import start_jvm

        if not jpype.isJVMStarted():
            log = folder.parent / "log"
            log.mkdir(exist_ok=True)
            start_jvm(heap, log, [*OPTIONS, *jvm_args])
        self._types = jpype.JClass("com.arcadedb.schema.Type")
        self._rid = jpype.JClass("com.arcadedb.database.RID")
        self._objects = jpype.JArray(jpype.JObject)
        self._list = jpype.JClass("java.util.ArrayList")
        self._parsers: Mapping[str, Callable[[str], Any]] = {
            name: jpype.JClass(f"java.time.{class_}").parse for name, class_ in JAVA_TIMES.items()
        }
        owners = {label.name: label.properties for label in schema.labels.values()}
        owners |= schema.relationship_properties
        for name, labels in label_sets.items():
            owners[name] = {key: type_ for label in labels for key, type_ in owners[label].items()}
        self._dates = {
            name: [key for key, type_ in properties.items() if type_ == "date"] for name, properties in owners.items()
        }
        self._times = {name: times_of(properties) for name, properties in owners.items()}
        self._labels = tuple(schema.labels)
        self._database = jpype.JClass("com.arcadedb.database.DatabaseFactory")(str(folder)).create()
        self._declare(schema)
        for name, labels in label_sets.items():
            several = self._database.getSchema().createVertexType(name, 1)
            for label in labels:
                several.addSuperType(label)
        settings = self._database.batch().withWAL(False).withParallelFlush(True)
        self._batch = settings.withBatchSize(200_000).withCommitEvery(50_000).build()
        self._vertices = jpype.JClass("com.arcadedb.python.VertexBatcher")
        self._edges = jpype.JClass("com.arcadedb.python.EdgeBatcher")
        self._queue: Queue[tuple[str, bytes | Sequence[dict[str, Any]]] | None] = Queue(maxsize=8)
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._write_edges, name="graphground-edges", daemon=True)
        self._thread.start()

    def nodes(self, label: str, rows: Sequence[dict[str, Any]]) -> list[str]:
        """Write one or more nodes; return their record ids in the same order."""
        if times := self._times[label]:
            written = self._batch.createVertices(label, [self._values(row, times) for row in rows])
            return [str(rid.toString()) for rid in written]
        return str(self._vertices.createVerticesJson(self._batch, label, self._json(label, rows).decode())).split(";")

    def relationships(self, type_: str, rows: Sequence[dict[str, Any]]) -> None:
        """Write relationships: each row has the properties and the record ids of the ends, `_src` and `_dst`."""
        if self._failure is not None:
            raise self._failure
        self._queue.put((type_, rows if self._times[type_] else self._json(type_, rows)))

    def _json(self, name: str, rows: Sequence[dict[str, Any]]) -> bytes:
        """Return the rows of a label or relationship type as JSON for the engine, without changing the rows."""
        dates = self._dates[name]
        if not dates:
            return orjson.dumps(rows)
        midnights = ({key: row[key] + MIDNIGHT for key in dates if row.get(key) is not None} for row in rows)
        return orjson.dumps([{**row, **times} for row, times in zip(rows, midnights, strict=True)])

    def _values(self, row: Mapping[str, Any], times: frozenset[str]) -> Any:
        """Return the properties of a row as keys and values of Java.

        The engine makes no times from the texts of JSON: it would drop the zone or the nanoseconds, or give a local
        time a zone. This takes twice as long as JSON, so that only labels and types with times are written so.
        """
        pairs: list[Any] = []
        for key, value in row.items():
            pairs.append(key)
            if type(value) is list:
                pairs.append(self._list([self._time(part) for part in value] if key in times else value))
            else:
                pairs.append(self._time(value) if key in times else value)
        return self._objects(pairs)

    def _time(self, value: Any) -> Any:
        return self._parsers[function_for(value)](value) if type(value) is str else value

    def finish(self, query: Callable[[QueryRunner], None] = lambda _: None) -> None:
        """Write the remaining rows, build the indexes of new files, call `query` and close the files."""
        import jpype

        self._queue.put(None)
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        self._batch.close()
        tree = jpype.JClass("com.arcadedb.schema.Schema$INDEX_TYPE").LSM_TREE
        # The first command in SQL would read the language's grammar, for a fifth of the time of a small load.
        for label in self._labels:
            for key in INDEXED:
                self._database.getSchema().createTypeIndex(tree, False, label, key)
        query(WrittenGraph(self._database))
        self._database.close()

    def _write_edges(self) -> None:
        while (work := self._queue.get()) is not None:
            if self._failure is None:
                try:
                    self._write_block(*work)
                except BaseException as error:
                    self._failure = error

    def _write_block(self, type_: str, rows: bytes | Sequence[dict[str, Any]]) -> None:
        if isinstance(rows, bytes):
            self._edges.newEdgesJson(self._batch, type_, rows.decode())
            return
        for row in rows:
            start, end = self._rid(row.pop("_src")), self._rid(row.pop("_dst"))
            self._batch.newEdge(start, type_, end, self._values(row, self._times[type_]))

    def _declare(self, schema: PropertyGraphSchema) -> None:
        """Create the types with their declared properties, so that dates, which are text in JSON,
        are stored as dates."""
        structure = self._database.getSchema()
        for label in schema.labels.values():
            self._properties(structure.createVertexType(label.name, 1), {**RESERVED_PROPERTIES, **label.properties})
        for name, properties in schema.relationship_properties.items():
            self._properties(structure.createEdgeType(name, 1), properties)

    def _properties(self, owner: Any, properties: Any) -> None:
        for key, type_ in properties.items():
            declared = "LIST" if type_.startswith("list[") else ENGINE_TYPES.get(type_)
            if declared:
                owner.createProperty(key, getattr(self._types, declared))


class WrittenGraph:
    """The files of a graph that this process has just written, as a database for queries without parameters."""

    def __init__(self, database: Any) -> None:
        self._database = database

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run a read-only query; `COMMAND_SECONDS` limits it, whatever `timeout` is.

        Raises:
            QueryFailed: ArcadeDB refuses the query or terminates it.
        """
        import jpype

        begin = time.monotonic()
        columns: list[str] = []
        rows: list[list[Any]] = []
        try:
            found = self._database.query("opencypher", str(query))
            while found.hasNext() and (limit is None or len(rows) < limit):
                row = found.next()
                columns = columns or [str(name) for name in row.getPropertyNames()]
                rows.append([as_plain(row.getProperty(name)) for name in columns])
            found.close()
        except jpype.JException as error:
            raise QueryFailed(str(error)) from None
        return Table(columns, rows, False, (time.monotonic() - begin) * 1e3)

    def capabilities(self) -> Capabilities:
        """Return the capabilities of the embedded engine."""
        return Capabilities("", ARCADEDB, "impossible")


def as_plain(value: Any) -> Any:
    """Return a value of Java as a plain JSON value; a date or a time as its text."""
    import jpype

    if value is None:
        return None
    for type_ in (bool, int, float):
        if isinstance(value, type_):
            return type_(value)
    if isinstance(value, jpype.java.util.Collection):
        return [as_plain(part) for part in value]
    text = str(value)
    return read_datetime(text) if isinstance(value, jpype.JClass(f"{TEMPORAL}.CypherDateTime")) else text


def times_of(properties: Mapping[str, str]) -> frozenset[str]:
    """Return the names of the properties with dates and times; none if dates alone occur, which JSON can hold.

    >>> sorted(times_of({"born": "date", "seen": "datetime"})), times_of({"born": "date"})
    (['born', 'seen'], frozenset())
    """
    found = frozenset(key for key, type_ in properties.items() if temporal_types(type_))
    return found if any(properties[key] != "date" for key in found) else frozenset()
