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
from graphground.cypher.diagnostics import Access, widest
from graphground.cypher.functions import CYPHER25_FUNCTIONS, FUNCTIONS, PROCEDURES
from graphground.cypher.safety.allowed import (
    FUNCTIONS_ALLOWED,
    MAX_ARGUMENTS,
    OPTIONS_ALLOWED,
    PROCEDURES_ALLOWED,
    WRITE_INSTEAD,
)
from graphground.cypher.safety.growing_values import growing_values
from graphground.cypher.tokens import words

_SHOWN = frozenset(
    ("INDEX", "INDEXES", "CONSTRAINT", "CONSTRAINTS", "FUNCTION", "FUNCTIONS", "PROCEDURE", "PROCEDURES")
)
_WRITING = (tree.Create, tree.Merge, tree.Set, tree.Remove, tree.Delete, tree.Foreach)
_SUSPECT = words(
    "CREATE INSERT MERGE SET REMOVE DELETE DROP FOREACH LOAD CALL ALTER GRANT DENY REVOKE START STOP TERMINATE SHOW "
    "RENAME ENABLE USE"
)


MULTIPLE_STATEMENTS = "multiple_statements"
REFUSED = frozenset(
    {"not_read_only", "forbidden_procedure", "forbidden_option", "file_or_network_access", MULTIPLE_STATEMENTS}
)
"""The codes of texts that do more than read the open graph."""


_HARMLESS: set[type[tree.Node]] = set()
"""The classes of nodes met so far that cannot be a violation; one look-up is faster than three tests."""


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


def violations(query: tree.Query, parameters: Mapping[str, Any] | None = None) -> list[Violation]:
    """Return the constructs that do more than read the open graph, or that certainly build too large a value."""
    found: list[Violation] = []
    for node in query.walk():
        if type(node) in _HARMLESS:
            continue
        if isinstance(node, tree.FunctionCall):
            _function(node, found)
        elif isinstance(node, tree.Clause):
            _clause(query, node, found)
        elif isinstance(node, tree.Command):
            _command(node, found)
        else:
            _HARMLESS.add(type(node))
    for preparser in query.preparser:
        for option in preparser.options:
            _option(option, found)
    found += (
        Violation(growing.code, growing.start, growing.end, "read", growing.message)
        for growing in growing_values(query, parameters or {})
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


def _option(node: tree.QueryOption, found: list[Violation]) -> None:
    allowed = OPTIONS_ALLOWED.get(node.name)
    if allowed is not None and node.value.lower() in allowed:
        return
    what = f"{node.name}={node.value}"
    message = f"the query option {what[:50]} is not on the list of allowed options; leave it out"
    if allowed is not None:
        message += f", or write {' or '.join(f'{node.name}={value}' for value in sorted(allowed))}"
    found.append(Violation("forbidden_option", node.start, node.end, "admin", message))


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
    if "." not in key:
        return
    most = MAX_ARGUMENTS.get(key)
    # A function in WRITE_INSTEAD only reads, but its time or memory is not bounded by the size of its arguments.
    level: Access = "read" if key in WRITE_INSTEAD or most is not None else "admin"
    if key not in FUNCTIONS_ALLOWED:
        message = f"the function {node.name} is not on the list of allowed functions"
        if key in WRITE_INSTEAD:
            message += f"; use {WRITE_INSTEAD[key]} instead"
    elif most is not None and len(node.arguments) > most:
        message = f"{node.name} is allowed without a path only: its time is not bounded by the size of its arguments"
    else:
        return
    found.append(Violation("forbidden_procedure", node.start, node.name_end, level, message))


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
