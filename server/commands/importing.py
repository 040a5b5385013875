"""`graphground graphs import`: import a graph from your own files, or from a database."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground.cypher.diagnostics import counted
from graphground.graphs.engines.address import BoltAddress
from graphground.server.commands.command_line import DATA_FOLDER, FAILED, CommandLine, WrongUse, add_options, home_from
from graphground.server.commands.loaded import loaded_line, require_unused_name
from graphground.server.commands.progress import progress_bars

if TYPE_CHECKING:
    from graphground.graphs.loading.importing.records import RecordSource


def add_import(group: CommandLine) -> None:
    """Add `import SOURCE` to a group of commands."""
    importing = group.add_command(
        "import",
        import_graph,
        "Import a graph from CSV, Parquet, JSON Lines, GraphML or RDF files, or from a database, and load it.",
    )
    importing.add_argument(
        "source",
        metavar="SOURCE",
        help="A .csv, .tsv or .parquet file or a folder of them, a .jsonl, .graphml, .ttl, .nt, .nq, .trig, .rdf, "
        ".owl or .jsonld file, or the Bolt address of a database, such as bolt://localhost:7687.",
    )
    importing.add_argument(
        "--user", default="", help="For a database: its user; the password comes from NEO4J_PASSWORD."
    )
    importing.add_argument("--database", help="For a database: which database of that server.")
    importing.add_argument(
        "--mapping",
        type=Path,
        metavar="FILE",
        help="For tables: the mapping from columns to nodes and relationships; by default it is inferred.",
    )
    importing.add_argument(
        "--show",
        action="store_true",
        help="For tables: print the mapping and stop; if none fits, a draft with the problems. Edit it and pass it "
        "with --mapping.",
    )
    cells = importing.add_argument_group("the format of CSV cells, if it is not the usual one")
    cells.add_argument("--encoding", help="The encoding, such as latin-1 or cp1252; default: utf-8.")
    cells.add_argument("--decimal", choices=(".", ","), help="The decimal sign; default: a point.")
    cells.add_argument(
        "--dates", metavar="FORM", help="The form of dates, such as dd.mm.yyyy or m/d/yyyy, beside ISO dates."
    )
    cells.add_argument(
        "--booleans", metavar="TRUE/FALSE", help="The words for true and false, such as yes/no; default: true/false."
    )
    importing.add_argument(
        "--name", help="The graph's name; default: the mapping's name, or that of the folder, file or host."
    )
    importing.add_argument("--description", default="", help="A one-line description of the graph.")
    importing.add_argument(
        "--output", type=Path, metavar="FILE", help="Also write the SimpleKG file here (.json or .json.gz)."
    )
    importing.add_argument("--force", action="store_true", help="Replace an existing graph with that name.")
    add_options(importing, DATA_FOLDER)


def import_graph(parsed: argparse.Namespace) -> int:
    """Convert the source to a SimpleKG file, and load it."""
    from graphground.graphs.loading.importing.records import ImportRefused
    from graphground.graphs.loading.importing.tables import is_table

    is_address = "://" in parsed.source
    if not is_address and (parsed.user or parsed.database):
        raise WrongUse("--user and --database belong to a Bolt address")
    try:
        path = Path(parsed.source)
        if is_address or (path.is_file() and not is_table(path)):
            if parsed.mapping or parsed.show or cell_options(parsed):
                raise WrongUse("--mapping, --show and the format of cells belong to CSV and Parquet files")
            return _import_records(parsed)
        return _import_tables(parsed)
    except ImportRefused as refused:
        if parsed.show:
            sys.stdout.write(refused.draft)
        more = refused.count - len(refused.problems)
        sys.stderr.write(
            "".join(f"graphground: {problem}\n" for problem in refused.problems)
            + (f"graphground: and {more:,} more\n" if more else "")
            + f"Nothing was imported: {counted(refused.count, 'problem')}.\n"
        )
        return FAILED


def _import_tables(parsed: argparse.Namespace) -> int:
    """Import CSV and Parquet files, with the mapping in `--mapping` or an inferred mapping.

    With `--show`, only print the mapping.
    """
    from graphground.graphs.loading.importing.cells import CellFormat
    from graphground.graphs.loading.importing.infer import infer
    from graphground.graphs.loading.importing.mapping import import_folder, read_mapping, write_mapping
    from graphground.graphs.loading.importing.tables import is_table
    from graphground.graphs.storage.catalog import check_name

    source = Path(parsed.source)
    options = cell_options(parsed)
    if parsed.mapping and options:
        raise WrongUse("with --mapping, the format of cells is the table [cells] of the mapping")
    try:
        cells = CellFormat(**options)
    except ValueError as error:
        raise WrongUse(str(error)) from None
    mapping = read_mapping(parsed.mapping) if parsed.mapping else infer(source, parsed.name, cells)
    folder = source.parent if is_table(source) else source
    if parsed.name:
        mapping = mapping.model_copy(update={"name": check_name(parsed.name)})
    if parsed.show:
        sys.stdout.write(write_mapping(mapping))
        return 0
    lines = _load(parsed, mapping.name, lambda output: import_folder(folder, mapping, output))
    for label, node in mapping.nodes.items():
        sys.stdout.write(f"  (:{label}) from {node.file}: id {node.id}, name {node.title or node.id}\n")
    for relationship in mapping.relationships:
        sys.stdout.write(f"  {relationship} from {relationship.file}\n")
    sys.stdout.write(lines)
    return 0


def cell_options(parsed: argparse.Namespace) -> dict[str, Any]:
    """Return the options for the format of CSV cells, as arguments of `CellFormat`."""
    found = {key: value for key in ("encoding", "decimal", "dates") if (value := getattr(parsed, key)) is not None}
    if parsed.booleans is None:
        return found
    words = [word.strip() for word in parsed.booleans.split("/")]
    if len(words) != 2 or not all(words) or words[0] == words[1]:
        raise WrongUse(f"--booleans {parsed.booleans!r}: write the two words as yes/no")
    forms = [tuple(dict.fromkeys((word, word.lower(), word.upper(), word.capitalize()))) for word in words]
    return {**found, "true": forms[0], "false": forms[1]}


def _import_records(parsed: argparse.Namespace) -> int:
    """Import a file of nodes and relationships, or a database."""
    from graphground.graphs.loading.importing.property_graph import (
        GraphOfRecords,
        database_source,
        file_source,
        import_records,
        name_of,
    )
    from graphground.graphs.storage.catalog import check_name

    name = check_name(parsed.name or name_of(parsed.source))
    if "://" in parsed.source:
        password = os.environ.get("NEO4J_PASSWORD", "")
        address = BoltAddress(parsed.source, parsed.user, password, parsed.database)
        folder = home_from(parsed).make().folder / "imports" / name
        with progress_bars() as report:
            source: RecordSource = database_source(address, folder, report)
    else:
        folder, source = None, file_source(Path(parsed.source))
    graphs: list[GraphOfRecords] = []
    lines = _load(parsed, name, lambda output: graphs.append(import_records(source, name, output)))
    if folder is not None:
        shutil.rmtree(folder)
    for key, stored in graphs[0].renamed().items():
        sys.stdout.write(
            f"  the property {key} is stored as {stored}, because graphground uses the name {key} itself\n"
        )
    sys.stdout.write(lines)
    return 0


def _load(parsed: argparse.Namespace, name: str, convert: Callable[[Path], object]) -> str:
    """Convert the source to a SimpleKG file and load the file; return the lines to print about the loaded graph."""
    from graphground.graphs.loading.load import load_file

    home = home_from(parsed)
    if not parsed.force:
        require_unused_name(name, home, "replace it with --force, or choose another --name")
    home.make()
    with tempfile.TemporaryDirectory(dir=home.folder) as place:
        output: Path = parsed.output or Path(place) / f"{name}.json"
        convert(output)
        with progress_bars() as report:
            entry = load_file(output, home, name=name, description=parsed.description, progress=report)
    return loaded_line(entry)
