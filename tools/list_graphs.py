"""`list_graphs`: list the graphs that can be queried."""

from __future__ import annotations

from pydantic import BaseModel, Field

from graphground.tools.tool import Answer, Graphs, Request, Tool


class ListGraphsRequest(Request):
    """The arguments of `list_graphs`: none."""


class GraphSummary(BaseModel):
    """One open graph, such as `nba, arcadedb, 4327 nodes, 18991 relationships`."""

    name: str
    description: str = ""
    engine: str = Field(description="Where the graph's data is stored; `none` for a schema without data.")
    nodes: int | None = Field(None, description="Number of nodes, once known.")
    relationships: int | None = Field(None, description="Number of relationships, once known.")
    database_refuses_writes: bool | None = Field(
        None, description="Whether the database itself also refuses writes; missing if unknown."
    )


class ListGraphsAnswer(Answer):
    """The answer: a summary of each open graph."""

    graphs: list[GraphSummary]


def list_graphs(graphs: Graphs, request: ListGraphsRequest) -> ListGraphsAnswer:
    """Summarize every open graph."""
    return ListGraphsAnswer(
        graphs=[
            GraphSummary(
                name=graph.name,
                description=graph.description,
                engine=graph.engine,
                nodes=graph.nodes,
                relationships=graph.relationships,
                database_refuses_writes=graph.write_protected,
            )
            for graph in graphs.summaries()
        ]
    )


TOOL = Tool(
    "list_graphs",
    "List the graphs",
    "List the graphs with their sizes. The other tools take a name as `graph`; optional if only one is open.",
    ListGraphsRequest,
    ListGraphsAnswer,
    list_graphs,
)
