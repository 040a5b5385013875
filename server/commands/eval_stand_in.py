"""`graphground eval stand-in`: generate a graph for tasks without data, from a schema and the tasks' gold queries."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from graphground.server.commands.command_line import CommandLine, WrongUse


def add_stand_in(group: CommandLine) -> None:
    """Add the subcommand `stand-in` to `graphground eval`."""
    parser = group.add_command(
        "stand-in",
        make_stand_in,
        "Generate a graph on which the gold queries of tasks return rows, and similar wrong queries return "
        "other rows. Scores on such a graph are estimates.",
    )
    parser.add_argument("schema", type=Path, metavar="SCHEMA", help="A schema in the CypherBench JSON form.")
    parser.add_argument("tasks", type=Path, metavar="TASKS", help="A task file; only the gold queries are used.")
    parser.add_argument("out", type=Path, metavar="OUT", help="The SimpleKG file to write (.json or .json.gz).")
    parser.add_argument(
        "--graph", metavar="NAME", help="Only the tasks of this graph; needed if the file has tasks of several."
    )
    parser.add_argument("--nodes", type=int, default=3_000, help="The least number of nodes (default: 3000).")
    parser.add_argument(
        "--relationships", type=int, default=9_000, help="The least number of relationships (default: 9000)."
    )
    parser.add_argument("--seed", type=int, default=0, help="The same seed gives the same graph (default: 0).")
    parser.add_argument("--force", action="store_true", help="Replace an existing file.")


def make_stand_in(parsed: argparse.Namespace) -> int:
    """Generate the graph, and write it as a SimpleKG file."""
    from graphground.cypher.schema import PropertyGraphSchema, SchemaError
    from graphground.evals.tasks.task import read_tasks
    from graphground.graphs.loading.simplekg import SimpleKGError, write_simplekg
    from graphground.graphs.synth import stand_in

    if parsed.nodes < 1 or parsed.relationships < 0:
        raise WrongUse("--nodes must be at least 1, --relationships at least 0")
    if parsed.out.exists() and not parsed.force:
        raise WrongUse(f"there is a file {parsed.out} already; replace it with --force")
    tasks = read_tasks(parsed.tasks)
    names = sorted({task.graph for task in tasks})
    if parsed.graph is None and len(names) > 1:
        raise WrongUse(f"{parsed.tasks} has tasks of {', '.join(names)}: choose one with --graph")
    if parsed.graph is not None and parsed.graph not in names:
        raise WrongUse(f"{parsed.tasks} has no tasks of {parsed.graph!r}, only of {', '.join(names)}")
    gold = dict.fromkeys(task.gold for task in tasks if parsed.graph in (None, task.graph))
    try:
        schema = PropertyGraphSchema.from_cypherbench(parsed.schema.read_bytes())
        made = stand_in(schema, gold, parsed.nodes, parsed.relationships, parsed.seed)
        nodes, relationships = write_simplekg(parsed.out, made.schema, made.entities(), made.relations())
    except SchemaError as error:
        raise SimpleKGError(f"{parsed.schema}: {error}") from None
    sys.stdout.write(
        f"Wrote {parsed.out}: {nodes:,} nodes, {relationships:,} relationships for {len(gold)} gold queries. "
        f"`graphground graphs load {parsed.out} --name {parsed.graph or names[0]}` loads it.\n"
    )
    return 0
