"""The deletion table of an index, which finds the words within two typing errors of a typed word (see `hashing`).

If a new index replaces an older index with the same number of buckets, it reuses the entries of the words that both
indexes contain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphground.graphs.entities.hashing import PREFIX, U64, deletion_pairs, distinct
from graphground.graphs.entities.record import Progress
from graphground.graphs.entities.spool import Spool, offsets

_AT_ONCE = 200_000
_LOW = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class KnownDeletions:
    """The deletion table of an older index, with the number of entries of each of its words."""

    counts: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    bits: int = 0
    words: npt.NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, dtype=np.uint32))
    starts: npt.NDArray[Any] = field(default_factory=lambda: np.zeros(1, dtype=np.uint32))

    def pairs(self, number: npt.NDArray[np.int64]) -> U64:
        """Return the table as sorted integers `bucket << 32 | word`.

        `number` holds the new number of each old word; words with a negative number are left out.
        """
        buckets = np.repeat(
            np.arange(len(self.starts) - 1, dtype=np.int64), self.starts[1:].astype(np.int64) - self.starts[:-1]
        )
        words = number[self.words]
        present = words >= 0
        pairs: U64 = (buckets[present] << 32 | words[present]).astype(np.uint64)
        return pairs


def in_buckets(pairs: U64, bits: int) -> U64:
    """Return the integers `bucket << 32 | word` with the buckets shortened from 32 to `bits` bits."""
    shorter: U64 = pairs >> np.uint64(64 - bits) << np.uint64(32) | pairs & _LOW
    return shorter


def write_deletions(
    folder: Path, spool: Spool, spooled: npt.NDArray[Any], known: KnownDeletions, progress: Callable[[Progress], None]
) -> int:
    """Write the deletion table of an index whose words are in `folder`; return the number of bits of its buckets.

    `spooled` holds the position of each word in the spool, where the words of `known` come first.
    """
    counts = np.zeros(len(spooled), dtype=np.uint8)
    old = spooled < len(known.counts)
    counts[old] = known.counts[spooled[old]]
    fresh = _pairs_of(np.flatnonzero(~old), folder, spool, counts, progress)
    bits = max(8, min(26, (int(counts.sum(dtype=np.int64)) // 2).bit_length()))
    same = bits == known.bits and bool(old.any())
    if not same and old.any():
        fresh = _pairs_of(np.arange(len(spooled)), folder, spool, counts, progress)
    pairs = distinct(in_buckets(fresh, bits))
    if same:
        number = np.full(len(known.counts), -1, dtype=np.int64)
        number[spooled[old]] = np.flatnonzero(old)
        pairs = np.concatenate([known.pairs(number), pairs])
        pairs.sort(kind="stable")  # a stable sort merges the two sorted parts
    buckets = (pairs >> np.uint64(32)).astype(np.int64)
    np.save(folder / "deletion_word.npy", pairs.astype(np.uint32))
    np.save(folder / "deletion_starts.npy", offsets(np.bincount(buckets, minlength=1 << bits)))
    np.save(folder / "word_deletions.npy", counts)
    return bits


def _pairs_of(
    chosen: npt.NDArray[Any],
    folder: Path,
    spool: Spool,
    counts: npt.NDArray[np.uint8],
    progress: Callable[[Progress], None],
) -> U64:
    """Return the entries `bucket << 32 | word` of the chosen words, with 32 bits for the bucket.

    The number of entries of each chosen word is written into `counts`.
    """
    starts = np.load(folder / "word_starts.npy")
    pieces = memoryview(np.load(folder / "word_bytes.npy", mmap_mode="r"))
    column = f"deletions of {len(chosen)}"
    for low in range(0, len(chosen), _AT_ONCE):
        progress(Progress("typing errors", low, len(chosen)))
        numbers = chosen[low : low + _AT_ONCE]
        edges = zip(starts[numbers].tolist(), starts[numbers + 1].tolist(), strict=True)
        words = [str(pieces[start:end], "utf-8") for start, end in edges]
        heads = "".join([word[:PREFIX].ljust(PREFIX, "\0") for word in words])
        prefixes = np.frombuffer(heads.encode("utf-32-le"), dtype=np.uint32).reshape(-1, PREFIX)
        lengths = np.fromiter((min(len(word), PREFIX) for word in words), dtype=np.uint8, count=len(words))
        errors = np.fromiter(map(typing_errors, words), dtype=np.uint8, count=len(words))
        pairs = deletion_pairs(prefixes, lengths, errors, np.arange(len(words), dtype=np.uint64), 32)
        places = (pairs & _LOW).astype(np.int64)
        counts[numbers] = np.bincount(places, minlength=len(words))
        spool.numbers(column, pairs & ~_LOW | numbers[places].astype(np.uint64))
    progress(Progress("typing errors", len(chosen), len(chosen)))
    return spool.read(column, np.uint64)


def typing_errors(word: str) -> int:
    """Return the number of typing errors allowed in a word: none in `of`, one in `jose` or `1984a`, two in `james`."""
    if len(word) < 3 or word.isdecimal():
        return 0
    if len(word) < 5 or (not word.isalpha() and any(map(str.isdecimal, word))):
        return 1
    return 2
