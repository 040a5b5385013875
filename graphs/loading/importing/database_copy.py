"""Copies a connected database part by part into a folder, from which the nodes and relationships are then imported.

All nodes form one part, and the relationships of each type another. Complete parts are kept, so that an interrupted
copy can be resumed. Each part is read in one transaction, but the parts together are not one snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, cast

import neo4j
import neo4j.time
import orjson

from graphground.cypher.quoting import in_backticks, quotable, relationships
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import open_driver
from graphground.graphs.engines.errors import translated
from graphground.graphs.engines.values import plain
from graphground.graphs.loading.importing.records import (
    ImportRefused,
    NodeRecord,
    Problems,
    RelationshipRecord,
    TimeText,
)
from graphground.graphs.storage.home import replacing

ROWS_AT_ONCE = 200
"""The number of records that become one line of a part."""
REPORTED_RECORDS = 5_000
NODES = "nodes.jsonl"
PARTS = "parts.json"
FORMAT = 3
"""The version of the format of a part: JSON Lines, with one line for each block of rows."""
Report = Callable[[str, int, int | None], None]
"""A function called with the part (`nodes` or a type), the number of records read, and the number in the whole part."""


class DatabaseCopy:
    """The copy of a database in a folder: `DatabaseCopy(BoltAddress("bolt://localhost:7687", "reader", "…"), folder)`.

    `fetch` fills the folder.

    Raises:
        EngineUnavailable: the address is not a Bolt address.
    """

    def __init__(self, address: BoltAddress, folder: Path) -> None:
        address.check()
        self.address, self.folder, self.name = address, folder, address.where()

    def fetch(self, report: Report = lambda part, count, total: None) -> None:
        """Read the missing parts of the database into the folder.

        Raises:
            EngineError: the database does not respond, refuses the user or a query, or the connection was lost;
                call again to read the parts that are still missing.
            ImportRefused: the folder holds a copy of another database, or of an earlier state of this database.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with open_driver(self.address) as driver:
                self._fetch(driver, report)
        except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError, OSError) as error:
            raise translated(error, self.address) from error

    def _fetch(self, driver: neo4j.Driver, report: Report) -> None:
        def session() -> neo4j.Session:
            return driver.session(database=self.address.database, default_access_mode=neo4j.READ_ACCESS)

        with session() as counting:
            nodes = counting.run("MATCH (n) RETURN count(n)").values()[0][0]
            counts = dict(counting.run("MATCH ()-[r]->() RETURN type(r), count(*)").values())
        types = sorted(map(str, counts))
        self._check_folder(types)
        key = "elementId" if "Neo4j" in driver.get_server_info().agent else "id"
        parts = [(NODES, "nodes", f"MATCH (n) RETURN {key}(n), labels(n), properties(n)", nodes)]
        for number, type_ in enumerate(types):
            query = f"{_match(type_)} RETURN {key}(a), {key}(b), properties(r)"
            parts.append((f"{number}.jsonl", type_, query, counts[type_]))
        for file, name, query, total in parts:
            if not (self.folder / file).exists():
                with session() as reading:
                    self._write(self.folder / file, reading.run(cast(Any, query)), partial(report, name), total)

    def _check_folder(self, types: list[str]) -> None:
        """Note the database and its relationship types in the folder.

        Raises:
            ImportRefused: the folder holds a copy of another database, or of an earlier state of this database.
        """
        described = {"format": FORMAT, "address": self.name, "types": types}
        note = self.folder / PARTS
        if note.exists() and orjson.loads(note.read_bytes()) != described:
            raise ImportRefused(
                [
                    f"{self.folder} holds an unfinished copy of another database or of an earlier state of this database; delete it"
                ],
                1,
            )
        with replacing(note) as file:
            file.write(orjson.dumps(described))

    def _write(
        self, path: Path, records: Iterable[neo4j.Record], report: Callable[[int, int | None], None], total: int
    ) -> None:
        """Write each block of records as a line of JSON, and report the progress."""
        count, rest = 0, iter(records)
        with replacing(path) as written:
            # `tuple.__iter__` yields the values; a record's own iterator is slower.
            while rows := [list(tuple.__iter__(record)) for record in islice(rest, ROWS_AT_ONCE)]:
                text = orjson.dumps(rows, default=_tagged, option=orjson.OPT_PASSTHROUGH_DATETIME)
                if b"null" in text:  # a float that JSON cannot hold; no property is null
                    text = orjson.dumps(_with_floats(rows), default=_tagged, option=orjson.OPT_PASSTHROUGH_DATETIME)
                written.write(text + b"\n")
                count += len(rows)
                if count % REPORTED_RECORDS == 0:
                    report(count, total)
        report(total, total)

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Yield each node.

        The id of the record is the property `eid` if every node has a different one, else the database's own id.
        """
        own = self._own_ids
        for key, labels, properties in self._rows(NODES):
            values = _properties(properties)
            yield NodeRecord(values["eid"] if own else str(key), tuple(sorted(labels)), values)

    def relationships(self, problems: Problems) -> Iterator[RelationshipRecord]:
        """Yield the relationships, type by type."""
        ids = {str(key): properties["eid"] for key, _, properties in self._rows(NODES)} if self._own_ids else None
        for number, type_ in enumerate(orjson.loads((self.folder / PARTS).read_bytes())["types"]):
            for start, end, properties in self._rows(f"{number}.jsonl"):
                first, last = (str(key) if ids is None else ids[str(key)] for key in (start, end))
                yield RelationshipRecord(type_, first, last, _properties(properties))

    @cached_property
    def _own_ids(self) -> bool:
        """Whether the property `eid` of every node is a non-empty text that no other node has."""
        seen: set[str] = set()
        for _, _, properties in self._rows(NODES):
            key = properties.get("eid")
            if not isinstance(key, str) or not key or key in seen:
                return False
            seen.add(key)
        return True

    def _rows(self, file: str) -> Iterator[list[Any]]:
        with (self.folder / file).open("rb") as blocks:
            for block in blocks:
                yield from orjson.loads(block)


def _match(type_: str) -> str:
    """Return a MATCH for the relationships of a type; the type is quoted, because it may be a keyword such as `SET`."""
    return f"MATCH (a)-[r:{in_backticks(type_)}]->(b)" if quotable(type_) else relationships(type_).match()


def _tagged(value: Any) -> Any:
    """Convert a value that JSON cannot hold: a date or time to a map with its text, any other value to plain JSON."""
    text = plain(value)
    return {"~": "time", "v": text} if _is_time(value) else text


def _is_time(value: Any) -> bool:
    if isinstance(value, neo4j.time.DateTime | neo4j.time.Date | neo4j.time.Time):
        return True
    # A year before 1 or after 9999, which the driver cannot represent
    return getattr(getattr(value, "raw_data", None), "tag", None) in (b"D", b"d", b"I", b"i")


def _with_floats(value: Any) -> Any:
    """Return rows in which each float that is not finite is a map with its text."""
    if isinstance(value, float) and not isfinite(value):
        return {"~": "float", "v": str(value)}
    if isinstance(value, list):
        return [_with_floats(part) for part in value]
    return {key: _with_floats(part) for key, part in value.items()} if isinstance(value, dict) else value


def _properties(values: dict[str, Any]) -> dict[str, Any]:
    """Restore the values from the maps that `_tagged` returned; these may be inside other maps and lists."""
    return {key: _restored(value) if type(value) in (dict, list) else value for key, value in values.items()}


def _restored(value: Any) -> Any:
    match value:
        case {"~": "time", "v": text}:
            return TimeText(text)
        case {"~": "float", "v": text}:
            return float(text)
        case dict():
            return {key: _restored(part) for key, part in value.items()}
        case list():
            return [_restored(part) for part in value]
    return value
