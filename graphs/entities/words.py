"""The words of an index: the one that was typed, and those that may have been meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from graphground.graphs.entities.build import typing_errors
from graphground.graphs.entities.files import Array, Files
from graphground.graphs.entities.hashing import deletion_buckets, word_number

_MOST_NEIGHBOURS = 4_000


@dataclass(frozen=True, slots=True)
class Variant:
    """A word of the index that a typed word may mean: `Variant(8123, 0.83)` is `james` for `jmaes`."""

    word: int
    likeness: float


class Words:
    """Finds words by spelling: exactly in one look-up, with typing errors through the deletion table."""

    def __init__(self, files: Files):
        self._files = files

    def number(self, word: str) -> int | None:
        """The number of a word in the index, None when it has none such."""
        return self.numbers([word])[0]

    def numbers(self, words: Sequence[str]) -> list[int | None]:
        """The numbers of several words in one search."""
        known = self._files.word_number
        if not len(known):
            return [None] * len(words)
        wanted = np.array([word_number(word) for word in words], dtype=np.uint64)
        places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return [int(place) if same else None
                for place, same in zip(places.tolist(), (known[places] == wanted).tolist(), strict=True)]

    def neighbours(self, word: str, errors: int) -> list[Variant]:
        """The words within so many typing errors (a swap of two letters is one), without the word itself."""
        errors = min(errors, 2 if len(word) == 4 and word.isalpha() else typing_errors(word))
        if not errors:
            return []
        files = self._files
        buckets = deletion_buckets(word, errors, files.bits)
        starts, ends = files.deletion_starts[buckets].tolist(), files.deletion_starts[buckets + 1].tolist()
        found = [files.deletion_word[low:min(high, low + _MOST_NEIGHBOURS)]
                 for low, high in zip(starts, ends, strict=True) if high > low]
        if not found:
            return []
        near = np.unique(np.concatenate(found))
        lengths = files.word_length[near].astype(np.int16)
        near = near[np.abs(lengths - min(len(word), 255)) <= errors][:_MOST_NEIGHBOURS]
        if not len(near):
            return []
        texts = files.word.many(near)
        distances = cdist([word], texts, scorer=OSA.distance, score_cutoff=errors, dtype=np.uint8)[0]
        chosen = np.flatnonzero((distances <= errors) & (distances > 0))
        return [Variant(int(near[place]), 1.0 - distances[place] / max(len(word), len(texts[place])))
                for place in chosen.tolist()]

    def postings(self, word: int, low: int, high: int) -> Array:
        """The rows that have a word, in order, from `low` to `high` alone."""
        starts = self._files.posting_starts
        rows = self._files.posting[int(starts[word]):int(starts[word + 1])]
        if low > 0 or high < self._files.rows:
            first, last = np.searchsorted(rows, (low, high))
            rows = rows[first:last]
        return rows
