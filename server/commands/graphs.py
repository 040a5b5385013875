"""`graphground graphs`: list, load, inspect, export and drop the graphs of the data folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from graphground.graphs.engines.engine import EngineError
from graphground.graphs.loading.simplekg import SimpleKGError
from graphground.graphs.storage.catalog import Catalog, CatalogError, Entry
from graphground.graphs.storage.home import Home
from graphground.server.commands.subcommands import run
from graphground.server.commands.synth import synth

app = typer.Typer(name="graphground graphs", no_args_is_help=True, add_completion=False,
                  help="List, load, inspect, export and drop graphs.", pretty_exceptions_enable=False)

app.command()(synth)


def main(arguments: Sequence[str]) -> int:
    """Run a subcommand; what was wrong is said on stderr, in one line."""
    return run(app, "graphground graphs", arguments, CatalogError, SimpleKGError, EngineError)


@app.command("list")
def list_graphs(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List the loaded graphs."""
    entries = Catalog(Home.default()).entries()
    if as_json:
        sys.stdout.write(json.dumps([_described(entry) for entry in entries], indent=1) + "\n")
        return
    if not entries:
        sys.stdout.write("No graph is loaded. `graphground graphs load FILE` loads one.\n")
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        sys.stdout.write(f"{entry.name:<{width}}  {entry.nodes:>10,} nodes  {entry.relationships:>10,} relationships"
                         f"  {entry.description}".rstrip() + "\n")


@app.command()
def load(file: Annotated[Path, typer.Argument(help="A SimpleKG file (.json or .json.gz), or the name of a bundled "
                                              "graph that was dropped.")],
         name: Annotated[str | None, typer.Option(help="Its name; the schema's own without it.")] = None,
         description: Annotated[str, typer.Option(help="One line that says what the graph holds.")] = "",
         into: Annotated[str | None, typer.Option(help="Load it into the empty database at this Bolt address instead: "
                                                  "of your own Neo4j, Memgraph or ArcadeDB.")] = None,
         user: Annotated[str, typer.Option(help="With --into: a user who may write; the password comes from "
                                           "GRAPHGROUND_ADMIN_PASSWORD.")] = "",
         database: Annotated[str | None, typer.Option(help="With --into: which database of that server.")] = None,
         ) -> None:
    """Load a SimpleKG file, in place of an older graph of that name."""
    if into is not None:
        if name is not None or description:
            raise typer.BadParameter("--name and --description go with a graph of graphground's own, not with --into; "
                                     "a database is named where it is served ([graphs.NAME] in the settings file)")
        load_into_database(file, into, user, database)
        return
    from graphground.graphs.loading.load import load_file
    from graphground.graphs.opening.bundled import is_bundled, load_bundled, offer

    home = Home.default()
    if not file.exists() and is_bundled(str(file), home):
        offer(str(file), home, again=True)
        found = load_bundled(str(file), home)
        assert found is not None
        sys.stdout.write(_loaded(found))
        return
    with _progress_bar() as progress:
        entry = load_file(file, home, name=name, description=description, progress=progress)
    sys.stdout.write(_loaded(entry))


def load_into_database(file: Path, uri: str, user: str, database: str | None) -> None:
    """Write the file into a database of one's own, as a user who may."""
    import os

    from graphground.graphs.engines.address import BoltAddress
    from graphground.graphs.loading.into_database import load_into

    address = BoltAddress(uri, user, os.environ.get("GRAPHGROUND_ADMIN_PASSWORD", ""), database)
    with _progress_bar() as progress:
        nodes, relationships = load_into(file, address, progress)
    sys.stdout.write(f"Loaded into {address.where()}: {nodes:,} nodes, {relationships:,} relationships.\n")


@app.command()
def info(name: Annotated[str, typer.Argument(help="The graph's name.")],
         as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """Say what a loaded graph holds."""
    catalog = Catalog(Home.default())
    entry = catalog.get(name)
    schema = catalog.schema(entry)
    if as_json:
        sys.stdout.write(json.dumps({**_described(entry), "schema": schema.to_cypherbench()}, indent=1) + "\n")
        return
    lines = [f"{entry.name}: {entry.nodes:,} nodes, {entry.relationships:,} relationships",
             *([entry.description] if entry.description else []),
             f"loaded {entry.loaded} from {entry.source}", "labels: " + ", ".join(schema.labels), "patterns:",
             *(f"  {pattern}" for pattern in schema.patterns)]
    sys.stdout.write("\n".join(lines) + "\n")


@app.command()
def drop(name: Annotated[str, typer.Argument(help="The graph's name.")]) -> None:
    """Forget a loaded graph and delete its data; a bundled one is not loaded again until `load` names it."""
    from graphground.graphs.loading.load import drop_graph
    from graphground.graphs.opening.bundled import is_bundled, offer

    home = Home.default()
    bundled = is_bundled(name, home)
    if bundled:
        offer(name, home, again=False)
    if not bundled or Catalog(home).find(name) is not None:
        drop_graph(name, home)
    back = f" It comes with graphground: `graphground graphs load {name}` brings it back." if bundled else ""
    sys.stdout.write(f"Dropped {name!r}.{back}\n")


@app.command()
def export(name: Annotated[str, typer.Argument(help="The graph's name.")],
           file: Annotated[Path, typer.Argument(help="Where to write it (.json or .json.gz).")]) -> None:
    """Write a loaded graph as a SimpleKG file."""
    from graphground.graphs.loading.export import export_graph

    nodes, relationships = export_graph(name, file, Home.default())
    sys.stdout.write(f"Wrote {nodes:,} nodes and {relationships:,} relationships to {file}.\n")


def _loaded(entry: Entry) -> str:
    return f"Loaded {entry.name!r}: {entry.nodes:,} nodes, {entry.relationships:,} relationships.\n"


def _described(entry: Entry) -> dict[str, Any]:
    return {"name": entry.name, "description": entry.description, "nodes": entry.nodes,
            "relationships": entry.relationships, "loaded": entry.loaded, "source": entry.source}


@contextmanager
def _progress_bar() -> Iterator[Any]:
    """A bar on stderr for each step of a load; nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description:<15}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"),
               TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        tasks: dict[str, Any] = {}

        def progress(step: str, read: int, size: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step, total=size)
            bar.update(tasks[step], completed=read)
        yield progress
