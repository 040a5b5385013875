"""The graphs that come with graphground, so that there is a graph to query at the first start.

    >>> [graph.name for graph in GRAPHS]
    ['nba', 'world']
    >>> bundled_graph("nba").document()["schema"]["entities"][0]["label"]
    'Team'

A bundled graph is a compressed SimpleKG document; `python -m release.nba` in the repository builds `nba` from tables
that people can read and correct, and `python -m release.world` builds `world`, which is served only after
`graphground graphs load world`. A loaded graph is current if the `content_hash` that the catalog recorded when the
graph was loaded is still the same.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, cast


@dataclass(frozen=True)
class BundledGraph:
    """One bundled graph: `BundledGraph("nba", "NBA basketball: …", 541, 2823)`.

    The numbers of nodes and relationships are stored here because they are needed before the graph is read.
    """

    name: str
    description: str
    nodes: int
    relationships: int
    by_default: bool = True
    """Whether the graph is served before the user has loaded any graph."""

    @property
    def file(self) -> Path:
        """The compressed document; the graph's licence is beside it."""
        return Path(__file__).parent / self.name / f"{self.name}.json.gz"

    def document(self) -> dict[str, Any]:
        """Return the graph as a SimpleKG document: `{"schema": …, "entities": […], "relations": […]}`."""
        return cast("dict[str, Any]", json.load(self.open()))

    def open(self) -> BinaryIO:
        """Return the document as a stream of JSON; the bytes are the same on every call."""
        return io.BytesIO(gzip.decompress(self.file.read_bytes()))

    @cached_property
    def content_hash(self) -> str:
        """A hash of the shipped file; it changes whenever a fact changes."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()


GRAPHS = (
    BundledGraph(
        "nba",
        "NBA basketball: the 30 teams, their divisions and home venues, and 400 players of all eras with positions, "
        "teams, drafts and awards. As of October 2025; written from common knowledge, CC0.",
        nodes=541,
        relationships=2_823,
    ),
    BundledGraph(
        "world",
        "The world's territories, currencies, languages, scripts and time zones, with names in several languages and "
        "the untidiness of real data. From the Unicode CLDR 47 and the time zone database.",
        nodes=1_676,
        relationships=2_418,
        by_default=False,
    ),
)
"""All bundled graphs."""


def bundled_graph(name: str) -> BundledGraph:
    """Return the bundled graph called `name`.

    Raises:
        KeyError: no bundled graph has that name; the message lists the existing names.
    """
    for graph in GRAPHS:
        if graph.name == name:
            return graph
    raise KeyError(f"no bundled graph is called {name!r}; there are: {', '.join(graph.name for graph in GRAPHS)}")
