"""Copies a connected database part by part into a folder, from which the nodes and relationships are then imported.

All nodes form one part, and the relationships of each type another. Complete parts are kept, so that an interrupted
copy can be resumed. Each part is read in one transaction, but the parts together are not one snapshot.

A Neo4j is read by ranges of internal ids, with a block of rows in each record of the response: the driver needs 12 µs
of processor time for each record, but less than 1 µs for each row in a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, cast

import neo4j
import neo4j.time
import orjson

from graphground.cypher.quoting import in_backticks, quotable, relationships
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.errors import translated
from graphground.graphs.engines.values import plain
from graphground.graphs.loading.importing.cells import TimeText
from graphground.graphs.loading.importing.records import ImportRefused, NodeRecord, Problems, RelationshipRecord
from graphground.graphs.storage.home import replacing

SIZE = 200
BLOCKS_AT_ONCE = 25
"""The number of blocks that the driver fetches at a time, which limits its memory."""
SPARSE = 8
"""The number of ids per record at which reading by ids is slower than a scan, because too many ids are unused."""
OLDEST_PROTOCOL = (5, 6)
"""The version of the Bolt protocol of Neo4j 5.23, the first with `CALL (block) { … }`."""


class Span(NamedTuple):
    """The number of nodes, or of relationships of a type, and their lowest and highest ids; an unknown id is None."""

    number: int
    first: int | None = None
    last: int | None = None


def supports_blocks(server: neo4j.ServerInfo) -> bool:
    """Whether a server can run the queries of `block_query`; `is_read_by_id` tests whether such a query is fast."""
    return "Neo4j" in server.agent and tuple(server.protocol_version) >= OLDEST_PROTOCOL


def block_query(match: str, variable: str, fields: str) -> str:
    """Return a query that returns a list of rows for each block of ids of `variable`.

    Each row holds the `fields` of one match of the clause `match`.
    """
    return (
        f"UNWIND range($first, $last, {SIZE}) AS block CALL (block) {{ {match} WHERE id({variable}) IN "
        f"range(block, block + {SIZE - 1}) RETURN collect([{fields}]) AS rows }} RETURN rows"
    )


def is_read_by_id(session: neo4j.Session, query: str, span: Span) -> bool:
    """Whether reading by ids is fast: few ids are unused, and the database looks ids up without a scan."""
    if span.first is None or span.last is None or span.last - span.first >= SPARSE * max(span.number, SIZE):
        return False
    try:
        plan = _run(session, f"CYPHER replan=force EXPLAIN {query}", span).consume().plan
    except neo4j.exceptions.Neo4jError:
        return False
    operators = list(_operators(plan or {}))
    return any("ByIdSeek" in name for name in operators) and not any("Scan" in name for name in operators)


def read_blocks(session: neo4j.Session, query: str, span: Span) -> Iterator[list[list[Any]]]:
    """Yield the rows of each block that is not empty.

    Raises:
        Neo4jError: the database refuses the query, or a block needs more memory than the database allows.
    """
    for record in _run(session, query, span):
        (rows,) = tuple.__iter__(record)
        if rows:
            yield rows


def _run(session: neo4j.Session, query: str, span: Span) -> neo4j.Result:
    return session.run(cast(Any, query), first=span.first, last=span.last)


def _operators(plan: dict[str, Any]) -> Iterator[str]:
    yield str(plan.get("operatorType", ""))
    for child in plan.get("children") or ():
        yield from _operators(child)


FETCH = 5_000
NODES = "nodes.jsonl"
PARTS = "parts.json"
FORMAT = 3
"""The version of the format of a part: JSON Lines, with one line for each block of rows."""
Report = Callable[[str, int, int | None], None]
"""A function called with the part (`nodes` or a type), the number of records read, and the number in the whole part."""


class Part(NamedTuple):
    """A part of a copy: `Part("T", "MATCH (a)-[r:`T`]->(b)", "r", "elementId(a), …", Span(120, 0, 119))`.

    `match` is a MATCH clause, `variable` its variable for a record, and `fields` are the columns to return.
    """

    name: str
    match: str
    variable: str
    fields: str
    span: Span


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
        server = driver.get_server_info()
        by_id = supports_blocks(server)
        # Blocks are read by `id`, for which Neo4j warns that it is deprecated. A server without blocks may not know
        # this setting.
        quiet: dict[str, Any] = {"notifications_min_severity": "OFF"} if by_id else {}
        session = partial(
            driver.session, database=self.address.database, default_access_mode=neo4j.READ_ACCESS, **quiet
        )
        ends = ", min(id({0})), max(id({0}))" if by_id else ""
        with session() as counting:
            nodes = Span(*counting.run(cast(Any, f"MATCH (n) RETURN count(n){ends.format('n')}")).values()[0])
            counted = counting.run(cast(Any, f"MATCH ()-[r]->() RETURN type(r), count(*){ends.format('r')}")).values()
        spans = {str(type_): Span(*found) for type_, *found in counted}
        types = sorted(spans)
        self._check_folder(types)
        key = "elementId" if "Neo4j" in server.agent else "id"
        self._part(
            session, report, NODES, Part("nodes", "MATCH (n)", "n", f"{key}(n), labels(n), properties(n)", nodes)
        )
        for number, type_ in enumerate(types):
            fields = f"{key}(a), {key}(b), properties(r)"
            self._part(session, report, f"{number}.jsonl", Part(type_, _match(type_), "r", fields, spans[type_]))

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

    def _part(self, session: Callable[..., neo4j.Session], report: Report, file: str, part: Part) -> None:
        path = self.folder / file
        if path.exists():
            return
        query = block_query(part.match, part.variable, part.fields)
        with session(fetch_size=BLOCKS_AT_ONCE) as reading:
            if is_read_by_id(reading, query, part.span):
                try:
                    self._write(path, read_blocks(reading, query, part.span), report, part)
                    return
                except neo4j.exceptions.Neo4jError:
                    pass  # for example, a block of large values needs more memory than the database allows
        with session() as reading:
            self._write(path, _streamed(reading, f"{part.match} RETURN {part.fields}"), report, part)

    def _write(self, path: Path, blocks: Iterable[list[list[Any]]], report: Report, part: Part) -> None:
        """Write each block of rows as a line of JSON, and report the progress."""
        count = reported = 0
        with replacing(path) as written:
            for rows in blocks:
                text = orjson.dumps(rows, default=_tagged, option=orjson.OPT_PASSTHROUGH_DATETIME)
                if b"null" in text:  # a float that JSON cannot hold; no property is null
                    text = orjson.dumps(_with_floats(rows), default=_tagged, option=orjson.OPT_PASSTHROUGH_DATETIME)
                written.write(text + b"\n")
                count += len(rows)
                if count - reported >= FETCH:
                    reported = count
                    report(part.name, count, part.span.number)
        report(part.name, part.span.number, part.span.number)

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


def _streamed(session: neo4j.Session, query: str) -> Iterator[list[list[Any]]]:
    """Yield the records of a response in blocks."""
    records = iter(session.run(cast(Any, query)))
    while block := [list(tuple.__iter__(record)) for record in islice(records, SIZE)]:
        yield block


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
