"""`validate_cypher`: report what is wrong with a query, without running it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from graphground.tools.diagnostics import DiagnosticAnswer, missing_parameters, of_dialect, report_on
from graphground.tools.execute_cypher import LONGEST_QUERY
from graphground.tools.tool import Answer, Graphs, Request, Tool, ToolFailure, graph_named


class ValidateCypherRequest(Request):
    """The arguments of `validate_cypher`: `{"query": "MATCH (t:Taem) RETURN t.name"}`."""

    query: str = Field(min_length=1, max_length=LONGEST_QUERY, description="One Cypher query.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    parameters: dict[str, Any] | None = Field(None, description="Values for `$name` in the query.")
    question: str | None = Field(default=None, description="The question; helps choose a fix.")


class ValidateCypherAnswer(Answer):
    """The report on a query; an invalid query also gets this normal answer, not a failure."""

    valid: bool
    access: Literal["read", "write", "schema", "admin"]
    diagnostics: list[DiagnosticAnswer] = Field(default_factory=list)
    suggested_query: str | None = Field(None, description="The query that was probably intended; missing if unclear.")


def validate_cypher(graphs: Graphs, request: ValidateCypherRequest) -> ValidateCypherAnswer:
    """Check the query against the graph's schema and names, without running it.

    Queries that this server refuses to run, such as writes, are errors too.
    """
    graph = graph_named(graphs, request.graph, check_beside=True)
    if not request.query.strip():
        raise ToolFailure("empty_query", "The query is empty.", next="Call validate_cypher with a query.")
    report = report_on(graph, request.query, request.parameters, request.question)
    # Without any parameters only the query is checked: parameter values are needed only to run it.
    missing = missing_parameters(report.query, request.parameters) if report.query and request.parameters else []
    return ValidateCypherAnswer(
        valid=report.valid and not missing,
        access=report.access,
        suggested_query=report.suggested_query,
        diagnostics=[
            DiagnosticAnswer.of(diagnostic)
            for diagnostic in (*missing, *report.diagnostics, *of_dialect(graph, report.query))
        ],
    )


TOOL = Tool(
    "validate_cypher",
    "Check a query",
    "Check a Cypher query without running it: what is wrong, where, and how to fix it.",
    ValidateCypherRequest,
    ValidateCypherAnswer,
    validate_cypher,
)
