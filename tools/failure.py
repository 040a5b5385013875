"""Failures of tools; all failures have the same fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphground.cypher.diagnostics import LONGEST_MESSAGE, Diagnostic, cut_inside

LONGEST_INPUT, MOST_INPUTS = 10_000, 100
"""The maximum number of characters of a valid input that a failure suggests, and the maximum number of inputs that it
suggests."""


class ToolFailure(Exception):
    """The failure of a tool call.

    Example: `unknown_graph`, "There is no graph 'nab'.", nearest `["nba"]`, next "Call list_graphs …".
    `nearest` holds valid inputs ready to paste, best first; `next` says which call to make now; `diagnostics` holds the
    findings in a query, with their positions. A failure may repeat the caller's text, so a message is shortened to
    `LONGEST_MESSAGE` characters, and valid inputs longer than `LONGEST_INPUT` are left out, because a shortened input
    could not be pasted.
    """

    def __init__(
        self,
        error: str,
        message: str,
        *,
        nearest: Sequence[str] = (),
        next: str = "",
        diagnostics: Iterable[Diagnostic] = (),
    ):
        self.error, self.message = error, cut_inside(message, LONGEST_MESSAGE)
        self.nearest = [text for text in nearest if len(text) <= LONGEST_INPUT][:MOST_INPUTS]
        self.next = cut_inside(next, LONGEST_MESSAGE)
        super().__init__(self.message)
        self.diagnostics = list(diagnostics)

    def as_dict(self) -> dict[str, Any]:
        """Return the failure as JSON fields."""
        return {
            "error": self.error,
            "message": self.message,
            "nearest": self.nearest,
            "next": self.next,
            "diagnostics": [diagnostic.as_dict() for diagnostic in self.diagnostics],
        }
