"""The records from which an entity index is built, and the description of an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Record:
    """One node to index: `Record("Q36159", "Person", "LeBron James", ("King James",), "basketball player")`.

    `values` holds the node's other short text properties, single or lists, such as
    `{"country_of_citizenship": ["United States"]}`; each value is indexed once for each label and property.
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
    """A description of an index: its contents, build time and source, by which a stale index is recognised."""

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
    """The origin of the records, in words: a file's name, a database's address."""


class IndexMissing(Exception):
    """There is no index to open; the message says how to build one."""


class UnknownName(ValueError):
    """A label or a property is not in the index; `nearest` holds similar names."""

    def __init__(self, kind: str, name: str, nearest: Sequence[str]):
        self.kind, self.name, self.nearest = kind, name, tuple(nearest)
        meant = f" (nearest: {', '.join(nearest)})" if nearest else ""
        super().__init__(f"the entity index has no {kind} {name!r}{meant}")
