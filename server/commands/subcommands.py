"""Runs a command that has subcommands, and turns what goes wrong into a line and an exit status."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer


def run(app: typer.Typer, name: str, arguments: Sequence[str], *foreseen: type[Exception]) -> int:
    """The exit status of `app`: 1 with the message on stderr for a foreseen error, 2 for wrong use.

        run(app, "graphground graphs", ["info", "nba"], CatalogError)
    """
    try:
        code: Any = app(args=list(arguments), prog_name=name, standalone_mode=False)
    except foreseen as error:
        sys.stderr.write(f"graphground: {error}\n")
        return 1
    except typer.Abort:
        return 130
    except Exception as error:
        if not hasattr(error, "show"):
            raise
        error.show()  # click's own: a wrong option or a missing argument
        return 2
    return int(code or 0)
