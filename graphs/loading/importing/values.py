"""Values of properties: their types, and their form in a SimpleKG file.

>>> type_of([1, 2.5]), merged("int", "float"), merged("str", "int"), as_type([1, 2], "list[float]")
('list[float]', 'float', 'int|str', [1.0, 2.0])
"""

from __future__ import annotations

import datetime
import json
from functools import reduce
from math import isfinite
from typing import Any


class TimeText(str):
    """A text in the ISO form of a time: a `datetime`, unless other values of the property are plain texts."""

    __slots__ = ()


SCALARS = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    datetime.date: "date",
    datetime.datetime: "datetime",
    TimeText: "datetime",
}
EXACT = {kind: name for kind, name in SCALARS.items() if kind not in (int, float)}
"""Python types that alone decide the property type; for a number, the value matters too: it may be too large."""
LARGEST = 1 << 63
"""The smallest whole number above those of 64 bits."""


def type_of(value: Any) -> str | None:
    """Return the property type of a value; None for a missing value: null, an empty list, NaN or infinity.

    A whole number beyond 64 bits, a time of day, a duration, a point and a map have the type `str`.
    """
    kind = type(value)
    if kind in EXACT:
        return EXACT[kind]
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return None
    if isinstance(value, list | tuple):
        types = {found for part in value if (found := type_of(part)) is not None}
        if not types:
            return None
        nested = any(found.startswith("list[") for found in types)
        return "list[str]" if nested else f"list[{reduce(merged, sorted(types))}]"
    if kind is int and not -LARGEST <= value < LARGEST:
        return "str"
    return SCALARS.get(kind, "str")


def merged(first: str, second: str) -> str:
    """Return the type that covers two types: float for an integer and a float, a list for a list and a single value."""
    if first == second:
        return first
    if first.startswith("list[") or second.startswith("list["):
        return f"list[{merged(_inner(first), _inner(second))}]"
    parts = {*first.split("|"), *second.split("|")}
    return "|".join(sorted(parts - {"int"} if "float" in parts else parts))


def as_type(value: Any, type_: str) -> Any:
    """Convert a value to a property type; None for a missing value."""
    found = type_of(value)
    if found is None:
        return None
    if type_.startswith("list["):
        parts = value if isinstance(value, list | tuple) else [value]
        return [as_type(part, type_[5:-1]) for part in parts if type_of(part) is not None]
    if type(value) is str:
        return value
    if isinstance(value, TimeText):  # a text among other texts stays as it was written
        return str(value) if "str" in type_ else datetime.datetime.fromisoformat(value).isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if type(value) is int and "float" in type_:
        return float(value)
    return value if found in ("int", "float", "bool") and type_ != "str" else text_of(value)


def text_of(value: Any) -> str:
    """Return a value of any kind as text.

    >>> text_of("a"), text_of(1.5), text_of(True), text_of({"x": 1})
    ('a', '1.5', 'true', '{"x": 1}')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=text_of)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _inner(type_: str) -> str:
    return type_[5:-1] if type_.startswith("list[") else type_
