"""The Cypher front end: from text to a tree, to scopes and types, to what is wrong and what would be right.

    >>> from graphground.cypher import parse, validate
    >>> parse("MATCH (n:Person) RETURN n.name").body.clauses[0].patterns[0].elements[0].variable.name
    'n'
    >>> [(d.code, d.line, d.column) for d in validate("MATCH (n) RETURN m").diagnostics]
    [('undefined_variable', 1, 18)]
"""

from __future__ import annotations

from graphground.cypher.api import CypherSyntaxError, access, parse, validate
from graphground.cypher.diagnostics import Access, Diagnostic, Report, Severity

__all__ = ["Access", "CypherSyntaxError", "Diagnostic", "Report", "Severity", "access", "parse", "validate"]
