"""Loaded graphs, including the bundled ones, as sources that a server opens."""

from __future__ import annotations

import json
import tempfile
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from graphground.cypher.diagnostics import counted
from graphground.graphs.bundled import GRAPHS, BundledGraph
from graphground.graphs.engines.client_context import report_stage
from graphground.graphs.engines.dialects import ARCADEDB
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.entities.candidate import IndexMissing
from graphground.graphs.entities.index import open_index
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import Counts, GraphSource
from graphground.graphs.schemas.statistics import NAME as STATISTICS
from graphground.graphs.schemas.statistics import LiveStatistics
from graphground.graphs.storage.home import Catalog, Entry, Home, damage, replacing

ENGINE = "embedded"
WARM_UP = "MATCH (n) RETURN n LIMIT 1"


def stored_sources(home: Home) -> list[GraphSource]:
    """Return a source for each loaded graph of a data folder, and for each bundled graph that has not been dropped.

    A bundled graph is loaded at its first use.
    """
    descriptions = {bundled.name: bundled.description for bundled in offered(home)}
    descriptions |= {entry.name: entry.description for entry in Catalog(home).entries()}
    # One engine process serves all graphs, so warming up the first graph starts the process for all.
    return [
        GraphSource(
            name,
            description,
            ENGINE,
            partial(open_stored, name, home),
            partial(_counts, name, home),
            version=partial(_version, name, home),  # a server reopens the graph when it has been loaded again
            eager=place == 0,
            warm_up=WARM_UP,
        )
        for place, (name, description) in enumerate(descriptions.items())
    ]


def stamp(home: Home) -> object:
    """Return a value that changes when a graph is loaded, dropped or offered again; costs two `stat` calls."""
    return Catalog(home).stamp(), dropped_stamp(home)


def open_stored(name: str, home: Home) -> Graph:
    """Open a loaded graph, or load and open a bundled graph; the engine starts with the first query.

    Raises:
        EngineUnavailable: there is no such graph, it cannot be loaded, its files are damaged, or its entity index is
            missing or was built by another version.
    """
    catalog, entry = Catalog(home), load_bundled(name, home)
    if entry is None:
        names = [entry.name for entry in catalog.entries()] + [bundled.name for bundled in offered(home)]
        known = f"available: {', '.join(dict.fromkeys(names))}" if names else "none is loaded"
        raise EngineUnavailable(
            f"There is no loaded graph {name!r} ({known}). Load it with `graphground graphs load FILE --name {name}`."
        )
    problem = damage(home.databases / entry.id, catalog.folder(entry))
    if problem is not None:
        raise EngineUnavailable(f"The files of the graph {name!r} are damaged: {problem}. {_load_again(name, home)}")
    try:
        index = open_index(catalog.folder(entry) / "entities")
    except IndexMissing:
        raise EngineUnavailable(
            f"The entity index of the graph {name!r} is missing, or was built by another version of graphground. "
            f"{_load_again(name, home)}"
        ) from None
    schema, engine = catalog.schema(entry), EmbeddedEngine(home, entry.id)
    return Graph(
        name,
        schema,
        entry.description,
        engine,
        index,
        dialect=ARCADEDB,
        statistics_reader=LiveStatistics(name, engine, lambda: (schema, None), catalog.folder(entry) / STATISTICS),
    )


def _load_again(name: str, home: Home) -> str:
    if is_bundled(name, home):
        return f"Load it again with `graphground graphs drop {name}` and then `graphground graphs load {name}`."
    return f"Load it again with `graphground graphs load FILE --name {name} --force`."


def _counts(name: str, home: Home) -> Counts:
    known = Catalog(home).find(name) or next((bundled for bundled in offered(home) if bundled.name == name), None)
    return (known.nodes, known.relationships) if known else (None, None)


def _version(name: str, home: Home) -> object:
    entry = Catalog(home).find(name)
    return entry.id if entry else None


# Loads bundled graphs into the data folder at first use, and again when their tables or code have changed.
#
# If several processes need the same graph at once, one process loads it and the others wait.


LOAD_SECONDS = 180.0
DROPPED = "dropped-bundled.json"
"""The name of the file, in the data folder, that lists the bundled graphs dropped by the user."""


def load_bundled(name: str, home: Home, *, asked: bool = False) -> Entry | None:
    """Return the catalog entry of the graph called `name`, after loading the bundled graph of this name if necessary.

    A bundled graph that is not served by default is loaded only if the user has `asked` for it.

    Return None if there is no graph of this name, or only a bundled graph that the user has dropped. A graph of this
    name that the user loaded is not replaced.

    Raises:
        EngineUnavailable: the graph cannot be loaded on this machine, or another process is still loading it.
    """
    bundled = next((graph for graph in (GRAPHS if asked else offered(home)) if graph.name == name), None)
    if bundled is None or is_current(bundled, Catalog(home).find(name)):
        return Catalog(home).find(name)
    home.make()
    try:
        with FileLock(home.folder / "bundled.lock", timeout=LOAD_SECONDS):
            entry = Catalog(home).find(name)
            return entry if is_current(bundled, entry) else _load(bundled, home)
    except Timeout:
        raise EngineUnavailable(
            f"The bundled graph {name!r} is being loaded by another process; try again in a moment."
        ) from None


def offered(home: Home) -> list[BundledGraph]:
    """Return the bundled graphs that are served: by default or because the user has loaded them, and not dropped."""
    dropped, catalog = _dropped(home), Catalog(home)
    return [
        graph
        for graph in GRAPHS
        if graph.name not in dropped and (graph.by_default or catalog.find(graph.name) is not None)
    ]


def is_bundled(name: str, home: Home) -> bool:
    """Whether a bundled graph is called `name` and the user has not loaded another graph under that name."""
    entry = Catalog(home).find(name)
    return any(
        bundled_graph.name == name and (entry is None or entry.source == source_of(bundled_graph))
        for bundled_graph in GRAPHS
    )


def offer(name: str, home: Home, again: bool) -> None:
    """Mark a bundled graph as available (`again=True`) or as dropped (`again=False`).

    A graph that is marked as dropped is not loaded at its next use.
    """
    home.make()
    with FileLock(home.folder / "bundled.lock", timeout=LOAD_SECONDS):
        dropped = _dropped(home) - {name} if again else _dropped(home) | {name}
        with replacing(home.folder / DROPPED) as file:
            file.write(json.dumps(sorted(dropped)).encode())


def dropped_stamp(home: Home) -> int | None:
    """Return a value that changes when a bundled graph is dropped or restored; None if neither has happened yet."""
    try:
        return (home.folder / DROPPED).stat().st_mtime_ns
    except OSError:
        return None


def _dropped(home: Home) -> set[str]:
    try:
        return set(json.loads((home.folder / DROPPED).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return set()


def is_current(bundled: BundledGraph, entry: Entry | None) -> bool:
    """Whether a graph of this name is loaded and must not be replaced.

    A loaded graph must not be replaced if it is the current version of the bundled graph, or if it is another graph
    that the user loaded under the same name.
    """
    return entry is not None and (entry.source != source_of(bundled) or entry.digest == bundled.content_hash)


def source_of(bundled: BundledGraph) -> str:
    """Return the source that the catalog records for a bundled graph: `bundled-nba.json`."""
    return f"bundled-{bundled.name}.json"


def _load(bundled: BundledGraph, home: Home) -> Entry:
    report_stage(f"loading the graph {bundled.name}, which happens once")
    from graphground.graphs.loading.load import load_file  # needed once

    with tempfile.TemporaryDirectory(prefix="graphground-") as folder:
        path = Path(folder) / source_of(bundled)
        path.write_bytes(bundled.open().read())
        return load_file(path, home, name=bundled.name, description=bundled.description, digest=bundled.content_hash)


# Checks a loaded graph: all nodes and relationships must be readable.


class Incomplete(ValueError):
    """A graph that differs from what was loaded; the message describes the difference."""


def read_whole(graph: Graph, folder: Path) -> str:
    """Read all nodes and relationships of a graph in the data folder `folder`.

    Return the result as a text: `all 541 nodes and 2,823 relationships can be read`. If the graph is in your own
    database, nothing is read, and the text says so.

    Raises:
        Incomplete: the catalog does not list the graph, or the numbers of nodes or relationships are not those that
            were loaded.
        EngineError: a part of the graph cannot be read.
    """
    if not isinstance(graph.engine, EmbeddedEngine):
        return "is your own database, whose data is not checked"
    entry = Catalog(Home(folder)).find(graph.name)
    if entry is None:
        raise Incomplete("The catalog does not list the graph.")
    nodes = sum(1 for _ in graph.engine.stream("MATCH (n) RETURN labels(n), properties(n)"))
    relationships = sum(
        1 for _ in graph.engine.stream("MATCH (a)-[r]->(b) RETURN type(r), properties(r), a.eid, b.eid")
    )
    for element, read, loaded in (("node", nodes, entry.nodes), ("relationship", relationships, entry.relationships)):
        if read != loaded:
            raise Incomplete(f"{counted(read, element)} can be read, but the graph was loaded with {loaded:,}.")
    return f"all data can be read: {counted(nodes, 'node')} and {counted(relationships, 'relationship')}"
