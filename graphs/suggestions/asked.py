"""Checks a query against its question: reports uncovered parts, and the query that was probably intended."""

from __future__ import annotations

import re
from dataclasses import replace

from graphground.cypher.diagnostics import Diagnostic, Report
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.candidate import EntityLookup
from graphground.graphs.suggestions.choose import Choice, choose
from graphground.graphs.suggestions.covered import LEAST_LETTERS, not_covered
from graphground.graphs.suggestions.mentions import mentions_in
from graphground.graphs.suggestions.suggest import space_of
from graphground.graphs.suggestions.written import Written, read_text

LONGEST_QUERY, LONGEST_QUESTION = 4_000, 1_000
LIKELY, SURE = 0.45, 0.93
"""The minimum probability of a suggested query: for a query with mistakes, and for a query without mistakes."""
CODE = "question_not_covered"
_OTHER_WAYS = re.compile(r"\b(?:EXISTS|UNWIND|OR|CASE|CALL|OPTIONAL|UNION)\b|\bCOUNT\s*\{", re.IGNORECASE)
"""Constructs that can express the same as other constructs."""


def _says_it_already(query: str, written: Written, choice: Choice) -> bool:
    """Whether a valid query has the same content as the chosen query, or the two cannot be compared."""
    own = {word.upper() for word in _OTHER_WAYS.findall(query)}
    others = written.names - choice.written.names
    if others and all(_within(name, choice.written.names) for name in others):
        return True
    return choice.written.same(written) or not own <= {word.upper() for word in _OTHER_WAYS.findall(choice.text)}


def _within(name: str, names: frozenset[str]) -> bool:
    """Whether a name is a part of another: `electronics` of `electronics industry`."""
    return len(name) >= LEAST_LETTERS and any(name in other for other in names)


def with_question(
    report: Report, query: str, question: str, schema: PropertyGraphSchema, lookup: EntityLookup
) -> Report:
    """Add to the report on a query what its question shows: parts not covered, and the query probably intended.

    A query without mistakes is changed only if the question contradicts it beyond doubt.
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
