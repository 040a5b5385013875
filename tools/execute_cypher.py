"""`execute_cypher`: run one read-only query and return its rows, or the next rows of an earlier answer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pydantic import Field, PrivateAttr, SkipValidation

from graphground.cypher import validate
from graphground.cypher.diagnostics import LONGEST_SPAN, Diagnostic, Report, cut
from graphground.cypher.quoting import in_backticks
from graphground.cypher.safety.access import GROWING, MULTIPLE_STATEMENTS, REFUSED
from graphground.cypher.safety.canonical import TWO_READINGS, canonical
from graphground.cypher.tree import Query, Return, SingleQuery, Union
from graphground.graphs.engines.engine import (
    EngineBusy,
    EngineError,
    EngineUnavailable,
    QueryFailed,
    QueryTimeout,
    Table,
    is_empty_answer,
)
from graphground.graphs.graph import Graph
from graphground.tools.diagnostics import (
    MISSING_PARAMETER,
    DiagnosticAnswer,
    from_engine,
    missing_parameters,
    of_dialect,
    report_on,
)
from graphground.tools.tool import OWNER, ROWS, Answer, Graphs, Request, Rest, Tool, ToolFailure, graph_named

LONGEST_QUERY = 100_000
MAX_TEXT_CHARACTERS, MAX_LIST_ITEMS = 4_000, 500
MAX_DEPTH = 20
"""The maximum depth of nested JSON in an answer; most clients can parse about a hundred levels."""
SECONDS_FOR_WHY, LEAST_FOR_WHY = 2.0, 0.2


class ExecuteCypherRequest(Request):
    """The arguments of `execute_cypher`: `{"query": "MATCH (t:Team) RETURN t.name", "limit": 10}`."""

    query: str | None = Field(None, min_length=1, max_length=LONGEST_QUERY, description="One read-only Cypher query.")
    graph: str | None = Field(None, description="A name from list_graphs.")
    parameters: dict[str, Any] | None = Field(None, description="Values for `$name` in the query.")
    question: str | None = Field(default=None, description="The question; adds hints and fixes.")
    limit: int = Field(100, ge=1, le=100_000, description="Maximum rows.")
    timeout_s: float = Field(30, gt=0, le=600, description="Time limit in seconds.")
    cursor: str | None = Field(
        default=None, max_length=100, description="Instead of `query`: a truncated answer's cursor."
    )


class ExecuteCypherAnswer(Answer):
    """The answer: the rows as arrays, in the order of `columns`."""

    columns: list[str]
    rows: SkipValidation[list[list[Any]]] = Field(description="One array for each row, in the columns' order.")
    row_count: int
    truncated: bool = Field(description="Whether there are more rows.")
    total: int | None = Field(default=None, description="The total number of rows, if it is known and there are more.")
    cursor: str | None = Field(default=None, description="Pass to `execute_cypher` for the next rows.")
    elapsed_ms: float
    # Described in validate_cypher's answer; repeating the fields would lengthen `tools/list`.
    diagnostics: list[DiagnosticAnswer] = Field(
        default_factory=list,
        json_schema_extra={"items": {"type": "object"}},
        description="As in the answer of validate_cypher.",
    )
    suggested_query: str | None = None

    _rest: Rest | None = PrivateAttr(None)

    def shortened(self, share: float) -> ExecuteCypherAnswer | None:
        """Return this answer with about `share` (0 to 1) of its rows; None if it has at most one row."""
        if len(self.rows) < 2:
            return None
        rows = self.rows[: max(1, int(len(self.rows) * share))]
        return self.model_copy(update={"rows": rows, "row_count": len(rows), "truncated": True}).continued(self._rest)

    def continued(self, rest: Rest | None) -> ExecuteCypherAnswer:
        """Return this answer with the total and the cursor of the next row, if the answer is truncated."""
        self._rest = rest
        if rest is not None and self.truncated:
            self.total, self.cursor = rest.total, rest.cursor_after(len(self.rows))
        return self


def execute_cypher(graphs: Graphs, request: ExecuteCypherRequest) -> ExecuteCypherAnswer:
    """Check the query and run it on the graph's database, or return the rows that follow a cursor.

    If the query finds nothing, the answer's diagnostics contain the reasons that can be found.
    """
    if request.cursor is not None:
        return next_rows(request.cursor, request)
    if request.query is None:
        raise ToolFailure(
            "missing_argument",
            "execute_cypher needs the argument 'query'.",
            nearest=["query"],
            next="Call execute_cypher again with a query, or with the `cursor` of a truncated answer.",
        )
    graph = graph_named(graphs, request.graph, check_beside=True)
    if not request.query.strip():
        raise ToolFailure(
            "empty_query",
            "The query is empty.",
            nearest=[f"MATCH (n:{in_backticks(label)}) RETURN n LIMIT 10" for label in list(graph.schema.labels)[:1]],
            next="Call execute_cypher with a query.",
        )
    query, report = check_query(graph, request.query, request.parameters, request.question)
    refuse_missing_parameters(query, request.parameters or {})
    try:
        table = graph.run(query, request.parameters, limit=request.limit, timeout=request.timeout_s)
    except EngineError as error:
        raise make_failure(error, query, graph, report) from error
    rows = table.rows
    diagnostics = [DiagnosticAnswer.of(finding) for finding in (*report.diagnostics, *of_dialect(graph, query))]
    # A query without an error or a warning, and with rows, is probably what was meant: a suggestion would mislead.
    doubtful = any(finding.severity != "hint" for finding in report.diagnostics)
    suggested = report.suggested_query if doubtful else None
    # The rows show a sort key already: whether it is a column too many is a matter of validate_cypher.
    beside_rows = {"extra_sort_column"} | (set() if table.truncated else {"no_limit"})
    diagnostics = [diagnostic for diagnostic in diagnostics if diagnostic.code not in beside_rows]
    if shorten_rows(rows):
        advice = "Long texts or lists were shortened and marked; ask for parts with substring() or list[0..100]."
        diagnostics.append(DiagnosticAnswer.of(Diagnostic("shortened", "hint", advice, 1, 1, 1, 1)))
    if is_empty_answer(rows):
        left = request.timeout_s - table.elapsed_ms / 1000
        reasons, suggested = explain_empty_answer(graph, query, request, report, left)
        known = [finding for finding in diagnostics if not any(_same_mistake(reason, finding) for reason in reasons)]
        diagnostics = known + [DiagnosticAnswer.of(reason) for reason in reasons]
    elif not any(diagnostic.severity == "error" for diagnostic in diagnostics):
        diagnostics = add_hidden_problems(graph, query, table, request, diagnostics)
    columns = table.columns if query.prefix else columns_as_written(query, table.columns)
    rest = Rest(columns, table.rows, request.query, None if table.truncated else len(table.rows))
    return ExecuteCypherAnswer(
        columns=columns,
        rows=rows,
        row_count=len(rows),
        truncated=table.truncated,
        elapsed_ms=round(table.elapsed_ms, 2),
        diagnostics=diagnostics,
        suggested_query=suggested,
    ).continued(rest if OWNER.get() is not None else None)  # no OWNER: no client can ask for the rest


def next_rows(cursor: str, request: ExecuteCypherRequest) -> ExecuteCypherAnswer:
    """Return the rows that follow those of an earlier answer, without running a query.

    Raises:
        ToolFailure: the cursor is unknown, has expired, or belongs to another query or client.
    """
    began = time.perf_counter()
    rest = ROWS.find(cursor)
    if request.query is not None and request.query.strip() != rest.query.strip():
        raise ToolFailure(
            "wrong_argument",
            "The cursor belongs to the answer of another query.",
            nearest=[rest.query] if len(rest.query) <= LONGEST_SPAN else [],
            next="Call execute_cypher with the cursor alone, or with the query alone.",
        )
    rows = rest.rows[: request.limit]
    return ExecuteCypherAnswer(
        columns=rest.columns,
        rows=rows,
        row_count=len(rows),
        truncated=rest.first + len(rows) != rest.total,
        elapsed_ms=round((time.perf_counter() - began) * 1000, 2),
        diagnostics=[],
    ).continued(rest)


def shorten_rows(rows: list[Any]) -> bool:
    """Shorten the long texts and lists in rows, in place; return whether any value was shortened.

    >>> rows = [["Heat", "x" * 5_000]]
    >>> shorten_rows(rows), rows[0][1][-26:]
    (True, 'xxx… (of 5,000 characters)')
    """
    changed = False
    for row in rows:
        for place, value in enumerate(row):
            kind = type(value)
            if (kind is str and len(value) > MAX_TEXT_CHARACTERS) or kind is list or kind is dict:
                short = shorten_value(value)
                if short is not value:
                    row[place] = short
                    changed = True
    return changed


def shorten_value(value: Any, depth: int = 0) -> Any:
    """Return the value itself if it is short enough, else a shortened copy."""
    if isinstance(value, str):
        return (
            value
            if len(value) <= MAX_TEXT_CHARACTERS
            else f"{value[:MAX_TEXT_CHARACTERS]}… (of {len(value):,} characters)"
        )
    if isinstance(value, list | dict) and depth >= MAX_DEPTH:
        return f"… (nested deeper than {MAX_DEPTH} levels)" if value else value
    if isinstance(value, list):
        items = [shorten_value(item, depth + 1) for item in value[:MAX_LIST_ITEMS]]
        if len(value) > MAX_LIST_ITEMS:
            return [*items, f"… (of {len(value):,} items)"]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        entries = {key: shorten_value(item, depth + 1) for key, item in value.items()}
        return entries if any(entries[key] is not item for key, item in value.items()) else value
    return value


def columns_as_written(query: Query, columns: list[str]) -> list[str]:
    """Return the column names of the query as it was written.

    The text sent to the database may differ from it; `columns` are the names that the database returned.
    """
    if columns and canonical(query.text).text == query.text:
        return columns
    written = columns_of(query)
    return written if not columns or len(written) == len(columns) else columns


def columns_of(query: Query) -> list[str]:
    """Return the columns of a query, read from its tree, because the embedded engine names no columns
    of an empty result."""
    body = query.body
    while isinstance(body, Union):
        body = body.parts[0]
    last = body.clauses[-1] if isinstance(body, SingleQuery) else None
    return [item.name for item in last.projection.items] if isinstance(last, Return) else []


def explain_empty_answer(
    graph: Graph, query: Query, request: ExecuteCypherRequest, report: Report, left: float
) -> tuple[list[Diagnostic], str | None]:
    """Find the part of the query that matches nothing, by running parts of the query, and a fix that returns rows.

    The report's own fix is offered only if it, or a fix of it, returns rows. The time limit is `left` seconds, but at
    least `LEAST_FOR_WHY` and at most `SECONDS_FOR_WHY`, for the reasons and for the fix.
    """
    from graphground.graphs.why_empty.explain import fixed_query, why_empty  # only empty answers need it

    seconds = min(SECONDS_FOR_WHY, max(left, LEAST_FOR_WHY))
    found = why_empty(graph, query, request.parameters, seconds=seconds)
    fixed = fixed_query(
        graph, query, (*report.diagnostics, *found), report.suggested_query, request.parameters, seconds=seconds
    )
    reported = [finding for finding in report.diagnostics if finding.severity != "hint"]
    wrong = any(finding.severity == "error" for finding in reported)
    # Beside an error, which explains the empty answer, only what leads to a fix is worth its tokens.
    return [
        reason
        for reason in found
        if reason.edits or not wrong
        if not any(  # a reason with a fix replaces a warning without one
            _same_mistake(reason, finding) and (finding.severity == "error" or finding.edits or not reason.edits)
            for finding in reported
        )
    ], fixed


def _same_mistake(reason: Diagnostic, finding: Diagnostic | DiagnosticAnswer) -> bool:
    """Whether two diagnostics overlap, or both say that a name does not exist."""
    if reason.code == finding.code == "entity_not_found":
        return reason.found in finding.message or reason.found == finding.found
    return (reason.line, reason.column) < (finding.end_line, finding.end_column) and (finding.line, finding.column) < (
        reason.end_line,
        reason.end_column,
    )


def add_hidden_problems(
    graph: Graph, query: Query, table: Table, request: ExecuteCypherRequest, diagnostics: list[DiagnosticAnswer]
) -> list[DiagnosticAnswer]:
    """Return the diagnostics, with new ones about problems that the rows hide: ties, merged namesakes, dropped nulls.

    These problems are found by counting in the database. Diagnostics that the counts replace are left out.
    """
    from graphground.graphs.why_empty.second_look import second_look  # imported here: loads the reader of facts

    look = second_look(graph, query, table, request.parameters)
    known = {(diagnostic.line, diagnostic.column) for diagnostic in diagnostics if diagnostic.severity != "hint"}
    return [finding for finding in diagnostics if finding.code not in look.settled] + [
        DiagnosticAnswer.of(problem) for problem in look.found if (problem.line, problem.column) not in known
    ]


def check_query(
    graph: Graph, query: str, parameters: dict[str, Any] | None, question: str | None = None
) -> tuple[Query, Report]:
    """Return the tree of an acceptable query, and the report on it: schema errors, warnings, hints, a suggested query.

    Raises:
        ToolFailure: the query is not read-only, has several statements, would not compile, is read differently by some
            databases, or builds a value that is too large.
    """
    report = report_on(graph, query, parameters, question)
    rewrite = "Rewrite the query as the message says, and call again."
    for codes, error, opening, end, next_step in (
        ((TWO_READINGS,), "", "Databases read this query differently: ", ".", rewrite),
        (GROWING, "", "This query is not run: ", ".", rewrite),
        ((MULTIPLE_STATEMENTS,), "", "", "", "Call execute_cypher once for each statement."),
        (REFUSED, "not_read_only", "This server is read-only: ", "", "Write a read-only query: MATCH … RETURN …"),
    ):
        found = next((finding for finding in report.diagnostics if finding.code in codes), None)
        if found is not None:
            message = f"{opening}line {found.line}, column {found.column}: {found.message}{end}"
            raise ToolFailure(error or found.code, message, diagnostics=report.diagnostics, next=next_step)
    tree = report.query
    # A name that is missing in the schema is not a reason to refuse,
    # and Memgraph accepts some queries that Neo4j refuses.
    if tree is None or not (report.compiles or graph.supports_other_functions(tree)):
        first = next(problem for problem in report.diagnostics if problem.severity == "error")
        nearest = report.suggested_query
        if nearest is None and tree is None:
            from graphground.cypher.repair import parsable  # imported only for text that cannot be parsed

            # Its names may still be wrong, but the next answer can say so only if it can be parsed.
            parsed = parsable(query, report, lambda text: validate(text, language=graph.language))
            nearest = parsed and parsed[0]
        raise ToolFailure(
            "invalid_query",
            f"line {first.line}, column {first.column}: {first.message}",
            nearest=[nearest] if nearest else [],
            diagnostics=report.diagnostics,
            next="Fix the query and check it with validate_cypher; get_schema lists the names.",
        )
    return tree, report


def refuse_missing_parameters(query: Query, given: Mapping[str, Any]) -> None:
    """Refuse to run a query without a value for each of its parameters; EXPLAIN needs none.

    Raises:
        ToolFailure: a value is missing; the message names each such parameter, and the diagnostics their positions.
    """
    missing = missing_parameters(query, given) if query.prefix != "EXPLAIN" else []
    if not missing:
        return
    names = ", ".join(diagnostic.found for diagnostic in missing)
    entries = ", ".join(f'"{diagnostic.found[1:].strip("`")}": …' for diagnostic in missing)
    raise ToolFailure(
        MISSING_PARAMETER,
        f"The call gives no value for {names}, which the query uses.",
        nearest=[name for diagnostic in missing for name in diagnostic.suggestions],
        diagnostics=missing,
        next=f"Call again with {{{cut(entries, LONGEST_SPAN)}}} in `parameters`.",
    )


def make_failure(error: EngineError, query: Query, graph: Graph, report: Report) -> ToolFailure:
    """Convert an engine's error into the tool's failure, with what the check of the query says about the cause.

    A database that refuses `sum(o.freight)` says that it cannot add texts; the check knows `toFloat(o.freight)`.
    """
    message = str(error)
    suggested = [report.suggested_query] if report.suggested_query else []
    match error:
        case QueryTimeout():
            return ToolFailure(
                "query_timeout",
                message,
                nearest=suggested,
                diagnostics=report.diagnostics,
                next="Narrow the query (more labels, fewer hops, a LIMIT), or call again with a larger timeout_s.",
            )
        case EngineUnavailable():
            return ToolFailure("graph_unavailable", message, next="Call list_graphs to see the available graphs.")
        case EngineBusy():
            return ToolFailure("engine_busy", message, next="Try again in a moment.")
        case QueryFailed():
            found = [from_engine(error, query.text), *report.diagnostics, *of_dialect(graph, query, refused=True)]
            advice = "Fix the query and check it with validate_cypher; get_schema lists the names."
            return ToolFailure(
                "query_failed",
                message,
                nearest=suggested,
                diagnostics=found,
                next="Call again with the query in `nearest`." if suggested else advice,
            )
    return ToolFailure("engine_error", message, next="Try again; if it keeps failing, run `graphground doctor`.")


TOOL = Tool(
    "execute_cypher",
    "Run a query",
    "Run one read-only Cypher query. Rows are arrays in the order of `columns`; pass `cursor`, if any, for more. If nothing "
    "matches, `diagnostics` says which part does not, and what would.",
    ExecuteCypherRequest,
    ExecuteCypherAnswer,
    execute_cypher,
)
