"""Values of statements in a single form for all sources: entity documents, SPARQL results and N-Triples.

A value is a tuple whose first part is its kind:

    (ITEM, "Q42")   (QUANTITY, "+170", "Q7727")   (TIME, 1952, 3, 11, 11)   (TEXT, "Heat")   (TEXT, "Hitze", "de")
    (SOME_VALUE,)   (NO_VALUE,)

A quantity without a unit has the unit "1". A time is a date in the Gregorian calendar, followed by Wikidata's precision
(9 for a year, 10 for a month, 11 for a day). There is no year 0: 44 BC is -44.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote

Value = tuple[Any, ...]
ITEM, QUANTITY, TIME, TEXT, SOME_VALUE, NO_VALUE = "item", "quantity", "time", "text", "some", "none"
YEAR, MONTH, DAY = 9, 10, 11

ENTITY = "http://www.wikidata.org/entity/"
SECURE_ENTITY = "https://www.wikidata.org/entity/"
UNKNOWN = ".well-known/genid/"
XSD = "http://www.w3.org/2001/XMLSchema#"
JULIAN = "Q1985786"
COMMONS = "http://commons.wikimedia.org/wiki/Special:FilePath/"
_DIMENSIONLESS = ("1", "Q199")
_TIME = re.compile(r"([+-]?)(\d+)-(\d\d)-(\d\d)(?:T.*)?")
_NUMBERS = frozenset(XSD + name for name in ("decimal", "integer", "double", "float", "int", "long"))
_DATES = frozenset(XSD + name for name in ("dateTime", "date"))


def item_number(identifier: str) -> int | None:
    """Return the number of an item: 42 for `"Q42"`; None for any other identifier."""
    return int(identifier[1:]) if identifier[:1] == "Q" and identifier[1:].isdigit() else None


item_number_of_end = lru_cache(1 << 13)(item_number)
"""`item_number` with a cache, for the ends of relationships: many relationships end at the same items."""


def item_of(uri: str) -> str | None:
    """Return the identifier in an entity's address: `"Q42"` for `"http://www.wikidata.org/entity/Q42"`; else None."""
    if uri.startswith(ENTITY):
        return uri[len(ENTITY) :]
    return uri[len(SECURE_ENTITY) :] if uri.startswith(SECURE_ENTITY) else None


def value_of_snak(snak: Mapping[str, Any]) -> Value:
    """Return the value in a snak of an entity document.

    >>> value_of_snak({"snaktype": "value", "datavalue": {"type": "string", "value": "tt0113277"}})
    ('text', 'tt0113277')

    Raises:
        ValueError: the snak is malformed.
    """
    kind = snak.get("snaktype")
    if kind == "somevalue":
        return (SOME_VALUE,)
    if kind == "novalue":
        return (NO_VALUE,)
    try:
        data = snak["datavalue"]
        return _data_value(data["type"], data["value"], snak.get("datatype"))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a snak without its {error}") from None


def _data_value(type_: str, value: Any, datatype: str | None) -> Value:
    if type_ == "wikibase-entityid":
        if "id" in value:
            return ITEM, value["id"]
        return ITEM, f"{'P' if value.get('entity-type') == 'property' else 'Q'}{value['numeric-id']}"
    if type_ == "quantity":
        return quantity(value["amount"], value["unit"])
    if type_ == "time":
        return time(value["time"], value["precision"], julian=value.get("calendarmodel", "").endswith(JULIAN))
    if type_ == "monolingualtext":
        return TEXT, value["text"].strip(), value["language"]
    if type_ == "globecoordinate":
        return TEXT, f"Point({value['longitude']} {value['latitude']})"
    if type_ == "string":
        if datatype == "commonsMedia":
            return TEXT, COMMONS + quote(value)
        return TEXT, value.strip()
    return (SOME_VALUE,)  # a type of value that Wikidata has introduced later: the value exists, but we cannot read it


def quantity(amount: str, unit: str) -> Value:
    """Return a quantity: `("quantity", "+170", "Q7727")` for `"+170"` and `"http://www.wikidata.org/entity/Q7727"`."""
    name = unit.rsplit("/", 1)[-1]
    return QUANTITY, amount, "1" if name in _DIMENSIONLESS else name


def time(text: str, precision: int, *, julian: bool = False, with_year_zero: bool = False) -> Value:
    """Parse a time from an entity document (`+1952-00-00T00:00:00Z`) or from RDF (`1952-01-01T00:00:00Z`).

    Documents state the calendar (`julian`) and have no year 0. In RDF, days are already Gregorian, and the year 0 is
    1 BC (`with_year_zero`). A time that cannot be parsed becomes an unknown value.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return (SOME_VALUE,)
    sign, digits, month, day = match[1], int(match[2]), int(match[3]), int(match[4])
    year = -digits if sign == "-" else digits
    if with_year_zero and year <= 0:
        year -= 1
    if julian and precision >= DAY and month and day:
        year, month, day = _gregorian(year, month, day)
    return TIME, year, month if precision >= MONTH else 0, day if precision >= DAY else 0, precision


def _gregorian(year: int, month: int, day: int) -> tuple[int, int, int]:
    """Convert a Julian date to a Gregorian date, through the Julian day number."""
    astronomical = year if year > 0 else year + 1
    shift = (14 - month) // 12
    years, months = astronomical + 4800 - shift, month + 12 * shift - 3
    number = day + (153 * months + 2) // 5 + 365 * years + years // 4 - 32083
    a = number + 32044
    b = (4 * a + 3) // 146097
    c = a - 146097 * b // 4
    d = (4 * c + 3) // 1461
    e = c - 1461 * d // 4
    m = (5 * e + 2) // 153
    result = 100 * b + d - 4800 + m // 10
    return (result if result > 0 else result - 1), m + 3 - 12 * (m // 10), e - (153 * m + 2) // 5 + 1


def value_of_term(term: Mapping[str, Any]) -> Value:
    """Return the value of an RDF term in a SPARQL result.

    Such a term states no precision, so a date is read as precise to the day.

    >>> value_of_term({"type": "uri", "value": "http://www.wikidata.org/entity/Q42"})
    ('item', 'Q42')
    """
    text = term["value"]
    if term["type"] == "bnode" or UNKNOWN in text[:60]:
        return (SOME_VALUE,)
    if term["type"] == "uri":
        item = item_of(text)
        return (TEXT, text) if item is None else (ITEM, item)
    if "xml:lang" in term:
        return TEXT, text.strip(), term["xml:lang"]
    datatype = term.get("datatype", "")
    if datatype in _NUMBERS:
        return QUANTITY, text, "1"
    if datatype in _DATES:
        return time(text, DAY, with_year_zero=True)
    return TEXT, text.strip()
