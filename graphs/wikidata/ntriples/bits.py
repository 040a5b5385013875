"""A fast membership test in bounded memory, applied to every line of a dump.

>>> bits = Bits.of_keys([b"Q42-F078"], 1)
>>> b"Q42-F078" in bits, 42 in Bits.of_items([42], 42), 43 in Bits.of_items([42], 42)
(True, True, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from zlib import crc32

import numpy

from graphground.graphs.wikidata.ntriples.lines import Mask, Numbers

MOST = 1 << 28
"""The maximum number of bits (32 MiB), enough for one bit per item of Wikidata."""
AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class Bits:
    """A bit set of item numbers, or of the hashes of keys; a key is the name of a statement or of a value node.

    For item numbers the set is exact. For keys there are false positives, which the caller removes by joining the
    findings with the exact keys. The bit set is sent to each process once.
    """

    body: bytes
    mask: int
    beyond: frozenset[int] = frozenset()
    """Item numbers that are too large to have a bit."""

    @classmethod
    def of_items(cls, items: Iterable[int], largest: int) -> Bits:
        """Return the bit set of item numbers, of which `largest` is the largest."""
        beyond: set[int] = set()

        def small(numbers: Numbers) -> Numbers:
            is_small = numbers < MOST
            if not is_small.all():
                beyond.update(numbers[~is_small].tolist())
            return numbers[is_small]

        body, mask = _body(map(small, _arrays(items)), min(MOST, 1 << max(largest.bit_length(), 3)))
        return cls(body, mask, frozenset(beyond))

    @classmethod
    def of_keys(cls, keys: Iterable[bytes], count: int) -> Bits:
        """Return the bit set of `count` keys."""
        return cls(*_body(_arrays(map(crc32, keys)), min(MOST, 1 << max((count * 16).bit_length(), 16))))

    def contain(self, items: Numbers) -> Mask:
        """Return a mask of `items`: True for each item that is in the set. A negative number is never in the set."""
        body = numpy.frombuffer(self.body, numpy.uint8)
        places = items & self.mask
        found: Mask = (body[places >> 3] >> (places & 7).astype(numpy.uint8) & 1).astype(bool) & (items == places)
        return found | numpy.isin(items, list(self.beyond)) if self.beyond else found

    def __contains__(self, key: int | bytes) -> bool:
        if isinstance(key, bytes):
            number = crc32(key) & self.mask
        else:
            number = key
            if number > self.mask:
                return number in self.beyond
        return bool(self.body[number >> 3] >> (number & 7) & 1)


@dataclass(frozen=True, slots=True)
class SortedItems:
    """A set of item numbers as a sorted array: smaller than `Bits` for few items, such as the subclasses of a class."""

    numbers: Numbers

    @classmethod
    def of(cls, items: Iterable[int]) -> SortedItems:
        """Return the set of some item numbers."""
        return cls(numpy.array(sorted(items), numpy.int64))

    def contain(self, items: Numbers) -> Mask:
        """Return a mask of `items`: True for each item that is in the set."""
        if not len(self.numbers):
            return numpy.zeros(len(items), bool)
        places = numpy.minimum(numpy.searchsorted(self.numbers, items), len(self.numbers) - 1)
        found: Mask = self.numbers[places] == items
        return found


ItemSet = Bits | SortedItems


def _arrays(numbers: Iterable[int]) -> Iterator[Numbers]:
    """Yield numbers in arrays of at most `AT_ONCE`."""
    remaining = iter(numbers)
    while len(chunk := numpy.fromiter(islice(remaining, AT_ONCE), numpy.int64)):
        yield chunk


def _body(arrays: Iterable[Numbers], size: int) -> tuple[bytes, int]:
    body = numpy.zeros(size >> 3, numpy.uint8)
    for numbers in arrays:
        places = numbers & (size - 1)
        numpy.bitwise_or.at(body, places >> 3, (1 << (places & 7)).astype(numpy.uint8))
    return body.tobytes(), size - 1
