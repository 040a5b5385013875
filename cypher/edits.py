"""Edits of a query's text, and the one change of a pattern that several parts need: a relationship turned round."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphground.cypher.tree import RelationshipPattern


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `text[start:end]`: `Edit(9, 13, "Movie")` makes `MATCH (m:Movi)` to `MATCH (m:Movie)`."""

    start: int
    end: int
    replacement: str


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made, whose places are those of the text as it was.

        >>> applied("MATCH (m:Movi)", [Edit(9, 13, "Movie"), Edit(14, 14, " RETURN m")])
        'MATCH (m:Movie) RETURN m'

    Of two that overlap the outer one is made. Insertions at one place stay in their order.
    """
    parts: list[str] = []
    place, last = 0, None
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end > edit.start, -edit.end)):
        if edit.start < place or (edit == last and edit.end > edit.start):
            continue
        parts += (text[place : edit.start], edit.replacement)
        place, last = edit.end, edit
    return "".join(parts) + text[place:]


def turned(relationship: RelationshipPattern) -> str:
    """A relationship turned round, with its quantifier: `-[r:hasCEO]->{1,3}` as `<-[r:hasCEO]-{1,3}`.

    One without a direction is written as it is.
    """
    from graphground.cypher.printer import to_text  # only a wrong direction needs it
    from graphground.cypher.tree import altered

    other = {"right": "left", "left": "right"}.get(relationship.direction, relationship.direction)
    return to_text(altered(relationship, direction=other))
