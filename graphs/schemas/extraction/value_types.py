"""Translates the type names of databases to property types: `LIST<STRING NOT NULL> NOT NULL` is `list[str]`."""

from __future__ import annotations

import re
from collections.abc import Iterable

SCALARS = {
    "string": "str",
    "str": "str",
    "char": "str",
    "character": "str",
    "long": "int",
    "integer": "int",
    "int": "int",
    "short": "int",
    "byte": "int",
    "double": "float",
    "float": "float",
    "decimal": "float",
    "number": "float",
    "boolean": "bool",
    "bool": "bool",
    "date": "date",
    "localdate": "date",
    "datetime": "datetime",
    "localdatetime": "datetime",
    "zoneddatetime": "datetime",
    "offsetdatetime": "datetime",
    "zoned datetime": "datetime",
    "local datetime": "datetime",
    "datetime_micros": "datetime",
    "datetime_nanos": "datetime",
    "datetime_second": "datetime",
    "timestamp with time zone": "datetime",
    "timestamp without time zone": "datetime",
    "instant": "datetime",
    "time": "time",
    "localtime": "time",
    "zoned time": "time",
    "local time": "time",
    "offsettime": "time",
    "time with time zone": "time",
    "time without time zone": "time",
    "duration": "duration",
    "period": "duration",
    "point": "point",
    "pointvalue": "point",
    "point2d": "point",
    "point3d": "point",
    "list": "list[unknown]",
}
EMPTY_LIST = "list[]"
"""The type of an empty list, whose element type is unknown. Any other list type of the same property replaces it."""

_LIST = re.compile(r"list\s*<(.*)>\Z", re.IGNORECASE)


def property_type(name: str) -> str | None:
    """Return the property type for a database's type name: None for null, `unknown` for an unknown name.

    >>> property_type("StringArray"), property_type("ZONED DATETIME NOT NULL"), property_type("INTEGER | FLOAT")
    ('list[str]', 'datetime', 'float|int')
    """
    text = re.sub(r"\s+NOT NULL\Z", "", name.strip(), flags=re.IGNORECASE)
    if " | " in text and not text.upper().startswith("LIST"):
        return merged(property_type(part) for part in text.split(" | "))
    lower = text.lower()
    if lower in ("null", "nothing", ""):
        return None
    found = _LIST.match(text)
    if found:
        inner = property_type(found.group(1))
        if found.group(1).strip().upper().startswith("NOTHING"):
            return EMPTY_LIST
        return list_of(inner or "unknown")
    if lower.endswith("array"):
        return list_of(SCALARS.get(lower[:-5], "unknown"))
    return SCALARS.get(lower, "unknown")


def list_of(inner: str) -> str:
    """Return the type of a list with elements of type `inner`: `list[str]`; `list[unknown]` for mixed elements."""
    return f"list[{inner}]" if inner in SCALARS.values() else "list[unknown]"


def merged(types: Iterable[str | None]) -> str | None:
    """Join types into one type name, in a fixed order: `int|str` for mixed values; None if there are none.

    >>> merged(["str", "int", "str"]), merged(["list[]", "list[str]"]), merged(["list[]"])
    ('int|str', 'list[str]', 'list[unknown]')
    """
    found = {part for type_ in types if type_ for part in type_.split("|")}
    if not found:
        return None
    if EMPTY_LIST in found:
        found.discard(EMPTY_LIST)
        if not any(part.startswith("list[") for part in found):
            found.add("list[unknown]")
    if "unknown" in found:
        return "unknown"
    return "|".join(sorted(found))
