"""Builds a graph from Wikidata: selects items level by level, fetches statements and names, writes SimpleKG.

    source = SparqlSource(Endpoint("https://query.wikidata.org/sparql"))
    built = build(read_definition("nba"), source, Path("nba.json.gz"))
    built.nodes, built.relationships, built.discarded

The workspace `nba.json.gz.build` beside the output lets an interrupted build resume, with the same result; it is
removed when the graph has been written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from filelock import FileLock, Timeout

from graphground.cypher.diagnostics import either
from graphground.graphs.definitions.read import Definition
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.wikidata.plan import Plan, Source, SourceError
from graphground.graphs.wikidata.workspace import Workspace, WorkspaceError
from graphground.graphs.wikidata.writing import ITEMS_AT_ONCE, GraphWriting, add_ends, select, values_named


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
        SourceError, EndpointError, DumpError: the source cannot provide the data, or has no item of any label.
        WorkspaceError: the workspace beside the output belongs to another build, or another process is using it.
    """
    path = Path(path)
    plan = Plan(definition)
    source.check(plan)
    identity = hashlib.sha256(orjson.dumps([definition.model_dump(), source.identity])).hexdigest()
    place = path.with_name(path.name + ".build")
    with alone(path):
        workspace = Workspace(place, identity)
        try:
            fetch(plan, source, workspace)
            if not any(workspace.count("nodes", plan.number(label)) for label in plan.labels):
                workspace.remove()  # a resumed build would find the same
                raise SourceError(
                    f"the graph would be empty: {source.identity} has no item of {either(list(plan.labels))}. "
                    "Is it a source of Wikidata's statements, and are the classes in the definition right?"
                )
            built = write(plan, workspace, path)
            if not keep:
                workspace.remove()
        finally:
            workspace.close()
    return built


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock that lets only one process at a time build the graph file `path`.

    The operating system releases the lock if the process is killed.

    Raises:
        WorkspaceError: another process holds the lock, or the folder cannot be written.
    """
    place = path.with_name(path.name + ".build.lock")
    lock = FileLock(place, timeout=0)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise WorkspaceError(f"another process is building {path}") from None
    except OSError as error:
        raise WorkspaceError(f"{place} cannot be written ({error})") from None
    try:
        yield
    finally:
        # Deleted while locked: later the file may be the lock of another process. A process that has opened the file
        # meanwhile notices that it was deleted, and opens another (filelock compares the number of links).
        with suppress(PermissionError):  # Windows cannot delete an open file
            place.unlink(missing_ok=True)
        lock.release()


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
