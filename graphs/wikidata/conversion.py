"""Converts Wikidata values to typed properties; values that do not fit are discarded with a reason.

| type | from | becomes |
|---|---|---|
| `str` | item | its name |
| `str` | text | the text |
| `str` | quantity | `170 minute` |
| `str` | time from year 1 on | `11 March 1952`, `March 1952`, `1952`, `1950s`, `20th century` |
| `int` | time, precise to the year or finer | the year |
| `int`, `float` | quantity | the number, converted into the property's unit |
| `int`, `float` | text that is a number | the number; `float` only for a property without a unit |
| `date` | time from year 1 on, precise to the day | the day, ISO 8601 |
| `bool` | – | whether the item is among the values |
| `list[…]` | all values | those that fit, without repetition, sorted |

If an item has several values for a property that holds only one, the value with the shortest text is taken, and of
several such values the smallest, as in CypherBench's published code.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from graphground.cypher.names.words import MONTHS
from graphground.graphs.definitions.model import DIMENSIONLESS, Property, convert, find_unit
from graphground.graphs.wikidata.statements import (
    DAY,
    ITEM,
    NO_VALUE,
    QUANTITY,
    SOME_VALUE,
    TEXT,
    TIME,
    YEAR,
    Statement,
    Value,
    select_best,
)

NameOf = Callable[[str], str | None]
"""A function that returns the name of an item such as `Q42`, or None if it has none."""
Discard = Callable[[str, Value], None]
"""A function that is called for each discarded value, with the reason and the value."""
DECADE, CENTURY, MONTH = 8, 7, 10
LARGEST_INT = 1 << 63
_WHOLE = re.compile(r"[+-]?\d{1,19}")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Unfit(ValueError):
    """A value that does not fit its property; the message is the reason."""


def node_property(statements: Sequence[Statement], wanted: Property, name_of: NameOf, discard: Discard) -> Any:
    """Return the value of a node's property from the best of the item's statements; None if no statement fits.

    A property of type `bool` always has a value.

    node_property(statements_of_P2047, Property(type="float", wikidata="P2047", unit="minute"), …)  →  170.0
    """
    selected = select_best(statements)
    if wanted.qualifiers:
        selected = [
            statement
            for statement in selected
            if all((ITEM, link.item) in statement.qualifiers.get(link.property, ()) for link in wanted.qualifiers)
        ]
    values = [statement.value for statement in selected]
    if wanted.type == "bool":
        return (ITEM, wanted.item) in values
    return property_value(values, wanted, name_of, discard)


def property_value(values: Iterable[Value], wanted: Property, name_of: NameOf, discard: Discard) -> Any:
    """Convert Wikidata's values to the type of the property `wanted`; return None if no value fits.

    A list property receives all converted values, any other property the shortest.
    """
    is_list = wanted.type.startswith("list[")
    convert_value = CONVERSIONS[wanted.type[5:-1] if is_list else wanted.type]
    fitting: list[Any] = []
    for value in values:
        try:
            fitting.append(convert_value(value, wanted, name_of))
        except Unfit as reason:
            discard(str(reason), value)
    if not fitting:
        return None
    if is_list:
        return sorted(set(fitting))
    return min(fitting, key=lambda candidate: (len(str(candidate)), candidate))


def _str(value: Value, wanted: Property, name_of: NameOf) -> str:
    kind = value[0]
    if kind == ITEM:
        return _name(value[1], name_of)
    if kind == TEXT:
        text = str(value[1])
    elif kind == QUANTITY:
        number = f"{_decimal(value[1]).normalize():f}"
        text = number if value[2] == DIMENSIONLESS else f"{number} {_name(value[2], name_of)}"
    elif kind == TIME:
        text = time_text(value)
    else:
        raise Unfit(_absent(value))
    if not text:
        raise Unfit("empty text")
    return text


def _int(value: Value, wanted: Property, name_of: NameOf) -> int:
    if value[0] == TIME:
        if value[4] < YEAR:
            raise Unfit("date coarser than a year")
        return int(value[1])
    is_text = value[0] == TEXT and _WHOLE.fullmatch(value[1])
    number = Decimal(value[1]) if is_text else _number(value, wanted)
    if number != number.to_integral_value():
        raise Unfit("not a whole number")
    if not -LARGEST_INT <= number < LARGEST_INT:
        raise Unfit("number too large")
    return int(number)


def _float(value: Value, wanted: Property, name_of: NameOf) -> float:
    is_text = value[0] == TEXT and _NUMBER.fullmatch(value[1]) and wanted.unit is None
    number = float(value[1] if is_text else _number(value, wanted))
    if number in (float("inf"), float("-inf")):
        raise Unfit("number too large")
    return number


def _date(value: Value, wanted: Property, name_of: NameOf) -> str:
    if value[0] != TIME:
        raise Unfit(_absent(value, "not a date"))
    _, year, month, day, precision = value
    if precision < DAY:
        raise Unfit("date coarser than a day")
    if year < 1:
        raise Unfit("date before the year 1")
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        raise Unfit("not a calendar day") from None


CONVERSIONS: Mapping[str, Callable[[Value, Property, NameOf], Any]] = {
    "str": _str,
    "int": _int,
    "float": _float,
    "date": _date,
}


def _number(value: Value, wanted: Property) -> Decimal:
    """Return the number of a quantity, converted to the unit of the property."""
    if value[0] != QUANTITY:
        raise Unfit(_absent(value, "not a number"))
    amount = _decimal(value[1])
    if wanted.unit is None:
        if value[2] != DIMENSIONLESS:
            raise Unfit("a unit where none is expected")
        return amount
    if value[2] == DIMENSIONLESS:
        raise Unfit("no unit")
    source, target = find_unit(value[2]), find_unit(wanted.unit)
    assert target is not None, "a definition's units are checked when it is read"
    if source is None:
        raise Unfit("unit unknown")
    converted = convert(amount, source, target)
    if converted is None:
        raise Unfit("unit of another kind")
    return converted


def _decimal(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise Unfit("not a number") from None
    if not number.is_finite() or abs(number.adjusted()) > 400:
        raise Unfit("not a number")
    return number


def _name(identifier: str, name_of: NameOf) -> str:
    name = name_of(identifier)
    if name is None:
        raise Unfit("an item without a name")
    return name


def _absent(value: Value, otherwise: str = "of a kind that is not supported") -> str:
    return {SOME_VALUE: "an unknown value", NO_VALUE: "explicitly no value"}.get(value[0], otherwise)


def time_text(value: Value) -> str:
    """Return a time as text, as precisely as it is known.

    >>> [time_text(("time", 1952, 3, 11, precision)) for precision in (11, 10, 9, 8, 7)]
    ['11 March 1952', 'March 1952', '1952', '1950s', '20th century']

    Raises:
        Unfit: the time is before the year 1, is coarser than a century, or is not a calendar day.
    """
    _, year, month, day, precision = value
    if year < 1:
        raise Unfit("date before the year 1")
    if precision >= MONTH:
        try:
            date = datetime.date(2000 + year % 400, month, day or 1)  # the calendar repeats after 400 years
        except ValueError:
            raise Unfit("not a calendar day") from None
        name = f"{MONTHS[date.month - 1]} {year}"
        return f"{day} {name}" if precision >= DAY else name
    if precision == YEAR:
        return str(year)
    if precision == DECADE:
        return f"{year // 10 * 10}s"
    if precision == CENTURY:
        return f"{_ordinal((year - 1) // 100 + 1)} century"
    raise Unfit("date coarser than a century")


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
