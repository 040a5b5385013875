"""The problems found in imported data: the first ones in full, and their number."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 20


class ImportRefused(ValueError):
    """Data that cannot be imported; `problems` holds the first ones, `count` is the number of all."""

    def __init__(self, problems: Sequence[str], count: int) -> None:
        self.problems, self.count = list(problems), count
        more = f"; and {count - len(self.problems):,} more" if count > len(self.problems) else ""
        super().__init__("; ".join(self.problems) + more)


class Problems:
    """Collects problems; `raise_any` raises them together."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self.count = 0

    def add(self, file: str, line: int | None, message: str) -> None:
        """Add a problem: `add("movies.csv", 17, "released: '1995-13-01' is not a date")`."""
        self.count += 1
        if len(self._first) < SHOWN:
            self._first.append(f"{file}, line {line:,}: {message}" if line is not None else f"{file}: {message}")

    def raise_any(self) -> None:
        """Raise the collected problems, if any.

        Raises:
            ImportRefused: something has.
        """
        if self.count:
            raise ImportRefused(self._first, self.count)
