"""What an entity index answers, and the interface that it answers through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from graphground.graphs.entities.record import IndexInfo
    from graphground.graphs.entities.spans import Span

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
    """The names in a graph, as the rest of the program asks for them: a built index, or the database's names.

    A graph is given its lookup when it is opened.
    """

    @property
    def info(self) -> IndexInfo | None:
        """What the index was built from; None where the names are in the database alone and must be read first."""
        ...

    def find(
        self,
        mention: str,
        *,
        label: str | None = None,
        property: str | None = None,
        mode: Mode = "auto",
        limit: int = 5,
    ) -> Sequence[Candidate]:
        """The candidates of one mention, best first."""
        ...

    def find_all(
        self,
        mentions: Sequence[str],
        *,
        label: str | None = None,
        property: str | None = None,
        mode: Mode = "auto",
        limit: int = 5,
    ) -> list[Sequence[Candidate]]:
        """The candidates of several mentions, looked up together."""
        ...

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether a label (any when None) has that very value in that property; True when this is unknown."""
        ...

    def spans(self, question: str, *, unknown: bool = False) -> Sequence[Span]:
        """The names that stand in a question; with `unknown` also what is only written like a name."""
        ...

    def same_name(self, name: str, *, label: str | None = None) -> int:
        """How many distinct entities have that name or alias, case and accents apart."""
        ...

    def check_names(self, label: str | None, property: str | None) -> None:
        """Refuse a label or a property without names.

        Raises:
            UnknownName: the message names the nearest there are.
        """
        ...
