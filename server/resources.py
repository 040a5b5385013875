"""Resources (the list of graphs, each graph's schema, each label), prompts, completions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args
from urllib.parse import quote, unquote

from graphground.cypher.diagnostics import LONGEST_MESSAGE, cut_inside
from graphground.cypher.names.nearest import did_you_mean
from graphground.prompts.template import all_templates
from graphground.server.application import Application, Outcome
from graphground.server.apps.extension import VIEW, view_contents

CATALOG = "graph://catalog"
TEMPLATES = (
    {
        "uriTemplate": "graph://{graph}/schema",
        "name": "schema",
        "title": "Schema of a graph",
        "description": "Labels, relationship patterns and properties, as get_schema returns them.",
        "mimeType": "text/plain",
    },
    {
        "uriTemplate": "graph://{graph}/labels/{label}",
        "name": "label",
        "title": "One label of a graph",
        "description": "A label's properties and the patterns in which it occurs.",
        "mimeType": "text/plain",
    },
)


class RequestRefused(Exception):
    """A resource or a prompt that does not exist or cannot be read; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__(cut_inside(message, LONGEST_MESSAGE))


def list_resources(application: Application) -> list[dict[str, Any]]:
    """Return the entries of `resources/list`: one for the list of graphs, and one for the schema of each graph."""
    listed = [
        {
            "uri": CATALOG,
            "name": "catalog",
            "title": "The graphs",
            "mimeType": "application/json",
            "description": "The graphs that can be queried, as list_graphs returns them.",
        }
    ]
    for name in application.graphs().names():
        listed.append(
            {
                "uri": schema_uri(name),
                "name": f"{name} schema",
                "title": f"Schema of {name}",
                "description": f"Labels, relationship patterns and properties of {name}.",
                "mimeType": "text/plain",
            }
        )
    return listed


def schema_uri(graph: str) -> str:
    """Return the address of a graph's schema: `graph://nba/schema`."""
    return f"graph://{quote(graph, safe='')}/schema"


def read_resource(application: Application, uri: str) -> dict[str, Any]:
    """Return the contents of a resource.

    Raises:
        RequestRefused: there is no resource at this address, or it cannot be read.
    """
    if uri == CATALOG:
        return _contents(uri, "application/json", application.call("list_graphs", {}))
    if uri == VIEW:
        return view_contents()
    match = re.fullmatch(r"graph://([^/]+)/(schema|labels/([^/]+))/?", uri)
    if match is None:
        raise RequestRefused(
            f"there is no resource {uri!r}; there are {CATALOG}, "
            f"{', '.join(template['uriTemplate'] for template in TEMPLATES)}"
        )
    graph, label = unquote(match[1]), match[3]
    about = {} if label is None else {"labels": [unquote(label)]}
    return _contents(uri, "text/plain", application.call("get_schema", {"graph": graph, **about}))


def _contents(uri: str, mime_type: str, outcome: Outcome) -> dict[str, Any]:
    if outcome.is_error:
        raise RequestRefused(outcome.text)
    return {"uri": uri, "mimeType": mime_type, "text": outcome.text}


def list_prompts() -> list[dict[str, Any]]:
    """Return the entries of `prompts/list`, one for each prompt."""
    return [
        {
            "name": template.name,
            "title": template.title,
            "description": template.description,
            "arguments": [
                {"name": argument.name, "description": argument.description, "required": argument.required}
                for argument in template.arguments
            ],
        }
        for template in all_templates().values()
    ]


def get_prompt(application: Application, name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Return a prompt with its arguments filled in; if a graph is named, its schema follows as a second message.

    Raises:
        RequestRefused: the prompt, an argument or the graph is unknown, or a required argument is missing.
    """
    templates = all_templates()
    if name not in templates:
        raise RequestRefused(f"there is no prompt {name!r}; there are: {', '.join(templates)}")
    template = templates[name]
    known = [argument.name for argument in template.arguments]
    for argument in given:
        if argument not in known:
            hint = did_you_mean(argument, known) or f"; its arguments are: {', '.join(known)}"
            raise RequestRefused(f"the prompt {name} has no argument {argument!r}{hint}")
    for needed in template.arguments:
        if needed.required and not given.get(needed.name, "").strip():
            raise RequestRefused(f"the prompt {name} needs the argument {needed.name!r}")
    graph = given.get("graph") or ""
    values = dict.fromkeys(known, "") | dict(given)
    values["graph"] = f"`{graph}`" if graph else "that `list_graphs` shows"
    method = given.get("method") or "full"
    values["schema_call"] = "read the resource below" if graph else "call `get_schema`"
    if method != "full":
        values["schema_call"] = f"call `get_filtered_schema` with the question and method `{method}`"
    contents: list[dict[str, Any]] = [{"type": "text", "text": template.fill(values)}]
    if graph:
        contents.append({"type": "resource", "resource": read_resource(application, schema_uri(graph))})
    messages = [{"role": "user", "content": content} for content in contents]
    return {"description": template.description, "messages": messages}


MAX_VALUES = 100


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
