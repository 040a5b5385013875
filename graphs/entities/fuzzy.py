"""From the words of a mention to the few rows that are worth comparing letter by letter.

Every word of the mention stands for the words of the index that it may mean, each with its rows. Rare words
are added up first; a word that very many names have (`john`, `the`) only raises names that a rarer one has
already brought in, and is never walked through whole (the idea of MaxScore).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphground.graphs.entities.build import word_weights
from graphground.graphs.entities.files import Array, Files
from graphground.graphs.entities.words import Variant, Words

_CHEAP, _DEAR = 40_000, 400_000
"""Rows walked through without a second thought, and at most."""
_CHECKED = 3_000
_INITIAL, _BEGINS = 0.45, 2.5
"""What a name gains where its initial stands for a typed word, and where a typed initial stands for its word."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """The rows of one meaning of one word, and what they gain by it."""

    position: int
    gain: float
    rows: Array


class Fuzzy:
    """Finds candidate rows; one search at a time, for all share one array of sums."""

    def __init__(self, files: Files, words: Words):
        self._files, self._words = files, words
        self._sums: Array | None = None
        self._lock = threading.Lock()

    def rows(self, typed: Sequence[str], low: int, high: int, wanted: int, errors: int) -> Array:
        """The best rows between `low` and `high` for some folded words, at most `wanted`, in no order."""
        units, weights = self._units(typed, low, high, errors)
        if not units:
            return np.zeros(0, dtype=np.uint32)
        units.sort(key=lambda unit: len(unit.rows))
        walked, checked = _divide(units, weights)
        with self._lock:
            rows, sums = self._add_up(walked)
        if not len(rows):
            return rows
        total = sum(weights)
        if len(rows) > _CHECKED:
            best = np.argpartition(-sums / (total + self._files.row_weight[rows]), _CHECKED)[:_CHECKED]
            best.sort()
            rows, sums = rows[best], sums[best]
        for unit in checked:
            places = np.minimum(np.searchsorted(unit.rows, rows), len(unit.rows) - 1)
            sums = sums + np.where(unit.rows[places] == rows, np.float32(unit.gain), np.float32(0))
        for letter in {word for word in typed if len(word) == 1}:
            sums = sums + np.float32(_BEGINS) * self._begins(rows, letter)
        scores = sums / (total + self._files.row_weight[rows])
        if len(rows) > wanted:
            rows = rows[np.argpartition(-scores, wanted)[:wanted]]
        return rows

    def _units(self, typed: Sequence[str], low: int, high: int, errors: int) -> tuple[list[_Unit], list[float]]:
        """What each word may mean, and how much each word weighs."""
        units: list[_Unit] = []
        weights: list[float] = []
        exact = self._words.numbers(typed)
        initials = self._words.numbers([word[0] for word in typed])
        for position, (word, known, initial) in enumerate(zip(typed, exact, initials, strict=True)):
            variants = self._words.neighbours(word, errors if known is not None or len(word) < 5 else 2)
            if known is not None:
                variants.append(Variant(known, 1.0))
            heaviest = 0.0
            if variants:
                numbers = np.array([variant.word for variant in variants])
                starts = self._files.posting_starts
                frequency = starts[numbers + 1] - starts[numbers].astype(np.int64)
                for variant, weight in zip(variants, word_weights(frequency, self._files.rows).tolist(), strict=True):
                    heaviest = max(heaviest, weight * variant.likeness)
                    self._unit(units, position, weight * variant.likeness, variant.word, low, high)
            if initial is not None and len(word) > 1:
                self._unit(units, position, _INITIAL, initial, low, high)
            weights.append(heaviest or 2.0)
        return units, weights

    def _unit(self, units: list[_Unit], position: int, gain: float, word: int, low: int, high: int) -> None:
        rows = self._words.postings(word, low, high)
        if len(rows):
            units.append(_Unit(position, gain, rows))

    def _add_up(self, units: Sequence[_Unit]) -> tuple[Array, Array]:
        """Every row of these units once, in order, with its sum of gains."""
        if self._sums is None:
            self._sums = np.zeros(self._files.rows, dtype=np.float32)
        sums = self._sums
        fresh: list[Array] = []
        for unit in units:
            before = sums[unit.rows]
            fresh.append(unit.rows[before == 0.0])
            sums[unit.rows] = before + np.float32(unit.gain)
        rows = np.concatenate(fresh) if fresh else np.zeros(0, dtype=np.uint32)
        rows.sort()
        found = sums[rows]
        sums[rows] = 0.0
        return rows, found

    def _begins(self, rows: Array, letter: str) -> Array:
        """Which rows have a word that begins with a letter."""
        files = self._files
        starts = files.token_starts[rows].astype(np.int64)
        ends = files.token_starts[rows + 1]
        found = np.zeros(len(rows), dtype=bool)
        for place in range(min(int((ends - starts).max()), 8)):
            at = starts + place
            inside = at < ends
            words = files.token[np.minimum(at, len(files.token) - 1)]
            found |= inside & (files.word_first[words] == ord(letter))
        return found


def _divide(units: Sequence[_Unit], weights: Sequence[float]) -> tuple[list[_Unit], list[_Unit]]:
    """Which units are walked through, and which are only checked against the rows that those bring in."""
    walked: list[_Unit] = []
    checked: list[_Unit] = []
    covered: set[int] = set()
    cost = 0
    total = sum(weights)
    for unit in units:
        enough = sum(weights[position] for position in covered) >= 0.5 * total
        if cost + len(unit.rows) <= _CHEAP or (not enough and cost + len(unit.rows) <= _DEAR):
            walked.append(unit)
            cost += len(unit.rows)
            if unit.gain >= 0.6 * weights[unit.position]:
                covered.add(unit.position)
        else:
            checked.append(unit)
    if not walked and checked:
        first = checked.pop(0)
        walked.append(_Unit(first.position, first.gain, first.rows[:_DEAR]))
    return walked, checked
