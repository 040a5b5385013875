"""Runs the likeliest queries for a question and returns the nodes that they find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from graphground.agents.projection import projection_of
from graphground.agents.reasoning.subgraph import Node, Retrieved
from graphground.agents.server_connection import ToolAnswer

QUERIES = 5
NODES = 60
"""The maximum number of nodes retrieved for one pattern."""


class Server(Protocol):
    """A connection to the server, such as `ServerConnection`."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool and return its answer."""
        ...


async def retrieve(server: Server, graph: str, question: str, queries: int = QUERIES) -> list[Retrieved]:
    """Return each distinct pattern of the suggested queries that finds nodes, with at most `NODES` of these nodes.

    `queries` is the maximum number of suggested queries. In a suggested query, `n` is the variable of the nodes that
    answer the question.

    Raises:
        ServerFailure: the server did not answer, or refused a query.
    """
    request = {"graph": graph, "question": question, "limit": queries}
    suggested = await server.call("suggest_queries", request)
    found: list[Retrieved] = []
    patterns = dict.fromkeys(
        parts.before
        for candidate in ([] if suggested.failed else suggested.fields["candidates"])
        if (parts := projection_of(candidate["cypher"])) is not None
    )
    for pattern in patterns:
        query = f"{pattern} RETURN DISTINCT labels(n) AS labels, properties(n) AS properties"
        arguments = {"graph": graph, "query": query, "limit": NODES}
        rows = (await server.call("execute_cypher", arguments)).require()["rows"]
        nodes = tuple(
            Node.of(_name(properties), labels[0] if labels else "", properties) for labels, properties in rows
        )
        if nodes:
            found.append(Retrieved(pattern, nodes))
    return found


def _name(properties: Mapping[str, Any]) -> str:
    """Return the name of a node: the property `name`, else the first property whose value is a text, else `?`."""
    texts = (value for key, value in sorted(properties.items(), key=lambda item: item[0] != "name"))
    return next((value for value in texts if isinstance(value, str)), "?")
