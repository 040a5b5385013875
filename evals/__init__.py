"""Measuring agents: the CypherBench metrics, runs over task files, reports, and tasks made for any graph.

    >>> from graphground.evals import execution_accuracy
    >>> execution_accuracy([["Heat", 1995]], [[1995, "Heat"]])
    1.0

The names of this package are imported on first use, so the package does not slow a server's start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphground.evals.metrics.executable import executable
    from graphground.evals.metrics.execution_accuracy import execution_accuracy, tables_match
    from graphground.evals.metrics.provenance_similarity import jaccard, provenance_nodes, psjs

__all__ = ["executable", "execution_accuracy", "jaccard", "provenance_nodes", "psjs", "tables_match"]

_MODULES = {
    "executable": "executable",
    **dict.fromkeys(("execution_accuracy", "tables_match"), "execution_accuracy"),
    **dict.fromkeys(("jaccard", "provenance_nodes", "psjs"), "provenance_similarity"),
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"graphground.evals.metrics.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
