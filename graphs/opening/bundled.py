"""Loads bundled graphs into the data folder at first use, and again when their tables or code have changed.

If several processes need the same graph at once, one process loads it and the others wait.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from filelock import FileLock, Timeout

from graphground.graphs.bundled import BundledGraph, bundled_graphs
from graphground.graphs.engines.activity import doing
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.loading.load import load_file
from graphground.graphs.storage.atomic import replacing
from graphground.graphs.storage.catalog import Catalog, Entry
from graphground.graphs.storage.home import Home

LOAD_SECONDS = 180.0
DROPPED = "dropped-bundled.json"
"""The name of the file, in the data folder, that lists the bundled graphs dropped by the user."""


def load_bundled(name: str, home: Home) -> Entry | None:
    """Return the catalog entry of the graph called `name`, after loading the bundled graph of this name if necessary.

    Return None if there is no graph of this name, or only a bundled graph that the user has dropped. A graph of this
    name that the user loaded is not replaced.

    Raises:
        EngineUnavailable: the graph cannot be loaded on this machine, or another process is still loading it.
    """
    bundled = next((graph for graph in offered(home) if graph.name == name), None)
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
    """Return the bundled graphs that the user has not dropped."""
    dropped = _dropped(home)
    return [bundled_graph for bundled_graph in bundled_graphs() if bundled_graph.name not in dropped]


def is_bundled(name: str, home: Home) -> bool:
    """Whether a bundled graph is called `name` and the user has not loaded another graph under that name."""
    entry = Catalog(home).find(name)
    return any(
        bundled_graph.name == name and (entry is None or entry.source == source_of(bundled_graph))
        for bundled_graph in bundled_graphs()
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
    doing(f"loading the graph {bundled.name}, which happens once")
    with tempfile.TemporaryDirectory(prefix="graphground-") as folder:
        path = Path(folder) / source_of(bundled)
        path.write_bytes(bundled.open().read())
        return load_file(path, home, name=bundled.name, description=bundled.description, digest=bundled.content_hash)
