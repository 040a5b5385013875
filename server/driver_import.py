"""Imports the Neo4j driver without the data-frame libraries that it looks for.

If pandas or pyarrow is installed, the driver imports it to accept data frames as parameters, which delays a server's
first answer by a third of a second. No query of ours has a data frame as a parameter.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import cast

FRAMES = ("pandas", "pyarrow")


def import_driver() -> None:
    """Import the driver for this process, without support for data frames: call this only in our own programs.

    Other code can still import pandas and pyarrow afterwards.
    """
    absent = [name for name in FRAMES if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent, cast(ModuleType, None)))  # importing them then fails
    try:
        import_module("neo4j")
    finally:
        for name in absent:
            sys.modules.pop(name, None)
