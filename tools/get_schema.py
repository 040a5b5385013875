"""`get_schema`: the labels, relationship patterns and properties of a graph, as text."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import Field

from graphground.cypher.schema import PropertyGraphSchema
from graphground.tools.tool import Answer, Graphs, Request, Tool, graph_named

CHARACTERS_PER_TOKEN = 4


class GetSchemaRequest(Request):
    """`{"graph": "nba", "form": "base"}`."""

    graph: str | None = Field(None, description="A name from list_graphs.")
    form: Literal["base", "enhanced", "json"] = Field(
        "base", description="`base`: Cypher-like patterns; `enhanced`: with descriptions and counts; "
                            "`json`: the CypherBench form.")
    max_tokens: int | None = Field(None, ge=50, le=200_000, description="The budget for `schema`.")


class GetSchemaAnswer(Answer):
    """The schema as text, and what did not fit."""

    graph: str
    form: str
    schema_: str = Field(alias="schema", description="The schema as text.")
    truncated: bool = Field(description="Whether something was left out to keep the budget.")
    left_out: list[str] = Field(description="The labels and relationship types left out.")

    def as_text(self) -> str:
        """The schema itself."""
        if not self.truncated:
            return self.schema_
        return f"{self.schema_}\n\nLeft out: {', '.join(self.left_out)}. Ask again with a larger max_tokens."


def get_schema(graphs: Graphs, request: GetSchemaRequest) -> GetSchemaAnswer:
    """Write the schema in the form asked for."""
    graph = graph_named(graphs, request.graph)
    if request.form == "json":
        text = json.dumps(graph.schema.to_cypherbench(), ensure_ascii=False)
        return GetSchemaAnswer(graph=graph.name, form=request.form, schema=text, truncated=False, left_out=[])
    lines = schema_lines(graph.schema, enhanced=request.form == "enhanced")
    budget = request.max_tokens * CHARACTERS_PER_TOKEN if request.max_tokens else None
    kept: list[str] = []
    left_out: list[str] = []
    used = 0
    for name, line in lines:
        used += len(line) + 1
        if budget is None or used <= budget:
            kept.append(line)
        elif name:
            left_out.append(name)
    return GetSchemaAnswer(graph=graph.name, form=request.form, schema="\n".join(kept), truncated=bool(left_out),
                           left_out=left_out)


def schema_lines(schema: PropertyGraphSchema, enhanced: bool) -> list[tuple[str, str]]:
    """Each line with the label or relationship type that it tells of: `("Movie", "(:Movie {name: str})")`."""
    lines = [("", "Node labels:")]
    for label in schema.labels.values():
        properties = ", ".join(f"{key}: {type_}" for key, type_ in label.properties.items())
        note = f"  // {label.description}" if enhanced and label.description else ""
        lines.append((label.name, f"(:{label.name} {{{properties}}}){note}"))
    lines.append(("", "Relationship patterns:"))
    for pattern in schema.patterns:
        properties = ", ".join(f"{key}: {type_}" for key, type_ in pattern.properties.items())
        inner = f"{pattern.type} {{{properties}}}" if properties else pattern.type
        note = f"  // {pattern.description}" if enhanced and pattern.description else ""
        lines.append((pattern.type, f"(:{pattern.start})-[:{inner}]->(:{pattern.end}){note}"))
    return lines


TOOL = Tool("get_schema", "Read the schema",
            "Read a graph's node labels, relationship patterns and property types before writing Cypher. "
            "Use exactly these names and directions.",
            GetSchemaRequest, GetSchemaAnswer, get_schema)
