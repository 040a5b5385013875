"""Imports the Neo4j driver without the data-frame libraries that it looks for.

Where pandas or pyarrow is installed, the driver imports it to accept data frames as parameters, which costs a server's
first answer a third of a second. No query here has such a parameter.
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
    """Import the driver for this process; only a program of our own may call this, since it holds for every user of it.

    The hidden libraries can be imported afterwards.
    """
    with hidden(*FRAMES):
        import_module("neo4j")


@contextmanager
def hidden(*names: str) -> Iterator[None]:
    """Make `import` fail for these modules inside the block, unless they are imported already."""
    absent = [name for name in names if name not in sys.modules]
    for name in absent:
        sys.modules[name] = cast(ModuleType, None)  # the import system raises ModuleNotFoundError for it
    try:
        yield
    finally:
        for name in absent:
            sys.modules.pop(name, None)
