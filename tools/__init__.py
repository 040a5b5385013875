"""The tools, one module each: a request model in, an answer model out.

To add a tool, write its module with a `TOOL` and add its name here. Slow imports (numpy, drivers, rapidfuzz) are inside
functions: a server answers `tools/list` before any of them is needed.
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
    """Every tool by name, in the order in which clients see them."""
    return {name: import_module(f"graphground.tools.{name}").TOOL for name in NAMES}
