"""Statements with their ranks and qualifiers, the selection by rank, and values in a single form for all sources.

A value is a tuple whose first part is its kind:

    (ITEM, "Q42")   (QUANTITY, "+170", "Q7727")   (TIME, 1952, 3, 11, 11)   (TEXT, "Heat")   (TEXT, "Hitze", "de")
    (SOME_VALUE,)   (NO_VALUE,)

A quantity without a unit has the unit "1". A time is a date in the Gregorian calendar, followed by Wikidata's precision
(9 for a year, 10 for a month, 11 for a day). There is no year 0: 44 BC is -44. Where documents allow values that RDF
cannot express (a day 0, 29 February of a common year, the year 0), the rules of Wikidata's own RDF export are applied,
so that a document and its RDF give the same value.

>>> select_best([Statement(NORMAL, ("text", "a")), Statement(PREFERRED, ("text", "b"))])
[Statement(rank=2, value=('text', 'b'), qualifiers={}, identifier='')]
"""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

import orjson

DEPRECATED, NORMAL, PREFERRED = 0, 1, 2
BODIES_KEPT = 1 << 12
RANKS = {
    "deprecated": DEPRECATED,
    "normal": NORMAL,
    "preferred": PREFERRED,
    "DeprecatedRank": DEPRECATED,
    "NormalRank": NORMAL,
    "PreferredRank": PREFERRED,
}
"""The numbers of ranks, by the names of ranks in entity documents and in RDF."""


class Statement(NamedTuple):
    """A statement: `Statement(NORMAL, ("item", "Q1"), {"P580": [("time", 1999, 0, 0, 9)]}, "Q42-F078…")`."""

    rank: int
    value: Value
    qualifiers: Mapping[str, Sequence[Value]] = {}
    identifier: str = ""


def select_best(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Return the preferred statements, or the normal statements if none is preferred."""
    if len(statements) == 1:
        return statements if statements[0].rank != DEPRECATED else ()
    valid = drop_deprecated(statements)
    return [statement for statement in valid if statement.rank == PREFERRED] or valid


def drop_deprecated(statements: Iterable[Statement]) -> list[Statement]:
    """Return all statements except deprecated ones."""
    return [statement for statement in statements if statement.rank != DEPRECATED]


def select_by_rank(statements: Sequence[Statement], ranks: str) -> Sequence[Statement]:
    """Return the statements that a definition's `ranks` selects: `best` or `not_deprecated`."""
    return select_best(statements) if ranks == "best" else drop_deprecated(statements)


Wanted = Mapping[str, frozenset[str]]
"""The properties to read, each with the qualifiers to read for its statements."""


def statements_of(claims: Mapping[str, Any] | Sequence[Any], wanted: Wanted) -> dict[str, list[Statement]]:
    """Return the wanted statements in an entity document's `claims`, by property, sorted by identifier.

    Malformed statements are left out.
    """
    found: dict[str, list[Statement]] = {}
    if not isinstance(claims, Mapping):  # an entity without statements has an empty list
        return found
    for name in wanted.keys() & claims.keys():
        statements = []
        for claim in claims[name]:
            try:
                snaks: Mapping[str, Any] = claim.get("qualifiers") or {}
                values = {name: [value_of_snak(snak) for snak in snaks[name]] for name in wanted[name] if name in snaks}
                statements.append(
                    Statement(
                        RANKS[claim["rank"]],
                        value_of_snak(claim["mainsnak"]),
                        values,
                        claim.get("id", "").replace("$", "-", 1),
                    )
                )
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
        if statements:
            statements.sort(key=lambda statement: statement.identifier.upper())
            found[name] = statements
    return found


def pack_statements(statements: Sequence[Statement]) -> bytes:
    """Return statements as bytes, the form in which a workspace stores them."""
    return orjson.dumps([tuple(statement) for statement in statements])


@lru_cache(BODIES_KEPT)
def unpack_statements(body: bytes) -> list[Statement]:
    """Return the statements in bytes from `pack_statements`; callers share the list, and must not change it."""
    return [
        Statement(
            rank,
            tuple(value),
            {name: [tuple(item) for item in values] for name, values in qualifiers.items()} if qualifiers else {},
            key,
        )
        for rank, value, qualifiers, key in orjson.loads(body)
    ]


Value = tuple[Any, ...]
ITEM, QUANTITY, TIME, TEXT, SOME_VALUE, NO_VALUE = "item", "quantity", "time", "text", "some", "none"
YEAR, MONTH, DAY = 9, 10, 11

ENTITY = "http://www.wikidata.org/entity/"
SECURE_ENTITY = "https://www.wikidata.org/entity/"
UNKNOWN = ".well-known/genid/"
XSD = "http://www.w3.org/2001/XMLSchema#"
JULIAN = "Q1985786"
EARTH = "Q2"
COMMONS = "http://commons.wikimedia.org/wiki/Special:FilePath/"
COMMONS_DATA = "http://commons.wikimedia.org/data/main/"
JULIAN_YEARS = range(-4713, 1465073)
"""The years in which the RDF export converts Julian days; it reads other days as Gregorian."""
_DIMENSIONLESS = ("1", "Q199")
_TIME = re.compile(r"([+-]?)(\d+)-(\d\d)-(\d\d)(?:T.*)?")
_UNPARSED_TIME = re.compile(r"[+-]\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
"""A time that the RDF export could not convert, and wrote as a plain literal: one of the year 0."""
_NUMBERS = frozenset(XSD + name for name in ("decimal", "integer", "double", "float", "int", "long"))
_DATES = frozenset(XSD + name for name in ("dateTime", "date"))


def item_number(identifier: str) -> int | None:
    """Return the number of an item: 42 for `"Q42"`; None for any other identifier."""
    return int(identifier[1:]) if identifier[:1] == "Q" and identifier[1:].isdigit() else None


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
        point = f"Point({_coordinate(value['longitude'])} {_coordinate(value['latitude'])})"
        globe = (value.get("globe") or EARTH).rsplit("/", 1)[-1]
        return TEXT, point if globe == EARTH else f"<{ENTITY}{globe}> {point}"
    if type_ == "string":
        if datatype == "commonsMedia":
            return TEXT, COMMONS + quote(value, safe="")
        if datatype in ("geo-shape", "tabular-data"):
            return TEXT, COMMONS_DATA + quote_plus(value, safe=";@$!*(),/~:")
        return TEXT, value.strip()
    return (SOME_VALUE,)  # a type of value that Wikidata has introduced later: the value exists, but we cannot read it


def _coordinate(degrees: float) -> str:
    """Return degrees with 14 significant digits, as the RDF export writes them: `1.0E-5` for 0.00001."""
    text = format(degrees, ".14G")
    digits, exponent, power = text.partition("E")
    return f"{digits}{'' if '.' in digits else '.0'}E{int(power):+d}" if exponent else text


def quantity(amount: str, unit: str) -> Value:
    """Return a quantity: `("quantity", "+170", "Q7727")` for `"+170"` and `"http://www.wikidata.org/entity/Q7727"`."""
    name = unit.rsplit("/", 1)[-1]
    return QUANTITY, amount, "1" if name in _DIMENSIONLESS else name


def time(text: str, precision: int, *, julian: bool = False) -> Value:
    """Parse a time from an entity document: `+1952-00-00T00:00:00Z`; `julian` states its calendar.

    A time that cannot be parsed, and the year 0, become an unknown value.
    Source: https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format#Time.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None or not int(match[2]):
        return (SOME_VALUE,)
    year, month, day = int(match[2]), min(max(int(match[3]), 1), 12), max(int(match[4]), 1)
    if match[1] == "-":
        year = -year
    if precision >= DAY:
        if julian and year in JULIAN_YEARS and day <= 31:
            year, month, day = _gregorian(year, month, day)
        else:
            day = min(day, _days_in_month(year, month))
    return TIME, year, month if precision >= MONTH else 0, day if precision >= DAY else 0, precision


def rdf_time(text: str, precision: int) -> Value:
    """Parse a time from RDF, `1952-01-01T00:00:00Z`: days are Gregorian already, and the year 0 is 1 BC.

    Years before 1 are shifted by one only if the precision is a year or finer, as the export writes them.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None or (_UNPARSED_TIME.fullmatch(text) and not int(match[2])):
        return (SOME_VALUE,)
    year = -int(match[2]) if match[1] == "-" else int(match[2])
    if year <= 0 and precision >= YEAR:
        year -= 1
    return TIME, year, int(match[3]) if precision >= MONTH else 0, int(match[4]) if precision >= DAY else 0, precision


def _days_in_month(year: int, month: int) -> int:
    if month != 2:
        return 30 if month in (4, 6, 9, 11) else 31
    # From 4714 BC back, the export regards every year as a leap year.
    return 28 + isleap(max(year if year > 0 else year + 1, -4712))


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
        return rdf_time(text, DAY)
    return (SOME_VALUE,) if _UNPARSED_TIME.fullmatch(text) else (TEXT, text.strip())
