"""The `graphground` command."""

from __future__ import annotations

import sys
from importlib import import_module

from graphground import __version__

COMMANDS = {
    "serve": "Serve graphs to MCP clients over stdio or HTTP.",
    "ui": "Explore the graphs on a page in the browser.",
    "query": "Run a Cypher query and print its rows.",
    "call": "Run one tool from the shell: graphground call TOOL '{json}'.",
    "graphs": "List, load, inspect, export and drop graphs.",
    "wikidata": "Build a domain graph from Wikidata.",
    "entities": "Build and inspect the index that find_entities searches.",
    "schema": "Show schemas and how many tokens their forms take.",
    "eval": "Measure agents: run them over tasks, report and compare.",
    "trace": "Show the tool calls that a server has recorded.",
    "agent": "Ask reference agents, which use the server's tools and a language model.",
    "doctor": "Check the installation and report what to fix.",
    "completion": "Print a script that completes commands and options in your shell.",
}


def main() -> None:
    """Run the command that the first argument names; only that command's module is imported."""
    word, *rest = sys.argv[1:] or ["--help"]
    if word in ("--version", "-V"):
        sys.stdout.write(f"graphground {__version__}\n")
    elif word in ("--help", "-h", "help"):
        sys.stdout.write(usage())
    elif word in COMMANDS:
        try:
            sys.exit(import_module(f"graphground.server.commands.{word}").main(rest))
        except KeyboardInterrupt:
            sys.exit(130)
    else:
        from graphground.cypher.names.nearest import closest

        nearest = closest(word, COMMANDS, limit=1)
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        sys.stderr.write(f"graphground: there is no command {word!r}.{hint}\n\n{usage()}")
        sys.exit(2)


def usage() -> str:
    """Return the text of `graphground --help`."""
    width = max(map(len, COMMANDS)) + 2
    lines = [
        "Usage: graphground COMMAND [OPTIONS]",
        "",
        "Grounds an agent's Cypher in the graph, as an MCP server.",
        "",
    ]
    lines += [f"  {name:<{width}}{text}" for name, text in COMMANDS.items()]
    lines += [
        "",
        "graphground COMMAND --help shows the options of a command; graphground --version shows the version.",
        "",
    ]
    return "\n".join(lines)
