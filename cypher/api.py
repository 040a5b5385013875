"""`parse`, `validate` and `access`: the entry points for one query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphground.cypher.diagnostics import Diagnostic, Language, LineIndex, Problem, Report, widest
from graphground.cypher.parser import ParseError, parse_text
from graphground.cypher.safety.access import access, suspected, violations
from graphground.cypher.safety.canonical import two_readings
from graphground.cypher.safety.time_limit import MOST_FINDINGS, SECONDS, TooMuchWork, bounded
from graphground.cypher.semantics import analyze
from graphground.cypher.syntax_errors import syntax_diagnostics
from graphground.cypher.tokens import tokenize

if TYPE_CHECKING:
    from graphground.cypher.outline.model import Data
    from graphground.cypher.schema import PropertyGraphSchema
    from graphground.cypher.tree import Query

__all__ = ["CypherSyntaxError", "access", "parse", "validate"]

NEVER_LONG = 2_000
"""The maximum length, in characters, of a text whose check is repeated once if it reaches the time limit.

Such a text needs milliseconds. A virtual machine that stood still makes it seem longer:
the pause counts as processor time.
"""


class CypherSyntaxError(ValueError):
    """The error for a text that is not valid Cypher; `diagnostics` holds the positions and reasons."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        first = diagnostics[0]
        super().__init__(f"line {first.line}, column {first.column}: {first.message}")
        self.diagnostics = diagnostics


def parse(text: str, language: Language = "cypher5") -> Query:
    """Parse a query into its syntax tree.

        >>> type(parse("MATCH (n) RETURN n").body.clauses[1]).__name__
        'Return'

    Raises:
        CypherSyntaxError: the text is not a query.
    """
    try:
        return parse_text(text, language)[0]
    except ParseError as error:
        raise CypherSyntaxError(syntax_diagnostics(text, error)) from None


def validate(
    text: str,
    schema: PropertyGraphSchema | None = None,
    *,
    entities: Any = None,
    parameters: Mapping[str, Any] | None = None,
    data: Data | None = None,
    language: Language = "cypher5",
    read_only: bool = False,
) -> Report:
    """Check a query without running it; `schema=None` checks the language alone.

        >>> validate("MATCH (n) RETURN m").valid
        False

    `Report.access` is always set.

    Args:
        text: the query.
        schema: the graph's schema; None checks the language alone.
        entities: the lookup of names (`graph.entities`), with which unknown names are found.
        parameters: the values of the query's parameters, by name.
        data: the graph's statistics (`graph.statistics()`), which the checks use for empty labels and duplicate names.
        language: the version of Cypher for a query that does not state a version.
        read_only: report as errors what does more than read the graph (`not_read_only`, `forbidden_procedure`,
            `file_or_network_access`), what needs too much memory (`value_doubles`, `value_too_large`), and what
            databases parse differently (`two_readings`); by default none of these affects `valid`.
    """

    def report_on(text: str) -> Report:
        """Check the language and, if the text can be parsed, the schema and the data; the most severe come first."""
        report = _language(text, language, read_only, parameters)
        if schema is None or report.query is None or len(report.diagnostics) >= MOST_FINDINGS:
            return report
        from graphground.cypher.checks import check  # imported only if there is a schema to check against

        try:
            found = check(report.query, schema, entities, parameters, data).diagnostics
        except RecursionError:
            return report  # nested too deeply for the schema checks: report the language check alone
        if not found:
            return report
        valid = report.valid and all(diagnostic.severity != "error" for diagnostic in found)
        diagnostics = sorted((*report.diagnostics, *found), key=lambda its: SEVERITIES.index(its.severity))
        return replace(report, valid=valid, diagnostics=tuple(diagnostics))

    def limited() -> Report:
        with bounded():
            report = report_on(text)
            if schema is None or not any(
                diagnostic.edits or diagnostic.severity == "error" for diagnostic in report.diagnostics
            ):
                return report
            from graphground.cypher.repair import suggestion  # imported only for queries with mistakes

            with suppress(TooMuchWork):
                return replace(report, suggested_query=suggestion(text, report, schema, report_on))
            return report

    for _ in range(2 if len(text) <= NEVER_LONG else 1):
        with suppress(TooMuchWork):
            return limited()
    return Report(False, suspected(tokenize(text).kinds), (too_complex(text),), compiles=False)


def too_complex(text: str) -> Diagnostic:
    """Return the diagnostic for a text that takes too long to check."""
    message = (
        f"checking this query takes more than {SECONDS:g} s, so the check was stopped and the query is not run; break "
        "it into several queries, or pass long lists as parameters"
    )
    return Diagnostic("too_complex", "error", message, 1, 1, *LineIndex(text).of(len(text)))


def _language(text: str, language: Language, read_only: bool, parameters: Mapping[str, Any] | None = None) -> Report:
    if read_only and (disputed := two_readings(text)):
        return Report(False, "admin", _diagnostics(text, disputed[:MOST_FINDINGS]), compiles=False)
    try:
        query, notes = parse_text(text, language)
    except ParseError as error:
        kinds = (error.tokens or tokenize(text)).kinds
        return Report(False, suspected(kinds), tuple(syntax_diagnostics(text, error)), compiles=False)
    problems = [*notes[:MOST_FINDINGS], *analyze(query)]
    forbidden = violations(query, parameters)
    found = _diagnostics(text, [*problems, *forbidden[:MOST_FINDINGS]] if read_only else problems)
    allowed = widest(violation.access for violation in forbidden)
    return Report(not found, allowed, found, query=query, compiles=not problems)


def _diagnostics(text: str, problems: Sequence[Problem]) -> tuple[Diagnostic, ...]:
    return tuple(map(LineIndex(text).diagnostic, problems)) if problems else ()


SEVERITIES = ("error", "warning", "hint")
