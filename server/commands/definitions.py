"""`graphground graphs check`: check the definition of a domain graph."""

from __future__ import annotations

import argparse
import sys

from graphground.cypher.diagnostics import counted
from graphground.server.commands.command_line import FAILED, CommandLine


def add_check(group: CommandLine) -> None:
    """Add `check DEFINITION` to a group of commands."""
    checking = group.add_command(
        "check", check, "Check the definition of a domain graph, and list its problems with their lines."
    )
    checking.add_argument(
        "definition", metavar="DEFINITION", help="A definition file, or the name of a CypherBench domain."
    )


def check(parsed: argparse.Namespace) -> int:
    """Print the problems of a definition; if it has none, print its size and the parts that may be mistakes."""
    from graphground.graphs.definitions.model import doubts
    from graphground.graphs.definitions.read import check_text, definition_text

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
