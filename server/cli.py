"""The `graphground` command."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from graphground import __version__

GROUPS = {
    "Ask": {
        "query": "Run a Cypher query and print its rows.",
        "call": "Run one tool from the shell: graphground call TOOL '{json}'.",
        "ui": "Explore the graphs on a page in the browser.",
    },
    "Serve": {
        "serve": "Serve graphs to MCP clients over stdio or HTTP.",
        "trace": "Show the tool calls that a server has recorded.",
        "doctor": "Check the installation and report what to fix.",
    },
    "Bring data": {
        "graphs": "List, load, inspect, export and drop graphs.",
        "entities": "Build and inspect the index that find_entities searches.",
        "wikidata": "Build a domain graph from Wikidata.",
    },
    "Measure": {
        "eval": "Measure agents: run them over tasks, report and compare.",
        "agent": "Ask reference agents, which use the server's tools and a language model.",
    },
    "Shell": {"completion": "Print a script that completes commands and options in your shell."},
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
EXAMPLES = (
    'graphground query nba "MATCH (t:Team) RETURN t.name LIMIT 3"',
    "graphground graphs load films.json",
    "graphground serve",
)


def main() -> None:
    """Run the command that the first argument names; only that command's module is imported."""
    if sys.flags.optimize > 1:
        sys.exit(
            "graphground: Python runs with -OO (or PYTHONOPTIMIZE=2), which removes the texts that commands and tools "
            "consist of. Run it without, or with -O."
        )
    # NumPy multiplies small matrices here: its threads would wait for each other longer than they compute.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    word, *rest = sys.argv[1:] or ["--help"]
    if "_ARGCOMPLETE" in os.environ:  # the shell asks for completions of the line that is being typed
        import_module("graphground.server.commands.completion").answer_shell()
    if word in ("--version", "-V"):
        sys.stdout.write(f"graphground {__version__}\n")
    elif word in ("--help", "-h", "help"):
        sys.stdout.write(usage())
    elif word in COMMANDS:
        try:
            from graphground.server.commands.command_line import run

            sys.exit(run(word, rest))
        except KeyboardInterrupt:
            sys.exit(130)
    else:
        from graphground.cypher.names.nearest import did_you_mean

        sys.stderr.write(f"graphground: there is no command {word!r}{did_you_mean(word, COMMANDS) or '.'}\n\n{usage()}")
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
    for title, commands in GROUPS.items():
        lines += [f"{title}:", *(f"  {name:<{width}}{text}" for name, text in commands.items()), ""]
    lines += ["Examples:", *(f"  {example}" for example in EXAMPLES), ""]
    lines += ["graphground COMMAND --help shows the options of a command; graphground --version shows the version.", ""]
    return "\n".join(lines)
