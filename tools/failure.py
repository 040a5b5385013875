"""Failures of tools, which always have the same fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphground.cypher.diagnostics import Diagnostic


class ToolFailure(Exception):
    """A tool failed.

    `unknown_graph`, "There is no graph 'nab'.", nearest `["nba"]`, next "Call list_graphs …".
    `nearest` holds valid inputs ready to paste, best first; `next` is the call to make now;
    `diagnostics` says where in a query it failed.
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
        super().__init__(message)
        self.error, self.message, self.nearest, self.next = error, message, list(nearest), next
        self.diagnostics = list(diagnostics)

    def as_dict(self) -> dict[str, Any]:
        """The failure as JSON fields."""
        return {
            "error": self.error,
            "message": self.message,
            "nearest": self.nearest,
            "next": self.next,
            "diagnostics": [diagnostic.as_dict() for diagnostic in self.diagnostics],
        }
