"""What is said of a query: one `Diagnostic` per finding, a `Report` for the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from graphground.cypher.tree import Query

Severity = Literal["error", "warning", "hint"]
Access = Literal["read", "write", "schema", "admin"]


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

    def as_dict(self) -> dict[str, Any]:
        """The JSON form that tools answer with."""
        return {**asdict(self), "suggestions": list(self.suggestions)}


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
    """The tree, so that nobody parses the text again; None where it cannot be parsed."""
    compiles: bool = True
    """Whether the language alone allows the text, whatever the schema and the right to write say of it."""
