"""Edits of a query's text, and the reversal of a relationship."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphground.cypher.tree import RelationshipPattern


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of `text[start:end]`: `Edit(9, 13, "Movie")` turns `MATCH (m:Movi)` into `MATCH (m:Movie)`."""

    start: int
    end: int
    replacement: str


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Apply all edits, whose offsets refer to the original text.

        >>> applied("MATCH (m:Movi)", [Edit(9, 13, "Movie"), Edit(14, 14, " RETURN m")])
        'MATCH (m:Movie) RETURN m'

    Of overlapping edits, only the edit that begins first is applied; of replacements that begin together, the longest.
    Insertions at the same offset stay in order.
    """
    parts: list[str] = []
    place, last = 0, None
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end > edit.start, -edit.end)):
        if edit.start < place or (edit == last and edit.end > edit.start):
            continue
        parts += (text[place : edit.start], edit.replacement)
        place, last = edit.end, edit
    return "".join(parts) + text[place:]


def reversed_text(relationship: RelationshipPattern) -> str:
    """Return the text of a relationship reversed: `-[r:hasCEO]->{1,3}` as `<-[r:hasCEO]-{1,3}`.

    An undirected relationship is written unchanged.
    """
    from graphground.cypher.printer import to_text  # imported only for a wrong direction
    from graphground.cypher.tree import altered

    other = {"right": "left", "left": "right"}.get(relationship.direction, relationship.direction)
    return to_text(altered(relationship, direction=other))
