"""What is certain of a value: a number, a text, a list with its least length, or that it is not null.

>>> memory_of(Items(1_000_000, each=20))
20000000
>>> memory_of(Items(1_000_000, lazy=True))
0
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

MOST_BYTES = 32 * 2**20
"""The most memory of one value. Eight such queries of one client at the same time fit into half of a heap of 512 MB."""
REFERENCE, BOXED, HEADER = 4, 16, 16
"""Bytes of a reference in a list, of an integer, and of what surrounds a text or a list, in a JVM with a small heap."""
LONGEST_TEXT = 2_000
"""The longest text that is known by its characters; of a longer one only their numbers are known."""


class Number(NamedTuple):
    """A number that is known exactly."""

    value: int | float


class Text(NamedTuple):
    """A text of at least `size` characters; `text` and `counts` are its characters and their numbers, if known."""

    size: int
    text: str | None = None
    counts: Mapping[str, int] | None = None


class Items(NamedTuple):
    """A list of at least `size` elements, exactly as many if `exact`; each takes `each` bytes, none while it is `lazy`."""

    size: int
    each: int = REFERENCE
    exact: bool = True
    lazy: bool = False
    present: bool = True
    """Whether no element is null."""
    inside: int = 0
    """The bytes that lazy lists among all its elements take when they are stored."""
    numbers: range | None = None
    """The numbers that a `range` gives."""


class Present(NamedTuple):
    """Any value but null; `held` bytes are stored for each one that a list keeps."""

    held: int = 0
    distinct: int = 0
    """The number of different values that it has in the rows, at least."""
    inside: int = 0
    """The bytes that lazy lists in it take when they are stored."""
    numbers: range | None = None
    """The numbers that it has, each in as many rows as the others."""


Value = Number | Text | Items | Present | None
"""None: nothing is known."""


class LargeValue(NamedTuple):
    """A value that takes too much memory: where it stands, and `what` in words."""

    start: int
    end: int
    what: str


def constant(given: Any) -> Value:
    """A parameter's value: `constant([1, 2])` is a list of two elements."""
    match given:
        case None:
            return None
        case bool():
            return Present()
        case int() | float():
            return Number(given)
        case str():
            return known_text(given)
        case list() | tuple():
            return Items(len(given), present=None not in given)
    return Present()


def known_text(text: str) -> Text:
    """A text of which everything is known."""
    return Text(len(text), text if len(text) <= LONGEST_TEXT else None, Counter(text))


def memory_of(value: Value) -> int:
    """The least number of bytes that a value takes while it is kept."""
    match value:
        case Text():
            return value.size
        case Items(lazy=False):
            return value.size * value.each
    return 0


def when_stored(value: Value) -> int:
    """The least number of bytes of a value with everything in it computed, as plug-ins and clients get it."""
    match value:
        case Text():
            return value.size
        case Items():
            return stored(value).each * value.size + value.inside
        case Present():
            return value.inside
    return 0


def stored(items: Items) -> Items:
    """A list with each of its elements in memory."""
    return items._replace(lazy=False, each=max(items.each, REFERENCE + BOXED) if items.lazy else items.each)


def in_words(value: Value) -> str:
    """`this list has at least 100,000,000 elements`."""
    match value:
        case Text():
            return f"this text has at least {value.size:,} characters"
        case Items() if value.size * (REFERENCE + BOXED) > MOST_BYTES:
            return f"this list has at least {value.size:,} elements"
    return f"this value takes at least {when_stored(value) // 2**20:,} MB"
