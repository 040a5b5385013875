"""The problems found in imported data: the messages of the first problems, and the number of all problems."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 20


class ImportRefused(ValueError):
    """Data cannot be imported; `problems` holds the messages of the first problems, and `count` is the total number."""

    def __init__(self, problems: Sequence[str], count: int) -> None:
        self.problems, self.count = list(problems), count
        more = f"; and {count - len(self.problems):,} more" if count > len(self.problems) else ""
        super().__init__("; ".join(self.problems) + more)


class Problems:
    """A collector of problems, which raises them together in one error."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self.count = 0

    def add(self, file: str, place: int | None, message: str, counted: str = "line") -> None:
        """Add a problem: `add("movies.csv", 17, "released: '1995-13-01' is not a date")`.

        `place` is the number of a line or row in the file, or None; `counted` is the noun for it, `line` or `row`.
        """
        self.count += 1
        if len(self._first) < SHOWN:
            self._first.append(_placed(file, place, message, counted))

    def raise_any(self) -> None:
        """Raise an error if problems have been collected.

        Raises:
            ImportRefused: there are problems.
        """
        if self.count:
            raise ImportRefused(self._first, self.count)


def refusal(file: str, place: int | None, message: str, counted: str = "line") -> ImportRefused:
    """Return the error for a single problem that stops the import."""
    return ImportRefused([_placed(file, place, message, counted)], 1)


def _placed(file: str, place: int | None, message: str, counted: str) -> str:
    return f"{file}: {message}" if place is None else f"{file}, {counted} {place:,}: {message}"
