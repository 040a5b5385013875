"""Makes hashable keys for the values of an answer: two values count as the same exactly if their keys are equal.

>>> key([2, 1.0]) == key([1, 2])
True
>>> key({"id": "4:1", "labels": ["Movie"], "properties": {"name": "Heat"}}) == key({"name": "Heat"})
True
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Literal

Rule = Literal["paper", "published"]

TOLERANCE = 1e-9
"""The relative difference up to which two floats are equal: databases sum the rows of avg() in no fixed order."""

_NODE = frozenset(("id", "labels", "properties"))
_RELATIONSHIP = frozenset(("id", "type", "start", "end", "properties"))
_PATH = frozenset(("nodes", "relationships"))


class Unsortable(TypeError):
    """The error for a list of mixed types, which the published implementation cannot sort; the prediction scores 0."""


def key(value: Any, rule: Rule = "paper", numbers: Mapping[float, float] | None = None) -> Hashable:
    """Return the key of a value; `numbers` maps a float to its representative (see `representatives`).

    Lists and sets are compared as multisets; maps key by key; nodes by their properties, as the driver's `data()` gives
    them; relationships by type, ends and properties; paths in order; dates and times by their ISO 8601 texts. An
    integer equals the float of the same value. `true` equals 1 only with `rule="published"`, as in Python.

    Raises:
        Unsortable: with `rule="published"`, a list that Python cannot sort.
    """
    match value:
        case bool():
            return ("boolean", value) if rule == "paper" else value
        case None | str() | int():
            return value
        case float():
            if math.isnan(value):
                return "NaN"
            return numbers.get(value, value) if numbers else value
        case list() | tuple() | set() | frozenset():
            return _list_key(value, rule, numbers)
        case dict():
            return _map_key(value, rule, numbers)
    for name in ("iso_format", "isoformat"):
        method = getattr(value, name, None)
        if method is not None:
            return str(method())
    return str(value)


def _list_key(value: Iterable[Any], rule: Rule, numbers: Mapping[float, float] | None) -> Hashable:
    keys: list[Any] = [key(item, rule, numbers) for item in value]
    if rule == "published":
        try:
            keys.sort()
        except TypeError as error:
            raise Unsortable(str(error)) from None
        return ("list", tuple(keys))
    if all(type(item) is str for item in keys):
        return ("list", tuple(sorted(keys)))
    return ("list", frozenset(Counter(keys).items()))


def _map_key(value: Mapping[str, Any], rule: Rule, numbers: Mapping[float, float] | None) -> Hashable:
    names = value.keys()
    if names == _NODE and isinstance(value["properties"], dict):
        value = value["properties"]
    elif names == _RELATIONSHIP and isinstance(value["properties"], dict):
        return (
            "relationship",
            value["type"],
            value["start"],
            value["end"],
            _map_key(value["properties"], rule, numbers),
        )
    elif names == _PATH and isinstance(value["nodes"], list):
        return (
            "path",
            *(key(part, rule, numbers) for group in (value["nodes"], value["relationships"]) for part in group),
        )
    return ("map", frozenset((name, key(inner, rule, numbers)) for name, inner in value.items()))


def numbers_in(values: Iterable[Any]) -> Iterator[float]:
    """Yield every number in the values, also from lists and maps; booleans are not numbers."""
    for value in values:
        match value:
            case bool():
                pass
            case int() | float():
                yield value
            case list() | tuple() | set() | frozenset():
                yield from numbers_in(value)
            case dict():
                yield from numbers_in(value.values())


def representatives(numbers: Iterable[float]) -> dict[float, float]:
    """Map each number to the smallest number of its group; the smallest number itself has no entry.

    Numbers that are neighbours in sorted order belong to one group if their relative difference is at most `TOLERANCE`.

        >>> representatives([0.3, 0.1 + 0.2, 7.0])
        {0.30000000000000004: 0.3}

    Numbers are grouped by distance instead of being rounded, so two floats that differ in the last bit are never
    separated by a rounding boundary.
    """
    found: dict[float, float] = {}
    ordered = sorted({number for number in numbers if math.isfinite(number)})
    first = ordered[0] if ordered else 0.0
    for before, number in pairwise(ordered):
        if number - before <= TOLERANCE * max(abs(number), abs(before)):
            found[number] = first
        else:
            first = number
    return found
