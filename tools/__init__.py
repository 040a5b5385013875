"""The tools, one module each: a function from a request model to an answer model.

To add a tool, write its module with a `TOOL`, add its name here, and run `python docs/reference.py`, which also writes
the definition that `tools/list` returns. A server loads the tools' modules only at the first call.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphground.tools.tool import Tool

NAMES = (
    "list_graphs",
    "get_schema",
    "get_filtered_schema",
    "find_entities",
    "validate_cypher",
    "execute_cypher",
    "ground_question",
)


@cache
def all_tools() -> dict[str, Tool[Any, Any]]:
    """Return every tool by name, in the order in which clients see the tools."""
    return {name: import_module(f"graphground.tools.{name}").TOOL for name in NAMES}
