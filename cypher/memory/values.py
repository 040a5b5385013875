"""The bounds of values, which state what is certain: a number, a string, a list's minimum length, or only "not null".

>>> memory_of(Items(1_000_000, each=20))
20000000
>>> memory_of(Items(1_000_000, lazy=True))
0
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

MOST_BYTES = 32 * 2**20
"""The maximum memory of one value, in bytes: eight such queries at the same time fit into half of a 512 MB heap."""
REFERENCE, BOXED, HEADER = 4, 16, 16
"""The sizes in bytes, with a small heap, of a reference in a list, a boxed integer,
and the header of a string or list."""
LONGEST_TEXT = 2_000
"""The maximum length of a string whose characters are stored;
for a longer string only each character's count is stored."""
MOST_OPTIONS = 32
"""The maximum length of a list of constants whose elements are stored."""

Constant = None | bool | int | float | str


class Number(NamedTuple):
    """A number whose value is known exactly."""

    value: int | float


class Text(NamedTuple):
    """A string of at least `size` characters.

    If known, `text` is the string, and `counts` maps each character to the number of its occurrences.
    """

    size: int
    text: str | None = None
    counts: Mapping[str, int] | None = None


class Items(NamedTuple):
    """A list of exactly (if `exact`) or at least `size` elements; an element takes `each` bytes, or none if `lazy`."""

    size: int
    each: int = REFERENCE
    exact: bool = True
    lazy: bool = False
    present: bool = True
    """Whether no element is null."""
    inside: int = 0
    """The total bytes of lazy lists among the elements, counted as if stored."""
    numbers: range | None = None
    """The numbers of the list if it is a `range`."""
    options: tuple[Constant, ...] = ()
    """The elements, if all are constants and they are few."""

    @property
    def empty(self) -> bool:
        """Whether the list certainly has no element."""
        return self.exact and not self.size


class Present(NamedTuple):
    """A value that is known not to be null; a list that stores it uses `held` bytes for it."""

    held: int = 0
    distinct: int = 0
    """The minimum number of different values over the rows."""
    inside: int = 0
    """The total bytes of lazy lists inside the value, counted as if stored."""
    numbers: range | None = None
    """The numbers that occur over the rows, each in equally many rows."""


class Choice(NamedTuple):
    """A value that is one of several constants in each row: a condition, or an element of `[1, null, 'x']`."""

    options: tuple[Constant, ...]


NULL = Choice((None,))
FALSE = Choice((False,))
TRUE = Choice((True,))

Value = Number | Text | Items | Present | Choice | None
"""The known bound of a value, such as its minimum length; None if nothing is known."""


class LargeValue(NamedTuple):
    """A value that takes too much memory: its offsets in the query, and `what`, its description."""

    start: int
    end: int
    what: str


def constant(given: Any) -> Value:
    """Return the bound for a parameter's value: `constant([1, 2])` is a list of two elements."""
    match given:
        case None | bool():
            return Choice((given,))
        case int() | float():
            return Number(given)
        case str():
            return known_text(given)
        case list() | tuple():
            few = len(given) <= MOST_OPTIONS and all(
                element is None or isinstance(element, bool | int | float | str) for element in given
            )
            return Items(len(given), present=None not in given, options=tuple(given) if few else ())
    return Present()


def choice(constants: Iterable[Constant]) -> Value:
    """Return the bound for a value that is one of these constants."""
    options = tuple({(type(option), option): option for option in constants}.values())
    if len(options) == 1:
        return constant(options[0])
    if len(options) <= MOST_OPTIONS:
        return Choice(options)
    return None if None in options else Present()


def options_of(value: Value) -> tuple[Constant, ...] | None:
    """Return the constants that a value may be, or None if they are unknown."""
    match value:
        case Number(value=number):
            return (number,) if math.isfinite(number) else None
        case Text(text=str() as text):
            return (text,)
        case Choice():
            return value.options
    return None


def may_be_null(value: Value) -> bool:
    """Return whether a value may be null."""
    return value is None or (isinstance(value, Choice) and None in value.options)


def known_text(text: str) -> Text:
    """Return the bound for a string whose characters are all known."""
    return Text(len(text), text if len(text) <= LONGEST_TEXT else None, Counter(text))


def memory_of(value: Value) -> int:
    """Return the minimum number of bytes that a value takes while the database stores it."""
    match value:
        case Text():
            return value.size
        case Items(lazy=False):
            return value.size * value.each
    return 0


def when_stored(value: Value) -> int:
    """Return the minimum size in bytes of a value as plug-ins and clients receive it:
    with all its elements computed."""
    match value:
        case Text():
            return value.size
        case Items():
            return stored(value).each * value.size + value.inside
        case Present():
            return value.inside
    return 0


def stored(items: Items) -> Items:
    """Return a list like `items` whose elements are all computed and stored in memory."""
    return items._replace(lazy=False, each=max(items.each, REFERENCE + BOXED) if items.lazy else items.each)


def in_words(value: Value) -> str:
    """Describe a large value: `this list has at least 100,000,000 elements`."""
    match value:
        case Text():
            return f"this string has at least {value.size:,} characters"
        case Items() if value.size * (REFERENCE + BOXED) > MOST_BYTES:
            return f"this list has at least {value.size:,} elements"
    return f"this value takes at least {when_stored(value) // 2**20:,} MB"
