"""The Cypher front end: from text to a tree, to scopes and types, to diagnostics and repairs.

    >>> from graphground.cypher import parse, validate
    >>> parse("MATCH (n:Person) RETURN n.name").body.clauses[0].patterns[0].elements[0].variable.name
    'n'
    >>> [(d.code, d.line, d.column) for d in validate("MATCH (n) RETURN m").diagnostics]
    [('undefined_variable', 1, 18)]

All parts are imported at first use, which shortens the start of a server and of commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphground.cypher.api import CypherSyntaxError, access, parse, validate
    from graphground.cypher.diagnostics import Access, Diagnostic, Language, Report, Severity

__all__ = ["Access", "CypherSyntaxError", "Diagnostic", "Language", "Report", "Severity", "access", "parse", "validate"]

_PLACES = {
    **dict.fromkeys(("CypherSyntaxError", "access", "parse", "validate"), "api"),
    **dict.fromkeys(("Access", "Diagnostic", "Language", "Report", "Severity"), "diagnostics"),
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        from importlib import import_module

        return getattr(import_module(f"graphground.cypher.{_PLACES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
