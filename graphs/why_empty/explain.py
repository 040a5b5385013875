"""Finds the clause after which no row is left, and the smallest part of the clause that is the cause.

    MATCH (m:Movie)-[:directedBy]->(p:Person {name: 'Michael Man'}) WHERE m.runtime_minute > 90 RETURN m.name

Small queries to the database answer these questions in turn. Does each node of the pattern exist? If not, the node is
the cause, and is reported with the nearest names. Does `directedBy` connect a movie and that person? If not, the
opposite direction and other types are tried. Does the whole pattern match? If so, a condition removes the last row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic, Edit, LineIndex, applied, counted
from graphground.cypher.functions import is_aggregate
from graphground.graphs.engines.engine import EngineError, is_empty_answer
from graphground.graphs.graph import Graph
from graphground.graphs.why_empty.causes import blame_condition, blame_pattern
from graphground.graphs.why_empty.probe import OutOfTime, Probe

MOST_ROUNDS = 4
"""The number of fixes, one upon the other, that are tried."""
MOST_ALTERNATIVES = 5
"""The number of suggestions of one diagnostic that are tried if none of them is clear."""


def why_empty(
    graph: Graph, query: t.Query, parameters: Mapping[str, Any] | None = None, *, seconds: float = 2.0
) -> list[Diagnostic]:
    """Return diagnostics for a query whose answer is empty; none if no cause is found within `seconds`.

    For the query above this is one `entity_not_found` at `'Michael Man'` that suggests `'Michael Mann'`.
    """
    probe = Probe(graph, query, parameters or {}, seconds)
    found: list[Diagnostic] = []
    try:
        for cause in _body(probe, query.body):
            if cause not in found:
                found.append(cause)
    except OutOfTime:
        pass
    return found


def fixed_query(
    graph: Graph,
    query: t.Query,
    causes: Sequence[Diagnostic],
    suggested: str | None,
    parameters: Mapping[str, Any] | None = None,
    *,
    seconds: float = 2.0,
) -> str | None:
    """Return a query that returns rows where `query` does not: its fix by clear edits alone; None if there is none.

    `suggested` is the fix of the check of the query, and `causes` are the reasons of `why_empty`. A fix may reveal
    another mistake, so its empty answer is explained and fixed in turn.
    """
    deadline = monotonic() + seconds

    def follow(text: str) -> str | None:
        for _ in range(MOST_ROUNDS):
            left = deadline - monotonic()
            if text == query.text or left <= 0:
                return None
            try:
                if not is_empty_answer(graph.run(text, parameters, limit=2, timeout=left).rows):
                    return text
                tree = parse(text, graph.language)
            except (EngineError, CypherSyntaxError):
                return None
            further = why_empty(graph, tree, parameters, seconds=max(0.1, deadline - monotonic()))
            edited = applied(text, [edit for cause in further for edit in cause.edits])
            if edited == text:
                return None
            text = edited
        return None

    edits = [edit for cause in causes for edit in cause.edits]
    fixed = follow(suggested or applied(query.text, edits))
    if fixed is not None:
        return fixed
    tried = [follow(applied(query.text, [*edits, edit])) for edit in _alternatives(query, causes)]
    found = [text for text in tried if text is not None]
    return found[0] if len(found) == 1 else None


def _alternatives(query: t.Query, causes: Sequence[Diagnostic]) -> list[Edit]:
    """Return the edits of which one may be meant: similar names, or ways through another node.

    They belong to the first cause that has several; the data show whether only one of them returns rows.
    """
    for cause in causes:
        meant = cause.code == "entity_not_found" or all("(:" in text for text in cause.suggestions)
        if not cause.edits and cause.severity != "hint" and meant and 1 < len(cause.suggestions) <= MOST_ALTERNATIVES:
            starts = LineIndex(query.text).starts
            start = starts[cause.line - 1] + cause.column - 1
            end = starts[cause.end_line - 1] + cause.end_column - 1
            return [Edit(start, end, text) for text in cause.suggestions]
    return []


def _body(probe: Probe, body: t.QueryBody) -> Iterator[Diagnostic]:
    if isinstance(body, t.Union):
        for part in body.parts:
            yield from _body(probe, part)
    elif isinstance(body, t.SingleQuery):
        yield from _single(probe, body)


def _single(probe: Probe, single: t.SingleQuery) -> Iterator[Diagnostic]:
    text, start = probe.query.text, single.start
    for clause in single.clauses:
        before = text[start : clause.start]
        if isinstance(clause, t.Return):
            yield from _paging(probe, before, clause)
            return
        through = text[start : clause.end]
        if isinstance(clause, t.Match) and clause.optional and clause.search is None:
            through = before + _as_required(probe, clause)
        if probe.has_rows(through):
            continue
        match clause:
            case t.Match() if clause.search is None:
                yield from blame_pattern(probe, before, clause)
            case t.With():
                yield from _filter(probe, before, clause)
            case t.CallSubquery() if not clause.imports and not clause.star and not _imports(clause.body):
                yield from _body(probe, clause.body)
            case t.Unwind():
                yield probe.diagnostic(
                    "matches_nothing", clause, "UNWIND receives an empty list or null, so no row is left."
                )
            case _:
                yield probe.diagnostic("matches_nothing", clause, "No row is left after this clause.")
        return


def _as_required(probe: Probe, clause: t.Match) -> str:
    where = f" WHERE {probe.source(clause.where)}" if clause.where else ""
    return "MATCH " + ", ".join(probe.source(path) for path in clause.patterns) + where


def _imports(body: t.QueryBody) -> bool:
    parts = body.parts if isinstance(body, t.Union) else [body]
    return any(
        isinstance(part, t.SingleQuery) and part.clauses and isinstance(part.clauses[0], t.With) for part in parts
    )


def _filter(probe: Probe, before: str, clause: t.With) -> Iterator[Diagnostic]:
    through = before + probe.query.text[clause.start : clause.projection.end]
    if clause.where is None or not probe.has_rows(through):
        words = " or ".join(word for word, _ in _bounds(clause.projection)) or "The clause"
        yield probe.diagnostic("matches_nothing", clause, f"{words} leaves no row here.")
        return
    yield from blame_condition(probe, through, t.conjuncts(clause.where))


def _bounds(projection: t.Projection) -> list[tuple[str, t.Expression]]:
    """Return the keyword and the number of SKIP and of LIMIT, as far as a clause has them."""
    bounds = (("SKIP", projection.skip), ("LIMIT", projection.limit))
    return [(word, bound) for word, bound in bounds if bound is not None]


def _paging(probe: Probe, before: str, clause: t.Return) -> Iterator[Diagnostic]:
    paging = _bounds(clause.projection)
    if paging and before.strip():
        rows = probe.rows(f"{before} RETURN count(*) AS rows", 1)
        for word, bound in paging if rows else ():
            number = probe.value(bound)
            if isinstance(number, int) and (number >= rows[0][0] if word == "SKIP" else number == 0):
                yield probe.diagnostic(
                    "matches_nothing",
                    bound,
                    f"{word} {number} leaves no row; the clauses before RETURN give {counted(rows[0][0], 'row')}.",
                )
                return
    for item in clause.projection.items:
        if isinstance(item.expression, t.Property):
            yield from _null(probe, before, clause, item, item.expression)
        elif isinstance(item.expression, t.FunctionCall) and is_aggregate(item.expression) and not paging:
            yield probe.diagnostic(
                "matches_nothing",
                item,
                f"The pattern matches, but {probe.source(item.expression)} is null, zero or empty.",
                severity="hint",
            )


def _null(probe: Probe, before: str, clause: t.Return, item: t.ReturnItem, value: t.Property) -> Iterator[Diagnostic]:
    """Report a returned property that is null in every row, or only in the rows that ORDER BY and LIMIT keep."""
    text = probe.source(value)
    counts = probe.rows(f"{before} RETURN count(*) AS found, count({text}) AS filled", 1)
    if not counts or not counts[0][0]:
        return
    found, filled = counts[0]
    if not filled:
        yield probe.diagnostic(
            "matches_nothing",
            item,
            f"The pattern matches, but {text} is null in "
            + ("the only row." if found == 1 else f"all {found:,} rows."),
            severity="hint",
        )
        return
    sorts = [
        sort
        for sort in clause.projection.order_by
        if sort.descending and probe.source(sort.expression) in (text, item.name)
    ]
    why = " ORDER BY … DESC puts nulls first." if sorts else ""
    where = f"{text} IS NOT NULL"
    yield probe.diagnostic(
        "matches_nothing",
        item,
        f"{text} is null in the returned rows, but {filled:,} of the {found:,} "
        f"rows before SKIP and LIMIT {'has' if filled == 1 else 'have'} a value.{why} Keep only the rows with a value: WHERE {where}.",
        severity="hint",
    )
