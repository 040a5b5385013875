"""The graphs that come with graphground, so that there is a graph to query at the first start.

    >>> [graph.name for graph in bundled_graphs()]
    ['nba']
    >>> json.load(open_bundled("nba"))["schema"]["entities"][0]["label"]
    'Team'

A bundled graph is a folder of tables that people can read and correct; it is converted to a SimpleKG document on
demand. The same tables give the same bytes. A loaded graph is current if the `content_hash` that the catalog recorded
when the graph was loaded is still the same.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any, BinaryIO

from graphground.graphs.bundled import nba, tables


@dataclass(frozen=True)
class BundledGraph:
    """One bundled graph: `BundledGraph("nba", "Basketball: …", <function that builds the document>, 541, 2823)`.

    The numbers of nodes and relationships are stored here because they are needed before the graph is built.
    """

    name: str
    description: str
    build: Callable[[], dict[str, Any]]
    nodes: int
    relationships: int

    def document(self) -> dict[str, Any]:
        """Return the graph as a SimpleKG document: `{"schema": …, "entities": […], "relations": […]}`."""
        return self.build()

    def open(self) -> BinaryIO:
        """Return the document as a stream of JSON; the bytes are the same on every call."""
        return io.BytesIO(json.dumps(self.document(), ensure_ascii=False, separators=(",", ":")).encode())

    @cached_property
    def content_hash(self) -> str:
        """A hash of the tables and code from which the document is built; it changes whenever one of them changes."""
        digest = hashlib.sha256()
        package = files("graphground.graphs.bundled")
        folder = package / self.name
        parts = [
            package / "tables.py",
            *sorted(
                (part for part in folder.iterdir() if part.name.endswith((".csv", ".json", ".py"))),
                key=lambda part: part.name,
            ),
        ]
        for part in parts:
            digest.update(part.name.encode() + b"\0" + part.read_bytes().replace(b"\r\n", b"\n") + b"\0")
        return digest.hexdigest()


GRAPHS = (BundledGraph("nba", nba.DESCRIPTION, nba.build, nodes=541, relationships=2_823),)


def bundled_graphs() -> tuple[BundledGraph, ...]:
    """Return all bundled graphs."""
    return GRAPHS


def bundled_graph(name: str) -> BundledGraph:
    """Return the bundled graph called `name`.

    Raises:
        KeyError: no bundled graph has that name; the message lists the existing names.
    """
    for graph in GRAPHS:
        if graph.name == name:
            return graph
    raise KeyError(f"no bundled graph is called {name!r}; there are: {', '.join(graph.name for graph in GRAPHS)}")


def open_bundled(name: str) -> BinaryIO:
    """Return a bundled graph as a stream of SimpleKG JSON, ready for the loader.

    Raises:
        KeyError: no bundled graph has that name.
    """
    return bundled_graph(name).open()


__all__ = ["BundledGraph", "TableError", "bundled_graph", "bundled_graphs", "open_bundled"]

TableError = tables.TableError
