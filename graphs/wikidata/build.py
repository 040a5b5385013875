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
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
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
    """Build the graph of a definition into a SimpleKG file; `keep` keeps the workspace afterwards.

    Raises:
        SourceError, EndpointError: the source cannot provide the data.
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
    """Search for cyclic garbage rarely: each batch makes many thousands of small objects, and hardly any in cycles."""
    usual = gc.get_threshold()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock on building a file, which the system releases if the process is killed.

    The lock is SQLite's, on an empty database: other libraries take longer to load than a small graph takes to build.

    Raises:
        WorkspaceError: another process holds the lock, or the folder cannot be written.
    """
    place = path.with_name(path.name + ".build.lock")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        lock = sqlite3.connect(place, timeout=0, isolation_level=None)
    except (OSError, sqlite3.OperationalError) as error:
        raise WorkspaceError(f"{place} cannot be written ({error})") from None
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        why = (
            f"another process is building {path}" if "locked" in str(error) else f"{place} cannot be written ({error})"
        )
        raise WorkspaceError(why) from None
    try:
        yield
    finally:
        lock.close()
        place.unlink(missing_ok=True)


def fetch(plan: Plan, source: Source, workspace: Workspace) -> None:
    """Fill a workspace from a source, without fetching existing data again."""
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
    for some in workspace.batches("nodes", plan.number(label), ITEMS_AT_ONCE):
        found = values_named(plan, workspace, label, some)
        with workspace.doing():
            workspace.add_values_seen(sorted(found))


def write(plan: Plan, workspace: Workspace, path: Path) -> Built:
    """Write the graph and, to `….discarded.json` beside it, the discarded values with the reasons."""
    writing = GraphWriting(plan, workspace)
    nodes, relationships = write_simplekg(
        path, plan.definition.property_graph_schema(), writing.entities(), writing.relations()
    )
    discarded = writing.discards.document()
    report = path.with_name(path.name.removesuffix(".gz").removesuffix(".json") + ".discarded.json")
    report.write_bytes(orjson.dumps(discarded, option=orjson.OPT_INDENT_2) + b"\n")
    return Built(path, nodes, relationships, discarded)
