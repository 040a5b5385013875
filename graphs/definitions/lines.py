"""Finds the lines on which the keys of a TOML text are set: the standard library's parser does not report lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\"' -]+?)\s*=")
_INNER = re.compile(r"[{,]\s*([A-Za-z0-9_-]+)\s*=")
Path = tuple[str | int, ...]


class Lines:
    """The lines of a text's keys: `Lines(text).of(("nodes", "Movie", "wikidata"))` is a line number, counted from 1."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Path, int] = {}
        table: Path = ()
        counts: dict[Path, int] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if header := _HEADER.match(line):
                table = _keys(header[2])
                if header[1] == "[[":
                    counts[table] = counts.get(table, -1) + 1
                    table = (*table, counts[table])
                else:
                    table = self._within_list(table, counts)
                self._add(table, number)
            elif key := _KEY.match(line):
                path = (*table, *_keys(key[1]))
                self._add(path, number)
                for inner in _INNER.finditer(line, key.end()):
                    self._add((*path, inner[1]), number)

    def of(self, path: Sequence[str | int]) -> int:
        """Return the number of the line that sets a key.

        If no line sets the key, return the line of the innermost enclosing table that the text contains; if it contains
        none of the enclosing tables, return 1.
        """
        for length in range(len(path), 0, -1):
            if found := self._lines.get(tuple(path[:length])):
                return found
        return 1

    def _add(self, path: Path, number: int) -> None:
        for length in range(1, len(path) + 1):
            self._lines.setdefault(path[:length], number)

    @staticmethod
    def _within_list(table: Path, counts: dict[Path, int]) -> Path:
        """Insert the list position that the header `[relationships.properties]` leaves out.

        `("relationships", "properties")` becomes `("relationships", 2, "properties")` after the third relationship.
        """
        for length in range(1, len(table)):
            if table[:length] in counts:
                return (*table[:length], counts[table[:length]], *table[length:])
        return table


def _keys(text: str) -> Path:
    return tuple(part.strip().strip("\"'") for part in text.split("."))
