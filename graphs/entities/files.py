"""The files of an entity index, memory-mapped: their content is read only where it is needed.

`Fuzzy` selects, by the words of a mention, the few rows that are then compared with the mention character by character.
Each word of the mention is matched with the index words that it may be a spelling of. For rare index words, all rows
that contain them are scanned, and the scores that each row gains from its words are added up. The rows of a word that
very many names contain (`john`, `the`) are not scanned: such a word only raises the scores of rows that a rarer word
has selected (the idea of MaxScore).

Words and names are hashed alike in NumPy (millions of them) and in Python (a single one). The number of a word is a
polynomial over its code points; the number of a name is a polynomial over the numbers of its words. Both are computed
modulo 2^64. The *deletion numbers* of a word are the numbers of its first seven letters with no, one or two letters
deleted. Two words within two typing errors of each other share at least one of them (the idea of SymSpell).
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from graphground.graphs.entities.candidate import IndexInfo, IndexMissing

Array = npt.NDArray[Any]
FORMAT = 1
LONGEST_TEXT = 300
LONGEST_VALUE = 120
NAME, ALIAS, VALUE = 0, 1, 2
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


def typing_errors(word: str) -> int:
    """Return the number of typing errors allowed in a word: none in `of`, one in `jose` or `1984a`, two in `james`."""
    if len(word) < 3 or word.isdecimal():
        return 0
    if len(word) < 5 or (not word.isalpha() and any(map(str.isdecimal, word))):
        return 1
    return 2


def word_weights(frequency: npt.NDArray[Any], rows: int) -> npt.NDArray[np.float32]:
    """Return the specificity of words, given how many rows contain them: about 1 for a word in every row, else more."""
    weights: npt.NDArray[np.float32] = (1.0 + np.log2((rows + 1.0) / np.maximum(frequency, 1)) / 4.0).astype(np.float32)
    return weights


def previous_folder(folder: Path) -> Path:
    """Return the folder to which an older index is moved while the new index is renamed."""
    return folder.with_name(f"{folder.name}.previous")


def replace_folder(folder: Path, new: Path) -> None:
    """Rename a new folder of an index to the name of the old one, and delete the old one.

    If the process is killed after only one of the two renamings, the old folder is its `previous_folder`, from which
    `Files` opens an index. Processes that opened the old files still read those.
    """
    previous = previous_folder(folder)
    if folder.exists():
        shutil.rmtree(previous, ignore_errors=True)
        folder.rename(previous)
    new.rename(folder)
    shutil.rmtree(previous, ignore_errors=True)


class Texts:
    """A packed column of texts: `texts[3]` decodes the fourth text."""

    __slots__ = ("_bytes", "starts")

    def __init__(self, pieces: Array, starts: Array):
        self._bytes, self.starts = pieces.data, starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> str:
        return str(self._bytes[int(self.starts[number]) : int(self.starts[number + 1])], "utf-8")

    def many(self, numbers: Array) -> list[str]:
        """Decode several texts, in the given order."""
        pieces = self._bytes
        return [
            str(pieces[low:high], "utf-8")
            for low, high in zip(self.starts[numbers].tolist(), self.starts[numbers + 1].tolist(), strict=True)
        ]


class Files:
    """The memory-mapped arrays of an index, as `IndexBuilder` has written them.

    Raises:
        IndexMissing: there is no index in the folder, or one of another version.
    """

    def __init__(self, folder: Path):
        self.folder = Path(folder)
        if not self.folder.exists() and previous_folder(self.folder).exists():
            self.folder = previous_folder(self.folder)
        try:
            meta = json.loads((self.folder / "meta.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise IndexMissing(
                f"there is no entity index in {self.folder}; build it with `graphground entities build`"
            ) from None
        if meta.get("format") != FORMAT:
            raise IndexMissing(
                f"the entity index in {self.folder} has a different version; rebuild it with "
                "`graphground entities build`"
            )
        self.info = IndexInfo(**meta["info"])
        self.partitions = [tuple(partition) for partition in meta["partitions"]]
        """For each range of rows: the label, the property, the kind, the first row, and the row after the last."""
        self.bits: int = meta["bits"]
        self.text, self.word = self._texts("text"), self._texts("word")
        self.key, self.description = self._texts("key"), self._texts("description")
        self.row_entity, self.row_weight = self._array("row_entity"), self._array("row_weight")
        self.entity_row, self.entity_label = self._array("entity_row"), self._array("entity_label")
        self.value_counts = self._array("value_counts")
        self.word_number, self.word_length = self._array("word_number"), self._array("word_length")
        self.word_first = self._array("word_first")
        self.token, self.token_starts = self._array("token"), self._array("token_starts")
        self.posting, self.posting_starts = self._array("posting"), self._array("posting_starts")
        self.name_number, self.name_row = self._array("name_number"), self._array("name_row")
        self.deletion_word, self.deletion_starts = self._array("deletion_word"), self._array("deletion_starts")

    @property
    def rows(self) -> int:
        return len(self.row_entity)

    def _array(self, name: str) -> Array:
        mapped = np.load(self.folder / f"{name}.npy", mmap_mode="r")
        return np.asarray(mapped)

    def _texts(self, name: str) -> Texts:
        return Texts(self._array(f"{name}_bytes"), self._array(f"{name}_starts"))


# The words of an index: exact matches of a typed word, and words that a typed word may misspell.


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
        # The buckets that contain the words within `errors` typing errors of the word.
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
        buckets = np.unique(numbers >> np.uint64(64 - files.bits)).astype(np.int64)
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
