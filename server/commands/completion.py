"""`graphground completion bash|zsh|fish`: print a script that completes commands and options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module

from graphground.server.cli import COMMANDS
from graphground.server.commands.command_line import CommandLine, command_line, run

BASH = """\
_graphground() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}" subcommand="${{COMP_WORDS[2]}}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "$command $subcommand" in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}}
complete -o filenames -F _graphground graphground
"""
ZSH = "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n" + BASH
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
    """Print the script, which is generated from the parsers of all commands."""
    sys.stdout.write(fish() if parsed.shell == "fish" else bash(ZSH if parsed.shell == "zsh" else BASH))
    return 0


def words() -> Iterator[tuple[str, str, list[str]]]:
    """Yield each command and subcommand with the words that may follow it: `("graphs", "load", ["--name", …])`."""
    for name in COMMANDS:
        command: CommandLine = import_module(f"graphground.server.commands.{name}").parser()
        inner = command.subcommands()
        yield name, "", [*inner, *options_of(command)]
        for subname, subcommand in inner.items():
            yield name, subname, options_of(subcommand)


def options_of(parser: CommandLine) -> list[str]:
    """Return the long options of a parser and the choices of its positional arguments."""
    options = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    return options + [
        str(choice)
        for action in parser._actions
        for choice in action.choices or ()
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction)
    ]


def bash(template: str) -> str:
    """Return the script for bash, or for zsh, which runs it through `bashcompinit`."""
    known = list(words())
    known.sort(key=lambda known: not known[1])  # a command's pattern also matches its subcommands
    cases = []
    for name, subname, follow in known:
        pattern = f'"{name} {subname}"' if subname else f'"{name} "*'
        cases.append(f"            {pattern}) words='{' '.join(follow)}';;")
    return template.format(commands=" ".join(COMMANDS), cases="\n".join(cases))


def fish() -> str:
    """Return the script for fish."""
    lines = [
        f'complete -c graphground -f -n __fish_use_subcommand -a {name} -d "{text}"' for name, text in COMMANDS.items()
    ]
    for name, subname, follow in words():
        seen = "; and ".join(f"__fish_seen_subcommand_from {part}" for part in (name, subname) if part)
        for word in follow:
            option = f"-l {word[2:]}" if word.startswith("--") else f"-a {word}"
            lines.append(f'complete -c graphground -n "{seen}" {option}')
    return "\n".join(lines) + "\n"
