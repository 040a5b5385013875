"""The least change of a query that makes it valid: the edits of its diagnostics, made and judged again.

    >>> text = "MATCH (m:Movi) RETURN m.name"
    >>> repaired(text, validate(text, schema), lambda text: validate(text, schema))
    'MATCH (m:Movie) RETURN m.name'

A diagnostic carries an edit where its fix is clear: for `==`, a misspelt function with a single nearest name, a name
that the schema spells otherwise, a pattern the wrong way round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from graphground.cypher.edits import applied
from graphground.cypher.work import MOST_FINDINGS

if TYPE_CHECKING:
    from graphground.cypher.diagnostics import Report

MOST_ROUNDS = 8
LONGEST = 20_000
"""Characters of a text that is repaired: each round reads it anew."""


def repaired(text: str, report: Report, judge: Callable[[str], Report]) -> str | None:
    """The repaired query, or None where nothing is to fix or some error has no clear fix.

    A name put right may show that a pattern stands the wrong way round, so each round is judged again until no edit is
    left. An error that followed from a wrong name goes away with it; one that stays leaves no suggestion.
    """
    now = text
    for _ in range(MOST_ROUNDS):
        edits = report.edits()
        if not edits:
            return now if now != text and report.valid else None
        if len(now) > LONGEST or len(report.diagnostics) >= MOST_FINDINGS:
            return None
        now = applied(now, edits)
        report = judge(now)
    return None
