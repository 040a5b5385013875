"""Dates outside the years 1 to 9999, which databases can store but Python's drivers cannot represent.

A driver returns such a date as a packed structure, whose tag says what its fields are: `D` days since 1970-01-01; `d`
seconds and nanoseconds; `I` seconds, nanoseconds and the offset from UTC in seconds; `i` seconds, nanoseconds and the
name of a time zone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

DAYS_OF_400_YEARS = 146_097
DAYS_TO_1970 = 719_468
"""Days from 0000-03-01, the first day of a 400-year cycle of the calendar, to 1970-01-01."""


def iso_date(days: int) -> str:
    """Return the date that lies `days` days after 1970-01-01, as ISO 8601 text, in the proleptic Gregorian calendar.

    >>> iso_date(0), iso_date(-735_525)
    ('1970-01-01', '-0044-03-15')
    """
    era, day_of_era = divmod(days + DAYS_TO_1970, DAYS_OF_400_YEARS)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month_from_march + 2) // 5 + 1
    month = month_from_march + 3 if month_from_march < 10 else month_from_march - 9
    year = era * 400 + year_of_era + (1 if month <= 2 else 0)
    return f"{'-' if year < 0 else ''}{abs(year):04}-{month:02}-{day:02}"


def iso_structure(tag: bytes, fields: Sequence[Any]) -> str:
    """Return the date, or the date and time, in a driver's packed structure as ISO 8601 text.

    For an unknown tag, return the tag and the fields as the text of a list.
    """
    if tag == b"D":
        return iso_date(fields[0])
    if tag in (b"d", b"I", b"i"):
        offset = fields[2] if tag == b"I" else 0
        days, seconds = divmod(fields[0] + offset, 86_400)
        text = f"{iso_date(days)}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fields[1]:09}"
        if tag == b"d":
            return text
        if tag == b"i":
            return f"{text}Z[{fields[2]}]"
        return text + f"{'-' if offset < 0 else '+'}{abs(offset) // 3600:02}:{abs(offset) // 60 % 60:02}"
    return str([tag.decode("ascii", "replace"), *fields])
