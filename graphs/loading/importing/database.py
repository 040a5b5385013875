"""Reads a connected database as records, which are then imported like those of a file.

The nodes are read in one transaction, and the relationships of each type in another, so they are not one snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import neo4j
import neo4j.time

from graphground.cypher.quoting import in_backticks, quotable, relationships
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import open_driver
from graphground.graphs.engines.errors import translated
from graphground.graphs.engines.values import plain
from graphground.graphs.loading.importing.records import NodeRecord, Problems, Records, RelationshipRecord, TimeText

REPORTED_RECORDS = 5_000
Report = Callable[[str, int, int | None], None]
"""A function called with the part (`nodes` or a type), the number of records read, and the number in the whole part."""


class DatabaseSource:
    """A database as a source of records: `DatabaseSource(BoltAddress("bolt://localhost:7687", "reader", "…"))`.

    The id of a node is its property `eid` if every node has a different one, else the database's own id.

    Raises:
        EngineUnavailable: the address is not a Bolt address.
    """

    def __init__(self, address: BoltAddress, report: Report = lambda part, count, total: None) -> None:
        address.check()
        self.address, self.name, self._report = address, address.where(), report

    def records(self, problems: Problems) -> Records:
        """Yield each node, then the relationships type by type.

        Raises:
            EngineError: the database does not respond, refuses the user or a query, or the connection was lost.
        """
        try:
            with open_driver(self.address) as driver:
                yield from self._records(driver)
        except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError, OSError) as error:
            raise translated(error, self.address) from error

    def _records(self, driver: neo4j.Driver) -> Records:
        def rows(query: str) -> Iterator[list[Any]]:
            with driver.session(
                database=self.address.database, default_access_mode=neo4j.READ_ACCESS
            ) as session:  # `tuple.__iter__` yields the values; a record's own iterator is slower
                yield from (list(tuple.__iter__(record)) for record in session.run(cast("Any", query)))

        ((nodes,),) = rows("MATCH (n) RETURN count(n)")
        counts = {str(type_): count for type_, count in rows("MATCH ()-[r]->() RETURN type(r), count(*)")}
        own_key = "elementId({})" if "Neo4j" in driver.get_server_info().agent else "id({})"
        key = "{}.eid" if _identify(rows("MATCH (n) RETURN n.eid")) else own_key
        for node, labels, properties in self._counted(
            "nodes", nodes, rows(f"MATCH (n) RETURN {key.format('n')}, labels(n), properties(n)")
        ):
            yield NodeRecord(str(node), tuple(sorted(labels)), _stored(properties))
        for type_, count in sorted(counts.items()):
            # A quoted type may be a keyword such as `SET`.
            match = f"MATCH (a)-[r:{in_backticks(type_)}]->(b)" if quotable(type_) else relationships(type_).match()
            query = f"{match} RETURN {key.format('a')}, {key.format('b')}, properties(r)"
            for start, end, properties in self._counted(type_, count, rows(query)):
                yield RelationshipRecord(type_, str(start), str(end), _stored(properties))

    def _counted(self, part: str, total: int, rows: Iterator[list[Any]]) -> Iterator[list[Any]]:
        for number, row in enumerate(rows, start=1):
            if number % REPORTED_RECORDS == 0:
                self._report(part, number, total)
            yield row
        self._report(part, total, total)


def _identify(rows: Iterator[list[Any]]) -> bool:
    """Whether every key is a text that is not empty and that no other row has."""
    seen: set[str] = set()
    for (key,) in rows:
        if not isinstance(key, str) or not key or key in seen:
            return False
        seen.add(key)
    return True


def _stored(value: Any) -> Any:
    """Return a value without the driver's types: a date or time as `TimeText`, a point as a map; numbers unchanged."""
    if isinstance(value, dict):
        return {key: _stored(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_stored(part) for part in value]
    if isinstance(value, str | int | float):
        return value
    return TimeText(plain(value)) if _is_time(value) else plain(value)


def _is_time(value: Any) -> bool:
    if isinstance(value, neo4j.time.DateTime | neo4j.time.Date | neo4j.time.Time):
        return True
    # A year before 1 or after 9999, which the driver cannot represent
    return getattr(getattr(value, "raw_data", None), "tag", None) in (b"D", b"d", b"I", b"i")
