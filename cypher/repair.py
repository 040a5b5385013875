"""The least change of a query that makes it valid: the clear edits of its findings, made and checked again.

    >>> findings = check(parse("MATCH (m:Movi) RETURN m.name"), schema)
    >>> repaired("MATCH (m:Movi) RETURN m.name", findings, lambda text: check(parse(text), schema))
    'MATCH (m:Movie) RETURN m.name'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from graphground.cypher.edits import Edit, applied
from graphground.cypher.tree.queries import line_starts

if TYPE_CHECKING:
    from graphground.cypher.checks.findings import Findings
    from graphground.cypher.diagnostics import Diagnostic

MOST_ROUNDS = 4
LONGEST = 20_000
"""Characters of a text that is repaired: each round reads it anew."""


def repaired(text: str, findings: Findings, again: Callable[[str], Findings | None]) -> str | None:
    """The repaired query, or None where nothing is to mend or some error has no clear mending.

    A name put right may show that a pattern stands the wrong way round, so what is mended is checked `again` (which
    answers None for a text with errors of the language) until nothing clear is left; an error that followed from a
    wrong name goes away with it.
    """
    now = text
    for _ in range(MOST_ROUNDS):
        if not findings.edits:
            return now if now != text and not findings.unmended else None
        now = applied(now, findings.edits)
        checked = again(now)
        if checked is None:
            return None
        findings = checked
    return None


def mended_language(text: str, diagnostics: Sequence[Diagnostic]) -> str | None:
    """The text with the errors of its language mended, None where one of them has no single clear mending.

    A doubled `==`, `!=` for `<>`, and a misspelt function are clear; the result may still be wrong in other ways.
    """
    edits = []
    starts = line_starts(text)
    for one in diagnostics:
        if one.severity != "error":
            continue
        replacement = _language_mending(one)
        if replacement is None:
            return None
        start = starts[one.line - 1] + one.column - 1
        edits.append(Edit(start, start + len(one.found), replacement))
    return applied(text, edits) if edits else None


def _language_mending(one: Diagnostic) -> str | None:
    if one.code == "syntax":
        return {"=": "" if one.suggestions == ("",) else None, "!=": "<>"}.get(one.found)
    if one.code == "unknown_function" and len(one.suggestions) == 1:
        return one.suggestions[0]
    return None
