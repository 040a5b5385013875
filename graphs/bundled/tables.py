"""Reads a folder of source tables: CSV rows with their positions, and the short notations in their cells.

>>> parse_stint("CLE 2003-2010 #23")
Stint(team='CLE', start=2003, end=2010, number=23)
>>> feet_to_cm("6-9")
206.0
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources.abc import Traversable

from graphground.cypher.wording import counted

STINT = re.compile(r"(?P<team>[A-Z]{3}) (?P<start>\d{4})(?P<open>-(?P<end>\d{4})?)?(?: #(?P<number>\d{1,2}))?")
FEET = re.compile(r"(?P<feet>\d)-(?P<inches>\d{1,2})")


class TableError(ValueError):
    """An invalid cell or line of a table; the message describes the problem, and its place if that is known."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: `row["name"]` is a cell, `row.many("aliases")` is a cell split at each `;`."""

    place: str
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def many(self, column: str) -> list[str]:
        """Return a cell split at each `;`: `Shaq;Diesel` becomes `["Shaq", "Diesel"]`."""
        return [part.strip() for part in self.cells[column].split(";") if part.strip()]

    def number(self, column: str) -> int | None:
        """Return a cell as a whole number; None for an empty cell. Raise a `TableError` for any other text."""
        text = self.cells[column]
        if not text:
            return None
        if not text.isdecimal():
            raise self.wrong(column, "is not a whole number")
        return int(text)

    def day(self, column: str) -> str | None:
        """Return a date as ISO 8601 text; None for an empty cell. Raise a `TableError` for any other text."""
        text = self.cells[column]
        if not text:
            return None
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError:
            raise self.wrong(column, "is not a date such as 1984-12-30") from None

    def wrong(self, column: str, why: str) -> TableError:
        """Return the error for an invalid cell: `players.csv line 7: born '1984-13-30' is not a date`.

        `why` is the end of the message: `is not a date`.
        """
        return TableError(f"{self.place}: {column} {self.cells[column]!r} {why}")


@dataclass(frozen=True, slots=True)
class Stint:
    """A player's time with a team, from the year `start` to the year `end`.

    `end` is None if the time had not ended when the tables were written. `number` is the number on the shirt, or None
    if the table does not state it.
    """

    team: str
    start: int
    end: int | None
    number: int | None


def read_table(folder: Traversable, name: str) -> list[Row]:
    """Return the rows of `<folder>/<name>.csv`.

    Raises:
        TableError: a line has fewer or more cells than the header.
    """
    return list(_rows(name, (folder / f"{name}.csv").read_text(encoding="utf-8")))


def _rows(name: str, text: str) -> Iterator[Row]:
    reader = csv.reader(text.splitlines(), strict=True)
    header = next(reader)
    for cells in reader:
        place = f"{name}.csv line {reader.line_num}"
        if len(cells) != len(header):
            raise TableError(f"{place}: {counted(len(cells), 'cell')} where the header has {len(header)}")
        yield Row(place, dict(zip(header, (cell.strip() for cell in cells), strict=True)))


def parse_stint(text: str) -> Stint:
    """Parse `TEAM START-END #NUMBER`: `LAL 2018-` has not ended, `CHI 1999` began and ended in the same year.

    Raises:
        TableError: the text has another form.
    """
    found = STINT.fullmatch(text)
    if found is None:
        raise TableError(f"{text!r} is not a stint such as 'CLE 2003-2010 #23', 'LAL 2018-' or 'LAL 1996 #32'")
    start = int(found["start"])
    end = start if found["open"] is None else int(found["end"]) if found["end"] else None
    return Stint(found["team"], start, end, int(found["number"]) if found["number"] else None)


def feet_to_cm(text: str) -> float:
    """Convert feet and inches to whole centimetres: `7-1` is 216.0. Raise a `TableError` for any other text."""
    found = FEET.fullmatch(text)
    if found is None or int(found["inches"]) > 11:
        raise TableError(f"{text!r} is not a height such as 6-9")
    return float(round((int(found["feet"]) * 12 + int(found["inches"])) * 2.54))


def pounds_to_kg(pounds: int) -> float:
    """Convert pounds to whole kilograms: 250 is 113.0."""
    return float(round(pounds * 0.45359237))


def slug(name: str) -> str:
    """Return a name in the form that ids use: `Nikola Jokić` becomes `nikola-jokic`."""
    plain = unicodedata.normalize("NFKD", name.replace("–", "-").replace("ı", "i")).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower().replace("'", "")).strip("-")
