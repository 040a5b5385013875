"""The candidates that an entity lookup returns, and the interface of a lookup."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from graphground.graphs.entities.record import IndexInfo
    from graphground.graphs.entities.spans import Span
    from graphground.graphs.entities.verdicts.judging import Judgement

Match = Literal["exact", "alias", "fuzzy", "vector"]
"""The kind of a match: an equal name or value, an equal alias, a similar spelling, or a similar meaning."""
Mode = Literal["auto", "fuzzy", "vector"]
"""How to search: by spelling (`fuzzy`) or by meaning (`vector`).

`auto` searches by spelling, and also by meaning if no name is spelt similarly enough.
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One entity that a mention may refer to.

    `key` identifies the node in its graph: its `eid`, or the database's own id. `property` is the property that matched
    (`name`, `aliases`, …), `name` is the value to write in a query, and `score` lies between 0 and 1.
    """

    name: str
    label: str
    property: str
    score: float
    match: Match
    key: str
    description: str | None = None
    matched: str | None = None
    """The text that matched, such as the alias `King James` of `LeBron James`; None or `name` if the name matched."""
    name_property: str = "name"
    """The property that holds `name`, even if the match is an alias."""
    is_value: bool = False
    """Whether the match is a value that several nodes may share, such as a country of citizenship, and not a name."""


class EntityLookup(Protocol):
    """The interface of a lookup of names, in an index or in the database itself."""

    @property
    def info(self) -> IndexInfo | None:
        """A description of the index; None if there is no index and the names are only in the database."""
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
        """Return the candidates of one mention, best first."""
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
        """Return the candidates of each mention; all mentions are looked up together."""
        ...

    def judge(
        self, mention: str, *, labels: Collection[str] | None = None, key: str | None = None, names: bool = True
    ) -> Judgement:
        """Return the verdict on a text that a query compares with a property: see `verdicts.judging.judge_value`."""
        ...

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether a node of the label has exactly this value in the property.

        None stands for any label, or for any property that the lookup covers. The result is also True if the lookup
        does not cover the given property or cannot tell for another reason.
        """
        ...

    def spans(self, question: str, *, unknown: bool = False) -> Sequence[Span]:
        """Return the names that occur in a question; with `unknown`, also parts that are only written like names."""
        ...

    def all_spans(self, question: str) -> Sequence[Span]:
        """Return all names that occur in a question, with the labels that have them; they may overlap."""
        ...

    def same_name(self, name: str, *, label: str | None = None, aliases: bool = True) -> int:
        """Return the number of distinct entities with this name; if `aliases`, also those with this alias.

        Case and accents are ignored.
        """
        ...

    @property
    def texts(self) -> int:
        """The number of names, aliases and values."""
        ...

    def word_counts(self, words: Sequence[str]) -> Sequence[int]:
        """Return for each folded word the number of names, aliases and values that contain it."""
        ...

    def check_names(self, label: str | None, property: str | None) -> None:
        """Raise an error if a label or a property has no names.

        Raises:
            UnknownName: the label or property has no names; the message gives the nearest label or property with
            names.
        """
        ...
