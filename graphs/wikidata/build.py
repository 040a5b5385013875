"""Builds a graph from Wikidata: selects items level by level, fetches statements and names, writes SimpleKG.

    source = SparqlSource(Endpoint("https://query.wikidata.org/sparql"))
    built = build(read_definition("nba"), source, Path("nba.json.gz"))
    built.nodes, built.relationships, built.discarded

The workspace `nba.json.gz.build` beside the output lets an interrupted build resume, with the same result; it is
removed when the graph has been written.
"""

from __future__ import annotations

import gc
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from graphground.graphs.definitions.model import Definition
from graphground.graphs.loading.simplekg_writing import write_simplekg
from graphground.graphs.wikidata.plan import Plan
from graphground.graphs.wikidata.selection import add_ends, select
from graphground.graphs.wikidata.source import Source
from graphground.graphs.wikidata.workspace import Workspace, WorkspaceError
from graphground.graphs.wikidata.writing import ITEMS_AT_ONCE, GraphWriting, values_named

OBJECTS_BEFORE_COLLECTION = 100_000


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build: the number of nodes and relationships, and the discarded values.

    Each entry of `discarded` has the keys `place`, `reason`, `count` and `examples`.
    """

    path: Path
    nodes: int
    relationships: int
    discarded: list[dict[str, Any]]


def build(definition: Definition, source: Source, path: Path, *, keep: bool = False) -> Built:
    """Build the graph of a definition as a SimpleKG file at `path`; with `keep`, the workspace is not deleted.

    Raises:
        SourceError, EndpointError, DumpError: the source cannot provide the data.
        WorkspaceError: the workspace beside the output belongs to another build, or another process is using it.
    """
    path = Path(path)
    plan = Plan(definition)
    source.check(plan)
    identity = hashlib.sha256(orjson.dumps([definition, source.identity])).hexdigest()
    place = path.with_name(path.name + ".build")
    with alone(path), rare_collection():
        workspace = Workspace(place, identity)
        try:
            fetch(plan, source, workspace)
            built = write(plan, workspace, path)
            if not keep:
                workspace.remove()
        finally:
            workspace.close()
    return built


@contextmanager
def rare_collection() -> Iterator[None]:
    """Let Python search for cyclic garbage less often inside the block.

    Each batch of a build creates many thousands of small objects, hardly any of them in cycles.
    """
    usual = gc.get_threshold()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock that lets only one process at a time build the graph file `path`.

    The lock is that of an empty SQLite database, `….build.lock` beside the graph file: libraries for file locks take
    longer to load than a small graph takes to build. The operating system releases the lock if the process is killed.

    Raises:
        WorkspaceError: another process holds the lock, or the folder cannot be written.
    """
    place = path.with_name(path.name + ".build.lock")
    lock = _lock(place, path)
    try:
        yield
    finally:
        # Deleted while locked: after the lock is released, the file may already be the lock of another process.
        with suppress(PermissionError):  # Windows cannot delete an open file
            place.unlink(missing_ok=True)
        lock.close()
        if os.name == "nt":
            with suppress(PermissionError):  # another process has opened the file
                place.unlink(missing_ok=True)


def _lock(place: Path, path: Path) -> sqlite3.Connection:
    """Return a connection that holds the lock on the file `place`, which is created if it is missing.

    The previous owner may delete the file before we lock it, and a lock on a deleted file would exclude nobody. So the
    lock counts only if `place` names the same existing file before the file is opened and after it is locked.
    """
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        while True:
            before = _file_identity(place)
            lock = sqlite3.connect(place, timeout=0, isolation_level=None)
            problem = None
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                problem = error
            if before is None or _file_identity(place) != before:
                lock.close()
            elif problem is None:
                return lock
            else:
                lock.close()
                raise problem
    except (OSError, sqlite3.OperationalError) as error:
        is_locked = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
        reason = f"another process is building {path}" if is_locked else f"{place} cannot be written ({error})"
        raise WorkspaceError(reason) from None


def _file_identity(path: Path) -> tuple[int, int, int] | None:
    """Return values that no other file has had under this path; None if there is no file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino, status.st_ctime_ns  # a new file may reuse a deleted file's number


def fetch(plan: Plan, source: Source, workspace: Workspace) -> None:
    """Fill a workspace from a source; data that the workspace already contains is not fetched again."""
    if not workspace.is_done("classes"):
        source.subclasses(plan, workspace)
        with workspace.doing("classes"):
            pass
    for number, labels in enumerate(plan.levels):
        task = f"level {number}"
        if workspace.is_done(task):
            continue
        for label in labels:
            add_ends(workspace, plan, label)
        source.items(plan, labels, workspace)
        for label in labels:
            if source.selects(plan, label):
                workspace.select_candidates(plan.number(label))
            else:
                select(workspace, plan, label)
            _note_values(plan, workspace, label)
        with workspace.doing(task):
            pass
    if not workspace.is_done("names"):
        source.names(plan, workspace)
        with workspace.doing("names"):
            pass


def _note_values(plan: Plan, workspace: Workspace, label: str) -> None:
    if not plan.has_named_values(label):
        return
    for items in workspace.batches("nodes", plan.number(label), ITEMS_AT_ONCE):
        found = values_named(plan, workspace, label, items)
        with workspace.doing():
            workspace.add_values_seen(sorted(found))


def write(plan: Plan, workspace: Workspace, path: Path) -> Built:
    """Write the graph to `path` and the discarded values, with reasons, to `….discarded.json`; return the result."""
    writing = GraphWriting(plan, workspace)
    nodes, relationships = write_simplekg(
        path, plan.definition.property_graph_schema(), writing.entities(), writing.relations()
    )
    discarded = writing.discards.document()
    report = path.with_name(path.name.removesuffix(".gz").removesuffix(".json") + ".discarded.json")
    report.write_bytes(orjson.dumps(discarded, option=orjson.OPT_INDENT_2) + b"\n")
    return Built(path, nodes, relationships, discarded)
