"""Suggests completions for the arguments of prompts and resources: graph names, labels and methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from graphground.server.application import Application

MOST_VALUES = 100


def complete(application: Application, argument: str, typed: str, others: Mapping[str, str]) -> list[str]:
    """Suggest values for an argument; values that begin with the typed text come first.

    complete(application, "graph", "n", {}) returns ["nba"]
    """
    values = _values(application, argument, others)
    wanted = typed.casefold()
    begin = [value for value in values if value.casefold().startswith(wanted)]
    return begin + [value for value in values if wanted in value.casefold() and value not in begin]


def _values(application: Application, argument: str, others: Mapping[str, str]) -> list[str]:
    if argument == "graph":
        return list(application.graphs().names())
    if argument == "label":
        graphs = application.graphs()
        chosen = others.get("graph")
        names = [chosen] if chosen in graphs.names() and chosen is not None else list(graphs.names())
        return list(dict.fromkeys(label for name in names for label in graphs.get(name).schema.labels))
    if argument == "method":
        tool = application.tools.get("get_filtered_schema")
        methods = get_args(tool.request.model_fields["method"].annotation) if tool else ()
        return ["full", *(str(method) for method in methods)]
    return []
