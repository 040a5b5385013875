"""`graphground completion bash|zsh|fish`: print a script that completes commands and options."""

from __future__ import annotations

import argparse
import os
import sys

from graphground.server.cli import COMMANDS
from graphground.server.commands.command_line import command, parser_of


@command()
def completion(parsed: argparse.Namespace) -> int:
    """Print a script that completes commands and options: eval "$(graphground completion bash)"; eval "$(graphground
    completion zsh)"; graphground completion fish | source.

    SHELL (bash|fish|zsh)  The shell that the script is for.
    """
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
            commands.choices[name] = parser_of(name)
    argcomplete.autocomplete(complete)
