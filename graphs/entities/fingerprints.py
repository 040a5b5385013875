"""Fingerprints of nodes: 64-bit numbers that change with a node's label, key and texts.

The number of a text is the sum of its letters, each multiplied by the weight of its position, modulo 2^64. NumPy
computes the numbers of a whole page of nodes at once. The sum over the prefix that all texts of a column share is
computed only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from graphground.graphs.entities.hashing import U64, mix_many
from graphground.graphs.entities.paging import Page

LONGEST = 512
"""The maximum length, in letters, of a text that is used as it is; a longer text is replaced by its digest."""
WEIGHTS: U64 = mix_many(np.arange(1, LONGEST + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)
NOT_TEXT, FACTOR = np.uint64(0xD6E8FEB86659FD93), np.uint64(0xA0761D6478BD642F)


def fingerprints(page: Page) -> U64:
    """Return for each node of a page a number that changes with its label, key and texts.

    It also changes with the properties that hold the name, the aliases and the values.
    """
    read = [page.label, page.name_property, page.alias_property, *page.values]
    seed = int.from_bytes(blake2b(orjson.dumps(read), digest_size=8).digest(), "little")
    found = np.full(len(page.keys), seed, dtype=np.uint64)
    for column in (page.keys, page.names, page.aliases, page.descriptions, *page.values.values()):
        found = mix_many(found * FACTOR + text_numbers(column))
    return found


def text_numbers(column: Sequence[Any]) -> U64:
    """Return a number for each value of a column; a value other than a text is first written as JSON."""
    marks = np.zeros(len(column), dtype=np.uint64)
    if set(map(type, column)) <= {str}:
        texts: Sequence[str] = column
    else:
        texts = [value if isinstance(value, str) else orjson.dumps(value, default=str).decode() for value in column]
        marks[[not isinstance(value, str) for value in column]] = NOT_TEXT
    if not any(texts):
        return marks
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    if lengths.max() > LONGEST:
        texts = [text if len(text) <= LONGEST else _digest(text) for text in texts]
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    shared = _shared_letters(min(texts), max(texts))
    lengths -= shared
    if shared:
        marks += (_letters(texts[0][:shared]) * WEIGHTS[:shared]).sum(dtype=np.uint64)
        texts = [text[shared:] for text in texts]
    ends = np.cumsum(lengths)
    place = np.arange(int(ends[-1]), dtype=np.int64) - np.repeat(ends - lengths - shared, lengths)
    sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(_letters("".join(texts)) * WEIGHTS[place])))
    numbers: U64 = marks + sums[ends] - sums[ends - lengths]
    return numbers


def _letters(text: str) -> U64:
    """Return the code points of a text, each increased by one, so that none is zero."""
    points: npt.NDArray[np.uint32] = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    letters: U64 = points.astype(np.uint64) + np.uint64(1)
    return letters


def _shared_letters(first: str, last: str) -> int:
    """Return the length of the common prefix of two texts; every text that sorts between them has it too."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))


def _digest(text: str) -> str:
    return "\0" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
