"""Storing, loading, opening and querying graphs.

    >>> from graphground.graphs import Graph
    >>> Graph("films", schema).schema.name
    'films'

`Graph`, `Table` and `OpenGraphs` are imported at first use, so that the server starts sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphground.graphs.engines.engine import Table
    from graphground.graphs.graph import Graph
    from graphground.graphs.opening.open_graphs import OpenGraphs

__all__ = ["Graph", "OpenGraphs", "Table"]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    places = {"Graph": "graph", "OpenGraphs": "opening.open_graphs", "Table": "engines.engine"}
    if name in places:
        return getattr(import_module(f"graphground.graphs.{places[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
