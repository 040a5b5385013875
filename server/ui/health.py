"""The state of each graph: whether its database can be reached, and which indexes and statistics exist."""

from __future__ import annotations

from typing import Any

from graphground.tools.tool import Graphs


def health(graphs: Graphs) -> list[dict[str, Any]]:
    """Return the state of each graph: `[{"name": "nba", "problem": None, "opened": True, …}]`; opens no graph."""
    states = []
    for summary in graphs.summaries():
        graph = graphs.opened(summary.name)
        info = graph.entities.info if graph is not None and graph.entities is not None else None
        states.append(
            {
                "name": summary.name,
                "problem": summary.problem,
                "opened": graph is not None,
                "index": info.texts if info is not None else None,
                "statistics": graph.statistics() is not None if graph is not None and graph.facts is not None else None,
                "refuses_writes": summary.refuses_writes,
            }
        )
    return states
