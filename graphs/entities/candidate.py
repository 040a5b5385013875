"""The candidates that an entity lookup returns, and the interface of a lookup."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from graphground.graphs.entities.record import IndexInfo
    from graphground.graphs.entities.spans import Span
    from graphground.graphs.entities.verdicts.judging import Judged

Match = Literal["exact", "alias", "fuzzy", "vector"]
Mode = Literal["auto", "fuzzy", "vector"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One entity that a mention may refer to.

    `key` identifies the node in its graph (`eid` if nodes have one); `property` is the property of the match (`name`,
    `aliases`, …) and `name` the value to write in a query; `score` lies between 0 and 1.
    """

    name: str
    label: str
    property: str
    score: float
    match: Match
    key: str
    description: str | None = None
    matched: str | None = None
    """The text that matched, if it is not the name: the alias `King James` of `LeBron James`."""
    name_property: str = "name"
    """The property that holds `name`, for a match in an alias too."""
    is_value: bool = False
    """Whether it is a value that several nodes share, such as a country of citizenship, rather than a name."""


class EntityLookup(Protocol):
    """Looks up names of a graph, in a built index or in the database itself.

    A graph is given its lookup when it is opened.
    """

    @property
    def info(self) -> IndexInfo | None:
        """The source of the index; None if the names are only in the database and have not been read."""
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

    def judged(
        self, mention: str, *, labels: Collection[str] | None = None, key: str | None = None, names: bool = True
    ) -> Judged:
        """The verdict on a text that a query compares with the property `key`: see `verdicts.judging.judged_in`."""
        ...

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether a label (any if None) has exactly that value in that property; True if this is unknown."""
        ...

    def spans(self, question: str, *, unknown: bool = False) -> Sequence[Span]:
        """The names that occur in a question; with `unknown`, also parts that only look like a name."""
        ...

    def same_name(self, name: str, *, label: str | None = None, aliases: bool = True) -> int:
        """The number of distinct entities with that name or alias, ignoring case and accents."""
        ...

    @property
    def texts(self) -> int:
        """The number of names, aliases and values."""
        ...

    def word_counts(self, words: Sequence[str]) -> Sequence[int]:
        """For each folded word, the number of names, aliases and values that contain it."""
        ...

    def check_names(self, label: str | None, property: str | None) -> None:
        """Refuse a label or a property without names.

        Raises:
            UnknownName: the message names the nearest ones.
        """
        ...
