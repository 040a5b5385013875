"""Units of measurement: Wikidata's items, their names, and the factors between them.

    >>> convert(Decimal("1.1"), find_unit("hour"), find_unit("minute"))
    Decimal('66')

The factors to the base unit of each dimension come from Wikidata's own conversion table. A year and a month have their
mean length in the Gregorian calendar. Each currency has its own dimension, so currencies are never converted.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache
from pathlib import Path

EXACT = Context(prec=40)
DIMENSIONLESS = "1"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measurement: `Unit("Q7727", "minute", "min", "time", Decimal(60))`.

    The last field is the factor that converts to the base unit of the dimension.
    """

    item: str
    name: str
    symbol: str
    dimension: str
    factor: Decimal


@cache
def units() -> tuple[Unit, ...]:
    """Return all units. They are read from a file at the first call, because most definitions do not need them."""
    import csv

    with Path(__file__).with_name("units.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Unit(row["item"], row["name"], row["symbol"], row["dimension"], Decimal(row["factor"]))
            for row in csv.DictReader(file)
        )


@cache
def find_unit(text: str) -> Unit | None:
    """Return the unit with the given Wikidata item, symbol or name, as in `find_unit("km")`; None if there is none."""
    folded = text.casefold()
    return (
        next((unit for unit in units() if text == unit.item), None)
        or next((unit for unit in units() if text == unit.symbol), None)
        or next((unit for unit in units() if unit.name.casefold() == folded), None)
    )


def convert(amount: Decimal, source: Unit, target: Unit) -> Decimal | None:
    """Convert an amount to the target unit; None if the dimensions differ, as those of any two currencies do.

    >>> convert(Decimal("1"), find_unit("US dollar"), find_unit("euro")) is None
    True
    """
    if source.item == target.item:
        return amount
    if source.dimension != target.dimension:
        return None
    return EXACT.divide(EXACT.multiply(amount, source.factor), target.factor).normalize(EXACT)
