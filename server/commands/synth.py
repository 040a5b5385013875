"""`graphground graphs synth`: generate a graph of any size for a schema."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from graphground.cypher.diagnostics import counted
from graphground.server.commands.command_line import CommandLine, WrongUse


def add_synth(group: CommandLine) -> None:
    """Add the subcommand `synth` to `graphground graphs`."""
    parser = group.add_command("synth", synth, "Generate a graph of any size for a schema, as a SimpleKG file.")
    parser.add_argument("schema", type=Path, metavar="SCHEMA", help="A schema in the CypherBench JSON form.")
    parser.add_argument("out", type=Path, metavar="OUT", help="The SimpleKG file to write (.json or .json.gz).")
    for name, default in (("nodes", 10_000), ("relationships", 30_000)):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"Number of {name} (default: {default}).")
    parser.add_argument("--seed", type=int, default=0, help="The same seed gives the same graph (default: 0).")
    parser.add_argument("--force", action="store_true", help="Replace an existing file.")


def synth(parsed: argparse.Namespace) -> int:
    """Generate the graph, and write it as a SimpleKG file."""
    from graphground.cypher.schema import PropertyGraphSchema, SchemaError
    from graphground.graphs.loading.simplekg import SimpleKGError, write_simplekg
    from graphground.graphs.synth import synth as generate

    if parsed.nodes < 1 or parsed.relationships < 0:
        raise WrongUse("--nodes must be at least 1, --relationships at least 0")
    if parsed.out.exists() and not parsed.force:
        raise WrongUse(f"there is a file {parsed.out} already; replace it with --force")
    try:
        schema = PropertyGraphSchema.from_cypherbench(parsed.schema.read_bytes())
        graph = generate(schema, parsed.nodes, parsed.relationships, parsed.seed)
        nodes, relationships = write_simplekg(parsed.out, graph.schema, graph.entities(), graph.relations())
    except SchemaError as error:
        raise SimpleKGError(f"{parsed.schema}: {error}") from None
    except ValueError as error:
        raise SimpleKGError(str(error)) from None
    sys.stdout.write(
        f"Wrote {parsed.out}: {counted(nodes, 'node')}, {counted(relationships, 'relationship')}. "
        f"`graphground graphs load {parsed.out}` loads it.\n"
    )
    return 0
