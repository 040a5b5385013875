"""`graphground graphs import`: a graph from your own CSV files."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from graphground.server.commands.command_line import FAILED, CommandLine, WrongUse
from graphground.server.commands.options import DATA_FOLDER, add_options, home_from
from graphground.server.commands.progress import progress_bars


def add_import(group: CommandLine) -> None:
    """Add `import FOLDER` to a group of commands."""
    importing = group.add_command("import", import_graph, "Import a folder of CSV files as a graph, and load it.")
    importing.add_argument(
        "folder", type=Path, metavar="FOLDER", help="The folder of .csv or .tsv files, optionally with .gz."
    )
    importing.add_argument(
        "--mapping",
        type=Path,
        metavar="FILE",
        help="A mapping from columns to nodes and relationships; default: inferred.",
    )
    importing.add_argument(
        "--show",
        action="store_true",
        help="Print the mapping and stop: keep it in a file, edit it, and give it with --mapping.",
    )
    importing.add_argument("--name", help="The graph's name; default: the mapping's, or the folder's.")
    importing.add_argument("--description", default="", help="A one-line description of the graph.")
    importing.add_argument("--output", type=Path, metavar="FILE", help="Keep the SimpleKG file (.json or .json.gz).")
    importing.add_argument("--force", action="store_true", help="Replace an existing graph with that name.")
    add_options(importing, DATA_FOLDER)


def import_graph(parsed: argparse.Namespace) -> int:
    """Infer or read the mapping, convert the files, and load the graph."""
    from graphground.graphs.loading.importing.convert import import_folder
    from graphground.graphs.loading.importing.infer import infer
    from graphground.graphs.loading.importing.mapping import read_mapping, written
    from graphground.graphs.loading.importing.problems import ImportRefused
    from graphground.graphs.loading.load import load_file
    from graphground.graphs.storage.catalog import Catalog, check_name

    home = home_from(parsed)
    try:
        mapping = read_mapping(parsed.mapping) if parsed.mapping else infer(parsed.folder, parsed.name)
        if parsed.name:
            mapping = mapping.model_copy(update={"name": check_name(parsed.name)})
        if parsed.show:
            sys.stdout.write(written(mapping))
            return 0
        if Catalog(home).find(mapping.name) and not parsed.force:
            raise WrongUse(
                f"there is a graph {mapping.name!r} already; replace it with --force, or choose another --name"
            )
        home.make()
        with tempfile.TemporaryDirectory(dir=home.folder) as place:
            output: Path = parsed.output or Path(place) / f"{mapping.name}.json"
            import_folder(parsed.folder, mapping, output)
            with progress_bars() as report:
                entry = load_file(output, home, name=mapping.name, description=parsed.description, progress=report)
    except ImportRefused as refused:
        more = refused.count - len(refused.problems)
        sys.stderr.write(
            "".join(f"graphground: {problem}\n" for problem in refused.problems)
            + (f"graphground: and {more:,} more\n" if more else "")
            + f"Nothing was imported: {refused.count:,} "
            f"{'problem' if refused.count == 1 else 'problems'}.\n"
        )
        return FAILED
    for relationship in mapping.relationships:
        sys.stdout.write(f"  {relationship} from {relationship.file}\n")
    sys.stdout.write(f"Loaded {entry.name!r}: {entry.nodes:,} nodes, {entry.relationships:,} relationships.\n")
    return 0
