"""The `graphground` command."""

from __future__ import annotations

import sys
from importlib import import_module

from graphground import __version__

COMMANDS = {
    "serve": "Serve graphs to MCP clients over stdio or HTTP.",
    "call": "Run one tool from the shell: graphground call TOOL '{json}'.",
    "graphs": "List, load, inspect, export and drop graphs.",
    "entities": "Build the index that find_entities looks in, and tell about it.",
    "schema": "Show schemas and what the parts of them cost in tokens.",
    "doctor": "Check the installation and say what to mend.",
}


def main() -> None:
    """Run the command that the first word names; its module is imported then and not before."""
    word, *rest = sys.argv[1:] or ["--help"]
    if word in ("--version", "-V"):
        sys.stdout.write(f"graphground {__version__}\n")
    elif word in ("--help", "-h", "help"):
        sys.stdout.write(usage())
    elif word in COMMANDS:
        sys.exit(import_module(f"graphground.server.commands.{word}").main(rest))
    else:
        import difflib

        near = difflib.get_close_matches(word, COMMANDS, n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        sys.stderr.write(f"graphground: there is no command {word!r}.{meant}\n\n{usage()}")
        sys.exit(2)


def usage() -> str:
    """What `graphground --help` prints."""
    lines = ["Usage: graphground COMMAND [OPTIONS]", "",
             "Grounds an agent's Cypher in the graph, as an MCP server.", ""]
    lines += [f"  {name:<8}{text}" for name, text in COMMANDS.items()]
    lines += ["", "graphground COMMAND --help tells the options of a command; graphground --version the version.", ""]
    return "\n".join(lines)
