"""Finds the problems of an owner's query: in its Cypher, with the schema of its graph, and with its parameters."""

from __future__ import annotations

from dataclasses import dataclass

from graphground.cypher import validate
from graphground.cypher.diagnostics import Diagnostic
from graphground.cypher.names.nearest import closest
from graphground.cypher.parameters import missing_parameters, parameter_names
from graphground.cypher.wording import either, sentence
from graphground.graphs.graph import Graph
from graphground.tools.own_queries.definition import OwnQuery
from graphground.tools.own_queries.request import sample_values


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: `Problem("settings.toml: [queries.roster], cypher, line 1, column 10", "There is no label 'Taem'.",
    "…")`."""

    place: str
    message: str
    fix: str
    diagnostic: Diagnostic | None = None


def problems_of(own: OwnQuery, graph: Graph) -> list[Problem]:
    """Return the errors in a query; an empty list if the query can be offered as a tool.

    Each parameter is assumed to have a value of its type; names of entities in the query are not looked up.
    """
    graph.look()
    if graph.stale or graph.provisional:
        graph.settle()
    report = validate(own.cypher, graph.schema, parameters=sample_values(own), read_only=True, language=graph.language)
    found = [
        Problem(
            f"{own.place}, cypher, line {error.line}, column {error.column}",
            sentence(error.message),
            _fix(error, report.suggested_query),
            error,
        )
        for error in report.diagnostics
        if error.severity == "error"
    ]
    if report.query is None:
        return found
    declared, used = [parameter.name for parameter in own.parameters], parameter_names(report.query)
    found += [
        Problem(
            f"{own.place}, cypher, line {missing.line}, column {missing.column}",
            f"The query uses {missing.found}, which is not among its parameters.",
            f"Add [queries.{own.name}.parameters.{missing.found[1:]}] with a type and a description.",
            missing,
        )
        for missing in missing_parameters(report.query, declared)
    ]
    found += [
        Problem(
            f"{own.place}, parameters.{name}",
            f"The query does not use the parameter {name!r}.",
            f"Use ${name} in the query, or remove [queries.{own.name}.parameters.{name}].",
        )
        for name in declared
        if name not in used
    ]
    return found


def wrong_graph(own: OwnQuery, names: list[str]) -> Problem | None:
    """Return the problem with a query's graph, if any: it is unknown, or not named although several graphs are open."""
    if own.graph is None and len(names) > 1:
        return Problem(
            own.place, f"{len(names)} graphs are open.", f"Name the graph of the query: graph = {names[0]!r}."
        )
    if own.graph is not None and own.graph not in names:
        nearest = closest(own.graph, names) or names[:5]
        return Problem(
            f"{own.place}, graph",
            f"There is no graph {own.graph!r}.",
            f"Write {either([repr(name) for name in nearest])}, or load the graph." if nearest else "Load the graph.",
        )
    return None


def _fix(error: Diagnostic, suggested_query: str | None) -> str:
    if suggested_query:
        return f"Write `{suggested_query}`."
    if error.suggestions == ("",):
        return f"Delete {error.found!r}."
    if error.suggestions:
        return f"Write {either(error.suggestions)} in place of {error.found!r}."
    return "Change the query as the message says."
