"""`graphground entities build|info GRAPH`: the entity index of a graph, and its vectors."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from graphground.server.commands.serving import add_options, open_graphs, settings_from
from graphground.server.settings import default_home

if TYPE_CHECKING:
    from graphground.graphs.entities.record import Progress
    from graphground.graphs.graph import Graph

SERVING_ALONE = ("transport", "host", "port", "allowed_host", "answer_bytes", "log_level")


def main(arguments: Sequence[str]) -> int:
    """Build an index or tell about one; the exit status is 1 when that failed."""
    parser = argparse.ArgumentParser("graphground entities", description="The index that find_entities looks in.")
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="Build the index of a graph out of its database, or its vectors.")
    build.add_argument("--label", action="append", help="Only nodes with this label; may be given again.")
    build.add_argument("--vectors", action="store_true", help="Build the vectors too, for mentions by meaning; a "
                       "build that was stopped (Ctrl-C) is continued by the same command.")
    build.add_argument("--model", default="", help="The vectors' model: static-minilm-256 (in the package), or one of "
                       "sentence-transformers, such as all-MiniLM-L6-v2.")
    build.add_argument("--names-only", action="store_true", help="Give descriptions no vectors of their own.")
    build.add_argument("--ann", type=int, metavar="N", help="Labels of N vectors and more get a graph of neighbours "
                       "(needs the extra `ann`); 0: none. Default: a million, where that extra is installed.")
    build.add_argument("--estimate", action="store_true", help="Only say what the vectors will cost.")
    info = commands.add_parser("info", help="Say what the index holds, when it was built, and whether it is stale.")
    for one in (build, info):
        one.add_argument("name", nargs="?", help="The graph; may be left out when there is one.")
        add_options(one, leave_out=SERVING_ALONE)
    parsed = parser.parse_args(arguments)
    settings = settings_from(parsed, parser)

    from graphground.graphs.engines.engine import EngineError
    from graphground.graphs.entities.places import index_folder
    from graphground.graphs.entities.record import IndexMissing, UnknownName
    from graphground.graphs.entities.vectors.approximate import LibraryMissing
    from graphground.graphs.entities.vectors.building import BuildRunning
    from graphground.graphs.entities.vectors.encoders import EncoderMissing
    from graphground.graphs.opening.open_graphs import UnknownGraph
    from graphground.graphs.storage.home import Home

    graphs = open_graphs(settings)
    try:
        graph = graphs.get(parsed.name)
        folder = index_folder(Home(default_home(settings.home)).make(), graph.name)
        if parsed.command == "info":
            return tell(graph, folder)
        if not parsed.estimate and not (parsed.vectors and (folder / "meta.json").exists()):
            build_from_database(graph, folder, parsed.label)
        if parsed.vectors or parsed.estimate:
            return make_vectors(folder, parsed.model, parsed.label, parsed.estimate, not parsed.names_only, parsed.ann)
        return 0
    except (BuildRunning, EngineError, EncoderMissing, IndexMissing, LibraryMissing, UnknownGraph,
            UnknownName) as error:
        sys.stderr.write(f"graphground: {error}\n")
        return 1
    finally:
        graphs.close()


def build_from_database(graph: Graph, folder: Path, labels: Sequence[str] | None) -> None:
    """Read every name out of the graph's database and build the index of them."""
    from graphground.graphs.engines.engine import EngineUnavailable
    from graphground.graphs.entities.build import build_index
    from graphground.graphs.entities.discovery import text_schema
    from graphground.graphs.entities.paging import count_nodes, database_records
    from graphground.graphs.entities.places import FROM_DATABASE

    if graph.engine is None:
        raise EngineUnavailable(f"the graph {graph.name!r} is a schema without data; load one with "
                                f"`graphground graphs load FILE --name {graph.name}`")
    schema = graph.schema if graph.schema.labels else text_schema(graph.engine, graph.name)
    total = count_nodes(graph.engine, schema, labels)
    source = f"{FROM_DATABASE} {graph.engine.capabilities().product}"
    with progress_bar() as told:
        info = build_index(folder, database_records(graph.engine, schema, labels), source=source, total=total,
                           progress=told)
    sys.stdout.write(f"{info.nodes:,} nodes, {info.texts:,} texts, {info.words:,} words; {info.bytes / 1e6:,.1f} MB in "
                     f"{info.seconds:.1f} s\n")


def make_vectors(folder: Path, model: str, labels: Sequence[str] | None, estimate_alone: bool,
                 descriptions: bool = True, ann: int | None = None) -> int:
    """Say what the vectors will cost, then build them; Ctrl-C stops after the names at hand."""
    from graphground.graphs.entities.files import Files
    from graphground.graphs.entities.vectors.building import build_vectors, estimate
    from graphground.graphs.entities.vectors.encoders import STATIC, loaded_encoder

    files, maker = Files(folder), loaded_encoder(model or STATIC)
    check_labels(files.info.labels, labels)
    cost = estimate(files, maker, labels, descriptions=descriptions, ann=ann)
    there = f" ({cost.done:,} vectors are there already)" if cost.done else ""
    told = f" and {cost.descriptions:,} descriptions" if cost.descriptions else ""
    sys.stdout.write(f"vectors of {cost.names:,} names{told}{there} with {maker.name}: about {cost.seconds:,.0f} s, "
                     f"{cost.bytes / 1e6:,.1f} MB\n")
    if cost.approximate:
        sys.stdout.write(f"of that a graph of neighbours over {cost.approximate:,} vectors: about "
                         f"{cost.approximate_seconds:,.0f} s\n")
    sys.stdout.flush()
    if estimate_alone:
        return 0
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    before = signal.signal(signal.SIGINT, stop)
    try:
        with progress_bar() as bar:
            complete = build_vectors(files, maker, labels, descriptions=descriptions, ann=ann, progress=bar,
                                     stop=lambda: stopped)
    finally:
        signal.signal(signal.SIGINT, before)
    sys.stdout.write("done\n" if complete else "stopped; the same command continues\n")
    return 0 if complete else 1


def check_labels(known: Mapping[str, int], labels: Sequence[str] | None) -> None:
    """Refuse a label that the index does not have, with the nearest that it has."""
    from graphground.graphs.entities.index import nearest
    from graphground.graphs.entities.record import UnknownName

    for label in labels or ():
        if label not in known:
            raise UnknownName("label", label, nearest(label, list(known)))


def tell(graph: Graph, folder: Path) -> int:
    """What the index holds, and whether the graph has changed since it was built."""
    from graphground.graphs.entities.freshness import staleness
    from graphground.graphs.entities.index import open_index
    from graphground.graphs.entities.vectors.encoders import EncoderMissing
    from graphground.graphs.entities.vectors.store import VectorsMissing

    index = open_index(folder)
    info = index.info
    lines = [f"built {info.built_at} from {info.nodes:,} nodes of {info.source or 'a file'} in {info.seconds:.1f} s",
             f"{info.texts:,} texts of {info.words:,} words, {info.bytes / 1e6:,.1f} MB in {folder}",
             "labels: " + ", ".join(f"{label} {count:,}" for label, count in info.labels.items()),
             "properties: " + ", ".join(f"{name} {count:,}" for name, count in info.properties.items())]
    try:
        store = index.vectors()
        near = f"; {store.approximate:,} in graphs of neighbours" if store.approximate else ""
        lines.append(f"vectors: {store.names:,} names, {store.descriptions:,} descriptions with {store.model}{near}")
    except EncoderMissing as error:
        lines.append(f"vectors: not usable: {error}")
    except VectorsMissing:
        lines.append("vectors: none; `graphground entities build --vectors` makes them")
    if graph.engine is not None:
        lines.append(staleness(graph.engine, index) or "the graph has as many nodes now")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


@contextmanager
def progress_bar() -> Iterator[Callable[[Progress], None]]:
    """A bar for each step on stderr, where that is a terminal; else a line every few seconds."""
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    console = Console(stderr=True)
    tasks: dict[str, TaskID] = {}
    last = 0.0
    with Bars(console=console, transient=True, disable=not console.is_terminal) as bars:

        def told(one: Progress) -> None:
            nonlocal last
            if console.is_terminal:
                if one.step not in tasks:
                    tasks[one.step] = bars.add_task(one.step, total=one.total)
                bars.update(tasks[one.step], completed=one.done, total=one.total)
            elif time.monotonic() - last > 5:
                last = time.monotonic()
                sys.stderr.write(f"{one.step}: {one.done:,}{f' of {one.total:,}' if one.total else ''}\n")

        yield told
