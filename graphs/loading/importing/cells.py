"""Converts text cells to typed values, and infers the type that fits all cells of a column.

    >>> type_of_column(["1", "2", ""]), type_of_column(["007", "12"]), type_of_column(["1", "2.5"])
    ('int', 'str', 'float')

A column stays text if a number in it has a needless leading zero, a leading plus sign or too many digits before the
point, because parsing would lose them. An empty cell means that the property is missing.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any

from graphground.graphs.loading.importing.values import LARGEST

_INT = re.compile(r"-?[1-9]\d{0,18}|0").fullmatch
_FLOAT = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:[eE][+-]?\d{1,3})?").fullmatch
_DATE = re.compile(r"\d{4}-\d\d-\d\d").fullmatch
_DATETIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?").fullmatch
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
SEPARATOR = ";"


def _int(text: str) -> int:
    if not _INT(text) or not -LARGEST <= (number := int(text)) < LARGEST:
        raise ValueError("not a 64-bit whole number")
    return number


def _float(text: str) -> float:
    if not _FLOAT(text) or not isfinite(number := float(text)):
        raise ValueError("not a number")
    return number


def _bool(text: str) -> bool:
    if text not in _BOOLS:
        raise ValueError("neither true nor false")
    return _BOOLS[text]


def _date(text: str) -> str:
    if not _DATE(text):
        raise ValueError("not a date such as 1995-12-15")
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        raise ValueError("not a calendar day") from None
    return text


def _datetime(text: str) -> str:
    if not _DATETIME(text):
        raise ValueError("not a time such as 1995-12-15T20:00:00")
    try:
        return datetime.datetime.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError("not a valid time") from None


SCALARS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "int": _int,
    "float": _float,
    "bool": _bool,
    "date": _date,
    "datetime": _datetime,
}
NARROW_FIRST = ("int", "float", "bool", "date", "datetime")


def reader_of(type_: str) -> Callable[[str], Any]:
    """Return the function that parses cells of a type.

    For an invalid cell the function raises a ValueError, for example `not a date such as 1995-12-15`.

    >>> reader_of("list[int]")("1; 2")
    [1, 2]
    """
    if type_.startswith("list["):
        inner = SCALARS[type_[5:-1]]
        return lambda text: [inner(part.strip()) for part in text.split(SEPARATOR) if part.strip()]
    return SCALARS[type_]


class ColumnType:
    """The narrowest type that fits all cells added so far."""

    def __init__(self) -> None:
        self._possible = list(NARROW_FIRST)
        self.is_empty = True
        self._seen: set[str] = set()

    def add(self, cells: Iterable[str]) -> None:
        """Add cells of the column."""
        if not self._possible:
            return
        for text in set(cells) - self._seen:
            if text:
                self.is_empty = False
                self._possible = [name for name in self._possible if _reads(name, text)]
                if not self._possible:
                    return

    @property
    def name(self) -> str:
        """The name of the type; `str` if no narrower type fits or all cells are empty."""
        return self._possible[0] if self._possible and not self.is_empty else "str"


def _reads(name: str, text: str) -> bool:
    try:
        SCALARS[name](text)
    except ValueError:
        return False
    return True


def type_of_column(cells: Iterable[str]) -> str:
    """Return the narrowest type that fits all cells of a column."""
    column = ColumnType()
    column.add(cells)
    return column.name
