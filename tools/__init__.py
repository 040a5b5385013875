"""The tools, one module each: a function from a request model to an answer model.

To add a tool, write its module with a `TOOL` and add its name here. Slow imports (numpy, drivers, rapidfuzz) are inside
functions, because a server answers `tools/list` without them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from graphground.tools.tool import Tool

NAMES = (
    "list_graphs",
    "get_schema",
    "get_filtered_schema",
    "find_entities",
    "validate_cypher",
    "execute_cypher",
    "suggest_queries",
)


@cache
def all_tools() -> dict[str, Tool[Any, Any]]:
    """Return every tool by name, in the order in which clients see the tools."""
    return {name: import_module(f"graphground.tools.{name}").TOOL for name in NAMES}
