"""`graphground eval stand-in`: generate a graph for tasks without data, from a schema and the tasks' gold queries."""

from __future__ import annotations

import argparse
import sys

from graphground.cypher.wording import counted
from graphground.server.commands.command_line import CommandLine, WrongUse
from graphground.server.commands.generated_file import add_generated_file, check_generated_file, write_generated_file


def add_stand_in(group: CommandLine) -> None:
    """Add the subcommand `stand-in` to `graphground eval`."""
    parser = group.add_command(
        "stand-in",
        make_stand_in,
        "Generate a graph on which the gold queries of tasks return rows, and similar wrong queries return "
        "other rows. Scores on such a graph are estimates.",
    )
    add_generated_file(
        parser,
        nodes=3_000,
        relationships=9_000,
        amount="The minimum number",
        inputs={"tasks": "A task file; only the gold queries are used."},
    )
    parser.add_argument(
        "--graph", metavar="NAME", help="Only the tasks of this graph; needed if the file has tasks of several graphs."
    )


def make_stand_in(parsed: argparse.Namespace) -> int:
    """Generate the graph, and write it as a SimpleKG file."""
    from graphground.evals.tasks.task import read_tasks
    from graphground.graphs.synth import stand_in

    check_generated_file(parsed)
    tasks = read_tasks(parsed.tasks)
    names = sorted({task.graph for task in tasks})
    if parsed.graph is None and len(names) > 1:
        raise WrongUse(f"{parsed.tasks} has tasks of {', '.join(names)}: choose one with --graph")
    if parsed.graph is not None and parsed.graph not in names:
        raise WrongUse(f"{parsed.tasks} has no tasks of {parsed.graph!r}, only of {', '.join(names)}")
    gold = dict.fromkeys(task.gold for task in tasks if parsed.graph in (None, task.graph))
    nodes, relationships = write_generated_file(
        parsed, lambda schema: stand_in(schema, gold, parsed.nodes, parsed.relationships, parsed.seed)
    )
    sys.stdout.write(
        f"Wrote {parsed.out}: {counted(nodes, 'node')}, {counted(relationships, 'relationship')} "
        f"for {counted(len(gold), 'gold query', 'gold queries')}. "
        f"`graphground graphs load {parsed.out} --name {parsed.graph or names[0]}` loads it.\n"
    )
    return 0
