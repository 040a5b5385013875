"""Diagnostics in tools' answers: from the check of a query, from the user's question, and from database errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, Field

from graphground.cypher import parse, validate
from graphground.cypher.codes import SCHEMA_CODES
from graphground.cypher.diagnostics import Diagnostic, Report
from graphground.cypher.names.nearest import closest
from graphground.cypher.tree import (
    FloatLiteral,
    FunctionCall,
    IntegerLiteral,
    Parameter,
    Property,
    Query,
    Return,
    StringLiteral,
    Variable,
    With,
)
from graphground.graphs.engines.dialects import find_unsupported
from graphground.graphs.engines.engine import EngineError, QueryFailed
from graphground.graphs.graph import Graph

MISSING_PARAMETER = "missing_parameter"
SECONDS_FOR_STATISTICS = 1.0
"""The longest wait for the first statistics of a graph, if a query seems wrong without them."""
CHANGED = "The database has changed since its schema was read; the schema is being read again."

STYLE = frozenset(("returns_node", "distinct_merges_entities", "extra_sort_column"))
"""Hints about the form of an answer, which only a question can ask for."""


class DiagnosticAnswer(BaseModel):
    """One finding in a query: `unknown_label, error, line 1, columns 10 to 14, Movi, suggestions Movie`."""

    code: str
    severity: Literal["error", "warning", "hint"]
    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    found: str = ""
    suggestions: list[str] = Field(default_factory=list, description="Text to put in place of the span.")

    @classmethod
    def of(cls, diagnostic: Diagnostic) -> DiagnosticAnswer:
        """Convert a diagnostic into its JSON form."""
        return cls(**diagnostic.as_dict())


def report_on(graph: Graph, query: str, parameters: Mapping[str, Any] | None, question: str | None = None) -> Report:
    """Check a query against the current schema of the database, and return the report.

    A schema that is known to be outdated causes no error: before a schema error is reported, the current schema is
    read. If that fails or takes too long, schema errors become warnings that say so.
    """

    def verdict() -> Report:
        return validate(
            query,
            graph.schema,
            entities=graph.indexed_entities,
            parameters=parameters,
            data=graph.statistics(fresh=True),
            read_only=True,
            language=graph.language,
        )

    report = _report_on(graph, query, question, verdict)
    if question is None:
        kept = tuple(finding for finding in report.diagnostics if finding.code not in STYLE)
        report = replace(report, diagnostics=kept)
    state = getattr(graph.entities, "state", None)
    if state is None:
        return report
    # A name that an unfinished or outdated index does not have may be there: nobody should take it for absent.
    return replace(
        report,
        diagnostics=tuple(
            replace(diagnostic, message=f"{diagnostic.message} ({state})")
            if diagnostic.code == "entity_not_found"
            else diagnostic
            for diagnostic in report.diagnostics
        ),
    )


def _report_on(graph: Graph, query: str, question: str | None, verdict: Callable[[], Report]) -> Report:
    checked = graph.schema
    report = _by_question(graph, query, question, verdict())
    if any(diagnostic.code in SCHEMA_CODES and diagnostic.severity != "hint" for diagnostic in report.diagnostics):
        current = graph.await_current_schema()
        counted = graph.await_statistics(SECONDS_FOR_STATISTICS)
        if counted or graph.schema is not checked:  # read during this call, here or in the background
            report = _by_question(graph, query, question, verdict())
        if not current and graph.stale:
            return doubted(report, CHANGED)
    return report


def _by_question(graph: Graph, query: str, question: str | None, report: Report) -> Report:
    """Add the findings that follow from the question, if there is a question and the graph has an entity lookup.

    Until the entity index has been built, names are looked up in the database, as in `find_entities`.
    """
    if question is None or graph.entities is None:
        return report
    from graphground.graphs.suggestions.question_check import check_question  # imported here: loads learned weights

    try:
        checked = check_question(report, query, question, graph)
    except EngineError:
        return report  # the database is unavailable: the report is complete without the question
    if checked.suggested_query and checked.suggested_query != report.suggested_query and not _keeps(report, checked):
        return replace(checked, suggested_query=report.suggested_query)
    return checked


def _keeps(report: Report, checked: Report) -> bool:
    """Whether a query suggested by the question returns and filters what the checked query does.

    Keys and values on which a diagnostic stands are mistakes, and may change.
    """
    if report.query is None or checked.suggested_query is None:
        return report.suggested_query is None
    wrong = {finding.found for finding in report.diagnostics if finding.severity != "hint"}
    columns, values = _columns_and_values(report.query)
    others, kept = _columns_and_values(parse(checked.suggested_query))
    same = all(key == other or key in wrong for key, other in zip(columns, others, strict=False))
    return len(columns) == len(others) and same and all(text in kept or text in wrong for text in values)


def _columns_and_values(query: Query) -> tuple[list[str], set[str]]:
    """Return the last property key, or else the function, of each column, and the literals in conditions and maps."""
    last = next((clause for clause in reversed(list(query.find(Return)))), None)
    items = [item.expression for item in last.projection.items] if last is not None else []
    aliases = {item.name: item.expression for clause in query.find(With) for item in clause.projection.items}
    columns = []
    for item in items:
        item = aliases.get(item.name, item) if isinstance(item, Variable) else item
        columns.append(
            item.key if isinstance(item, FunctionCall) else item.key.text if isinstance(item, Property) else ""
        )
    literals = [*query.find(StringLiteral), *query.find(IntegerLiteral), *query.find(FloatLiteral)]
    return columns, {query.source(literal) for literal in literals}


def doubted(report: Report, reason: str) -> Report:
    """Turn errors about the schema into warnings with the reason, and drop the suggested query."""
    diagnostics = tuple(
        replace(diagnostic, severity="warning", message=f"{diagnostic.message} ({reason})")
        if diagnostic.code in SCHEMA_CODES and diagnostic.severity == "error"
        else diagnostic
        for diagnostic in report.diagnostics
    )
    return replace(
        report,
        valid=all(finding.severity != "error" for finding in diagnostics),
        diagnostics=diagnostics,
        suggested_query=None,
    )


def of_dialect(graph: Graph, query: Query | None, *, refused: bool = False) -> list[Diagnostic]:
    """Return hints about constructs of Neo4j's Cypher that the graph's kind of database does not support.

    The list is empty if the kind of database is not known yet, or the query could not be parsed (None). With `refused`,
    for a query that the database has refused, constructs that only some of its versions support are reported too.
    """
    constructs = graph.dialect.unsupported if graph.dialect is not None else ()
    return find_unsupported(query, constructs, refused=refused) if query is not None and constructs else []


def from_engine(error: QueryFailed, query: str) -> Diagnostic:
    """Convert a database's error into a diagnostic; without a position in the error, the whole query is marked."""
    code = "syntax" if "syntax" in error.code.lower() or not error.code else "refused_by_database"
    if error.line is None or error.column is None:
        lines = query.splitlines() or [""]
        return Diagnostic(code, "error", str(error), 1, 1, len(lines), len(lines[-1]) + 1)
    lines = query.splitlines()
    rest = lines[error.line - 1][error.column - 1 :] if error.line <= len(lines) else ""
    word = re.match(r"\w+|.", rest)
    found = word.group() if word else ""
    return Diagnostic(code, "error", str(error), error.line, error.column, error.line, error.column + len(found), found)


def parameters_of(query: Query) -> dict[str, Parameter]:
    """Return the parameters of a query by name, each where it is first used, in the order of the text.

    >>> list(parameters_of(parse("MATCH (t:Team {name: $team}) WHERE t.founded > $year RETURN t.name")))
    ['team', 'year']
    """
    found: dict[str, Parameter] = {}
    for parameter in query.find(Parameter) if "$" in query.text else ():
        found.setdefault(parameter.name, parameter)
    return found


def missing_parameters(query: Query, given: Collection[str]) -> list[Diagnostic]:
    """Return an error for each parameter without a value, at the first use of that parameter.

        >>> [(found.found, found.column) for found in missing_parameters(parse("RETURN $team, $year"), {"year": 1950})]
        [('$team', 8)]

    If a value with a similar name is given but unused, its name is suggested.
    """
    used = parameters_of(query)
    unused = [name for name in given if name not in used]
    return [_missing(query, parameter, unused) for name, parameter in used.items() if name not in given]


def _missing(query: Query, parameter: Parameter, unused: Collection[str]) -> Diagnostic:
    near = closest(parameter.name, unused, limit=1)
    written = query.source(parameter)
    hint = f"; the call does give {near[0]!r}, which the query does not use" if near else ""
    if near == [f"${parameter.name}"]:
        hint = f": give it as {parameter.name!r}, without the $"
    message = f"The query uses {written}, but the call gives no such parameter{hint}."
    suggestions = [f"${name}" for name in near if not name.startswith("$")]
    place = *query.position(parameter.start), *query.position(parameter.end)
    return Diagnostic(MISSING_PARAMETER, "error", message, *place, written, suggestions)
