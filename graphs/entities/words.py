"""The words of an index: exact matches of a typed word, and words that a typed word may misspell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from graphground.graphs.entities.build import word_weights
from graphground.graphs.entities.deletions import typing_errors
from graphground.graphs.entities.files import Array, Files
from graphground.graphs.entities.hashing import deletion_buckets, word_number

_MOST_NEIGHBOURS = 4_000


@dataclass(frozen=True, slots=True)
class Variants:
    """The numbers of index words that a typed word may misspell, with their similarities: 0.8 for `james`, `jmaes`."""

    words: Array
    likeness: Array


_NONE = Variants(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))


class Words:
    """A search for words by spelling: exact words by a binary search, misspelt words through the deletion table."""

    def __init__(self, files: Files):
        self._files = files

    def number(self, word: str) -> int | None:
        """Return the number of a word in the index; None if the word is not in the index."""
        return self.numbers([word])[0]

    def numbers(self, words: Sequence[str]) -> list[int | None]:
        """Return the numbers of several words, found in one search."""
        known = self._files.word_number
        if not len(known):
            return [None] * len(words)
        hashes = np.array([word_number(word) for word in words], dtype=np.uint64)
        places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        return [
            int(place) if same else None
            for place, same in zip(places.tolist(), (known[places] == hashes).tolist(), strict=True)
        ]

    def weight(self, words: Sequence[str]) -> float | None:
        """Return the combined specificity of words, higher for rarer words; None if a word is not in the index."""
        known = [number for number in self.numbers(words) if number is not None]
        if len(known) < len(words):
            return None
        return float(word_weights(self.frequencies(np.array(known, dtype=np.int64)), self._files.rows).sum())

    def neighbours(self, word: str, errors: int) -> Variants:
        """Return the other words within `errors` typing errors of a word; a swap of two letters is one error.

        Fewer errors are allowed in a short word (see `typing_errors`). Only the first `_MOST_NEIGHBOURS` words in a
        bucket are considered.
        """
        errors = min(errors, 2 if len(word) == 4 and word.isalpha() else typing_errors(word))
        if not errors:
            return _NONE
        files = self._files
        buckets = deletion_buckets(word, errors, files.bits)
        starts, ends = files.deletion_starts[buckets].tolist(), files.deletion_starts[buckets + 1].tolist()
        found = [
            files.deletion_word[low : min(high, low + _MOST_NEIGHBOURS)]
            for low, high in zip(starts, ends, strict=True)
            if high > low
        ]
        if not found:
            return _NONE
        numbers = np.unique(np.concatenate(found))
        lengths = files.word_length[numbers].astype(np.int16)
        numbers = numbers[np.abs(lengths - min(len(word), 255)) <= errors][:_MOST_NEIGHBOURS]
        if not len(numbers):
            return _NONE
        texts = files.word.many(numbers)
        distances = cdist([word], texts, scorer=OSA.distance, score_cutoff=errors, dtype=np.uint8)[0]
        chosen = np.flatnonzero((distances <= errors) & (distances > 0))
        longest = np.maximum(len(word), np.array([len(texts[place]) for place in chosen.tolist()], dtype=np.float32))
        return Variants(numbers[chosen].astype(np.int64), np.float32(1) - distances[chosen] / longest)

    def frequencies(self, words: Array) -> Array:
        """Return the number of rows that contain each word."""
        starts = self._files.posting_starts
        counted: Array = starts[words + 1].astype(np.int64) - starts[words]
        return counted
