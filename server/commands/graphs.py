"""List, load, inspect, export and drop graphs."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground.cypher.diagnostics import counted
from graphground.graphs.engines.address import BoltAddress
from graphground.server.commands.command_line import (
    DATA_FOLDER,
    FAILED,
    WrongUse,
    command,
    home_from,
    progress_bars,
    write_json,
)

if TYPE_CHECKING:
    from graphground.graphs.storage.home import Entry, Home


@command("list", settings=DATA_FOLDER)
def list_graphs(parsed: argparse.Namespace) -> int:
    """List the loaded graphs.

    --json  Print JSON.
    """
    from graphground.graphs.opening.stored import offered
    from graphground.graphs.storage.home import Catalog

    home = home_from(parsed)
    entries = Catalog(home).entries()
    if parsed.json:
        write_json([_described(entry) for entry in entries])
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


@command("load", settings=DATA_FOLDER)
def load(parsed: argparse.Namespace) -> int:
    """Load a SimpleKG file.

    FILE                      A SimpleKG file (.json or .json.gz), or the name of a bundled graph that was dropped.
    --name NAME               The graph's name; default: the name in the file's schema.
    --description DESCRIPTION  A one-line description of the graph.
    --force                   Replace an existing graph with that name.
    --into URI                Load into the empty database at this Bolt address instead: your own Neo4j, Memgraph or
                              ArcadeDB.
    --user USER               With --into: a user with write access; the password comes from GRAPHGROUND_ADMIN_PASSWORD.
    --database DATABASE       With --into: which database of that server.
    """
    file: Path = parsed.file
    if parsed.into is not None:
        if parsed.name is not None or parsed.description:
            raise WrongUse(
                "--name and --description belong to a graph in the data folder, not to --into; name a "
                "database in the settings file instead ([graphs.NAME])"
            )
        return load_into_database(file, parsed.into, parsed.user or "", parsed.database)
    if parsed.user or parsed.database:
        raise WrongUse("--user and --database need --into")
    from graphground.graphs.loading.load import load_file
    from graphground.graphs.loading.simplekg import SimpleKGFile
    from graphground.graphs.opening.stored import is_bundled, load_bundled, offer

    home = home_from(parsed)
    if not file.exists() and is_bundled(str(file), home):
        offer(str(file), home, again=True)
        found = load_bundled(str(file), home, asked=True)
        assert found is not None
        sys.stdout.write(loaded_line(found))
        return 0
    if file.is_dir() or (file.is_file() and file.suffix and ".json" not in file.suffixes):
        raise WrongUse(
            f"{file} is not a SimpleKG file (.json or .json.gz); import it: graphground graphs import {file}"
        )
    name = parsed.name or SimpleKGFile(file).schema.name
    if not parsed.force:
        require_unused_name(name, home, "replace it with --force, or choose another --name")
    with progress_bars() as report:
        entry = load_file(file, home, name=name, description=parsed.description or "", progress=report)
    sys.stdout.write(loaded_line(entry))
    return 0


def load_into_database(file: Path, uri: str, user: str, database: str | None) -> int:
    """Write a SimpleKG file into an empty database, as a user with write access."""
    from graphground.graphs.loading.into_database import load_into

    address = BoltAddress(uri, user, os.environ.get("GRAPHGROUND_ADMIN_PASSWORD", ""), database)
    with progress_bars() as report:
        nodes, relationships = load_into(file, address, report)
    sys.stdout.write(
        f"Loaded into {address.where()}: {counted(nodes, 'node')}, {counted(relationships, 'relationship')}.\n"
    )
    return 0


@command("info", settings=DATA_FOLDER)
def info(parsed: argparse.Namespace) -> int:
    """Show the counts, labels and patterns of a loaded graph.

    --json  Print JSON.
    NAME    The graph's name.
    """
    from graphground.graphs.storage.home import Catalog

    catalog = Catalog(home_from(parsed))
    entry = catalog.get(parsed.name)
    schema = catalog.schema(entry)
    if parsed.json:
        write_json({**_described(entry), "schema": schema.to_cypherbench()})
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


@command("drop", settings=DATA_FOLDER)
def drop(parsed: argparse.Namespace) -> int:
    """Delete a loaded graph; a bundled graph stays deleted until `load` names it.

    NAME  The graph's name.
    """
    from graphground.graphs.loading.load import drop_graph
    from graphground.graphs.opening.stored import is_bundled, offer
    from graphground.graphs.storage.home import Catalog

    home, name = home_from(parsed), parsed.name
    bundled = is_bundled(name, home)
    if bundled:
        offer(name, home, again=False)
    if not bundled or Catalog(home).find(name) is not None:
        drop_graph(name, home)
    back = f" It is bundled with graphground: `graphground graphs load {name}` brings it back." if bundled else ""
    sys.stdout.write(f"Dropped {name!r}.{back}\n")
    return 0


@command("export", settings=DATA_FOLDER)
def export(parsed: argparse.Namespace) -> int:
    """Write a loaded graph as a SimpleKG file.

    NAME     The graph's name.
    FILE     The file to write (.json or .json.gz).
    --force  Replace an existing file.
    """
    from graphground.graphs.loading.load import export_graph
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
    names = ("name", "description", "nodes", "relationships", "loaded", "source")
    return {name: getattr(entry, name) for name in names}


@command("check")
def check(parsed: argparse.Namespace) -> int:
    """Check the definition of a domain graph, and list its problems with their lines.

    DEFINITION  A definition file, or the name of a CypherBench domain.
    """
    from graphground.graphs.definitions.read import check_text, definition_text, doubts

    text, name = definition_text(parsed.definition)
    found, problems = check_text(text)
    if found is None:
        sys.stderr.write("".join(f"{name}: {problem}\n" for problem in problems))
        return FAILED
    doubtful = [f"  {place}: {why}" for place, why in doubts(found)]
    sys.stdout.write(
        f"{name}: {counted(len(found.nodes), 'label')} and {counted(len(found.relationships), 'relationship pattern')}; "
        "no problem found.\n" + ("Doubtful:\n" + "\n".join(doubtful) + "\n" if doubtful else "")
    )
    return 0


def loaded_line(entry: Entry) -> str:
    """Return the name and the size of a loaded graph as a line to print."""
    return f"Loaded {entry.name!r}: {counted(entry.nodes, 'node')}, {counted(entry.relationships, 'relationship')}.\n"


def require_unused_name(name: str, home: Home, advice: str) -> None:
    """Raise an error if a graph of this name is loaded, or if a bundled graph of this name is offered.

    Raises:
        WrongUse: the name is in use; the message ends with `advice`.
    """
    from graphground.graphs.opening.stored import offered
    from graphground.graphs.storage.home import Catalog

    if Catalog(home).find(name) or any(bundled.name == name for bundled in offered(home)):
        raise WrongUse(f"there is a graph {name!r} already; {advice}")


@command("pull", settings=DATA_FOLDER)
def pull(parsed: argparse.Namespace) -> int:
    """Download a graph that CypherBench published, and load it.

    [NAME]        The domain, such as movie; optional with --tasks.
    --tasks       Download the questions with their gold Cypher too.
    --mirror URL  A mirror of the published files, used instead of the authors' server; may be repeated: mirrors are
                  tried in order. Default: the mirrors in GRAPHGROUND_MIRROR, if it is set.
    --offline     Use earlier downloads only; no network access.
    --force       Replace an existing graph with that name.
    """
    from graphground.graphs.definitions.read import read_definition
    from graphground.graphs.loading.download import pull_graph, pull_tasks
    from graphground.graphs.loading.load import load_file

    if parsed.name is None and not parsed.tasks:
        raise WrongUse("name a graph, or give --tasks for the questions")
    home = home_from(parsed)
    if parsed.name is not None and not parsed.force:
        require_unused_name(parsed.name, home, "replace it with --force")
    with progress_bars() as report:
        if parsed.tasks:
            for path in pull_tasks(home, parsed.mirror, report, offline=parsed.offline):
                sys.stdout.write(f"Questions: {path}\n")
        if parsed.name is not None:
            path, digest = pull_graph(parsed.name, home, parsed.mirror, report, offline=parsed.offline)
            entry = load_file(
                path,
                home,
                name=parsed.name,
                description=read_definition(parsed.name).description,
                digest=digest,
                progress=report,
            )
            sys.stdout.write(loaded_line(entry))
    return 0


@command("import", settings=DATA_FOLDER)
def import_graph(parsed: argparse.Namespace) -> int:
    """Import a graph from CSV, Parquet, JSON Lines, GraphML or RDF files, or from a database, and load it.

    SOURCE                    A .csv, .tsv or .parquet file or a folder of them, a .jsonl, .graphml, .ttl, .nt, .nq,
                              .trig, .rdf, .owl or .jsonld file, or the Bolt address of a database, such as
                              bolt://localhost:7687.
    --user USER               For a database: its user; the password comes from NEO4J_PASSWORD.
    --database DATABASE       For a database: which database of that server.
    --mapping FILE            For tables: the mapping from columns to nodes and relationships; by default it is
                              inferred.
    --show                    For tables: print the mapping and stop; if none fits, a draft with the problems. Edit it
                              and pass it with --mapping.

    the format of CSV cells, if it is not the usual one:
    --encoding ENCODING       The encoding, such as latin-1 or cp1252; default: utf-8.
    --decimal (.|,)           The decimal sign; default: a point.
    --dates FORM              The form of dates, such as dd.mm.yyyy or m/d/yyyy, beside ISO dates.
    --booleans TRUE/FALSE     The words for true and false, such as yes/no; default: true/false.

    --name NAME               The graph's name; default: the mapping's name, or that of the folder, file or host.
    --description DESCRIPTION  A one-line description of the graph.
    --output FILE             Also write the SimpleKG file here (.json or .json.gz).
    --force                   Replace an existing graph with that name.
    """
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
    from graphground.graphs.loading.importing.mapping import import_folder, infer, read_mapping, write_mapping
    from graphground.graphs.loading.importing.records import CellFormat
    from graphground.graphs.loading.importing.tables import is_table
    from graphground.graphs.storage.home import check_name

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
        ids = node.id or "the number of the line"
        sys.stdout.write(f"  (:{label}) from {node.file}: id {ids}, name {node.title or ids}\n")
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
    from graphground.graphs.loading.importing.property_graph import GraphOfRecords, file_source, import_records
    from graphground.graphs.loading.importing.records import name_of
    from graphground.graphs.storage.home import check_name

    name = check_name(parsed.name or name_of(parsed.source))
    graphs: list[GraphOfRecords] = []

    def convert(output: Path) -> None:
        if "://" not in parsed.source:
            graphs.append(import_records(file_source(Path(parsed.source)), name, output))
            return
        from graphground.graphs.loading.importing.database import DatabaseSource  # loads the driver

        password = os.environ.get("NEO4J_PASSWORD", "")
        address = BoltAddress(parsed.source, parsed.user or "", password, parsed.database)
        with progress_bars() as report:
            graphs.append(import_records(DatabaseSource(address, report), name, output))

    lines = _load(parsed, name, convert)
    for key, stored in graphs[0].renamed().items():
        sys.stdout.write(
            f"  the property {key} is stored as {stored}, because graphground uses the name {key} itself\n"
        )
    sys.stdout.write(lines)
    return 0


def _load(parsed: argparse.Namespace, name: str, convert: Callable[[Path], object]) -> str:
    from graphground.graphs.loading.load import load_file

    home = home_from(parsed)
    if not parsed.force:
        require_unused_name(name, home, "replace it with --force, or choose another --name")
    home.make()
    with tempfile.TemporaryDirectory(dir=home.folder) as place:
        output: Path = parsed.output or Path(place) / f"{name}.json"
        convert(output)
        with progress_bars() as report:
            entry = load_file(output, home, name=name, description=parsed.description or "", progress=report)
    return loaded_line(entry)
