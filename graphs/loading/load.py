"""Loads a SimpleKG file in child processes into a staging folder, then moves it into place; exports loaded graphs.

    load_file(Path("movie.json.gz"), Home.default(), name="movie")

A load that is refused, fails or is killed leaves the existing data unchanged. Readers of a replaced graph keep its
files until they have finished.
"""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from graphground.cypher.quoting import nodes, relationships
from graphground.cypher.schema import RESERVED_PROPERTIES, PropertyGraphSchema
from graphground.graphs.engines.embedded.launcher import is_alive, remove_archive, require_arcadedb
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.loading.simplekg import SimpleKGError, SimpleKGFile, write_simplekg
from graphground.graphs.storage.home import Catalog, Entry, Home, check_name, loading_lock, new_id, write_manifest

if TYPE_CHECKING:
    from graphground.graphs.engines.embedded.engine import EmbeddedEngine

FULL_DISK_BYTES = 64 * 1024 * 1024
"""Free bytes below which a failed load is attributed to a full disk."""
Progress = Callable[[str, int, int], None]
"""A function called with the step (`nodes`, `relationships`, `finishing`), the bytes read, and the file's size."""


def load_file(
    path: Path,
    home: Home,
    *,
    name: str | None = None,
    description: str = "",
    digest: str = "",
    progress: Progress | None = None,
) -> Entry:
    """Load a whole file as the graph called `name` (default: the schema's name); a graph of that name is replaced.

    `description` and `digest`, the SHA-256 of the file, are stored in the catalog.

    Raises:
        SimpleKGError: the file is not a valid graph; the message names the first invalid record.
        CatalogError: the name cannot be used.
        EngineUnavailable: there is no embedded engine on this machine, the disk is full, or the load failed.
    """
    require_arcadedb()
    path = Path(path).absolute()
    graph_name = check_name(name or SimpleKGFile(path).schema.name)
    home.make()
    catalog, identity = Catalog(home), new_id(graph_name)
    folder = home.loading / identity
    folder.mkdir(mode=0o700)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        stack.enter_context(loading_lock(folder))
        counts = _run_processes(path, folder, progress)["done"]
        entry = Entry(
            graph_name,
            identity,
            description,
            counts["nodes"],
            counts["relationships"],
            datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            path.name,
            digest,
        )
        write_manifest(folder / "database", folder / "graph")
        with catalog.changing():
            os.replace(folder / "database", home.databases / identity)
            os.replace(folder / "graph", home.graphs / identity)
            catalog.put(entry)
            if not is_alive(home):
                catalog.sweep()
    return entry


def drop_graph(name: str, home: Home) -> Entry:
    """Remove a graph from the catalog; return the entry that is removed.

    The graph's files are deleted at once, or by the engine process if one is running.

    Raises:
        CatalogError: no loaded graph has that name.
    """
    catalog = Catalog(home)
    entry = catalog.remove(name)
    with catalog.changing():
        if not is_alive(home):
            catalog.sweep()
    return entry


def _run_processes(path: Path, folder: Path, progress: Progress | None) -> dict[str, Any]:
    size = path.stat().st_size
    with ExitStack() as stack:
        log = stack.enter_context((folder / "load.log").open("wb"))
        graph = _start("graph", path, folder, log, stack)
        index = _start("index", path, folder, log, stack)
        answers: dict[str, dict[str, Any]] = {}
        reader = threading.Thread(target=lambda: answers.update(index=_last(index, None, size)), daemon=True)
        reader.start()
        stack.callback(reader.join)  # runs before the pipe that it reads is closed
        stack.callback(index.kill)
        result = _last(graph, progress, size)
        _raise_unless_done(result, folder)
        reader.join()
        _raise_unless_done(answers["index"], folder)
        return result


def _start(task: str, path: Path, folder: Path, log: Any, stack: ExitStack) -> subprocess.Popen[bytes]:
    process = stack.enter_context(
        subprocess.Popen(
            [sys.executable, "-m", "graphground.graphs.loading.load_process", task, str(path), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=folder,
        )
    )
    stack.callback(process.kill)  # does nothing if the process has ended
    return process


def _last(process: subprocess.Popen[bytes], progress: Progress | None, size: int) -> dict[str, Any]:
    """Report the progress of a process to the caller; return the last message of the process."""
    last: dict[str, Any] = {}
    assert process.stdout is not None
    for line in process.stdout:
        last = orjson.loads(line)
        if progress is not None and "step" in last:
            progress(last["step"], last["read"], size)
    return last


def _raise_unless_done(result: dict[str, Any], folder: Path) -> None:
    if "done" in result:
        return
    if "refused" in result:
        raise SimpleKGError(result["refused"])
    if (free := shutil.disk_usage(folder).free) < FULL_DISK_BYTES:
        # The engine reports only an IndexException, and its process ended before it could report more.
        raise EngineUnavailable(
            f"The disk that holds {folder.parent.parent} is full ({free >> 20} MiB free). Make "
            "room, or choose a folder on another disk with --home or GRAPHGROUND_HOME."
        )
    if "failed" in result:
        raise EngineUnavailable(f"The load failed: {result['failed']}")
    remove_archive(folder / "load.log")  # so that the next load does not crash again
    lines = (folder / "load.log").read_text("utf-8", "replace").strip().splitlines()
    raise EngineUnavailable(
        "The loading process ended before it finished" + (f": {lines[-1].strip()}" if lines else ".")
    )


def export_graph(name: str, path: Path, home: Home) -> tuple[int, int]:
    """Write a loaded graph to a SimpleKG file; return the numbers of nodes and relationships.

    Raises:
        CatalogError: no loaded graph has that name.
    """
    from graphground.graphs.engines.embedded.engine import EmbeddedEngine  # the driver is loaded on first use

    catalog = Catalog(home)
    entry = catalog.get(name)
    schema = catalog.schema(entry)
    with closing(EmbeddedEngine(home, entry.id)) as engine:
        return write_simplekg(path, schema, _entities(engine, schema), _relations(engine, schema))


def _entities(engine: EmbeddedEngine, schema: PropertyGraphSchema) -> Iterator[dict[str, Any]]:
    several = frozenset[str]().union(*schema.label_combinations)
    for label in schema.labels.values():
        for properties, labels in engine.stream(f"{nodes(label.name).match()} RETURN properties(n), labels(n)"):
            if label.name in several and label.name != min(labels):
                continue  # the node has been or will be written with another of its labels
            own = label.properties.keys() - label.reserved
            reserved = {key: properties.pop(key, None) for key in RESERVED_PROPERTIES if key not in own}
            yield {
                "eid": reserved.get("eid"),
                "label": label.name,
                **({"labels": sorted(labels)} if len(labels) > 1 else {}),
                "name": reserved.get("name"),
                "aliases": reserved.get("aliases") or [],
                "description": reserved.get("description"),
                "properties": properties,
                "provenance": reserved.get("provenance") or [],
            }


def _relations(engine: EmbeddedEngine, schema: PropertyGraphSchema) -> Iterator[dict[str, Any]]:
    number = 0
    for type_ in schema.relationship_types:
        query = f"{relationships(type_).match()} RETURN a.eid, b.eid, properties(r)"
        for start, end, properties in engine.stream(query):
            provenance = properties.pop("provenance", None) or []
            yield {
                "rid": str(number),
                "label": type_,
                "subj_id": start,
                "obj_id": end,
                "properties": properties,
                "provenance": provenance,
            }
            number += 1
