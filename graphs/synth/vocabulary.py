"""The content that a generated graph must have: names, values and relationships to which queries refer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Link(NamedTuple):
    """A relationship that must exist, with the numbers of its nodes: `Link("directedBy", "Movie", 0, "Person", 3)`.

    `properties` overrides random values; a property whose value is None is left out.
    """

    type: str
    start: str
    start_number: int
    end: str
    end_number: int
    properties: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Names and values for a generated graph, for example from queries that will be run on it.

    `names={"Movie": ("Heat", "Ronin")}` gives the first two movies these names. `values={("Movie", "runtime_minute"):
    (90, 91.5)}` mixes these values with the random ones, and likewise `("releasedIn", "date")` for the property of a
    relationship. Dates are ISO 8601 text. `properties={("Movie", 0): {"runtime_minute": 170, "released": None}}` fixes
    values of one node; None means no value. `links` are relationships that the graph must have.
    """

    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    values: Mapping[tuple[str, str], Sequence[Any]] = field(default_factory=dict)
    links: Sequence[Link] = ()
    properties: Mapping[tuple[str, int], Mapping[str, Any]] = field(default_factory=dict)
