"""Checks a query against its question: reports parts that are not covered, and the query that was probably intended."""

from __future__ import annotations

from dataclasses import replace

from graphground.cypher.diagnostics import Diagnostic, Report
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.candidate import EntityLookup
from graphground.graphs.suggestions.choose import choose
from graphground.graphs.suggestions.covered import not_covered
from graphground.graphs.suggestions.mentions import mentions_in
from graphground.graphs.suggestions.suggest import space_of
from graphground.graphs.suggestions.written import read_text

LONGEST_QUERY, LONGEST_QUESTION = 4_000, 1_000
LIKELY, SURE = 0.45, 0.93
"""The minimum probabilities of a suggestion: `LIKELY` if the query has mistakes, `SURE` if it has none."""
CODE = "question_not_covered"


def with_question(
    report: Report, query: str, question: str, schema: PropertyGraphSchema, lookup: EntityLookup
) -> Report:
    """Return the report with hints about the parts of the question that the query does not cover.

    The report also suggests the query that was probably intended. For a query without mistakes it does so only if the
    question clearly contradicts the query.

    The report is returned unchanged if the query or the question is too long, if the schema is open, or if the query
    does not only read.
    """
    if len(query) > LONGEST_QUERY or len(question) > LONGEST_QUESTION or schema.open or not question.strip():
        return report
    if report.query is not None and report.access != "read":
        return report
    space = space_of(schema)
    read = space.read(question, mentions_in(question, lookup, schema))
    written = read_text(query)
    lines = query.split("\n")
    messages: list[tuple[str, tuple[str, ...]]] = [(message, ()) for message in not_covered(read, written, query)]
    faulty = not report.valid or any(
        diagnostic.code == "entity_not_found" and diagnostic.severity == "warning" for diagnostic in report.diagnostics
    )
    suggested = report.suggested_query
    choice = choose(query, written, read, space)
    if (
        choice is not None
        and not (report.valid and choice.written.same(written))
        and choice.probability >= (LIKELY if faulty else SURE)
    ):
        suggested = choice.text
        if report.valid:
            messages.append(("According to the question, another query is probably meant.", (suggested,)))
    hints = [
        Diagnostic(CODE, "hint", message, 1, 1, len(lines), len(lines[-1]) + 1, "", suggestions)
        for message, suggestions in messages
    ]
    return replace(report, diagnostics=(*report.diagnostics, *hints), suggested_query=suggested)
