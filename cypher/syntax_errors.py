"""Messages for text that cannot be parsed: the position, the expected tokens, and the mistake probably made."""

from __future__ import annotations

import re

from graphground.cypher.diagnostics import Diagnostic, Edit, either
from graphground.cypher.names.nearest import distance
from graphground.cypher.parser import ParseError
from graphground.cypher.parser.statement import Note
from graphground.cypher.tree.clauses import line_starts

_PHRASE = re.compile(r" such as | after |,? or [a-z](?!n? )")
"""Marks an expectation that is a phrase, such as `a clause such as SET or CREATE`, and not a list of tokens."""
_SEPARATOR = re.compile(r",? or |, ")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_KEYWORDS = (
    "MATCH",
    "OPTIONAL",
    "WHERE",
    "RETURN",
    "WITH",
    "UNWIND",
    "ORDER",
    "LIMIT",
    "SKIP",
    "UNION",
    "CALL",
    "DISTINCT",
    "CREATE",
    "MERGE",
    "DELETE",
    "CONTAINS",
    "STARTS",
    "EXISTS",
    "YIELD",
)
_NEWER = frozenset(("FILTER", "LET", "NEXT", "WHEN"))
_PATH_MODES = frozenset(("WALK", "TRAIL", "ACYCLIC"))
NOTE_CODES = {
    "number": "invalid_literal",
    "inequality": "syntax",
    "newer": "syntax",
    "pattern": "pattern",
    "prefix": "syntax",
}


class LineIndex:
    """A converter of offsets in a text to lines and columns."""

    __slots__ = ("starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = line_starts(text)

    def diagnostic(
        self,
        code: str,
        start: int,
        end: int,
        message: str,
        suggestions: tuple[str, ...] = (),
        edits: tuple[Edit, ...] = (),
    ) -> Diagnostic:
        """Return an error diagnostic for a span of the text."""
        line, column = self.of(start)
        end_line, end_column = self.of(end)
        return Diagnostic(
            code, "error", message, line, column, end_line, end_column, self.text[start:end], suggestions, edits
        )

    def note(self, note: Note) -> Diagnostic:
        """Return the diagnostic for a problem noted by the parser; for `!=`, it contains the edit to `<>`."""
        code, start, end, message = note
        edits = (Edit(start, end, "<>"),) if code == "inequality" else ()
        return self.diagnostic(NOTE_CODES[code], start, end, message, edits=edits)

    def of(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both counted from 1."""
        from bisect import bisect_right

        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1


def syntax_diagnostics(text: str, error: ParseError) -> list[Diagnostic]:
    """Return the diagnostics of a text that could not be parsed."""
    from graphground.cypher.parser.recovery import (
        MOST_ERRORS,
        further_errors,
    )  # imported only for queries with mistakes

    places = LineIndex(text)
    found = {
        further_error.start: _diagnostic(text, places, further_error) for further_error in further_errors(text, error)
    }
    if not error.message:
        found |= {
            note[1]: places.note(note) for note in error.notes if note[0] == "inequality" and note[1] != error.start
        }
    return [_diagnostic(text, places, error), *(found[start] for start in sorted(found))][:MOST_ERRORS]


def _diagnostic(text: str, places: LineIndex, error: ParseError) -> Diagnostic:
    if error.message:
        message = error.message if error.code == "too_complex" else error.message + _caret(places, error.start)
        return places.diagnostic(error.code, error.start, error.end, message)
    found = text[error.start : error.end]
    shown = repr_of(found)
    message = f"{shown} is not allowed here; expected {_either(error.expected)}"
    hint, suggestions = _habit(error)
    if not hint:
        hint = _open_bracket(places, error)
    if not hint:
        suggestions = _keyword(found)
        hint = f"Did you mean {suggestions[0]}?" if suggestions else ""
    if hint:
        message = f"{message}. {hint}"
    doubled = found == "=" and suggestions == ("",)  # the second `=` of `==`
    return places.diagnostic(
        "syntax",
        error.start,
        error.end,
        message + _caret(places, error.start),
        suggestions,
        (Edit(error.start, error.end, ""),) if doubled else (),
    )


def _caret(places: LineIndex, offset: int) -> str:
    """Return the line at an offset and a line with a caret below the position, to append to a message."""
    line, column = places.of(offset)
    text = places.text[places.starts[line - 1] :].splitlines()[0] if places.text[places.starts[line - 1] :] else ""
    begin = max(0, column - 61)
    shown = text[begin : begin + 100].replace("\t", " ")
    return f"\n    {shown}\n    {' ' * (column - 1 - begin)}^" if shown else ""


def _open_bracket(places: LineIndex, error: ParseError) -> str:
    """Return a hint about an open bracket if parsing failed at the end, at a clause or at another bracket;
    else `""`."""
    if error.tokens is None or error.tokens.kinds[error.at] not in ("end", ")", "]", "}", "RETURN", "WITH", "MATCH"):
        return ""
    open_: list[int] = []
    for place in range(error.at):
        kind = error.tokens.kinds[place]
        if kind in _CLOSING:
            open_.append(place)
        elif kind in (")", "]", "}") and open_:
            open_.pop()
    if not open_ or _CLOSING[error.tokens.kinds[open_[-1]]] == error.tokens.kinds[error.at]:
        return ""
    line, column = places.of(error.tokens.starts[open_[-1]])
    return f"The `{error.tokens.kinds[open_[-1]]}` at line {line}, column {column} is still open"


def _keyword(found: str) -> tuple[str, ...]:
    """Return the clause keyword that a word probably misspells, as a tuple; empty if no keyword is similar."""
    word = found.upper()
    if not word.isalpha() or len(word) < 4 or word in _KEYWORDS:
        return ()
    near = sorted((distance(word, keyword), keyword) for keyword in _KEYWORDS if abs(len(keyword) - len(word)) < 3)
    return tuple(keyword for far, keyword in near if far <= 2)[:1]


def repr_of(found: str) -> str:
    """Return a token for a message: quoted, and shortened if long."""
    if not found:
        return "the end of the query"
    return repr(found if len(found) <= 40 else found[:37] + "…")


def _either(expected: list[str]) -> str:
    """Join what the parser's attempts expected: `["'|' or ']'", "',' or ']'"]` becomes `'|', ',' or ']'`."""
    if len(expected) == 1:
        return expected[0]
    phrases = [text for text in expected if _PHRASE.search(text)]
    tokens = [token for text in expected if text not in phrases for token in _SEPARATOR.split(text)]
    # The last of equal tokens stays: a closing bracket stands at the end of each list.
    different = list(reversed(dict.fromkeys(reversed(tokens))))
    return ", or ".join(filter(None, (either(different, len(different)), *phrases)))


def _habit(error: ParseError) -> tuple[str, tuple[str, ...]]:
    """Return a hint about syntax of another language or version, and replacements for the token; both may be empty."""
    if error.tokens is None:
        return "", ()
    kinds, at = error.tokens.kinds, error.at
    kind = kinds[at]
    after = kinds[at + 1] if at + 1 < len(kinds) else "end"
    newer = "" if error.cypher25 else _newer(kinds, at)
    if newer:
        return f"{newer} needs Cypher 25; this query is read as Cypher 5", ()
    if kind == "GROUP" and after == "BY" and not error.cypher25:
        return "Cypher has no GROUP BY before Cypher 25: the columns beside an aggregate are the grouping keys", ()
    if kind == "HAVING":
        return "Cypher has no HAVING: WITH … AS total WHERE total > 1 filters groups", ()
    if kind == "LIKE" or kind == "ILIKE":
        return "Cypher has no LIKE: use CONTAINS, STARTS WITH, ENDS WITH or =~ with a regular expression", ()
    if kind == "SELECT":
        return "Cypher has no SELECT: MATCH a pattern, then RETURN", ()
    if kind == "=" and at and kinds[at - 1] == "=":
        return "Equality is written with a single =", ("",)
    if kind == "NOT" and after == "IN":
        return "Write NOT x IN xs, with NOT before the whole comparison", ()
    return "", ()


def _newer(kinds: list[str], at: int) -> str:
    """Return the construct of Cypher 25 at this position, to begin a sentence, or an empty string."""
    kind = kinds[at]
    before = kinds[at - 1] if at else ""
    if kind in _NEWER:
        return kind
    if kind == "SEARCH" and kinds[at + 2 : at + 4] == ["IN", "("]:
        return "SEARCH"
    if kind == "FOR" and kinds[at + 2 : at + 3] == ["IN"]:
        return "FOR … IN"
    if kind in _PATH_MODES:
        return kind
    if before in _PATH_MODES and kind in ("(", "PATH", "PATHS"):
        return before
    if kind in ("VECTOR", "UUID") and before in ("::", "TYPED", "<"):
        return f"The type {kind}"
    if kind == "|" and "ALLREDUCE" in kinds[:at]:
        return "allReduce"
    if before == "WHEN" and kinds[at - 2] == "{":
        return "WHEN"
    if kind == "{" and before in ("", "UNION", "ALL", "{"):
        return "A query in braces"
    if kind == "$" and before in ("SHORTEST", "ANY"):
        return "A parameter as the number of paths"
    return ""
