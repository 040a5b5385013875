"""What an entity index answers, and the interface that it answers through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Match = Literal["exact", "alias", "fuzzy", "vector"]
Mode = Literal["auto", "fuzzy", "vector"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One entity that a mention may mean.

    `key` identifies the node in its graph (`eid` where nodes have one); `property` is where the match was
    found (`name`, `aliases`, …) and `name` the value to write in a query; `score` lies between 0 and 1.
    """

    name: str
    label: str
    property: str
    score: float
    match: Match
    key: str
    description: str | None = None
    matched: str | None = None
    """The text that matched, where that is not the name: the alias `King James` of `LeBron James`."""
    name_property: str = "name"
    """The property that holds `name`, for a match in an alias too."""


class EntityLookup(Protocol):
    """What the rest of the program asks of an entity index.

    `find` finds the candidates of one mention, best first, `find_all` those of several in one go; `holds` says
    whether a label (any label when None) has that very value in that property, which is what the validator asks
    for string literals.
    """

    def find(self, mention: str, *, label: str | None = None, property: str | None = None,
             mode: Mode = "auto", limit: int = 5) -> Sequence[Candidate]: ...

    def find_all(self, mentions: Sequence[str], *, label: str | None = None, property: str | None = None,
                 mode: Mode = "auto", limit: int = 5) -> list[Sequence[Candidate]]: ...

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool: ...
