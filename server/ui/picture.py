"""Writes pictures for the page: SVG as nested lists, from which the page creates the elements one by one.

The page never parses markup that contains text from a graph: `["text", {"x": "4"}, ["Heat <b>"]]` becomes an element
with a text node.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree

from graphground.graphs.graph import Graph
from graphground.graphs.schemas.pictures.drawing import Drawing
from graphground.graphs.schemas.pictures.of_query import query_drawing, subgraph
from graphground.graphs.schemas.pictures.svg import svg
from graphground.tools.execute_cypher import checked, refuse_missing_parameters

MOST_NODES = 500
SECONDS = 10.0


def picture(drawing: Drawing) -> list[Any]:
    """Return a drawing's SVG element as a nested list `[name, attributes, content]`."""
    return nested(ElementTree.fromstring(svg(drawing, style=False)))


def nested(element: ElementTree.Element) -> list[Any]:
    """Return an element as `[name, attributes, content]`, without namespaces; `content` holds texts and elements."""
    content: list[Any] = [element.text] if element.text else []
    for child in element:
        content.append(nested(child))
        if child.tail:
            content.append(child.tail)
    return [element.tag.rpartition("}")[2], element.attrib, content]


def matches(graph: Graph, query: str, parameters: dict[str, Any] | None, most: int) -> dict[str, Any] | None:
    """Return the nodes and relationships of a query's first matches, with a picture; None if there are none.

    At most `most` matches are read, and at most `most` nodes are returned. `most` itself is limited to `MOST_NODES`.

    Raises:
        ToolFailure: `execute_cypher` would refuse the query.
    """
    tree, _ = checked(graph, query, parameters)
    refuse_missing_parameters(tree, parameters or {})
    most = max(1, min(most, MOST_NODES))
    found = subgraph(query, graph, timeout=SECONDS, parameters=parameters, most_rows=most, most_nodes=most)
    return None if found is None else {**found, "picture": picture(query_drawing(found))}


def pattern(graph: Graph, query: str, parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the first MATCH after which no row is left, with the counts of its parts; None if not found in time.

    Raises:
        ToolFailure: `execute_cypher` would refuse the query.
    """
    from graphground.graphs.why_empty.points import counted_pattern  # needs rapidfuzz

    tree, _ = checked(graph, query, parameters)
    refuse_missing_parameters(tree, parameters or {})
    found = counted_pattern(graph, tree, parameters)
    return None if found is None else asdict(found)
