"""Loaded graphs, including the bundled ones, as sources that a server opens."""

from __future__ import annotations

from functools import partial

from graphground.graphs.engines.dialects import ARCADEDB
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.entities.index import open_index
from graphground.graphs.entities.record import IndexMissing
from graphground.graphs.graph import Graph
from graphground.graphs.opening.bundled import dropped_stamp, is_bundled, load_bundled, offered
from graphground.graphs.opening.open_graphs import Counts, GraphSource
from graphground.graphs.schemas.statistics.live import LiveStatistics
from graphground.graphs.schemas.statistics.stored import NAME as STATISTICS
from graphground.graphs.storage.catalog import Catalog, Entry
from graphground.graphs.storage.home import Home
from graphground.graphs.storage.manifest import damage

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
        stored_source(name, description, home, eager=place == 0)
        for place, (name, description) in enumerate(descriptions.items())
    ]


def stamp(home: Home) -> object:
    """Return a value that changes when a graph is loaded, dropped or offered again; costs two `stat` calls."""
    return Catalog(home).stamp(), dropped_stamp(home)


def stored_source(name: str, description: str, home: Home, *, eager: bool = False) -> GraphSource:
    """Return a loaded or bundled graph as a source; a server reopens the graph when it has been loaded again."""
    return GraphSource(
        name,
        description,
        ENGINE,
        partial(open_stored, name, home),
        partial(_counts, name, home),
        version=partial(_version, name, home),
        eager=eager,
        warm_up=WARM_UP,
    )


def open_stored(name: str, home: Home) -> Graph:
    """Open a loaded graph, or load and open a bundled graph; the engine starts with the first query.

    Raises:
        EngineUnavailable: there is no such graph, it cannot be loaded, its files are damaged, or its entity index is
            missing or was built by another version.
    """
    catalog, entry = Catalog(home), _entry(name, home)
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
        facts=LiveStatistics(name, engine, lambda: (schema, None), catalog.folder(entry) / STATISTICS),
    )


def _load_again(name: str, home: Home) -> str:
    """Return the advice to replace a loaded graph that cannot be opened."""
    if is_bundled(name, home):
        return f"Load it again with `graphground graphs drop {name}` and then `graphground graphs load {name}`."
    return f"Load it again with `graphground graphs load FILE --name {name} --force`."


def _entry(name: str, home: Home) -> Entry:
    entry = load_bundled(name, home)
    if entry is None:
        names = [entry.name for entry in Catalog(home).entries()] + [bundled.name for bundled in offered(home)]
        known = f"available: {', '.join(dict.fromkeys(names))}" if names else "none is loaded"
        raise EngineUnavailable(
            f"There is no loaded graph {name!r} ({known}). Load it with `graphground graphs load FILE --name {name}`."
        )
    return entry


def _counts(name: str, home: Home) -> Counts:
    known = Catalog(home).find(name) or next((bundled for bundled in offered(home) if bundled.name == name), None)
    return (known.nodes, known.relationships) if known else (None, None)


def _version(name: str, home: Home) -> object:
    """Return a value that changes when the graph is loaded again; None if the graph is not loaded."""
    entry = Catalog(home).find(name)
    return entry.id if entry else None
