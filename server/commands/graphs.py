"""`graphground graphs`: list, load, inspect, export and drop the graphs of the data folder."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground.cypher.diagnostics import counted
from graphground.server.commands.command_line import (
    DATA_FOLDER,
    CommandLine,
    WrongUse,
    add_options,
    command_line,
    home_from,
    run,
)
from graphground.server.commands.definitions import add_check
from graphground.server.commands.importing import add_import
from graphground.server.commands.loaded import loaded_line, require_unused_name
from graphground.server.commands.progress import progress_bars
from graphground.server.commands.pull import add_pull
from graphground.server.commands.synth import add_synth

if TYPE_CHECKING:
    from graphground.graphs.storage.catalog import Entry


def parser() -> CommandLine:
    """Build the parser of `graphground graphs` and its subcommands."""
    group = command_line("graphs", "List, load, inspect, export and drop graphs.")
    listing = group.add_command("list", list_graphs, "List the loaded graphs.")
    listing.add_argument("--json", action="store_true", help="Print JSON.")
    loading = group.add_command("load", load, "Load a SimpleKG file.")
    loading.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="A SimpleKG file (.json or .json.gz), or the name of a bundled graph that was dropped.",
    )
    loading.add_argument("--name", help="The graph's name; default: the name in the file's schema.")
    loading.add_argument("--description", default="", help="A one-line description of the graph.")
    loading.add_argument("--force", action="store_true", help="Replace an existing graph with that name.")
    loading.add_argument(
        "--into",
        metavar="URI",
        help="Load into the empty database at this Bolt address instead: your own Neo4j, Memgraph or ArcadeDB.",
    )
    loading.add_argument(
        "--user",
        default="",
        help="With --into: a user with write access; the password comes from GRAPHGROUND_ADMIN_PASSWORD.",
    )
    loading.add_argument("--database", help="With --into: which database of that server.")
    showing = group.add_command("info", info, "Show the counts, labels and patterns of a loaded graph.")
    showing.add_argument("--json", action="store_true", help="Print JSON.")
    dropping = group.add_command(
        "drop", drop, "Delete a loaded graph; a bundled graph stays deleted until `load` names it."
    )
    exporting = group.add_command("export", export, "Write a loaded graph as a SimpleKG file.")
    for command in (showing, dropping, exporting):
        command.add_argument("name", metavar="NAME", help="The graph's name.")
    exporting.add_argument("file", type=Path, metavar="FILE", help="The file to write (.json or .json.gz).")
    exporting.add_argument("--force", action="store_true", help="Replace an existing file.")
    for command in (listing, loading, showing, dropping, exporting):
        add_options(command, DATA_FOLDER)
    add_import(group)
    add_pull(group)
    add_check(group)
    add_synth(group)
    return group


def main(arguments: Sequence[str]) -> int:
    """Run the subcommand that the arguments name, and return its exit status."""
    return run(parser(), arguments)


def list_graphs(parsed: argparse.Namespace) -> int:
    """Print one line for each loaded graph."""
    from graphground.graphs.opening.stored import offered
    from graphground.graphs.storage.catalog import Catalog

    home = home_from(parsed)
    entries = Catalog(home).entries()
    if parsed.json:
        sys.stdout.write(json.dumps([_described(entry) for entry in entries], indent=1) + "\n")
        return 0
    if not entries:
        bundled = "".join(
            f" The bundled graph {graph.name} is loaded when it is first used." for graph in offered(home)
        )
        sys.stdout.write(f"No graph is loaded. `graphground graphs load FILE` loads one.{bundled}\n")
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        sys.stdout.write(
            f"{entry.name:<{width}}  {counted(entry.nodes, 'node'):>16}  {counted(entry.relationships, 'relationship'):>24}"
            f"  {entry.description}".rstrip()
            + "\n"
        )
    return 0


def load(parsed: argparse.Namespace) -> int:
    """Load a file into the data folder or into the user's own database, or restore a dropped bundled graph."""
    file: Path = parsed.file
    if parsed.into is not None:
        if parsed.name is not None or parsed.description:
            raise WrongUse(
                "--name and --description belong to a graph in the data folder, not to --into; name a "
                "database in the settings file instead ([graphs.NAME])"
            )
        return load_into_database(file, parsed.into, parsed.user, parsed.database)
    if parsed.user or parsed.database:
        raise WrongUse("--user and --database need --into")
    from graphground.graphs.loading.load import load_file
    from graphground.graphs.loading.simplekg import SimpleKGFile
    from graphground.graphs.opening.stored import is_bundled, load_bundled, offer

    home = home_from(parsed)
    if not file.exists() and is_bundled(str(file), home):
        offer(str(file), home, again=True)
        found = load_bundled(str(file), home)
        assert found is not None
        sys.stdout.write(loaded_line(found))
        return 0
    name = parsed.name or SimpleKGFile(file).schema.name
    if not parsed.force:
        require_unused_name(name, home, "replace it with --force, or choose another --name")
    with progress_bars() as report:
        entry = load_file(file, home, name=name, description=parsed.description, progress=report)
    sys.stdout.write(loaded_line(entry))
    return 0


def load_into_database(file: Path, uri: str, user: str, database: str | None) -> int:
    """Write a SimpleKG file into an empty database, as a user with write access."""
    from graphground.graphs.engines.address import BoltAddress
    from graphground.graphs.loading.into_database import load_into

    address = BoltAddress(uri, user, os.environ.get("GRAPHGROUND_ADMIN_PASSWORD", ""), database)
    with progress_bars() as report:
        nodes, relationships = load_into(file, address, report)
    sys.stdout.write(
        f"Loaded into {address.where()}: {counted(nodes, 'node')}, {counted(relationships, 'relationship')}.\n"
    )
    return 0


def info(parsed: argparse.Namespace) -> int:
    """Print the counts, labels and patterns of a loaded graph."""
    from graphground.graphs.storage.catalog import Catalog

    catalog = Catalog(home_from(parsed))
    entry = catalog.get(parsed.name)
    schema = catalog.schema(entry)
    if parsed.json:
        sys.stdout.write(json.dumps({**_described(entry), "schema": schema.to_cypherbench()}, indent=1) + "\n")
        return 0
    lines = [
        f"{entry.name}: {counted(entry.nodes, 'node')}, {counted(entry.relationships, 'relationship')}",
        *([entry.description] if entry.description else []),
        f"loaded {entry.loaded} from {entry.source}",
        "labels: " + ", ".join(schema.labels),
        "patterns:",
        *(f"  {pattern}" for pattern in schema.patterns),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def drop(parsed: argparse.Namespace) -> int:
    """Delete a loaded graph; a bundled graph is then no longer served."""
    from graphground.graphs.loading.load import drop_graph
    from graphground.graphs.opening.stored import is_bundled, offer
    from graphground.graphs.storage.catalog import Catalog

    home, name = home_from(parsed), parsed.name
    bundled = is_bundled(name, home)
    if bundled:
        offer(name, home, again=False)
    if not bundled or Catalog(home).find(name) is not None:
        drop_graph(name, home)
    back = f" It is bundled with graphground: `graphground graphs load {name}` brings it back." if bundled else ""
    sys.stdout.write(f"Dropped {name!r}.{back}\n")
    return 0


def export(parsed: argparse.Namespace) -> int:
    """Write a graph as a SimpleKG file; an existing file is kept unless --force is given."""
    from graphground.graphs.loading.export import export_graph
    from graphground.graphs.opening.stored import load_bundled

    file: Path = parsed.file
    if file.exists() and not parsed.force:
        raise WrongUse(f"there is a file {file} already; replace it with --force")
    if not file.absolute().parent.is_dir():
        raise WrongUse(f"there is no folder {file.absolute().parent}")
    home = home_from(parsed)
    load_bundled(parsed.name, home)
    nodes, relationships = export_graph(parsed.name, file, home)
    sys.stdout.write(f"Wrote {counted(nodes, 'node')} and {counted(relationships, 'relationship')} to {file}.\n")
    return 0


def _described(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "description": entry.description,
        "nodes": entry.nodes,
        "relationships": entry.relationships,
        "loaded": entry.loaded,
        "source": entry.source,
    }
