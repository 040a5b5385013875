"""The findings about a query: a `Diagnostic` for each, a `Report` for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from graphground.cypher.language import Access

if TYPE_CHECKING:
    from graphground.cypher.edits import Edit
    from graphground.cypher.tree import Query

Severity = Literal["error", "warning", "hint"]
LONGEST_SPAN, LONGEST_MESSAGE = 400, 2_000
"""The maximum number of characters of a span of the query, and of a message, that a tool's answer contains."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, with its position in the query.

    `MATCH (m:Movi) RETURN m.name` yields
    `Diagnostic("unknown_label", "error", "…", line=1, column=10, end_line=1, end_column=14,
    found="Movi", suggestions=("Movie",))`.

    Lines and columns count from 1; the end is just past the last character. `suggestions` are ready to
    paste in place of the span, best first.
    """

    code: str
    severity: Severity
    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    found: str = ""
    suggestions: Sequence[str] = ()
    edits: Sequence[Edit] = field(default=(), repr=False, compare=False)
    """The edits that fix the problem, if the fix is clear; not included in tool answers."""

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form for tool answers: long spans and messages are cut, long suggestions are left out."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": cut_inside(self.message, LONGEST_MESSAGE),
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "found": cut(self.found, LONGEST_SPAN),
            "suggestions": [text for text in self.suggestions if len(text) <= LONGEST_MESSAGE],
        }


def cut(text: str, most: int) -> str:
    """Shorten a text that is longer than `most` characters: `cut("abcdef", 4)` is `abc…`."""
    return text if len(text) <= most else text[: most - 1] + "…"


def cut_inside(text: str, most: int) -> str:
    """Cut the middle out of a text longer than `most`: `cut_inside("no label 'aaaaaaa'", 15)` is `no label …aaaa'`.

    The end of a message says what to do, so it must survive a long name in the middle.
    """
    if len(text) <= most:
        return text
    end = most // 3
    return text[: most - end - 1] + "…" + text[len(text) - end :]


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on a query: `valid` is true when no diagnostic is an error.

    `suggested_query` is the repaired query, or None if no repair is clear.
    """

    valid: bool
    access: Access
    diagnostics: tuple[Diagnostic, ...]
    suggested_query: str | None = None
    query: Query | None = field(default=None, repr=False, compare=False)
    """The syntax tree, kept so that the text is parsed only once; None if the text cannot be parsed."""
    compiles: bool = True
    """Whether the database would compile the query, regardless of schema and access rights."""

    def edits(self) -> list[Edit]:
        """Return the edits of all findings whose fix is clear."""
        return [edit for diagnostic in self.diagnostics for edit in diagnostic.edits]
