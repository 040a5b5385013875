"""What is wrong with data that is being imported: each place once, the first of many, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 20


class ImportRefused(ValueError):
    """Data that cannot be imported; `problems` are the first, `count` is of all."""

    def __init__(self, problems: Sequence[str], count: int) -> None:
        self.problems, self.count = list(problems), count
        more = f"; and {count - len(self.problems):,} more" if count > len(self.problems) else ""
        super().__init__("; ".join(self.problems) + more)


class Problems:
    """Collects what is wrong; `raise_any` raises it together."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self.count = 0

    def add(self, file: str, line: int | None, message: str) -> None:
        """Note one more: `add("movies.csv", 17, "released: '1995-13-01' is no date")`."""
        self.count += 1
        if len(self._first) < SHOWN:
            self._first.append(f"{file}, line {line:,}: {message}" if line is not None else f"{file}: {message}")

    def raise_any(self) -> None:
        """Raise what has been noted.

        Raises:
            ImportRefused: something has.
        """
        if self.count:
            raise ImportRefused(self._first, self.count)
