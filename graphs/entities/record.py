"""The records from which an entity index is built, and the description of an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


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


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a build: `Progress("reading", 250_000, 773_489)`; `total` is None while unknown."""

    step: str
    done: int
    total: int | None


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
