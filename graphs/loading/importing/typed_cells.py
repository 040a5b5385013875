"""Converts typed cells of Parquet files and frames to the types that a mapping names.

    >>> read_cell(1995, "float"), read_cell(3.0, "int"), read_cell("1995", "int"), read_cell([1, None], "list[str]")
    (1995.0, 3, 1995, ['1'])

Text is parsed like a cell of a CSV file, so that one mapping serves both formats.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from math import isfinite
from typing import Any

from graphground.graphs.loading.importing.cells import reader_of
from graphground.graphs.loading.importing.values import LARGEST, text_of


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A cell without a Python value, such as a day in the year 12000; messages show it as `text`."""

    text: str

    def __str__(self) -> str:
        return self.text


def typed_reader(type_: str) -> partial[Any]:
    """Return the function that converts a typed cell to a property type."""
    return partial(read_cell, type_=type_)


def read_cell(value: Any, type_: str) -> Any:
    """Convert a typed cell to a property value.

    Raises:
        ValueError: the cell cannot be converted without loss: `not a 64-bit whole number`.
    """
    if isinstance(value, Unreadable):
        raise ValueError(f"a value of type {type_.removeprefix('list[').rstrip(']')} that cannot be stored")
    if isinstance(value, str):
        return reader_of(type_)(value)
    if type_.startswith("list["):
        return [
            read_cell(part, type_[5:-1]) for part in (value if isinstance(value, list) else [value]) if part is not None
        ]
    match type_:
        case "str":
            return text_of(value)
        case "int":
            return _int(value)
        case "float":
            return _float(value)
        case "bool" if isinstance(value, bool):
            return value
        case "date" if isinstance(value, datetime.date):
            return _date(value)
        case "datetime" if isinstance(value, datetime.datetime):
            return value.isoformat()
    raise ValueError(f"not a value of type {type_}")


def _int(value: Any) -> int:
    is_whole = isinstance(value, int | float | Decimal) and not isinstance(value, bool) and value == value // 1
    if not is_whole or not -LARGEST <= (number := int(value)) < LARGEST:
        raise ValueError("not a 64-bit whole number")
    return number


def _float(value: Any) -> float:
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    if not is_number or not isfinite(number := float(value)):
        raise ValueError("not a finite number")
    return number


def _date(value: datetime.date) -> str:
    if isinstance(value, datetime.datetime):
        if value.time() != datetime.time():
            raise ValueError("a time, not a date")
        value = value.date()
    return value.isoformat()


def key_text(value: Any) -> str:
    """Return an id, a name or a description as text; whole numbers have no fraction.

    >>> key_text(12), key_text(12.0), key_text("012")
    ('12', '12', '012')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return text_of(value)
