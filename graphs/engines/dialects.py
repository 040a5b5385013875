"""The differences between databases that speak Bolt, as data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from graphground.graphs.engines.unsupported import ARCADEDB_UNSUPPORTED, MEMGRAPH_UNSUPPORTED, Unsupported

NOTHING_WRITTEN = "UNWIND [] AS nothing CREATE ()"
"""A write query that changes nothing: a database that refuses it also refuses queries that really write."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A kind of database: for example, `DIALECTS["memgraph"].own_id` is `id(n)`."""

    name: str
    product: str
    components: str | None
    """A query whose first row contains the product's version; None if the version is in the greeting."""
    running: str | None
    """A query that lists the running transactions, with their numbers in the column `id`, `transactionId` or
    `transaction_id`. Another column contains the query's tag `$tag` or its client's address (`127.0.0.1:50412`).
    """
    terminate: str | None
    """A query that terminates the transaction `$id`, written `{id}` if the database allows no parameter there."""
    write_probe: str
    """A write query that fails if the database refuses writes."""
    probe_writes: bool
    """Whether the probe changes data. If so, `{label}` stands for an existing label, and the probe is rolled back."""
    refusal: re.Pattern[str]
    """A pattern for the code and message of a refused write; a failure that does not match it is not a refusal."""
    reader: str
    """Instructions for creating a read-only user."""
    own_id: str
    """The expression for the database's own identifier of the node `n`."""
    by_id: str
    """The condition that `n` has the identifier `$key`, a string."""
    create_index: str
    """The statement that creates an index on a property, with the placeholders `{label}` and `{key}` for quoted names
    and `{name}` for a plain word.
    """
    labels: str = "CALL db.labels()"
    relationship_types: str = "CALL db.relationshipTypes()"
    await_indexes: str | None = None
    """A statement that returns when all indexes are built; None if there is no such statement."""
    other_functions: frozenset[str] = frozenset()
    """Allowed functions that Neo4j does not have, in lower case; none has side effects."""
    vector_index: bool = False
    marks: bool = False
    """Whether the database identifies its last transaction with a bookmark, from which every change can be detected."""
    newer: str | None = None
    """A query that compiles only if the database's default language is Cypher 25; None if it is always Cypher 5."""
    refuses_by_itself: str = ""
    """A sentence about how this product refuses writes of any user, and what to do if it does not; empty if it accepts
    the writes of a user who may write.
    """
    unsupported: tuple[Unsupported, ...] = ()
    """The features of Neo4j that this database does not have."""


NEO4J = Dialect(
    "neo4j",
    "Neo4j",
    components="CALL dbms.components() YIELD versions RETURN versions[0] AS version",
    running="SHOW TRANSACTIONS YIELD transactionId AS id, metaData WHERE metaData.graphground = $tag RETURN id, $tag",
    terminate="TERMINATE TRANSACTIONS $id",
    write_probe=NOTHING_WRITTEN,
    probe_writes=False,
    refusal=re.compile(
        r"Statement\.AccessMode|Security\.Forbidden|ForbiddenOnReadOnlyDatabase"
        r"|WriteOnReadOnlyAccessDatabase"
    ),
    reader="on Enterprise, and on Aura tiers with roles: GRANT ROLE reader TO the user",
    refuses_by_itself="Neo4j itself refuses writes in the READ sessions that graphground opens; if yours does not, look "
    "for a proxy between graphground and Neo4j.",
    own_id="elementId(n)",
    by_id="elementId(n) = $key",
    create_index="CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON (n.{key})",
    await_indexes="CALL db.awaitIndexes(600)",
    vector_index=True,
    newer="LET x = 1 RETURN x",
    marks=True,
)

MEMGRAPH = Dialect(
    "memgraph",
    "Memgraph",
    components="SHOW VERSION",
    running="SHOW TRANSACTIONS",
    terminate="TERMINATE TRANSACTIONS '{id}'",
    # The probe runs without an explicit transaction: Memgraph might refuse the transaction,
    # and still run a plain write.
    write_probe=NOTHING_WRITTEN,
    probe_writes=False,
    refusal=re.compile(r"not authorized|[Ww]rite query forbidden|misaligned|read.only", re.IGNORECASE),
    reader="with Memgraph's roles, which need its Enterprise licence: GRANT MATCH TO the user, and READ on the labels "
    "and edge types; without them, give graphground the address of a replica",
    own_id="id(n)",
    by_id="toString(id(n)) = $key",
    create_index="CREATE INDEX ON :{label}({key})",
    labels="MATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label",
    relationship_types="MATCH ()-[r]->() RETURN DISTINCT type(r) AS type",
    other_functions=frozenset(
        (
            "assert",
            "asserttype",
            "contains",
            "counter",
            "degree",
            "endswith",
            "frombytestring",
            "gethopscounter",
            "indegree",
            "outdegree",
            "project",
            "propertysize",
            "roles",
            "startswith",
            "tobytestring",
            "toenum",
            "toset",
            "username",
            "values",
        )
    ),
    unsupported=MEMGRAPH_UNSUPPORTED,
)

ARCADEDB = Dialect(
    "arcadedb",
    "ArcadeDB",
    components=None,
    running="SHOW TRANSACTIONS",
    terminate="TERMINATE TRANSACTION '{id}'",
    # ArcadeDB checks records, not queries: it refuses only when a record is really written.
    write_probe="CREATE (:{label})",
    probe_writes=True,
    refusal=re.compile(r"Security\.Forbidden|not allowed|read only database"),
    reader='a user in a group of server-groups.json whose access to types is ["readRecord"] alone',
    own_id="id(n)",
    by_id="toString(id(n)) = $key",
    create_index="CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON (n.{key})",
    unsupported=ARCADEDB_UNSUPPORTED,
)

DIALECTS: Mapping[str, Dialect] = {item.name: item for item in (NEO4J, MEMGRAPH, ARCADEDB)}


def dialect_of(agent: str) -> Dialect:
    """Return the dialect of the product that a server's greeting names; Neo4j's dialect for an unknown product.

    >>> dialect_of("Neo4j/5.26.30").name, dialect_of("Neo4j/5.26.0 compatible (ArcadeDB 26.10.2)").name
    ('neo4j', 'arcadedb')
    >>> dialect_of("Neo4j/v5.11.0 compatible graph database server - Memgraph").name
    'memgraph'
    """
    greeting = agent.lower()
    if "memgraph" in greeting:
        return MEMGRAPH
    return ARCADEDB if "arcade" in greeting else NEO4J


def version_of(agent: str) -> str:
    """Return the version of the product itself, not of a product with which the greeting claims compatibility.

    The text is empty if the greeting does not contain the product's own version.

    >>> version_of("Neo4j/5.26.0 compatible (ArcadeDB 26.10.2)"), version_of("Neo4j/5.26.30")
    ('26.10.2', '5.26.30')
    >>> version_of("Neo4j/v5.11.0 compatible graph database server - Memgraph")
    ''
    """
    before = "/" if dialect_of(agent) is NEO4J else "(?:ArcadeDB|Memgraph)[ /]"
    found = re.search(rf"{before}v?(\d[\w.-]*)", agent)
    return found.group(1) if found else ""
