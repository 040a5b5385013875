"""`graphground graphs pull`: download the graphs and questions that CypherBench published."""

from __future__ import annotations

import argparse
import sys

from graphground.server.commands.command_line import DATA_FOLDER, CommandLine, WrongUse, add_options, home_from
from graphground.server.commands.loaded import loaded_line, require_unused_name
from graphground.server.commands.progress import progress_bars


def add_pull(group: CommandLine) -> None:
    """Add `pull [NAME]` to a group of commands."""
    pulling = group.add_command("pull", pull, "Download a graph that CypherBench published, and load it.")
    pulling.add_argument("name", nargs="?", metavar="NAME", help="The domain, such as movie; optional with --tasks.")
    pulling.add_argument("--tasks", action="store_true", help="Download the questions with their gold Cypher too.")
    pulling.add_argument(
        "--mirror",
        action="append",
        default=[],
        metavar="URL",
        help="A mirror of the published files, used instead of the authors' server; may be repeated: mirrors are tried "
        "in order. Default: the mirrors in GRAPHGROUND_MIRROR, if it is set.",
    )
    pulling.add_argument("--offline", action="store_true", help="Use earlier downloads only; no network access.")
    pulling.add_argument("--force", action="store_true", help="Replace an existing graph with that name.")
    add_options(pulling, DATA_FOLDER)


def pull(parsed: argparse.Namespace) -> int:
    """Download the missing files, and load the graph."""
    from graphground.graphs.loading.download import description_of, pull_graph, pull_tasks
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
                path, home, name=parsed.name, description=description_of(parsed.name), digest=digest, progress=report
            )
            sys.stdout.write(loaded_line(entry))
    return 0
