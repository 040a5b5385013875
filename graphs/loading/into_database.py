"""Loads a SimpleKG file into your own database, as a user with write access.

    with closing(BoltLoader(BoltAddress("bolt://localhost:7687", "admin", "secret"))) as loader:
        loader.bulk_load(SimpleKGFile(Path("movie.json.gz")))

This is the only code that writes to your own database. Only `graphground graphs load --into` calls it. Nothing that a
client can call imports it, which a contract in pyproject.toml checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any, cast
from zlib import crc32

from graphground.cypher.diagnostics import counted, sentence
from graphground.cypher.quoting import in_backticks
from graphground.cypher.safety.canonical import two_readings
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import open_driver
from graphground.graphs.engines.dialects import Dialect, dialect_of
from graphground.graphs.engines.engine import EngineError, EngineUnavailable
from graphground.graphs.engines.errors import translated
from graphground.graphs.engines.temporal import function_for, temporal_types
from graphground.graphs.loading.simplekg import LabelSets, RecordChecks, SimpleKGError, SimpleKGFile

Functions = tuple[tuple[str, str, bool], ...]
"""For each date or time of a row: its key, the Cypher function that makes it, and whether it is a list."""
ODD_OFFSET = re.compile(r"[+-]\d\d:\d\d:\d\d\[")
ROWS_AT_ONCE = 5_000
INDEXED = ("eid", "name")
Progress = Callable[[str, int, int], None]
"""A function called with the step (`checking`, `nodes`, `relationships`), the bytes read, and the file's size."""


class BoltLoader:
    """A connection that writes a graph to one database; an `EngineError` states what the database refused."""

    def __init__(self, address: BoltAddress) -> None:
        address.check()
        self.address, self._driver = address, open_driver(address)
        try:
            self.dialect: Dialect = dialect_of(self._driver.get_server_info().agent)
        except Exception as error:
            self._driver.close()
            raise translated(error, address) from error

    def create_indexes(self, labels: Iterable[str], keys: Iterable[str]) -> None:
        """Create an index on each property in `keys` for each label; an index that exists already is not an error."""
        for label, key in product(labels, keys):
            self._write(
                self.dialect.create_index.format(
                    label=in_backticks(label),
                    key=in_backticks(key),
                    name=f"graphground_{crc32(f'{label}.{key}'.encode()):08x}",
                )
            )
        if self.dialect.await_indexes:
            self._write(self.dialect.await_indexes)

    def bulk_load(self, file: SimpleKGFile, begins: Callable[[str], None] = lambda step: None) -> tuple[int, int]:
        """Write a whole graph into an empty database; return the numbers of nodes and relationships.

        The whole file is checked before anything is written. `begins` is called with the name of each step.

        Raises:
            SimpleKGError: a name cannot be written in a query, or a record is invalid; the message names the first one.
            EngineError: the database is not empty, or refused a statement. Records that were written before remain,
                and the message explains how to delete them.
        """
        begins("checking")
        check_names(file.schema)
        labels = checked_labels(file)
        present = self._write("MATCH (n) RETURN count(n) AS c")[0][0]
        if present:
            raise EngineUnavailable(
                f"{self.address.where()} holds {counted(present, 'node')}; a graph can only be loaded into an empty database. "
                "Nothing was changed."
            )
        sets = LabelSets(file.schema)

        def node_statement(kind: tuple[str, Functions]) -> str:
            names = ":".join(map(in_backticks, sets.labels[kind[0]]))
            return f"UNWIND $rows AS row CREATE (n:{names}) SET n = row" + conversions("n", "row", kind[1])

        def relationship_statement(kind: tuple[str, str, str, Functions]) -> str:
            type_, start, end, functions = kind
            return (
                f"UNWIND $rows AS row MATCH (a:{in_backticks(sets.labels[start][0])} {{eid: row.s}}), "
                f"(b:{in_backticks(sets.labels[end][0])} {{eid: row.e}}) CREATE (a)-[r:{in_backticks(type_)}]->(b) "
                "SET r = row.p" + conversions("r", "row.p", functions)
            )

        nodes, edges = Batches(self._write, node_statement), Batches(self._write, relationship_statement)
        times = {name: times_of(label.properties) for name, label in sets.stored.labels.items()}
        times |= {name: times_of(properties) for name, properties in file.schema.relationship_properties.items()}
        checks = RecordChecks(file.schema)
        try:
            begins("nodes")
            for number, record in file.entities():
                label, _, stored = checks.entity(number, record)
                nodes.add((label, prepare_times(stored, times[label])), stored)
            nodes.flush()
            self.create_indexes(file.schema.labels, INDEXED)
            begins("relationships")
            for number, record in file.relations():
                type_, start, end, stored = checks.relation(number, record, labels.get)
                functions = prepare_times(stored, times[type_])
                edges.add((type_, labels[start], labels[end], functions), {"s": start, "e": end, "p": stored})
            edges.flush()
        except EngineError as error:
            if nodes.written:
                raise type(error)(
                    f"{sentence(str(error))} The load is incomplete: {counted(nodes.written, 'node')} and "
                    f"{counted(edges.written, 'relationship')} were written before the failure. "
                    "`MATCH (n) DETACH DELETE n` empties the database; then load again."
                ) from error
            raise
        return nodes.written, edges.written

    def close(self) -> None:
        """Close the connections."""
        self._driver.close()

    def _write(self, statement: str, rows: list[dict[str, Any]] | None = None) -> list[Any]:
        try:
            with self._driver.session(database=self.address.database) as session:
                return session.run(cast("Any", statement), rows=rows or []).values()
        except Exception as error:
            raise translated(error, self.address) from error


class Batches:
    """Rows that wait to be written, grouped by the statement that writes them; each group is written in batches."""

    def __init__(
        self, write: Callable[[str, list[dict[str, Any]]], object], statement_of: Callable[[Any], str]
    ) -> None:
        self._write, self._statement_of = write, statement_of
        self._waiting: dict[Any, list[dict[str, Any]]] = {}
        self.written = 0
        """The number of rows that have been written to the database."""

    def add(self, kind: Any, row: dict[str, Any]) -> None:
        """Add a row to the batch of rows with the key `kind`, which share a statement; a full batch is written."""
        waiting = self._waiting.setdefault(kind, [])
        waiting.append(row)
        if len(waiting) >= ROWS_AT_ONCE:
            self._send(kind)

    def flush(self) -> None:
        """Write all batches that are not empty."""
        for kind in list(self._waiting):
            self._send(kind)

    def _send(self, kind: Any) -> None:
        rows = self._waiting.pop(kind)
        self._write(self._statement_of(kind), rows)
        self.written += len(rows)


def load_into(path: Path, address: BoltAddress, progress: Progress | None = None) -> tuple[int, int]:
    """Load a file into the database at `address`; return the numbers of nodes and relationships."""
    step = ["checking"]
    file = SimpleKGFile(path, lambda read: progress(step[-1], read, size) if progress is not None else None)
    size = path.stat().st_size
    with closing(BoltLoader(address)) as loader:
        return loader.bulk_load(file, step.append)


def checked_labels(file: SimpleKGFile) -> dict[str, str]:
    """Check all records of a file; return the name of each entity's label set by the entity's id.

    Raises:
        SimpleKGError: a record is invalid, or two entities have the same id.
    """
    checks = RecordChecks(file.schema)
    labels: dict[str, str] = {}
    for number, record in file.entities():
        label, eid, _ = checks.entity(number, record)
        if eid in labels:
            raise SimpleKGError(f"entities[{number}] (eid {eid!r}): another entity has this eid")
        labels[eid] = label
    for number, record in file.relations():
        checks.relation(number, record, labels.get)
    return labels


def check_names(schema: PropertyGraphSchema) -> None:
    r"""Refuse names that backticks cannot quote: Neo4j decodes `\u0060` to a backtick before it parses a query."""
    names = [("label", label.name) for label in schema.labels.values()]
    names += [("type", pattern.type) for pattern in schema.patterns]
    names += [("property", key) for label in schema.labels.values() for key in label.properties]
    names += [("property", key) for pattern in schema.patterns for key in pattern.properties]
    for kind, name in names:
        if places := two_readings(in_backticks(name)):
            raise SimpleKGError(f"schema: the {kind} {name!r} cannot be written in a query: {places[0].message}")


def times_of(properties: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the properties with dates or times, which are text in JSON."""
    return tuple(key for key, type_ in properties.items() if temporal_types(type_))


def prepare_times(row: dict[str, Any], keys: Iterable[str]) -> Functions:
    """Return for each date or time of a row its key, the function that makes it, and whether it is a list.

    Neo4j refuses the offsets with seconds of named zones before about 1900, although it writes them itself; the row is
    changed to leave them out.

    >>> prepare_times({"at": "2024-07-01T09:00:00", "days": ["2024-07-01"]}, ("at", "days", "born"))
    (('at', 'localdatetime', False), ('days', 'date', True))
    """
    found = []
    for key in keys:
        value = row.get(key)
        texts: list[Any] = value if type(value) is list else [value]
        if texts and type(texts[0]) is str:
            if any("[" in text for text in texts):
                texts = [ODD_OFFSET.sub("[", text) for text in texts]
                row[key] = texts if type(value) is list else texts[0]
            found.append((key, function_for(texts[0]), type(value) is list))
    return tuple(found)


def conversions(variable: str, row: str, functions: Functions) -> str:
    """Return the SET clauses that convert dates and times: ` SET n.`born` = date(row.`born`)`."""
    parts = []
    for key, function, is_list in functions:
        value = f"{row}.{in_backticks(key)}"
        converted = f"[one IN {value} | {function}(one)]" if is_list else f"{function}({value})"
        parts.append(f" SET {variable}.{in_backticks(key)} = {converted}")
    return "".join(parts)
