"""`graphground graphs synth`: generate a graph of any size for a schema."""

from __future__ import annotations

import argparse
import sys

from graphground.cypher.wording import counted
from graphground.server.commands.command_line import CommandLine
from graphground.server.commands.generated_file import add_generated_file, check_generated_file, write_generated_file


def add_synth(group: CommandLine) -> None:
    """Add the subcommand `synth` to `graphground graphs`."""
    parser = group.add_command("synth", synth, "Generate a graph of any size for a schema, as a SimpleKG file.")
    add_generated_file(parser, nodes=10_000, relationships=30_000, amount="Number")


def synth(parsed: argparse.Namespace) -> int:
    """Generate the graph, and write it as a SimpleKG file."""
    from graphground.graphs.synth import synth as generated

    check_generated_file(parsed)
    nodes, relationships = write_generated_file(
        parsed, lambda schema: generated(schema, parsed.nodes, parsed.relationships, parsed.seed)
    )
    sys.stdout.write(
        f"Wrote {parsed.out}: {counted(nodes, 'node')}, {counted(relationships, 'relationship')}. "
        f"`graphground graphs load {parsed.out}` loads it.\n"
    )
    return 0
