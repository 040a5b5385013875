"""Dates and times as text: ISO 8601 in one canonical form, read exactly or refused.

    >>> read_datetime("2024-07-01 09:00+0200"), read_datetime("2024-07-01T09:00:00[Europe/Paris]")
    ('2024-07-01T09:00:00+02:00', '2024-07-01T09:00:00+02:00[Europe/Paris]')

A date and time has an offset from UTC, a named zone, or neither; without one it is a local time, which databases do not
compare with zoned times. Seconds have up to nine decimals. Years are those of the proleptic Gregorian calendar, with
the year 0; years before 0 and after 9999 have a sign. Python's own types hold neither these years nor nanoseconds.

`iso_structure` writes the values that a driver could not represent.
"""

from __future__ import annotations

import datetime
import re
from calendar import isleap
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAYS_OF_400_YEARS = 146_097
DAYS_TO_1970 = 719_468
"""Days from 0000-03-01, the first day of a 400-year cycle of the calendar, to 1970-01-01."""
SECONDS_OF_400_YEARS = DAYS_OF_400_YEARS * 86_400
FIRST_SECOND, LAST_SECOND = -62_000_000_000, 253_000_000_000
"""Seconds from 1970-01-01 to a moment in the year 5, and to one in the year 9987: Python's years, with a margin."""
MAX_OFFSET_HOURS = 18
_DAY = r"(\d{4}|-\d{4}|[+-][1-9]\d{4,8})-(\d\d)-(\d\d)"
_CLOCK = r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?"
_OFFSET = r"(Z|[+-]\d\d(?::?\d\d)?(?::\d\d)?)?"
_DATE = re.compile(_DAY, re.ASCII).fullmatch
_TIME = re.compile(_CLOCK + _OFFSET, re.ASCII).fullmatch
_DATETIME = re.compile(rf"{_DAY}[T ]{_CLOCK}{_OFFSET}(?:\[([A-Za-z][A-Za-z0-9_+/-]*)\])?", re.ASCII).fullmatch
_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def read_date(text: str) -> str:
    """Return a date in canonical form: `1995-12-15`, `-0044-03-15`.

    Raises:
        ValueError: the text is `not a date such as 1995-12-15`, or `not a calendar day`.
    """
    match = _DATE(text)
    if match is None:
        raise ValueError("not a date such as 1995-12-15")
    return _day(*match.groups())


def read_time(text: str) -> str:
    """Return a time of day in canonical form: `09:00:00`, `09:00:00.5+02:00`.

    Raises:
        ValueError: the text is `not a time such as 09:00:00 or 09:00:00+02:00`, or `not a valid time`.
    """
    match = _TIME(text)
    if match is None:
        raise ValueError("not a time such as 09:00:00 or 09:00:00+02:00")
    hour, minute, second, fraction, offset = match.groups()
    return _clock(hour, minute, second, fraction) + _offset(offset)


def read_datetime(text: str) -> str:
    """Return a date and time in canonical form: `2024-07-01T09:00:00`, `…T09:00:00.5Z`, `…+02:00[Europe/Paris]`.

    Raises:
        ValueError: the text is `not a time such as 1995-12-15T20:00:00Z`, not a calendar day, not a valid time, or in a
            named zone that is unknown, does not have that offset or skips that time.
    """
    match = _DATETIME(text)
    if match is None:
        raise ValueError("not a time such as 1995-12-15T20:00:00Z")
    year, month, day, hour, minute, second, fraction, offset, zone = match.groups()
    date, clock = _day(year, month, day), _clock(hour, minute, second, fraction)
    if zone is None:
        return f"{date}T{clock}{_offset(offset)}"
    given = None if offset is None else _offset(offset, in_zone=True)
    return f"{date}T{clock}{_zone_offset(int(year), f'{month}-{day}T{clock[:8]}', zone, given)}[{zone}]"


class NotInCalendar(ValueError):
    """A text in the form of a date or time that no calendar or clock has, such as 2023-02-29 or 25:00:00."""


READERS = {"date": read_date, "time": read_time, "datetime": read_datetime}
"""The functions that read text as values of these property types."""


def is_zoned(text: str) -> bool:
    """Return whether a canonical time, or date and time, has a zone.

    >>> is_zoned("2024-07-01T09:00:00+02:00"), is_zoned("-0044-03-15T09:00:00")
    (True, False)
    """
    clock = text[text.find("T") + 1 :]
    return clock.endswith(("Z", "]")) or "+" in clock or "-" in clock


def kind_of(text: str) -> str:
    """Return the property type of a canonical date or time.

    >>> kind_of("1995-12-15"), kind_of("09:00:00"), kind_of("2024-07-01T09:00:00Z")
    ('date', 'time', 'datetime')
    """
    if ":" not in text:
        return "date"
    return "time" if text[2] == ":" else "datetime"


def function_for(text: str) -> str:
    """Return the Cypher function that makes a value from a canonical date or time.

    >>> function_for("2024-07-01T09:00:00"), function_for("09:00:00Z")
    ('localdatetime', 'time')
    """
    kind = kind_of(text)
    return kind if kind == "date" or is_zoned(text) else f"local{kind}"


def temporal_types(property_type: str) -> frozenset[str]:
    """Return the types of dates and times that a property type allows; none if it allows texts too.

    >>> sorted(temporal_types("list[date|datetime]")), temporal_types("date|str")
    (['date', 'datetime'], frozenset())
    """
    parts = frozenset(property_type.removeprefix("list[").removesuffix("]").split("|"))
    return frozenset() if parts & {"str", "unknown"} else parts & READERS.keys()


def _day(year: str, month: str, day: str) -> str:
    number = int(month)
    if not 1 <= number <= 12 or not 1 <= int(day) <= _MONTHS[number - 1] + (number == 2 and isleap(int(year))):
        raise NotInCalendar("not a calendar day")
    if year == "-0000":
        raise ValueError("not a calendar day: the year 0 has no sign")
    return f"{year}-{month}-{day}"


def _clock(hour: str, minute: str, second: str | None, fraction: str | None) -> str:
    if hour > "23" or minute > "59" or (second or "00") > "59":
        raise NotInCalendar("not a valid time")
    fraction = (fraction or "").rstrip("0")
    return f"{hour}:{minute}:{second or '00'}" + (f".{fraction}" if fraction else "")


def _offset(text: str | None, in_zone: bool = False) -> str:
    """Return an offset as `Z` or `+02:00`; offsets with seconds occur in named zones alone."""
    if not text or text == "Z":
        return text or ""
    hours, minutes, seconds = text[1:3], text[3:].replace(":", "")[:2] or "00", text[3:].replace(":", "")[2:]
    if minutes > "59" or int(hours) * 60 + int(minutes) > MAX_OFFSET_HOURS * 60 or (seconds and not in_zone):
        raise ValueError("not a valid offset from UTC")
    shift = datetime.timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds or 0))
    return write_offset(-shift if text[0] == "-" else shift)


def write_offset(shift: datetime.timedelta) -> str:
    """Return an offset from UTC as text: `Z`, `+02:00`, or `+00:09:21` as before zones had whole minutes."""
    seconds = abs(shift // datetime.timedelta(seconds=1))
    if not seconds:
        return "Z"
    text = f"{'-' if shift.days < 0 else '+'}{seconds // 3600:02}:{seconds // 60 % 60:02}"
    return f"{text}:{seconds % 60:02}" if seconds % 60 else text


def _zone_offset(year: int, rest: str, zone: str, given: str | None) -> str:
    """Return the offset of a named zone at a local time, which must be `given` if that is not None."""
    place = find_zone(zone)
    # Python has no years before 1 or after 9999. There, a zone has its first or its last rules, and the calendar
    # repeats every 400 years.
    near = year if 1 < year < 9999 else year % 400 + (400 if year <= 1 else 8000)
    moment = datetime.datetime.fromisoformat(f"{near:04}-{rest}")
    possible: list[str] = []
    for fold in (0, 1):
        shift = moment.replace(tzinfo=place, fold=fold).utcoffset() or datetime.timedelta()
        instant = (moment - shift).replace(tzinfo=datetime.UTC)
        if instant.astimezone(place).replace(tzinfo=None) == moment:  # otherwise the clocks skip this time
            possible.append(write_offset(shift))
    if not possible:
        raise ValueError(f"a time that the clocks of {zone} skip")
    if given is not None and given not in possible:
        raise ValueError(f"not a time of {zone}, whose offset is {' or '.join(dict.fromkeys(possible))} then")
    return given or possible[0]


@lru_cache
def find_zone(name: str) -> ZoneInfo:
    """Return the time zone of a name such as `Europe/Paris`.

    Raises:
        ValueError: there is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError):
        raise ValueError(f"in the time zone {name}, which is not known here") from None


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
    sign = "-" if year < 0 else ("+" if year > 9999 else "")
    return f"{sign}{abs(year):04}-{month:02}-{day:02}"


def iso_structure(tag: bytes, fields: Sequence[Any]) -> str:
    """Return a date, or a date and time, that a driver could not represent as ISO 8601 text.

    The driver returns it as a packed structure, whose tag says what its fields are: `D` days since 1970-01-01; `d`
    seconds and nanoseconds; `I` seconds, nanoseconds and the offset from UTC in seconds; `i` seconds, nanoseconds and
    the name of a time zone. For an unknown tag, return the tag and the fields as the text of a list.
    """
    if tag == b"D":
        return iso_date(fields[0])
    if tag not in (b"d", b"I", b"i"):
        return str([tag.decode("ascii", "replace"), *fields])
    seconds, nanoseconds, *zone = fields
    if tag == b"I":
        return _iso_seconds(seconds + zone[0], nanoseconds) + write_offset(datetime.timedelta(seconds=zone[0]))
    try:
        return iso_instant(seconds, nanoseconds, *(zone or [None]))
    except ValueError:  # a zone that only the database knows
        return f"{_iso_seconds(seconds, nanoseconds)}Z[{zone[0]}]"


def iso_instant(seconds: int, nanoseconds: int, zone: str | None) -> str:
    """Return the instant `seconds` after 1970-01-01T00:00:00Z as canonical text; without a zone, as a local time.

    >>> iso_instant(0, 0, None), iso_instant(0, 0, "UTC"), iso_instant(0, 500_000_000, "+05:30")
    ('1970-01-01T00:00:00', '1970-01-01T00:00:00Z', '1970-01-01T05:30:00.5+05:30')

    Raises:
        ValueError: there is no such zone.
    """
    if zone is None or zone in ("UTC", "Z"):
        return _iso_seconds(seconds, nanoseconds) + ("" if zone is None else "Z")
    if zone[0] not in "+-":
        return iso_in_zone(seconds, nanoseconds, zone)
    offset = _offset(zone)
    shift = int(offset[1:3]) * 3600 + int(offset[4:6]) * 60 if offset != "Z" else 0
    return _iso_seconds(seconds + (-shift if offset[0] == "-" else shift), nanoseconds) + offset


def iso_in_zone(seconds: int, nanoseconds: int, zone: str) -> str:
    """Return the instant `seconds` after 1970-01-01T00:00:00Z as a time of a named zone.

    >>> iso_in_zone(1_719_817_200, 0, "Europe/Paris")
    '2024-07-01T09:00:00+02:00[Europe/Paris]'

    Raises:
        ValueError: there is no such zone.
    """
    place = find_zone(zone)
    near = seconds
    if not FIRST_SECOND < seconds < LAST_SECOND:  # outside Python's years; see `_zone_offset`
        near = seconds % SECONDS_OF_400_YEARS + SECONDS_OF_400_YEARS * (-4 if seconds <= FIRST_SECOND else 15)
    shift = datetime.datetime.fromtimestamp(near, place).utcoffset() or datetime.timedelta()
    return f"{_iso_seconds(seconds + int(shift.total_seconds()), nanoseconds)}{write_offset(shift)}[{zone}]"


def _iso_seconds(seconds: int, nanoseconds: int) -> str:
    days, rest = divmod(seconds, 86_400)
    return f"{iso_date(days)}T" + iso_clock(rest // 3600, rest // 60 % 60, rest % 60, nanoseconds)


def iso_clock(hour: int, minute: int, second: int, nanosecond: int) -> str:
    """Return a time of day in canonical form: `09:00:00.5`."""
    text = f"{hour:02}:{minute:02}:{second:02}"
    return f"{text}.{nanosecond:09}".rstrip("0") if nanosecond else text
