"""Build and inspect the index that find_entities searches."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground.cypher.diagnostics import counted
from graphground.server.commands.command_line import (
    GRAPHS,
    command,
    home_from,
    open_graphs,
    progress_bars,
    settings_from,
    write_json,
)

if TYPE_CHECKING:
    from graphground.graphs.entities.index import EntityIndex
    from graphground.graphs.graph import Graph

SIZES = ("nodes", "texts", "words", "bytes")
LOCK_SECONDS = 600.0
"""The longest wait, in seconds, for another process, such as a server, that builds the same index."""


@command("build", settings=GRAPHS)
def build(parsed: argparse.Namespace) -> int:
    """Build the index of a graph from its database. With --vectors, build vectors for the existing index, or for a new
    index if there is none.

    [GRAPH]        The graph; optional if there is only one.
    --label LABEL  Only nodes with this label; may be repeated.
    --vectors      Also build vectors, which find names by meaning.
    --model MODEL  The vectors' model: static-minilm-256 (in the package), or a sentence-transformers model, such as
                   all-MiniLM-L6-v2.
    --names-only   Build vectors of names alone, not of descriptions.
    """
    with closing(open_graphs(settings_from(parsed))) as graphs:
        graph = graphs.get(parsed.graph_name)
        folder = folder_of(graph, parsed)
        if not (parsed.vectors and (folder / "meta.json").exists()):
            build_from_database(graph, folder, parsed.label or None)
        if parsed.vectors:
            make_vectors(folder, parsed.model, parsed.label or None, not parsed.names_only)
    return 0


@command("info", settings=GRAPHS)
def info(parsed: argparse.Namespace) -> int:
    """Show the contents of the index, when it was built, and whether it is stale.

    [GRAPH]  The graph; optional if there is only one.
    --json   Print JSON.
    """
    with closing(open_graphs(settings_from(parsed))) as graphs:
        graph = graphs.get(parsed.graph_name)
        return show(graph, folder_of(graph, parsed), parsed.json)


def folder_of(graph: Graph, parsed: argparse.Namespace) -> Path:
    """Return the folder of a graph's entity index."""
    from graphground.graphs.entities.index import index_folder

    return index_folder(home_from(parsed).make(), graph.name)


def build_from_database(graph: Graph, folder: Path, labels: Sequence[str] | None) -> None:
    """Read the names of these labels, or all names, from the graph's database, and build an index of the names."""
    from filelock import FileLock

    from graphground.graphs.engines.engine import EngineUnavailable
    from graphground.graphs.entities.build import build_index
    from graphground.graphs.entities.index import FROM_DATABASE
    from graphground.graphs.entities.paging import count_nodes, database_pages

    if graph.engine is None:
        raise EngineUnavailable(
            f"the graph {graph.name!r} is a schema without data; load its data with "
            f"`graphground graphs load FILE --name {graph.name}`"
        )
    total = count_nodes(graph.engine, graph.schema, labels)
    source = f"{FROM_DATABASE} {graph.engine.capabilities().dialect.product}"
    for work in graph.background:  # opening the graph may have begun to build its index in the same folder
        work.stop()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(folder.name + ".lock"), timeout=LOCK_SECONDS), progress_bars() as report:
        built = build_index(
            folder,
            chain.from_iterable(database_pages(graph.engine, graph.schema, labels)),
            source=source,
            total=total,
            progress=report,
        )
    sys.stdout.write(
        f"{counted(built.nodes, 'node')}, {counted(built.texts, 'text')}, {counted(built.words, 'distinct word')}; "
        f"{built.bytes / 1e6:,.1f} MB in {built.seconds:.1f} s\n"
    )


def make_vectors(folder: Path, model: str | None, labels: Sequence[str] | None, descriptions: bool) -> None:
    """Build the vectors of these labels, or of all, and print their number."""
    from graphground.graphs.entities.files import Files
    from graphground.graphs.entities.vectors.building import STATIC, build_vectors, loaded_encoder

    files, maker = Files(folder), loaded_encoder(model or STATIC)
    from graphground.cypher.names.nearest import closest
    from graphground.graphs.entities.candidate import UnknownName

    for label in labels or ():
        if label not in files.info.labels:
            raise UnknownName("label", label, closest(label, list(files.info.labels)))
    with progress_bars() as report:
        names, described = build_vectors(files, maker, labels, descriptions=descriptions, progress=report)
    sys.stdout.write(f"vectors of {counted(names, 'name')} and {counted(described, 'description')} with {maker.name}\n")


def show(graph: Graph, folder: Path, as_json: bool = False) -> int:
    """Print the sizes of the index, and whether the number of nodes of a label has changed since it was built."""
    from graphground.graphs.engines.engine import EngineError
    from graphground.graphs.entities.index import open_index
    from graphground.graphs.entities.own_index import find_difference

    index = open_index(folder)
    about = index.info
    vectors, problem = vectors_of(index)
    stale, uncounted = None, ""
    if graph.engine is not None:
        try:
            stale = find_difference(graph.engine, about)
        except EngineError as error:
            uncounted = f"the nodes could not be counted: {error}"
    if as_json:
        known = {name: getattr(about, name) for name in ("built_at", "source", *SIZES, "labels", "properties")}
        state = {"vectors": vectors, "problem": problem, "stale": stale, "uncounted": uncounted or None}
        write_json({"graph": graph.name, "folder": str(folder), **known, **state})
        return 0
    lines = [
        f"built {about.built_at} in {about.seconds:.1f} s from {counted(about.nodes, 'node')} "
        f"(source: {about.source or 'a file'})",
        f"{counted(about.texts, 'text')} with {counted(about.words, 'distinct word')}, "
        f"{about.bytes / 1e6:,.1f} MB in {folder}",
        "labels: " + ", ".join(f"{label} {count:,}" for label, count in about.labels.items()),
        "properties: " + ", ".join(f"{name} {count:,}" for name, count in about.properties.items()),
    ]
    if vectors:
        lines.append(
            f"vectors: {counted(vectors['names'], 'name')}, {counted(vectors['descriptions'], 'description')} "
            f"with {vectors['model']}"
        )
    else:
        lines.append(f"vectors: {problem}")
    if graph.engine is not None:
        lines.append(uncounted or stale or "each label of the index has as many nodes as when the index was built")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def vectors_of(index: EntityIndex) -> tuple[dict[str, Any] | None, str]:
    """Return the sizes and the model of an index's vectors, and an empty string.

    If the index has no usable vectors, return None and the reason.
    """
    from graphground.graphs.entities.vectors.building import EncoderMissing, VectorsMissing

    try:
        store = index.vectors()
    except EncoderMissing as error:
        return None, f"not usable: {error}"
    except VectorsMissing:
        return None, "none; `graphground entities build --vectors` makes them"
    return {"names": store.names, "descriptions": store.descriptions, "model": store.model}, ""
