"""Constructs of Neo4j's Cypher that other databases do not support, as data.

Each entry has the construct's name, a test that recognises the construct in a syntax tree, and a hint with an
alternative.

    >>> from graphground.cypher import parse
    >>> from graphground.graphs.engines.dialects import DIALECTS
    >>> query = parse("MATCH (n) RETURN radians(n.angle)")
    >>> [diagnostic.message for diagnostic in find_unsupported(query, DIALECTS["memgraph"].unsupported)]
    ['Memgraph has no radians(): multiply by 3.141592653589793 / 180.']

The list for Memgraph follows its documentation ("Differences in Cypher implementations", read in November 2026).
Constructs that newer versions of a database support are reported only after the database has refused a query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic

CODE = "not_in_this_database"


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A construct that a database does not support: `Unsupported("COUNT { … }", is_count, "Memgraph has no …")`."""

    construct: str
    matches: Callable[[t.Node], bool]
    hint: str
    some_versions: bool = False
    """Whether some versions in use support the construct; if so, it is reported only after a query was refused."""


def find_unsupported(query: t.Query, constructs: Sequence[Unsupported], *, refused: bool = False) -> list[Diagnostic]:
    """Return a hint for each construct of the query that the database does not support, at its first occurrence.

    `refused` says that the database has refused the query; the hints then include constructs that some versions
    support.
    """
    remaining = [construct for construct in constructs if refused or not construct.some_versions]
    found: list[Diagnostic] = []
    for node in query.walk() if remaining else ():
        for construct in remaining:
            if construct.matches(node):
                found.append(_diagnostic(query, node, construct.hint))
                remaining = [other for other in remaining if other is not construct]
                break
    return found


def _diagnostic(query: t.Query, node: t.Node, hint: str) -> Diagnostic:
    (line, column), (end_line, end_column) = query.position(node.start), query.position(node.end)
    return Diagnostic(CODE, "hint", hint, line, column, end_line, end_column, query.text[node.start : node.end])


def function(*names: str) -> Callable[[t.Node], bool]:
    """Return a function that recognises calls of the named Cypher functions, in upper or lower case."""
    keys = frozenset(name.lower() for name in names)
    return lambda node: isinstance(node, t.FunctionCall) and node.key in keys


def procedure(name: str) -> Callable[[t.Node], bool]:
    """Return a function that recognises calls of the named procedure, in upper or lower case."""
    return lambda node: isinstance(node, t.CallProcedure) and node.name.lower() == name.lower()


def subquery(kind: str) -> Callable[[t.Node], bool]:
    """Return a function that recognises subqueries of a kind: `subquery("EXISTS")` for `EXISTS { … }`."""
    return lambda node: isinstance(node, t.Subquery) and node.kind == kind


def _quantified(node: t.Node) -> bool:
    return isinstance(node, t.PathQuantifier)


def _shortest(node: t.Node) -> bool:
    return isinstance(node, t.PathPattern) and node.shortest is not None


def _selected(node: t.Node) -> bool:
    return isinstance(node, t.PathSelector)


def _several_values(node: t.Node) -> bool:
    return isinstance(node, t.WhenThen) and len(node.conditions) > 1


def _typed(node: t.Node) -> bool:
    return isinstance(node, t.IsTyped)


def _negated_label(node: t.Node) -> bool:
    return isinstance(node, t.LabelNot)


def _match_mode(node: t.Node) -> bool:
    return isinstance(node, t.Match) and (node.mode or "").upper().startswith("REPEATABLE")


def _functions(product: str, instead: dict[str, str]) -> Iterator[Unsupported]:
    for name, hint in instead.items():
        yield Unsupported(f"{name}()", function(name), f"{product} has no {name}(): {hint}.")


MEMGRAPH_UNSUPPORTED: tuple[Unsupported, ...] = (
    Unsupported(
        "shortestPath(…)",
        _shortest,
        "Memgraph writes shortest paths in the pattern: (a)-[*BFS]-(b) for one, "
        "(a)-[*ALLSHORTEST (r, n | 1)]-(b) for all.",
    ),
    Unsupported(
        "SHORTEST k",
        _selected,
        "Memgraph has no SHORTEST or ANY before a path: for the 3 shortest paths, write MATCH (a), (b) WITH a, b "
        "MATCH p = (a)-[*KSHORTEST | 3]->(b).",
    ),
    Unsupported("-->{1,3}", _quantified, "Memgraph writes lengths inside the brackets: -[*1..3]-."),
    Unsupported(
        "!Label",
        _negated_label,
        "Memgraph has no ! in label expressions: write WHERE NOT n:Label, or type(r) <> 'TYPE'.",
    ),
    Unsupported(
        "CASE … WHEN a, b", _several_values, "Memgraph takes one value after WHEN: repeat the branch for each value."
    ),
    Unsupported("IS :: TYPE", _typed, "Memgraph has no type predicate: compare valueType(x) = 'INTEGER'."),
    *_functions(
        "Memgraph",
        {
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
        },
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
        _selected,
        "ArcadeDB has no SHORTEST or ANY before a path: write shortestPath((a)-[*]-(b)) or "
        "allShortestPaths((a)-[*]-(b)).",
    ),
    Unsupported(
        "REPEATABLE ELEMENTS", _match_mode, "ArcadeDB has no REPEATABLE ELEMENTS: each relationship is matched once."
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
