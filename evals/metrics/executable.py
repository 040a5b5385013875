"""Decides whether a predicted query is executable (Exec. in the paper, in percent), and if not, why.

A prediction counts as executable if it compiles as Cypher, is read-only, and finishes within its time limit. The
published implementation also executes queries that write; here such queries are never executed and score 0. The
embedded engine accepts some queries that Neo4j refuses, so the language check comes before execution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graphground.cypher import Report, validate
from graphground.cypher.safety.access import GROWING, REFUSED
from graphground.cypher.safety.canonical import TWO_READINGS
from graphground.graphs.engines.engine import QueryTimeout, QueryUnanswered, Table
from graphground.graphs.graph import Graph

Failure = Literal["", "not_cypher", "not_read_only", "refused", "timeout"]
_NOT_READING = REFUSED | GROWING | {TWO_READINGS}
"""Diagnostic codes of queries that are never sent to a database, because an agent's queries are not trusted."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The outcome of a query: `Attempt(None, "timeout", "The query was terminated at 30 s.")`; `failure` is empty on
    success."""

    table: Table | None
    failure: Failure = ""
    message: str = ""


def executable(predicted: str, graph: Graph, *, timeout: float = 120.0) -> float:
    """Return 1.0 if a query compiles, is read-only and finishes within `timeout` seconds on `graph`, else 0.0.

        executable("MATCH (t:Team) RETURN t.nmae", graph)  # 1.0: an unknown property is null, not an error

    Raises:
        EngineUnavailable: the graph cannot be queried, so the query cannot be scored.
    """
    return float(attempt(graph, predicted, timeout=timeout).table is not None)


def attempt(graph: Graph, query: str, *, timeout: float = 120.0, limit: int | None = None) -> Attempt:
    """Run a query that may be invalid, and return its table or the reason for its failure.

    Raises:
        EngineUnavailable: the graph cannot be queried.
    """
    refusal = refuse(graph, query)
    if refusal is not None:
        return refusal
    try:
        return Attempt(graph.run(query, limit=limit, timeout=timeout))
    except QueryTimeout as error:
        return Attempt(None, "timeout", str(error))
    except QueryUnanswered as error:
        return Attempt(None, "refused", str(error))


def check(graph: Graph, query: str) -> Report:
    """Check a query as `validate_cypher` does: with the graph's schema and the names in its index."""
    return validate(query, graph.schema, entities=graph.indexed_entities, language=graph.language, read_only=True)


def refuse(graph: Graph, query: str) -> Attempt | None:
    """Return why a query is not run on a graph: it does not compile or is not read-only; None if it can be run."""
    report = validate(query, language=graph.language, read_only=True)
    refused = next((diagnostic for diagnostic in report.diagnostics if diagnostic.code in _NOT_READING), None)
    if refused is not None:
        return Attempt(None, "not_read_only", f"line {refused.line}, column {refused.column}: {refused.message}")
    if report.query is None or not (report.compiles or graph.supports_other_functions(report.query)):
        problem = next(finding for finding in report.diagnostics if finding.severity == "error")
        return Attempt(None, "not_cypher", f"line {problem.line}, column {problem.column}: {problem.message}")
    return None
