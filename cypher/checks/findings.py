"""What the checks find: diagnostics, and the edits that would mend them where the mending is clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from graphground.cypher.diagnostics import Diagnostic, Severity
from graphground.cypher.edits import Edit
from graphground.cypher.tree import Query
from graphground.cypher.work import MOST_FINDINGS, check_work


class Enough(Exception):
    """So much is wrong that the rest is not looked at."""


@dataclass
class Findings:
    """Diagnostics in the order of the checks, with the clear edits."""

    query: Query
    diagnostics: list[Diagnostic] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    unmended: int = 0
    """How many errors have no clear edit."""
    errors: int = 0

    def add(self, code: str, severity: Severity, message: str, start: int, end: int,
            suggestions: Sequence[str] = (), *, clear: bool = False, edits: Sequence[Edit] = ()) -> None:
        """One finding at `text[start:end]`. `clear` says that the first suggestion is the mending.

        Warnings and hints past `MOST_FINDINGS` are left out.

        Raises:
            Enough: there are that many errors.
        """
        check_work()
        if severity == "error":
            self.errors += 1
            if self.errors > MOST_FINDINGS:
                self.unmended += 1
                raise Enough
        elif len(self.diagnostics) - self.errors >= MOST_FINDINGS:
            return
        line, column = self.query.position(start)
        end_line, end_column = self.query.position(end)
        self.diagnostics.append(Diagnostic(code, severity, message, line, column, end_line, end_column,
                                           self.query.text[start:end], tuple(suggestions)))
        if edits:
            self.edits += edits
        elif clear and suggestions:
            self.edits.append(Edit(start, end, suggestions[0]))
        elif severity == "error":
            self.unmended += 1

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.diagnostics)


def listed(words: Sequence[str], most: int = 8) -> str:
    """Words for a message: `listed(["a", "b"])` is `a, b`; past `most` it counts the rest."""
    if len(words) <= most:
        return ", ".join(words)
    return f"{', '.join(words[:most])} and {len(words) - most} more"
