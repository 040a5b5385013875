"""The `graphground` command."""

from __future__ import annotations

import sys

from graphground import __version__


def main() -> None:
    """Run the command line."""
    sys.stdout.write(f"graphground {__version__}\n")
