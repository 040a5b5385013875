"""The files of an entity index, memory-mapped: their content is read only where it is needed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from graphground.graphs.entities.build import FORMAT, previous_folder, typing_errors, word_weights
from graphground.graphs.entities.hashing import deletion_buckets, word_number
from graphground.graphs.entities.record import IndexInfo, IndexMissing

Array = npt.NDArray[Any]


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
