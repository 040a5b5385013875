"""Hashes of words and names, computed alike in NumPy (for millions of them) and in Python (for a single word or name).

The number of a word is a polynomial over its code points; the number of a name is a polynomial over the numbers of its
words. Both are computed modulo 2^64. The *deletion numbers* of a word are the numbers of its first seven letters with
no, one or two letters deleted. Two words within two typing errors of each other share at least one deletion number (the
idea of SymSpell).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

U64 = npt.NDArray[np.uint64]
MASK = (1 << 64) - 1
PREFIX = 7
_LONGEST = 512
_SPREAD = 0x9E3779B97F4A7C15


def _powers(base: int, count: int) -> list[int]:
    powers = [1]
    for _ in range(count - 1):
        powers.append(powers[-1] * base & MASK)
    return powers


_LETTER = _powers(0xD6E8FEB86659FD93, _LONGEST)
_WORD = _powers(0xA0761D6478BD642F, _LONGEST)
# Letters and words beyond `_LONGEST` get the factor 0; in Python `map` leaves them out in the same way.
LETTER_POWERS = np.array([*_LETTER, 0], dtype=np.uint64)
WORD_POWERS = np.array([*_WORD, 0], dtype=np.uint64)

PATTERNS: tuple[tuple[int, ...], ...] = tuple(
    left_out for count in range(3) for left_out in combinations(range(PREFIX), count)
)
"""The positions of deleted letters: no position, then each single position, then each pair."""


def _pattern_powers() -> U64:
    table = np.zeros((len(PATTERNS), PREFIX), dtype=np.uint64)
    for row, left_out in enumerate(PATTERNS):
        remaining = [position for position in range(PREFIX) if position not in left_out]
        for rank, position in enumerate(remaining):
            table[row, position] = _LETTER[rank]
    return table


PATTERN_POWERS = _pattern_powers()


def mix(number: int) -> int:
    """Mix the bits of a polynomial, so that its high bits are suitable for choosing a bucket."""
    number ^= number >> 32
    number = number * _SPREAD & MASK
    return number ^ number >> 29


def mix_many(numbers: U64) -> U64:
    """Apply `mix` to each number of an array."""
    numbers = (numbers ^ (numbers >> np.uint64(32))) * np.uint64(_SPREAD)
    return numbers ^ (numbers >> np.uint64(29))


def word_number(word: str) -> int:
    """Return the number of a folded word."""
    return mix(sum(map(int.__mul__, map(ord, word), _LETTER)) & MASK)


def name_number(words: Sequence[int]) -> int:
    """Return the number of a name, from the numbers of its words in order."""
    return mix(sum(map(int.__mul__, words, _WORD)) & MASK)


def word_numbers(letters: npt.NDArray[np.uint32], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> U64:
    """Return the numbers of many words whose code points are concatenated in `letters`."""
    if not len(starts):
        return np.zeros(0, dtype=np.uint64)
    total = int(lengths.sum())
    ends = np.cumsum(lengths)
    offset = np.arange(total, dtype=np.int64) - np.repeat(ends - lengths, lengths)
    place = np.repeat(starts, lengths) + offset
    terms = letters[place].astype(np.uint64) * LETTER_POWERS[np.minimum(offset, _LONGEST)]
    return mix_many(np.add.reduceat(terms, ends - lengths))


def name_numbers(words: U64, starts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> U64:
    """Return the numbers of many names from the numbers of their words; every name must have at least one word."""
    if not len(starts):
        return np.zeros(0, dtype=np.uint64)
    rank = np.arange(len(words), dtype=np.int64) - np.repeat(starts, counts)
    return mix_many(np.add.reduceat(words * WORD_POWERS[np.minimum(rank, _LONGEST)], starts))


def deletion_buckets(word: str, errors: int, bits: int) -> npt.NDArray[np.int64]:
    """Return the numbers of the buckets that contain the words within `errors` typing errors of a word.

    The number of a bucket has `bits` bits.
    """
    letters = word[:PREFIX]
    known = len(letters)
    codes = np.zeros(PREFIX, dtype=np.uint64)
    codes[:known] = [ord(letter) for letter in letters]
    rows = [
        row
        for row, left_out in enumerate(PATTERNS)
        if len(left_out) <= errors and (not left_out or left_out[-1] < known)
    ]
    numbers = mix_many((PATTERN_POWERS[rows] * codes).sum(axis=1, dtype=np.uint64))
    return np.unique(numbers >> np.uint64(64 - bits)).astype(np.int64)


def deletion_pairs(
    prefixes: npt.NDArray[np.uint32],
    lengths: npt.NDArray[np.uint8],
    errors: npt.NDArray[np.uint8],
    words: U64,
    bits: int,
) -> U64:
    """Return an integer `bucket << 32 | word` for each deletion number of each word.

    `prefixes` has one row of `PREFIX` code points for each word, padded with zeros; `errors` is the number of letters
    that may be deleted from each word.
    """
    codes = prefixes.astype(np.uint64)
    pairs: list[U64] = []
    for row, left_out in enumerate(PATTERNS):
        fits = errors >= len(left_out)
        if left_out:
            fits &= lengths > left_out[-1]
        chosen = np.flatnonzero(fits)
        if len(chosen):
            numbers = mix_many((codes[chosen] * PATTERN_POWERS[row]).sum(axis=1, dtype=np.uint64))
            pairs.append((numbers >> np.uint64(64 - bits)) << np.uint64(32) | words[chosen])
    return distinct(np.concatenate(pairs)) if pairs else np.zeros(0, dtype=np.uint64)


def distinct(numbers: U64) -> U64:
    """Return the distinct numbers in ascending order; this also sorts the given array."""
    numbers.sort()
    return numbers[np.concatenate(([True], numbers[1:] != numbers[:-1]))] if len(numbers) else numbers
