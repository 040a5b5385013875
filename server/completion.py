"""Suggests completions for the arguments of prompts and resources: graph names, labels and methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from graphground.server.application import Application

MOST_VALUES = 100


def complete(application: Application, argument: str, typed: str, others: Mapping[str, str]) -> list[str]:
    """Suggest the values of an argument that contain the typed text; values that begin with it come first.

    `others` are the arguments that the user has entered already.

        complete(application, "label", "Te", {"graph": "nba"})       # ["Team"]
    """
    values = _values(application, argument, others)
    prefix = typed.casefold()
    beginning = [value for value in values if value.casefold().startswith(prefix)]
    return beginning + [value for value in values if prefix in value.casefold() and value not in beginning]


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
