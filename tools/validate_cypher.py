"""`validate_cypher`: say what is wrong with a query, without running it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from graphground.graphs.engines.engine import EngineError, EngineUnavailable, QueryFailed
from graphground.tools.diagnostics import DiagnosticAnswer, from_engine
from graphground.tools.execute_cypher import LONGEST_QUERY, failure_of
from graphground.tools.failure import ToolFailure
from graphground.tools.tool import Answer, Graphs, Request, Tool, graph_named


class ValidateCypherRequest(Request):
    """`{"query": "MATCH (t:Taem) RETURN t.name"}`."""

    query: str = Field(min_length=1, max_length=LONGEST_QUERY, description="One Cypher query.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    parameters: dict[str, Any] | None = Field(None, description="Values for `$name` in the query.")


class ValidateCypherAnswer(Answer):
    """The verdict; an invalid query is a normal answer."""

    valid: bool
    access: Literal["read", "write", "schema", "admin", "unknown"]
    diagnostics: list[DiagnosticAnswer]
    suggested_query: str | None = Field(description="The least change that makes the query valid, where clear.")


def validate_cypher(graphs: Graphs, request: ValidateCypherRequest) -> ValidateCypherAnswer:
    """Ask the database's EXPLAIN, which compiles and does not run.

    It knows nothing of misspelt labels: that is the checker's work.
    """
    graph = graph_named(graphs, request.graph)
    if graph.engine is None:
        raise failure_of(EngineUnavailable(f"the graph {graph.name!r} has no database that could compile a query"),
                         request.query)
    if not request.query.strip():
        raise ToolFailure("empty_query", "The query is empty.", next="Call validate_cypher with a query.")
    try:
        graph.engine.explain(request.query, request.parameters)
    except QueryFailed as error:
        found = DiagnosticAnswer.of(from_engine(error, request.query))
        return ValidateCypherAnswer(valid=False, access="unknown", diagnostics=[found], suggested_query=None)
    except EngineError as error:
        raise failure_of(error, request.query) from error
    return ValidateCypherAnswer(valid=True, access="unknown", diagnostics=[], suggested_query=None)


TOOL = Tool("validate_cypher", "Check a query",
            "Check a Cypher query without running it: what is wrong, where, and what would be right. "
            "Call it before execute_cypher when unsure.",
            ValidateCypherRequest, ValidateCypherAnswer, validate_cypher)
