"""Determines the access level that a query needs, from its syntax tree.

    >>> from graphground.cypher import parse
    >>> access(parse("MATCH (n) RETURN n")), access(parse("MATCH (n) CALL { CREATE (m) } RETURN n"))
    ('read', 'write')

A procedure or a plug-in's function that is not in `allowed` may do anything, so it counts as `admin`. The exceptions
are built-in procedures with the mode `write` or `schema`. LOAD CSV, which reads a file or an address, counts as
`admin` too. `violations` lists the forbidden constructs with reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphground.cypher import tree
from graphground.cypher.allowed import FUNCTIONS_ALLOWED, PROCEDURES_ALLOWED
from graphground.cypher.functions import CYPHER25_FUNCTIONS, FUNCTIONS
from graphground.cypher.growth import CODE as VALUE_DOUBLES
from graphground.cypher.growth import doublings
from graphground.cypher.language import Access, widest
from graphground.cypher.memory import CODE as VALUE_TOO_LARGE
from graphground.cypher.memory import large_values
from graphground.cypher.procedures import PROCEDURES

_SHOWN = frozenset(
    ("INDEX", "INDEXES", "CONSTRAINT", "CONSTRAINTS", "FUNCTION", "FUNCTIONS", "PROCEDURE", "PROCEDURES")
)
_WRITING = (tree.Create, tree.Merge, tree.Set, tree.Remove, tree.Delete, tree.Foreach)
_SUSPECT = frozenset(
    (
        "CREATE",
        "INSERT",
        "MERGE",
        "SET",
        "REMOVE",
        "DELETE",
        "DROP",
        "FOREACH",
        "LOAD",
        "CALL",
        "ALTER",
        "GRANT",
        "DENY",
        "REVOKE",
        "START",
        "STOP",
        "TERMINATE",
        "SHOW",
        "RENAME",
        "ENABLE",
        "USE",
    )
)


class Violation(NamedTuple):
    """A construct that a read-only query may not use:
    `Violation("not_read_only", 0, 6, "write", "CREATE writes …")`."""

    code: str
    start: int
    end: int
    access: Access
    message: str


def access(query: tree.Query) -> Access:
    """Return the highest access level that a query needs: `read`, `write`, `schema` or `admin`."""
    return widest(violation.access for violation in violations(query))


def violations(
    query: tree.Query, parameters: Mapping[str, Any] | None = None, *, eager: bool = False
) -> list[Violation]:
    """Return the constructs that do more than read the open graph, or need too much memory with the given parameters.

    `eager` says whether the database computes rows that `LIMIT 0` then drops.
    """
    found: list[Violation] = []
    for node in query.walk():
        if isinstance(node, tree.FunctionCall):
            _function(node, found)
        elif isinstance(node, tree.Clause):
            _clause(query, node, found)
        elif isinstance(node, tree.Command):
            _command(node, found)
    found += (
        Violation(
            VALUE_DOUBLES,
            doubling.start,
            doubling.end,
            "read",
            f"each round of this reduce doubles {doubling.name}: a string or list that doubles forty times needs "
            "more memory than any database has. "
            f"Collect the parts without repeating {doubling.name}; for a number, write 2 * {doubling.name}",
        )
        for doubling in doublings(query)
    )
    found += (
        Violation(
            VALUE_TOO_LARGE,
            value.start,
            value.end,
            "read",
            f"{value.what}, more than a query may hold in memory. Use a smaller range, or a LIMIT before the "
            "values are collected or sorted; count() and sum() of a long range are possible",
        )
        for value in large_values(query, parameters, eager=eager)
    )
    return found


def _clause(query: tree.Query, node: tree.Clause, found: list[Violation]) -> None:
    if isinstance(node, _WRITING):
        word = query.text[node.start : node.end].split(None, 1)[0].split("(")[0].upper()
        found.append(
            Violation(
                "not_read_only",
                node.start,
                node.start + len(word),
                "write",
                f"{f'{word} DELETE' if word in ('DETACH', 'NODETACH') else word} writes; only reading is allowed here",
            )
        )
    elif isinstance(node, tree.LoadCsv):
        found.append(
            Violation(
                "file_or_network_access",
                node.start,
                node.source.end,
                "admin",
                "LOAD CSV reads a file or an address outside the graph; only the graph may be read",
            )
        )
    elif isinstance(node, tree.Use):
        found.append(
            Violation(
                "file_or_network_access",
                node.start,
                node.end,
                "read",
                "USE switches to another graph; only the open graph may be read",
            )
        )
    elif isinstance(node, tree.CallProcedure) and node.key not in PROCEDURES_ALLOWED:
        known = PROCEDURES.get(node.name)
        level: Access = "admin"
        if known is not None and known.mode in ("write", "schema"):
            level = "write" if known.mode == "write" else "schema"
        found.append(
            Violation(
                "forbidden_procedure",
                node.name_start,
                node.name_end,
                level,
                f"the procedure {node.name} is not on the list of read-only procedures",
            )
        )


def _function(node: tree.FunctionCall, found: list[Violation]) -> None:
    key = node.key
    if key in FUNCTIONS or key in CYPHER25_FUNCTIONS:
        if key in ("file", "linenumber"):
            return
        if key.startswith("graph."):
            found.append(
                Violation(
                    "file_or_network_access",
                    node.start,
                    node.name_end,
                    "admin",
                    f"{node.name} reads another graph; only the open graph may be read",
                )
            )
        return
    if "." not in key or key in FUNCTIONS_ALLOWED:
        return
    found.append(
        Violation(
            "forbidden_procedure",
            node.start,
            node.name_end,
            "admin",
            f"the function {node.name} is not on the list of allowed functions",
        )
    )


def unknown_functions(query: tree.Query) -> set[str]:
    """Return the names, in lower case, of called functions that have no namespace
    and are not among Neo4j's functions."""
    keys = {node.key for node in query.find(tree.FunctionCall) if "." not in node.key}
    return keys - FUNCTIONS.keys() - CYPHER25_FUNCTIONS.keys()


def _command(node: tree.Command, found: list[Violation]) -> None:
    # `words` ends with the object of the SHOW if the command was parsed completely;
    # otherwise it has only the first words.
    if node.kind == "show" and node.words.startswith("SHOW ") and node.words.rpartition(" ")[2] in _SHOWN:
        return
    level: Access = "schema" if node.kind == "schema" else "admin"
    word = node.words
    found.append(
        Violation(
            "not_read_only",
            node.start,
            min(node.end, node.start + len(word)),
            level,
            f"{word} is not allowed: only the graph's data may be read",
        )
    )


def suspected(kinds: list[str]) -> Access:
    """Return the presumed access of a text that was not parsed, from the kinds of its tokens.

    The access is `admin` if a token is a keyword of writes or commands, such as CREATE or CALL, else `read`.
    """
    return "admin" if any(kind in _SUSPECT for kind in kinds) else "read"
