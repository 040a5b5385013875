"""Selects, by the words of a mention, the few rows that are then compared with the mention character by character.

Each word of the mention is matched with the index words that it may be a spelling of. For rare index words, all rows
that contain them are scanned, and the scores that each row gains from its words are added up. The rows of a word that
very many names contain (`john`, `the`) are not scanned: such a word only raises the scores of rows that a rarer word
has selected (the idea of MaxScore).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphground.graphs.entities.build import word_weights
from graphground.graphs.entities.files import Array, Files, Words

_CHEAP, _DEAR, _OF_ONE = 40_000, 400_000, 100_000
"""Limits on the number of rows that are scanned: `_CHEAP` in any case, and `_DEAR` while less than half of the mention
is covered. If even the rarest index word has more than `_DEAR` rows, as for `of`, its first `_OF_ONE` rows are scanned.
"""
_CHECKED = 3_000
_INITIAL, _BEGINS = 0.45, 2.5
"""The scores of initials: for `J.` in a name if `James` was typed, and for `James` in a name if `J.` was typed."""


@dataclass(frozen=True, slots=True)
class _Meanings:
    """The index words that the words of a mention may be spellings of, ordered by the number of their rows.

    Each entry holds the position of the word in the mention, the number of the index word, the score that the rows of
    the index word gain, and these rows: `count` postings from `start` on. `weights` holds the weight of each word of
    the mention.
    """

    position: Array
    word: Array
    gain: Array
    start: Array
    count: Array
    weights: Array


class Fuzzy:
    """A search for the rows that are most similar to a mention, compared by words.

    Only one search runs at a time, because all searches share one array of sums.
    """

    def __init__(self, files: Files, words: Words):
        self._files, self._words = files, words
        self._sums: Array | None = None
        self._lock = threading.Lock()

    def rows(self, typed: Sequence[str], low: int, high: int, wanted: int, errors: int) -> Array:
        """Return at most `wanted` rows between `low` and `high` that fit the folded words best, in no particular order.

        `errors` is the maximum number of typing errors in a word. It is two for a word of five or more letters that the
        index does not contain.
        """
        meanings = self._meanings(typed, low, high, errors)
        if not len(meanings.count):
            return np.zeros(0, dtype=np.uint32)
        walked = _walked(meanings)
        with self._lock:
            rows, sums = self._add_up(meanings, walked)
        total = np.float32(meanings.weights.sum())
        if len(rows) > _CHECKED:
            best = np.argpartition(-sums / (total + self._files.row_weight[rows]), _CHECKED)[:_CHECKED]
            rows, sums = rows[best], sums[best]
        sums = sums + self._raised(rows, meanings, max(walked, 1), {word for word in typed if len(word) == 1})
        scores = sums / (total + self._files.row_weight[rows])
        if len(rows) > wanted:
            rows = rows[np.argpartition(-scores, wanted)[:wanted]]
        return rows

    def _meanings(self, typed: Sequence[str], low: int, high: int, errors: int) -> _Meanings:
        """Return the index words that typed words may be spellings of, with their rows between `low` and `high`."""
        words: list[Array] = []
        gains: list[Array] = []
        weights = np.full(len(typed), 2.0, dtype=np.float32)
        exact = self._words.numbers(typed)
        initials = self._words.numbers([word[0] for word in typed])
        for position, (word, known, initial) in enumerate(zip(typed, exact, initials, strict=True)):
            variants = self._words.neighbours(word, errors if known is not None or len(word) < 5 else 2)
            its, likeness = variants.words, variants.likeness
            if known is not None:
                its, likeness = np.append(its, known), np.append(likeness, np.float32(1))
            gain = word_weights(self._words.frequencies(its), self._files.rows) * likeness
            if len(gain):
                weights[position] = gain.max()
            if initial is not None and len(word) > 1:
                its, gain = np.append(its, initial), np.append(gain, np.float32(_INITIAL))
            words.append(its)
            gains.append(gain)
        every = np.concatenate(words)
        start, end = self._between(every, low, high)
        count = end - start
        order = np.argsort(count, kind="stable")
        order = order[np.searchsorted(count[order], 1) :]
        positions = np.repeat(np.arange(len(typed)), [len(its) for its in words])
        return _Meanings(
            positions[order], every[order], np.concatenate(gains)[order], start[order], count[order], weights
        )

    def _between(self, words: Array, low: int, high: int) -> tuple[Array, Array]:
        """Return the starts and ends of the postings of each word, restricted to the rows between `low` and `high`."""
        starts = self._files.posting_starts[words].astype(np.int64)
        ends = self._files.posting_starts[words + 1].astype(np.int64)
        if low > 0 or high < self._files.rows:
            return self._first_from(starts, ends, low), self._first_from(starts, ends, high)
        return starts, ends

    def _first_from(self, starts: Array, ends: Array, row: int) -> Array:
        """Return for each of many sorted ranges the position of its first row that is not below `row`."""
        posting, left, right = self._files.posting, starts, ends
        while (left < right).any():
            middle = (left + right) // 2
            below = (left < right) & (posting[np.minimum(middle, len(posting) - 1)] < row)
            left, right = np.where(below, middle + 1, left), np.where(below, right, middle)
        return left

    def _add_up(self, meanings: _Meanings, walked: int) -> tuple[Array, Array]:
        """Return the distinct rows of the first `walked` meanings in ascending order, each with its sum of scores.

        If `walked` is 0, the first `_OF_ONE` rows of the rarest index word are used instead.
        """
        if self._sums is None:
            self._sums = np.zeros(self._files.rows, dtype=np.float32)
        count = meanings.count[:walked] if walked else np.minimum(meanings.count[:1], _OF_ONE)
        ends = np.cumsum(count)
        place = np.arange(int(ends[-1])) + np.repeat(meanings.start[: len(count)] - (ends - count), count)
        rows = self._files.posting[place]
        np.add.at(self._sums, rows, np.repeat(meanings.gain[: len(count)], count))
        rows.sort()
        rows = rows[np.concatenate(([True], rows[1:] != rows[:-1]))]
        found = self._sums[rows]
        self._sums[rows] = 0.0
        return rows, found

    def _raised(self, rows: Array, meanings: _Meanings, walked: int, letters: set[str]) -> Array:
        """Return the scores that rows gain from the index words that were not scanned, and from typed initials."""
        raised = np.zeros(len(rows), dtype=np.float32)
        if walked == len(meanings.word) and not letters:
            return raised
        files = self._files
        start = files.token_starts[rows].astype(np.int64)
        count = files.token_starts[rows + 1] - start
        first = np.cumsum(count) - count
        tokens = files.token[np.arange(int(count.sum())) + np.repeat(start - first, count)].astype(np.int64)
        for position in np.unique(meanings.position[walked:]).tolist():
            its = walked + np.flatnonzero(meanings.position[walked:] == position)
            its = its[np.argsort(meanings.word[its])]
            place = np.minimum(np.searchsorted(meanings.word[its], tokens), len(its) - 1)
            gain = np.where(meanings.word[its][place] == tokens, meanings.gain[its][place], np.float32(0))
            raised += np.maximum.reduceat(gain, first)
        for letter in letters:
            raised += np.float32(_BEGINS) * np.maximum.reduceat(files.word_first[tokens] == ord(letter), first)
        return raised


def _walked(meanings: _Meanings) -> int:
    """Return the number of index words whose rows are scanned; other words only raise the scores of these rows.

    Words are scanned while their rows number at most `_CHEAP` in total; after that, up to `_DEAR` rows, only until
    half of the mention is covered.
    """
    cost = np.cumsum(meanings.count)
    walked = int(np.searchsorted(cost, _CHEAP, side="right"))
    covers = meanings.gain >= 0.6 * meanings.weights[meanings.position]
    covered = set(meanings.position[:walked][covers[:walked]].tolist())
    half = 0.5 * float(meanings.weights.sum())
    for place in range(walked, int(np.searchsorted(cost, _DEAR, side="right"))):
        if sum(float(meanings.weights[position]) for position in covered) >= half:
            break
        if covers[place]:
            covered.add(int(meanings.position[place]))
        walked += 1
    return walked
