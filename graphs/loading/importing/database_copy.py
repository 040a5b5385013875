"""Copies a connected database: nodes and relationships are read part by part into a folder, and then as records.

All nodes are one part, and the relationships of each type another. Complete parts are kept, so that an interrupted copy
resumes. Each part is read in one transaction, but the parts together are not one snapshot.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

import neo4j
import neo4j.time
import orjson

from graphground.cypher.matching import quotable, relationships
from graphground.cypher.quoting import in_backticks
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.errors import translated
from graphground.graphs.engines.values import plain
from graphground.graphs.loading.importing.problems import ImportRefused, Problems
from graphground.graphs.loading.importing.records import NodeRecord, RelationshipRecord
from graphground.graphs.storage.atomic import replacing

FETCH = 5_000
NODES = "nodes.jsonl"
PARTS = "parts.json"
Report = Callable[[str, int, int | None], None]
"""A function called with the part (`nodes` or a relationship type), its records read so far, and their total."""


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
                another call resumes with the next part.
            ImportRefused: the folder holds a copy of another database.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with neo4j.GraphDatabase.driver(
                self.address.uri,
                auth=(self.address.user, self.address.password) if self.address.user else None,
                connection_timeout=5.0,
                user_agent="graphground",
            ) as driver:
                self._fetch(driver, report)
        except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError, OSError) as error:
            raise translated(error, self.address) from error

    def _fetch(self, driver: neo4j.Driver, report: Report) -> None:
        with driver.session(database=self.address.database, default_access_mode=neo4j.READ_ACCESS) as session:
            ids = "elementId" if "Neo4j" in driver.get_server_info().agent else "id"
            nodes = int(session.run("MATCH (n) RETURN count(n)").values()[0][0])
            totals = {
                str(type_): int(count)
                for type_, count in session.run("MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS n").values()
            }
            types = sorted(totals)
            self._check_folder(types)
            read: Callable[[str, str, int, str], None] = partial(self._part, session, report)
            read(NODES, "nodes", nodes, f"MATCH (n) RETURN {ids}(n), labels(n), properties(n)")
            for number, type_ in enumerate(types):
                read(
                    f"{number}.jsonl", type_, totals[type_], f"{_match(type_)} RETURN {ids}(a), {ids}(b), properties(r)"
                )

    def _check_folder(self, types: list[str]) -> None:
        """Record the database of which the folder is a copy; refuse a folder that holds a copy of another."""
        described = {"address": self.name, "types": types}
        note = self.folder / PARTS
        if note.exists() and orjson.loads(note.read_bytes()) != described:
            raise ImportRefused(
                [f"{self.folder} holds an unfinished copy of another database or of an earlier state; remove it"], 1
            )
        with replacing(note) as file:
            file.write(orjson.dumps(described))

    def _part(self, session: neo4j.Session, report: Report, file: str, part: str, total: int, query: str) -> None:
        path = self.folder / file
        if path.exists():
            return
        with replacing(path) as written:
            for count, row in enumerate(session.run(cast(Any, neo4j.Query(query))), start=1):
                written.write(
                    orjson.dumps(row.values(), default=_tagged, option=orjson.OPT_PASSTHROUGH_DATETIME) + b"\n"
                )
                if count % FETCH == 0:
                    report(part, count, total)
        report(part, total, total)

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Yield each node; its id is the property `eid` if every node has a unique one, else the database's own id."""
        own = self._own_ids
        for key, labels, properties in self._rows(NODES):
            values = _restored(properties)
            yield NodeRecord(values["eid"] if own else str(key), tuple(sorted(labels)), values)

    def relationships(self, problems: Problems) -> Iterator[RelationshipRecord]:
        """Yield the relationships, type by type."""
        ids = {str(key): properties["eid"] for key, _, properties in self._rows(NODES)} if self._own_ids else None
        for number, type_ in enumerate(orjson.loads((self.folder / PARTS).read_bytes())["types"]):
            for start, end, properties in self._rows(f"{number}.jsonl"):
                first, last = (str(key) if ids is None else ids[str(key)] for key in (start, end))
                yield RelationshipRecord(type_, first, last, _restored(properties))

    @cached_property
    def _own_ids(self) -> bool:
        """Whether every node has a non-empty, unique text as its property `eid`."""
        seen: set[str] = set()
        for _, _, properties in self._rows(NODES):
            key = properties.get("eid")
            if not isinstance(key, str) or not key or key in seen:
                return False
            seen.add(key)
        return True

    def _rows(self, file: str) -> Iterator[list[Any]]:
        with (self.folder / file).open("rb") as lines:
            for line in lines:
                yield orjson.loads(line)


def _match(type_: str) -> str:
    """Return a MATCH for the relationships of a type; the type is quoted, because it may be a keyword such as `SET`."""
    return f"MATCH (a)-[r:{in_backticks(type_)}]->(b)" if quotable(type_) else relationships(type_).match()


def _tagged(value: Any) -> Any:
    """Convert a value that JSON cannot hold: a date or time to a map with its kind, any other value to plain JSON."""
    match value:
        case neo4j.time.DateTime():
            return {"~": "datetime", "v": value.iso_format()}
        case neo4j.time.Date():
            return {"~": "date", "v": value.iso_format()}
    return plain(value)


def _restored(value: Any) -> Any:
    match value:
        case {"~": "date", "v": text}:
            return _python(datetime.date, text)
        case {"~": "datetime", "v": text}:
            return _python(datetime.datetime, text)
        case dict():
            return {key: _restored(part) for key, part in value.items()}
        case list():
            return [_restored(part) for part in value]
    return value


def _python(kind: type[datetime.date], text: str) -> Any:
    """Return a date or time as a Python value, or as text if Python cannot hold it: years before 1, nanoseconds."""
    try:
        return kind.fromisoformat(text)
    except ValueError:
        return text
