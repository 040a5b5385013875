"""`graphground completion bash|zsh|fish`: print a script that completes commands and options."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from graphground.server.cli import COMMANDS
from graphground.server.commands.command_line import CommandLine, command_line, run

HOW = {
    "bash": 'eval "$(graphground completion bash)"',
    "zsh": 'eval "$(graphground completion zsh)"',
    "fish": "graphground completion fish | source",
}


def parser() -> CommandLine:
    """Build the parser of `graphground completion`."""
    parser = command_line(
        "completion", "Print a script that completes commands and options: " + "; ".join(HOW.values()) + ".", completion
    )
    parser.add_argument("shell", choices=sorted(HOW), help="The shell that the script is for.")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Print the script on stdout."""
    return run(parser(), arguments)


def completion(parsed: argparse.Namespace) -> int:
    """Print the script, which runs `graphground` with `_ARGCOMPLETE` set for each completion."""
    from argcomplete.shell_integration import shellcode  # only completion needs it

    sys.stdout.write(shellcode(["graphground"], shell=parsed.shell))
    return 0


def answer_shell() -> None:
    """Print the words that complete the line in `COMP_LINE`, and exit; only the command in the line is imported."""
    import argcomplete

    words = os.environ.get("COMP_LINE", "").split()
    complete = argparse.ArgumentParser("graphground")
    commands = complete.add_subparsers()
    for name, text in COMMANDS.items():
        commands.add_parser(name, help=text)
        if words[1:2] == [name]:
            commands.choices[name] = import_module(f"graphground.server.commands.{name}").parser()
    argcomplete.autocomplete(complete)
