"""Imports the Neo4j driver without the data-frame libraries that it looks for.

If pandas or pyarrow is installed, the driver imports it to accept data frames as parameters, which delays a server's
first answer by a third of a second. No query of ours has a data frame as a parameter.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import cast

FRAMES = ("pandas", "pyarrow")


def import_driver() -> None:
    """Import the driver for this process, without support for data frames: call this only in our own programs.

    Other code can still import pandas and pyarrow afterwards.
    """
    with hidden(*FRAMES):
        import_module("neo4j")


@contextmanager
def hidden(*names: str) -> Iterator[None]:
    """Make importing the named modules fail inside the block; modules that are already imported stay available."""
    absent = [name for name in names if name not in sys.modules]
    for name in absent:
        sys.modules[name] = cast(ModuleType, None)  # the import system raises ModuleNotFoundError for it
    try:
        yield
    finally:
        for name in absent:
            sys.modules.pop(name, None)
