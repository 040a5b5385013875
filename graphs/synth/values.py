"""Generates random values by property type and name, one column at a time for a block of nodes or relationships."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphground.graphs.synth.names import word

CATEGORIES = 40
"""The maximum number of distinct random values of a `str` property; small, as for countries or languages."""

FIRST_DAY, LAST_DAY = np.datetime64("1850-01-01"), np.datetime64("2024-12-31")
BORROWED = 0.3
"""The share of a property's values that come from the vocabulary, if the vocabulary has values for the property."""


def column(
    owner: str, key: str, type_: str, size: int, rng: np.random.Generator, borrowed: Sequence[Any] = ()
) -> list[Any]:
    """Return `size` values of a property, one for each node or relationship; None for those without a value.

    `owner` is the label or relationship type, `borrowed` the vocabulary's values.

    `column("Person", "date_of_birth", "date", 2, rng)` may return `['1931-04-07', None]`.
    """
    values = _values(owner, key, type_, size, rng)
    if borrowed:
        chosen = rng.integers(0, len(borrowed), size)
        for place in np.flatnonzero(rng.random(size) < BORROWED).tolist():
            value = borrowed[chosen[place]]
            values[place] = [value] if type_.startswith("list[") and not isinstance(value, list) else value
    for place in np.flatnonzero(rng.random(size) < _missing(key)).tolist():
        values[place] = None
    return values


def _missing(key: str) -> float:
    """Return the share of missing values of a property: 0.45 for `end_…` and `…_of_death`, otherwise 0.03 to 0.27."""
    if key.startswith("end_") or key.endswith("_of_death"):
        return 0.45
    return 0.03 + (sum(map(ord, key)) % 5) * 0.06


def _values(owner: str, key: str, type_: str, size: int, rng: np.random.Generator) -> list[Any]:
    if type_.startswith("list["):
        lengths = rng.integers(1, 4, size)
        flat = _values(owner, key, type_[5:-1], int(lengths.sum()), rng)
        lists, start = [], 0
        for length in lengths.tolist():
            lists.append(list(dict.fromkeys(flat[start : start + length])))
            start += length
        return lists
    match type_.split("|")[0]:
        case "int":
            return list((_years(key, size, rng) if "year" in key else _amounts(size, rng).astype(np.int64)).tolist())
        case "float":
            return list(np.round(_amounts(size, rng), 2).tolist())
        case "bool":
            return list((rng.random(size) < 0.5).tolist())
        case "date":
            return list(_days(size, rng).astype(str).tolist())
        case "datetime":
            seconds = _days(size, rng).astype("datetime64[s]") + rng.integers(0, 86_400, size)
            return [f"{text}Z" for text in seconds.astype(str).tolist()]
        case _:
            if key == "gender":
                return list(rng.choice(["male", "female"], size, p=[0.7, 0.3]).tolist())
            offset = sum(map(ord, key)) * 101
            return [word((offset + rank) % 65_536) for rank in zipf(CATEGORIES, size, rng).tolist()]


def zipf(count: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw `size` ranks from 0 to `count - 1`, low ranks more often than high ranks.

    If `count` is at most 10,000, the probability of a rank is about proportional to 1 / (rank + 1). Otherwise the
    probability falls more slowly.
    """
    uniform = rng.random(size)
    ranks = np.power(count + 1.0, uniform) - 1.0 if count <= 10_000 else count * np.square(uniform)
    return np.minimum(ranks.astype(np.int64), count - 1)


def _years(key: str, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    later = 8 if key.startswith("end_") else 0
    return (2024 - np.abs(rng.normal(0, 40, size)).astype(np.int64) - (8 - later)).astype(np.int64)


def _amounts(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return np.exp(rng.normal(5.0, 1.2, size))


def _days(size: int, rng: np.random.Generator) -> NDArray[np.datetime64]:
    span = int((LAST_DAY - FIRST_DAY).astype(int))
    return FIRST_DAY + (span * np.sqrt(rng.random(size))).astype(np.int64)
