"""What databases that speak Bolt do each in their own way, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Dialect:
    """The statements of one kind of database: how it is asked for its version, how one query of it is ended."""

    name: str
    product: str
    components: str | None
    """Answers `version` in its first row."""
    running: str | None
    """Answers the transactions: `id` or `transactionId` first of all, and somewhere in the row the tag `$tag`
    of the query, or the `$client` address (`127.0.0.1:50412`) that it came from."""
    terminate: str | None
    """Ends the transaction `$id`; `{id}` is written into the text where parameters are not allowed."""
    write_probe: str
    """A write that is rolled back where the database lets it through; `{label}` is a label that exists."""
    lacks: Mapping[str, str] = field(default_factory=dict)
    """What Neo4j has and this database has not, with the hint for it."""


NEO4J = Dialect(
    "neo4j", "Neo4j",
    components="CALL dbms.components() YIELD versions RETURN versions[0] AS version",
    running="SHOW TRANSACTIONS YIELD transactionId AS id, metaData WHERE metaData.graphground = $tag RETURN id, $tag",
    terminate="TERMINATE TRANSACTIONS $id",
    write_probe="CREATE (:`GraphgroundProbe`)")

MEMGRAPH = Dialect(
    "memgraph", "Memgraph",
    components="SHOW VERSION",
    running="SHOW TRANSACTIONS",
    terminate="TERMINATE TRANSACTIONS '{id}'",
    write_probe="CREATE (:`GraphgroundProbe`)",
    lacks={
        "EXISTS {": "Memgraph takes a pattern in exists(…): exists((n)-[:T]->()).",
        "COUNT {": "Memgraph has no COUNT subquery: use OPTIONAL MATCH with count().",
        "CALL {": "Memgraph 3 needs the variables inside: CALL { WITH n … }.",
        "elementId(": "Memgraph names nodes by id(n).",
        "datetime(": "Memgraph has localDateTime() and, since 2.19, datetime().",
        "shortestPath(": "Memgraph writes [*BFS] in the pattern.",
    })

ARCADEDB = Dialect(
    "arcadedb", "ArcadeDB",
    components=None,
    running="SHOW TRANSACTIONS",
    terminate="TERMINATE TRANSACTION '{id}'",
    write_probe="CREATE (:`{label}`)")


def dialect_of(agent: str) -> Dialect:
    """The dialect behind a server's greeting: `Neo4j/5.26.30`, `… - Memgraph`, `ArcadeDB/26.10.2`."""
    greeting = agent.lower()
    if "memgraph" in greeting:
        return MEMGRAPH
    return ARCADEDB if "arcade" in greeting else NEO4J
