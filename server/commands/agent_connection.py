"""Options shared by the subcommands of `graphground agent`: the server that is called, and the graph."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from graphground.server.commands.command_line import CommandLine, WrongUse
from graphground.server.commands.options import DATA_FOLDER, GRAPHS, add_options
from graphground.server.settings import password_variables


def add_connection(command: CommandLine) -> None:
    """Add `--server` and the options that choose graphs."""
    command.add_argument(
        "--server",
        metavar="SERVER",
        help="The URL of a running server, or the command that starts one (default: graphground serve).",
    )
    add_options(command, GRAPHS)


def server_of(parsed: argparse.Namespace) -> str | list[str]:
    """Return the server's URL, or the command that starts the server;
    the default command contains the graph options."""
    if parsed.server:
        return parsed.server if "://" in parsed.server.split()[0] else shlex.split(parsed.server)
    from graphground.agents.server_connection import SERVE

    words: list[str] = [*SERVE]
    for name in GRAPHS:
        value: Any = getattr(parsed, name, None)
        for part in value if isinstance(value, list) else [value]:
            if part is not None:
                words += [f"--{name.replace('_', '-')}", str(part)]
    return words


def password_variables_of(parsed: argparse.Namespace) -> frozenset[str]:
    """Return the environment variables that hold passwords for the server that this command starts.

    Their names are in the settings file that the server will read; with `--server COMMAND`, in the file that the
    command names. A server at a URL needs none.
    """
    server = server_of(parsed)
    if isinstance(server, str):
        return frozenset()
    named = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in DATA_FOLDER:
        named.add_argument(f"--{name}")
    return password_variables(vars(named.parse_known_args(server)[0]))


def graph_of(parsed: argparse.Namespace) -> str:
    """Return the first graph that `--graph` names; an empty string without `--graph`.

    Raises:
        WrongUse: `--graph` is given several times for a single question.
    """
    named = getattr(parsed, "graph", None) or [""]
    if len(named) > 1 and getattr(parsed, "question", None):
        raise WrongUse("a question is about one graph: give --graph once")
    return str(named[0])
