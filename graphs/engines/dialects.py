"""The differences between databases that speak Bolt, as data, among them what each cannot do of Neo4j's Cypher.

    >>> from graphground.cypher import parse
    >>> query = parse("MATCH (n) RETURN radians(n.angle)")
    >>> [diagnostic.message for diagnostic in find_unsupported(query, DIALECTS["memgraph"].unsupported)]
    ['Memgraph has no radians(): multiply by 3.141592653589793 / 180.']

The list for Memgraph follows its documentation ("Differences in Cypher implementations", read in November 2026).
Constructs that newer versions of a database support are reported only after the database has refused a query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic

CODE = "not_in_this_database"
N = TypeVar("N", bound=t.Node)
Construct = tuple[type[t.Node], Callable[[Any], object]]
"""A class of nodes in the tree, and a function that recognises the construct among them."""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A construct that a database does not support: `Unsupported("!Label", element(t.LabelNot), "Not here.")`."""

    construct: str
    matches: Construct
    hint: str
    some_versions: bool = False
    """Whether some versions in use support the construct; if so, it is reported only after a query was refused."""


def find_unsupported(query: t.Query, constructs: Sequence[Unsupported], *, refused: bool = False) -> list[Diagnostic]:
    """Return a hint for each construct of the query that the database does not support, at its first occurrence.

    `refused` says that the database has refused the query; the hints then include constructs that some versions
    support.
    """
    remaining = [construct for construct in constructs if refused or not construct.some_versions]
    firsts: list[tuple[t.Node, str]] = []
    for construct in remaining:
        kind, is_one = construct.matches
        firsts += [(node, construct.hint) for node in query.find(kind) if is_one(node)][:1]
    return [_diagnostic(query, node, hint) for node, hint in sorted(firsts, key=lambda first: first[0].start)]


def _diagnostic(query: t.Query, node: t.Node, hint: str) -> Diagnostic:
    (line, column), (end_line, end_column) = query.position(node.start), query.position(node.end)
    return Diagnostic(CODE, "hint", hint, line, column, end_line, end_column, query.text[node.start : node.end])


def element(kind: type[N], is_one: Callable[[N], object] = lambda _: True) -> Construct:
    """Return a construct that is a kind of syntax: `element(t.LabelNot)` for `!Label`."""
    return kind, is_one


def function(*names: str) -> Construct:
    """Return the calls of the named Cypher functions, in upper or lower case."""
    keys = frozenset(name.lower() for name in names)
    return element(t.FunctionCall, lambda call: call.key in keys)


def procedure(name: str) -> Construct:
    """Return the calls of the named procedure, in upper or lower case."""
    return element(t.CallProcedure, lambda call: call.name.lower() == name.lower())


def subquery(kind: str) -> Construct:
    """Return the subqueries of a kind: `subquery("EXISTS")` for `EXISTS { … }`."""
    return element(t.Subquery, lambda found: found.kind == kind)


MEMGRAPH_UNSUPPORTED: tuple[Unsupported, ...] = (
    Unsupported(
        "shortestPath(…)",
        element(t.PathPattern, lambda path: path.shortest is not None),
        "Memgraph writes shortest paths in the pattern: (a)-[*BFS]-(b) for one, "
        "(a)-[*ALLSHORTEST (r, n | 1)]-(b) for all.",
    ),
    Unsupported(
        "SHORTEST k",
        element(t.PathSelector),
        "Memgraph has no SHORTEST or ANY before a path: for the 3 shortest paths, write MATCH (a), (b) WITH a, b "
        "MATCH p = (a)-[*KSHORTEST | 3]->(b).",
    ),
    Unsupported("-->{1,3}", element(t.PathQuantifier), "Memgraph writes lengths inside the brackets: -[*1..3]-."),
    Unsupported(
        "!Label",
        element(t.LabelNot),
        "Memgraph has no ! in label expressions: write WHERE NOT n:Label, or type(r) <> 'TYPE'.",
    ),
    Unsupported(
        "CASE … WHEN a, b",
        element(t.WhenThen, lambda branch: len(branch.conditions) > 1),
        "Memgraph takes one value after WHEN: repeat the branch for each value.",
    ),
    Unsupported("IS :: TYPE", element(t.IsTyped), "Memgraph has no type predicate: compare valueType(x) = 'INTEGER'."),
    *(
        Unsupported(f"{name}()", function(name), f"Memgraph has no {name}(): {hint}.")
        for name, hint in {
            "isEmpty": "compare size(x) = 0",
            "nullIf": "write CASE WHEN a = b THEN null ELSE a END",
            "percentileCont": "collect the values in order and take one by its index",
            "percentileDisc": "collect the values in order and take one by its index",
            "stDev": "compute it from avg(x) and avg(x * x)",
            "stDevP": "compute it from avg(x) and avg(x * x)",
            "isNaN": "NaN alone differs from itself, so compare x <> x",
            "cot": "write 1 / tan(x)",
            "degrees": "multiply by 180 / 3.141592653589793",
            "radians": "multiply by 3.141592653589793 / 180",
            "haversin": "write (1 - cos(x)) / 2",
            "normalize": "compare the texts as they are",
            "time": "use localTime(), which has no time zone",
        }.items()
    ),
    Unsupported(
        "COUNT { … }",
        subquery("COUNT"),
        "Many versions of Memgraph have no COUNT subquery: use OPTIONAL MATCH with count().",
        some_versions=True,
    ),
    Unsupported(
        "COLLECT { … }",
        subquery("COLLECT"),
        "Many versions of Memgraph have no COLLECT subquery: use OPTIONAL MATCH with collect().",
        some_versions=True,
    ),
    Unsupported(
        "EXISTS { … }",
        subquery("EXISTS"),
        "Older versions of Memgraph have no EXISTS subquery: write exists((n)-[:T]->()).",
        some_versions=True,
    ),
    Unsupported(
        "elementId(…)",
        function("elementId"),
        "Older versions of Memgraph have no elementId(): use id(n).",
        some_versions=True,
    ),
    Unsupported(
        "datetime(…)",
        function("datetime"),
        "Older versions of Memgraph have no datetime(): use localDateTime().",
        some_versions=True,
    ),
)

ARCADEDB_UNSUPPORTED: tuple[Unsupported, ...] = (
    Unsupported(
        "SHORTEST k",
        element(t.PathSelector),
        "ArcadeDB has no SHORTEST or ANY before a path: write shortestPath((a)-[*]-(b)) or "
        "allShortestPaths((a)-[*]-(b)).",
    ),
    Unsupported(
        "REPEATABLE ELEMENTS",
        element(t.Match, lambda match: (match.mode or "").upper().startswith("REPEATABLE")),
        "ArcadeDB has no REPEATABLE ELEMENTS: each relationship is matched once.",
    ),
    Unsupported(
        "db.schema.nodeTypeProperties()",
        procedure("db.schema.nodeTypeProperties"),
        "ArcadeDB has no db.schema.nodeTypeProperties(): write MATCH (n) UNWIND keys(n) AS key RETURN DISTINCT "
        "labels(n), key.",
    ),
    Unsupported(
        "db.schema.relTypeProperties()",
        procedure("db.schema.relTypeProperties"),
        "ArcadeDB has no db.schema.relTypeProperties(): write MATCH ()-[r]->() UNWIND keys(r) AS key RETURN DISTINCT "
        "type(r), key.",
    ),
)
"""The constructs that ArcadeDB 26.10 does not support, as found by running each of them."""

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
    vector_indexes: str = "SHOW VECTOR INDEXES"
    """A query that lists the vector indexes."""
    vector_search: str = "CALL db.index.vector.queryNodes($index, $count, $vector) YIELD node, score AS near"
    """The beginning of a query for the `$count` nodes whose vectors are nearest to `$vector`."""
    marks: bool = False
    """Whether the database identifies its last transaction with a bookmark, from which every change can be detected."""
    newer: str | None = None
    """A query that compiles only if the database's default language is Cypher 25; None if it is always Cypher 5."""
    refuses_by_itself: str = ""
    """A sentence about how this product refuses writes of any user, and what to do if it does not; empty if it accepts
    the writes of a user who may write.
    """
    has_count_store: bool = False
    """Whether the database stores the numbers of nodes by label and of relationships by type; if it does, the exact
    schema is read from these counts and from its procedures, otherwise by a scan."""
    reads_options: bool = False
    """Whether a query may begin with options such as `CYPHER 5`."""
    limits_memory: bool = False
    """Whether the database has a setting for the memory of a transaction, as `SHOW SETTINGS` returns it."""
    needs_rewrites: bool = False
    """Whether `rewriting` gives its planner what Neo4j's planner finds by itself."""
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
    vector_indexes="SHOW VECTOR INDEXES YIELD *",
    newer="LET x = 1 RETURN x",
    marks=True,
    has_count_store=True,
    limits_memory=True,
    reads_options=True,
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
    vector_indexes="CALL vector_search.show_index_info() YIELD * RETURN *",
    vector_search="CALL vector_search.search($index, $count, $vector) YIELD node, distance AS near",
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
    needs_rewrites=True,
    unsupported=ARCADEDB_UNSUPPORTED,
)


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
