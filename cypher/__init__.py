"""The Cypher front end: from text to a tree, to scopes and types, to diagnostics and repairs.

    >>> from graphground.cypher import parse, validate
    >>> parse("MATCH (n:Person) RETURN n.name").body.clauses[0].patterns[0].elements[0].variable.name
    'n'
    >>> [(d.code, d.line, d.column) for d in validate("MATCH (n) RETURN m").diagnostics]
    [('undefined_variable', 1, 18)]

The parser and the checks are imported at first use, which shortens the start of a server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphground.cypher.diagnostics import Diagnostic, Report, Severity
from graphground.cypher.language import Access, Language

if TYPE_CHECKING:
    from graphground.cypher.api import CypherSyntaxError, access, parse, validate
    from graphground.cypher.printer import to_text

__all__ = [
    "Access",
    "CypherSyntaxError",
    "Diagnostic",
    "Language",
    "Report",
    "Severity",
    "access",
    "parse",
    "to_text",
    "validate",
]

_API = frozenset(("CypherSyntaxError", "access", "parse", "validate"))


def __getattr__(name: str) -> Any:
    if name in _API:
        from graphground.cypher import api

        return getattr(api, name)
    if name == "to_text":
        from graphground.cypher.printer import to_text

        return to_text
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
