"""The records and the description of an entity index, the candidates of a lookup, and the interface of lookups."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched: the names of one label or of all, one property or all, how, and the most candidates to return.

    `Search("Player", limit=3)` finds at most three players.
    """

    label: str | None = None
    property: str | None = None
    mode: Mode = "auto"
    limit: int = 5


EVERYWHERE = Search()


class EntityLookup(Protocol):
    """The interface of a lookup of names, in an index or in the database; subclasses share `find` and `judge`."""

    @property
    def info(self) -> IndexInfo | None:
        """A description of the index; None if there is no index and the names are only in the database."""

    def find(
        self,
        mention: str,
        *,
        label: str | None = None,
        property: str | None = None,
        mode: Mode = "auto",
        limit: int = 5,
    ) -> Sequence[Candidate]:
        """Return the candidates for one mention, best first.

        Raises:
            LookupError: the mode is `vector` and there are no usable vectors; the message says why.
        """
        return self.find_all([mention], Search(label, property, mode, limit))[0]

    def find_all(self, mentions: Sequence[str], search: Search = EVERYWHERE) -> list[Sequence[Candidate]]:
        """Return the candidates of each mention; all mentions are looked up together."""

    def judge(
        self, mention: str, *, labels: Collection[str] | None = None, key: str | None = None, names: bool = True
    ) -> Judgement:
        """Return the verdict on a text that a query compares with a property of some labels (all labels if None).

        If `names` is True, the text is compared with the names in the property `key` and their aliases, or with all
        texts if `key` is None. Otherwise it is compared with the values of the property `key` (any if None).

            lookup.judge("Lebron Jmes", labels=("Player",)).candidates[0].name  # 'LeBron James'
        """
        from graphground.graphs.entities.verdicts.judging import CONSIDERED, judge  # that module imports this one

        only = next(iter(labels)) if labels is not None and len(labels) == 1 else None
        found = self.find(mention, label=only, property=None if names else key, limit=CONSIDERED)
        fitting = [
            candidate
            for candidate in found
            if (labels is None or candidate.label in labels)
            and key in (None, candidate.name_property if names else candidate.property)
        ]
        return judge(mention, fitting, self)

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether a node of the label has exactly this value in the property.

        None stands for any label, or for any property that the lookup covers. The result is also True if the lookup
        does not cover the given property or cannot tell for another reason.
        """

    def spans(self, question: str) -> Sequence[Span]:
        """Return all names that occur in a question, with the labels that have them; they may overlap."""

    def same_name(self, name: str, *, label: str | None = None, aliases: bool = True) -> int:
        """Return the number of distinct entities with this name; if `aliases`, also those with this alias.

        Case and accents are ignored.
        """

    @property
    def texts(self) -> int:
        """The number of names, aliases and values."""

    def word_counts(self, words: Sequence[str]) -> Sequence[int]:
        """Return for each folded word the number of names, aliases and values that contain it."""

    def check_names(self, label: str | None, property: str | None) -> None:
        """Raise an error if a label or a property has no names.

        Raises:
            UnknownName: the label or property has no names; the message gives the nearest label or property with
            names.
        """


@dataclass(frozen=True, slots=True)
class Record:
    """One node to index: `Record("Q36159", "Person", "LeBron James", ("King James",), "basketball player")`.

    `values` holds the node's other text properties, each a text or a list of texts, such as
    `{"country_of_citizenship": ["United States"]}`; a value is indexed only once for each label and property.
    A node with several labels has one record for each label, all with the same key.
    """

    key: str
    label: str
    name: str | None
    aliases: Sequence[str] = ()
    description: str | None = None
    values: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    name_property: str = "name"
    alias_property: str = "aliases"


Progress = Callable[[str, int, int | None], None]
"""A function called during a build: `progress("reading", 250_000, 773_489)`; the total is None while unknown."""


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """A description of an index: its contents, its build time, and its source, which shows whether it is stale.

    `seconds` is the duration of the build, and `bytes` is the size of the files.
    """

    built_at: str
    nodes: int
    texts: int
    words: int
    labels: Mapping[str, int]
    """The number of nodes of each label."""
    properties: Mapping[str, int]
    """The number of indexed texts of each property."""
    seconds: float
    bytes: int
    source: str
    """The origin of the records, such as the name of a file or the address of a database."""


class IndexMissing(Exception):
    """There is no index to open, or only one of another version; the message says how to build one."""


class UnknownName(ValueError):
    """A label or a property has no names to look up; `nearest` holds labels or properties with similar names."""

    def __init__(self, kind: str, name: str, nearest: Sequence[str]):
        self.kind, self.name, self.nearest = kind, name, tuple(nearest)
        hint = f" (nearest: {', '.join(nearest)})" if nearest else ""
        super().__init__(f"the entity index has no {kind} {name!r}{hint}")
