"""What is said of a query: one `Diagnostic` per finding, a `Report` for the whole."""

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
"""Characters of a span of the query, and of a message, that an answer repeats."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, with its place in the query.

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
    """What would fix it, where that is clear; tools do not answer with it."""

    def as_dict(self) -> dict[str, Any]:
        """The JSON form that tools answer with; a span, message or suggestion of thousands of letters is cut."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": cut(self.message, LONGEST_MESSAGE),
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "found": cut(self.found, LONGEST_SPAN),
            "suggestions": [text for text in self.suggestions if len(text) <= LONGEST_MESSAGE],
        }


def cut(text: str, most: int) -> str:
    """The beginning of a text that is longer than `most`: `cut("abcdef", 4)` is `abc…`."""
    return text if len(text) <= most else text[: most - 1] + "…"


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on a query: `valid` is true when no diagnostic is an error.

    `suggested_query` is the least change of the query that is valid, or None where no repair is clear.
    """

    valid: bool
    access: Access
    diagnostics: tuple[Diagnostic, ...]
    suggested_query: str | None = None
    query: Query | None = field(default=None, repr=False, compare=False)
    """The tree, so that the text is parsed only once; None where it cannot be parsed."""
    compiles: bool = True
    """Whether the language alone allows the text, whatever the schema and the right to write say of it."""

    def edits(self) -> list[Edit]:
        """What would fix the query, as far as it is clear."""
        return [edit for diagnostic in self.diagnostics for edit in diagnostic.edits]
