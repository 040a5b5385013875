"""Derives units from property names: `runtime_minute` is in minutes, `area_km2` in square kilometres."""

from __future__ import annotations

from graphground.cypher.names.words import word_lists

UNITS: dict[str, str] = word_lists()["units"]
"""Units of measurement by the last word of a property's name."""

CALENDAR_YEAR = "a calendar year"
NUMBERS = frozenset({"int", "float", "int|float", "float|int", "unknown"})


def unit_of(name: str, type_: str = "float") -> str | None:
    """Return the unit of a property in words, or None if it has no unit; only numbers have a unit.

    >>> unit_of("runtime_minute"), unit_of("discharge_m3_s"), unit_of("launch_year", "int")
    ('in minutes', 'in cubic metres per second', 'a calendar year')
    """
    if type_ not in NUMBERS:
        return None
    words = name.lower().split("_")
    if words[-1] == "year":
        return CALENDAR_YEAR
    if len(words) < 2:
        return None
    if len(words) > 2 and words[-1] in ("s", "h") and words[-2] in UNITS:
        return f"in {UNITS[words[-2]]} per {'second' if words[-1] == 's' else 'hour'}"
    if len(words) > 3 and words[-2] == "per" and words[-3] in UNITS and words[-1] in UNITS:
        return f"in {UNITS[words[-3]]} per {UNITS[words[-1]].rstrip('s')}"
    unit = UNITS.get(words[-1])
    return f"in {unit}" if unit else None
