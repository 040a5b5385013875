"""Resources: the list of graphs, each graph's schema as text and as a picture, and each label of a schema."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, unquote

from graphground.cypher.diagnostics import LONGEST_MESSAGE, cut_inside
from graphground.cypher.schema import PropertyGraphSchema
from graphground.server.application import Application
from graphground.server.apps.extension import VIEW, view_contents
from graphground.server.call import Outcome

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
        "uriTemplate": "graph://{graph}/schema.svg",
        "name": "schema picture",
        "title": "Picture of a graph's schema",
        "description": "Labels as boxes and relationship types as arrows, with counts.",
        "mimeType": "image/svg+xml",
    },
    {
        "uriTemplate": "graph://{graph}/labels/{label}",
        "name": "label",
        "title": "One label of a graph",
        "description": "A label's properties and the patterns in which it occurs.",
        "mimeType": "text/plain",
    },
)


class UnknownResource(Exception):
    """A requested resource that does not exist or cannot be read; the message says why."""

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
        UnknownResource: there is no resource at this address, or it cannot be read.
    """
    if uri == CATALOG:
        return _contents(uri, "application/json", application.call("list_graphs", {}))
    if uri == VIEW:
        return view_contents()
    match = re.fullmatch(r"graph://([^/]+)/(schema|schema\.svg|labels/([^/]+))/?", uri)
    if match is None:
        raise UnknownResource(
            f"there is no resource {uri!r}; there are {CATALOG}, "
            f"{', '.join(template['uriTemplate'] for template in TEMPLATES)}"
        )
    graph, label = unquote(match[1]), match[3]
    if match[2] == "schema.svg":
        return {"uri": uri, "mimeType": "image/svg+xml", "text": _picture(application, graph)}
    if label is None:
        return _contents(uri, "text/plain", application.call("get_schema", {"graph": graph}))
    return {"uri": uri, "mimeType": "text/plain", "text": _label_text(application, graph, unquote(label))}


def _contents(uri: str, mime_type: str, outcome: Outcome) -> dict[str, Any]:
    if outcome.is_error:
        raise UnknownResource(outcome.text)
    return {"uri": uri, "mimeType": mime_type, "text": outcome.text}


def _schema(application: Application, graph: str) -> PropertyGraphSchema:
    graphs = application.graphs()
    if graph not in graphs.names():
        raise UnknownResource(f"there is no graph {graph!r}; available: {', '.join(graphs.names()) or 'none'}")
    return graphs.get(graph).schema


def _picture(application: Application, graph: str) -> str:
    from graphground.graphs.schemas.pictures.of_schema import schema_drawing  # loaded on first use: NumPy
    from graphground.graphs.schemas.pictures.svg import svg

    return svg(schema_drawing(_schema(application, graph)))


def _label_text(application: Application, graph: str, name: str) -> str:
    schema = _schema(application, graph)
    if name not in schema.labels:
        raise UnknownResource(
            f"the graph {graph!r} has no label {name!r}; its labels: {', '.join(schema.labels) or 'none'}"
        )
    label = schema.labels[name]
    properties = ", ".join(f"{key}: {type_}" for key, type_ in label.properties.items())
    lines = [
        f"(:{name} {{{properties}}})",
        *(str(pattern) for pattern in schema.patterns if name in (pattern.start, pattern.end)),
    ]
    return "\n".join(lines)
