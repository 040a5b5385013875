"""An HNSW index over the vectors of one large label, so that a search does not have to compare all vectors.

USearch (`pip install 'graphground[ann]'`) builds the index from eight-bit vectors and memory-maps its file. An index
pays off from about a million vectors (docs/figures.md): below that, comparing all sign bits takes milliseconds and
needs no build. Without the library, or if a file is incomplete, all vectors are compared.

A complete file is named after its range of positions, `near-0-1000000.usearch`. A stopped build leaves
`near-0-250000.part`, which the next build resumes.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from graphground.graphs.entities.files import Array
from graphground.graphs.entities.vectors.encoders import Vectors

INSTALL = "pip install 'graphground[ann]'"
FROM = 1_000_000
"""The default number of vectors from which a label gets an HNSW index."""
CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH = 16, 64, 400
_AT_ONCE = 4_096
_SAVED_EVERY = 60.0
_FILE = re.compile(r"near-(\d+)-(\d+)\.(usearch|part)")
logger = logging.getLogger(__name__)


class LibraryMissing(LookupError):
    """USearch is not installed; the message says how to install it."""


class Neighbours:
    """The HNSW index over the vectors at the positions `first` to `last - 1`: `nearest(vector, 10)` returns positions.

    The library keeps its working memory in the open index, so only one search runs at a time.
    """

    def __init__(self, file: Path, first: int, last: int):
        self.first, self.last, self._file = first, last, file
        self._lock = threading.Lock()
        self._index: Any = None

    def opened(self, dimensions: int) -> bool:
        """Open the file if it is not open yet; return False if it is incomplete or has another version."""
        with self._lock:
            if self._index is None:
                index = _empty(dimensions)
                try:
                    index.view(str(self._file))
                except (OSError, RuntimeError) as error:
                    logger.warning("%s cannot be used, so every vector is compared: %s", self._file, error)
                    return False
                index.expansion_search = EXPANSION_SEARCH
                self._index = index
            return True

    def nearest(self, vector: Vectors, wanted: int) -> Array:
        """Return the positions of vectors that are probably nearest, in no particular order; call `opened` first."""
        eight = np.round(vector / np.abs(vector).max() * 127).astype(np.int8)
        with self._lock:
            found = self._index.search(eight, min(wanted, self.last - self.first), threads=1)
            places: Array = found.keys.astype(np.int64)
        return places


def installed() -> bool:
    """Whether USearch, which builds and searches HNSW indexes, is installed."""
    return find_spec("usearch") is not None


def open_neighbours(folder: Path, count: int) -> list[Neighbours]:
    """Return the complete HNSW indexes of a column with `count` vectors, in order; none if USearch is not installed."""
    if not installed():
        return []
    parts = [
        Neighbours(file, first, last)
        for file, first, last, complete in _files(folder)
        if complete and first < last <= count
    ]
    return sorted(parts, key=lambda part: part.first)


def build_neighbours(
    folder: Path, eight: Array, first: int, last: int, *, report: Callable[[int], None], stop: Callable[[], bool]
) -> bool:
    """Build the HNSW index over the vectors `eight[first:last]`, or resume its build; return whether it is complete.

    The index is saved when the build is stopped, and once a minute, so that a killed build loses about a minute.
    `report` is called with the number of indexed positions. The build stops when `stop` returns True.

    Raises:
        LibraryMissing: USearch is not installed; the message says how to install it.
    """
    if not installed():
        raise LibraryMissing(
            f"an HNSW index needs USearch; install it with `{INSTALL}`, or build without it "
            "(`--ann 0`): every vector is then compared"
        )
    index, done, saved = _empty(eight.shape[1]), first, None
    for file, its_first, its_last, complete in _files(folder):
        if its_first == first and its_last == last and complete:
            return True
        if its_first == first and not complete and its_last > done:
            done, saved = its_last, file
    if saved is not None:
        index.load(str(saved))
    since = time.monotonic()
    while done < last:
        if stop():
            _save(index, folder, first, done, complete=False)
            return False
        until = min(done + _AT_ONCE, last)
        vectors = np.ascontiguousarray(eight[done:until])
        filled = np.flatnonzero(vectors.any(axis=1))
        if len(filled):
            index.add((done + filled).astype(np.uint64), vectors[filled], threads=os.cpu_count() or 1)
        done = until
        report(done - first)
        if time.monotonic() - since > _SAVED_EVERY and done < last:
            _save(index, folder, first, done, complete=False)
            since = time.monotonic()
    _save(index, folder, first, last, complete=True)
    return True


def seconds_for(eight: Array, count: int) -> float:
    """Return an estimate of the seconds that this machine takes to build an index of `count` vectors.

    The time is measured with up to `_AT_ONCE` of the vectors `eight`.
    """
    sample = np.ascontiguousarray(eight[:: max(1, len(eight) // _AT_ONCE)][:_AT_ONCE])
    sample = sample[sample.any(axis=1)]
    if not len(sample):
        return 0.0
    index, started = _empty(eight.shape[1]), time.perf_counter()
    index.add(np.arange(len(sample), dtype=np.uint64), sample, threads=os.cpu_count() or 1)
    return (time.perf_counter() - started) / len(sample) * count * slower(count, len(sample))


def slower(count: int, sample: int) -> float:
    """Return how many times longer it takes to add a vector to an index of `count` vectors than of `sample` vectors."""
    return max(1.0, 1.0 + GROWTH * float(np.log2(max(count, 2) / max(sample, 2))))


GROWTH = 0.7
"""The increase of the factor `slower` when the number of vectors doubles.

It was fitted to two measurements: 0.07 ms for each of 4,096 vectors, and 0.42 ms for each of 460,000.
"""


def bytes_for(dimensions: int, count: int) -> int:
    """Estimate the size of the index file in bytes: each vector, its neighbours and its key."""
    return count * (dimensions + 5 * 2 * CONNECTIVITY - 11)


def _empty(dimensions: int) -> Any:
    from usearch.index import Index  # loaded on first use: an optional library

    return Index(
        ndim=dimensions,
        metric="cos",
        dtype="i8",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
        enable_key_lookups=False,
    )


def _files(folder: Path) -> list[tuple[Path, int, int, bool]]:
    found = [(file, _FILE.fullmatch(file.name)) for file in sorted(folder.iterdir())]
    return [(file, int(named[1]), int(named[2]), named[3] == "usearch") for file, named in found if named]


def _save(index: Any, folder: Path, first: int, done: int, *, complete: bool) -> None:
    """Write the file under a temporary name, rename it, and delete the files that it replaces."""
    new = folder / f"near-{first}.new"
    index.save(str(new))
    with new.open("rb+") as written:
        os.fsync(written.fileno())
    target = folder / f"near-{first}-{done}.{'usearch' if complete else 'part'}"
    new.replace(target)
    for file, its_first, *_ in _files(folder):
        if its_first == first and file != target:
            file.unlink()
