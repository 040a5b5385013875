"""Bundled graphs as sources: loaded into the data folder when one is first asked for, and again when its facts change.

Processes that ask at the same moment load it once; the others wait for that.
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
"""The file of the data folder that names the bundled graphs which the user dropped."""


def load_bundled(name: str, home: Home) -> Entry | None:
    """The entry of that bundled graph, loaded now if need be; None where none is bundled under that name.

    A graph of the same name that the user loaded is left alone, and one that the user dropped is not loaded again.

    Raises:
        EngineUnavailable: it cannot be loaded here, and why.
    """
    bundled = next((one for one in offered(home) if one.name == name), None)
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
    """The bundled graphs without those that the user dropped."""
    dropped = _dropped(home)
    return [one for one in bundled_graphs() if one.name not in dropped]


def is_bundled(name: str, home: Home) -> bool:
    """Whether a name is that of a bundled graph, with none of the user's own in its place."""
    entry = Catalog(home).find(name)
    return any(one.name == name and (entry is None or entry.source == source_of(one)) for one in bundled_graphs())


def offer(name: str, home: Home, again: bool) -> None:
    """Offer a bundled graph again, or no more: it is then not loaded when it is next asked for."""
    home.make()
    with FileLock(home.folder / "bundled.lock", timeout=LOAD_SECONDS):
        dropped = _dropped(home) - {name} if again else _dropped(home) | {name}
        with replacing(home.folder / DROPPED) as file:
            file.write(json.dumps(sorted(dropped)).encode())


def dropped_stamp(home: Home) -> int | None:
    """Changes when a bundled graph is dropped, or offered again."""
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
    """Whether what is loaded is this very graph, or one of the user's own."""
    return entry is not None and (entry.source != source_of(bundled) or entry.digest == bundled.content_hash)


def source_of(bundled: BundledGraph) -> str:
    """The file name under which the catalog keeps a bundled graph: `bundled-nba.json`."""
    return f"bundled-{bundled.name}.json"


def _load(bundled: BundledGraph, home: Home) -> Entry:
    doing(f"loading the graph {bundled.name}, which happens once")
    with tempfile.TemporaryDirectory(prefix="graphground-") as folder:
        path = Path(folder) / source_of(bundled)
        path.write_bytes(bundled.open().read())
        return load_file(path, home, name=bundled.name, description=bundled.description, digest=bundled.content_hash)
