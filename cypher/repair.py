"""The least change of a query that makes it valid: the clear edits of its findings, made and checked again.

    >>> findings = check(parse("MATCH (m:Movi) RETURN m.name"), schema)
    >>> repaired("MATCH (m:Movi) RETURN m.name", findings, lambda text: check(parse(text), schema))
    'MATCH (m:Movie) RETURN m.name'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphground.cypher.checks.findings import Edit, Findings

MOST_ROUNDS = 4


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


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits made; of two that overlap the outer one, for the inner shows again when checked.

        >>> applied("MATCH (m:Movi)", [Edit(9, 13, "Movie")])
        'MATCH (m:Movie)'
    """
    chosen: list[Edit] = []
    for edit in sorted(set(edits), key=lambda one: (one.start, -one.end)):
        if not chosen or edit.start >= chosen[-1].end:
            chosen.append(edit)
    for edit in reversed(chosen):
        text = text[:edit.start] + edit.replacement + text[edit.end:]
    return text
