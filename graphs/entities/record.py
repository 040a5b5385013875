"""The records from which an entity index is built, and the description of an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Record:
    """One node to index: `Record("Q36159", "Person", "LeBron James", ("King James",), "basketball player")`.

    `values` holds its other short text properties, single or lists, such as
    `{"country_of_citizenship": ["United States"]}`: each value is indexed once for each label and property.
    A node with several labels is given once for each, under the same key.
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
    """The contents and build time of an index, so that a stale one can be recognised."""

    built_at: str
    nodes: int
    texts: int
    words: int
    labels: Mapping[str, int]
    """Each label with its number of nodes."""
    properties: Mapping[str, int]
    """Each property with its number of indexed texts."""
    seconds: float
    bytes: int
    source: str
    """The origin of the records, in words: a file's name, a database's address."""


class IndexMissing(Exception):
    """There is no index to open; the message says how to build it."""


class UnknownName(ValueError):
    """A label or a property that the index does not have; `nearest` holds similar ones."""

    def __init__(self, kind: str, name: str, nearest: Sequence[str]):
        self.kind, self.name, self.nearest = kind, name, tuple(nearest)
        meant = f"; did you mean {', '.join(nearest)}?" if nearest else ""
        super().__init__(f"the entity index has no {kind} {name!r}{meant}")
