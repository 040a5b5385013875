"""The tools, one module each: a function from a request model to an answer model.

To add a tool, write its module with a `TOOL`, add its name here, and run `python docs/reference.py`, which also writes
the definition that `tools/list` returns. A server loads a tool's module only at its first call.
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
def tool_named(name: str) -> Tool[Any, Any] | None:
    """Return the tool of this name, of which only the module is loaded; None if there is no such tool."""
    return import_module(f"graphground.tools.{name}").TOOL if name in NAMES else None


def all_tools() -> dict[str, Tool[Any, Any]]:
    """Return every tool by name, in the order in which clients see the tools."""
    return {name: import_module(f"graphground.tools.{name}").TOOL for name in NAMES}
