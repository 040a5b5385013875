"""One column of vectors, of names or of descriptions: eight bits per dimension, and sign bits for searching.

A search counts the sign bits in which each vector differs, and then compares the nearest few hundred vectors at eight
bits per dimension. As in the entity index, a label is a range of positions. A label with very many
vectors may have an HNSW index (see `approximate.py`), which is searched instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphground.graphs.entities.files import Array
from graphground.graphs.entities.vectors.approximate import open_neighbours
from graphground.graphs.entities.vectors.encoders import Vectors

SCAN_KEEPS = 400
"""The minimum number of vectors to compare with eight bits per dimension; they are the nearest by sign bits."""


class ColumnWriter:
    """A writer of vectors to the files of a column: `writer.write(0, vectors)`, then `writer.flush()`."""

    def __init__(self, folder: Path, rows: npt.NDArray[np.uint32], dimensions: int, *, continued: bool):
        folder.mkdir(parents=True, exist_ok=True)
        if not continued:
            np.save(folder / "row.npy", rows)
        mode, count = "r+" if continued else "w+", max(len(rows), 1)
        opened: Any = np.lib.format.open_memmap
        self._eight = opened(folder / "eight.npy", mode, np.int8, (count, dimensions))
        self._sign = opened(folder / "sign.npy", mode, np.uint64, (dimensions // 64, count))
        self._scale = opened(folder / "scale.npy", mode, np.float16, (count,))

    def write(self, first: int, vectors: Vectors) -> None:
        """Write unit vectors to `first` and the following positions."""
        last = first + len(vectors)
        scale = np.abs(vectors).max(axis=1) / 127 + 1e-9
        self._eight[first:last] = np.round(vectors / scale[:, None]).astype(np.int8)
        self._scale[first:last] = scale.astype(np.float16)
        self._sign[:, first:last] = _signs(vectors).T

    def flush(self) -> None:
        """Flush all data to disk."""
        for mapped in (self._eight, self._sign, self._scale):
            mapped.flush()


class Column:
    """The vectors in a folder: `nearest(vector, 0, 10_000, 5)` returns pairs of a row and its cosine, best first."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.row, self._scale = _mapped(folder / "row.npy"), _mapped(folder / "scale.npy")
        self.eight, self._sign = _mapped(folder / "eight.npy"), _mapped(folder / "sign.npy")
        self._parts = open_neighbours(folder, len(self.row))

    def __len__(self) -> int:
        return len(self.row)

    @property
    def approximate(self) -> int:
        """The number of vectors in HNSW indexes."""
        return sum(part.last - part.first for part in self._parts)

    @property
    def dimensions(self) -> int:
        return int(self.eight.shape[1])

    def places(self, low: int, high: int) -> tuple[int, int]:
        """Return the range of positions of the vectors whose rows lie between `low` and `high`."""
        first, last = np.searchsorted(self.row, (low, high)).tolist()
        return first, last

    def nearest(
        self, vector: Vectors, low: int, high: int, wanted: int, *, exact: bool = False
    ) -> list[tuple[int, float]]:
        """Return up to `wanted` pairs of a row between `low` and `high` and the cosine of its vector, best first.

        With `exact`, all sign bits are compared even if there is an HNSW index.
        """
        first, last = self.places(low, high)
        if first >= last or not vector.any():
            return []
        places = np.concatenate(list(self._likely(vector, first, last, max(wanted, 1), exact)))
        cosines = (self.eight[places].astype(np.float32) @ vector) * self._scale[places].astype(np.float32)
        best = np.argsort(-cosines, kind="stable")[:wanted]
        return list(zip(self.row[places[best]].tolist(), cosines[best].tolist(), strict=True))

    def _likely(self, vector: Vectors, first: int, last: int, count: int, exact: bool) -> Iterable[Array]:
        at = first
        for part in () if exact else self._parts:
            if not part.opened(len(vector)):
                self._parts = [other for other in self._parts if other is not part]
                continue
            if part.first < at or part.last > last:
                continue
            if at < part.first:
                yield self._scan(vector, at, part.first, count)
            yield part.nearest(vector, count)
            at = part.last
        if at < last:
            yield self._scan(vector, at, last, count)

    def _scan(self, vector: Vectors, first: int, last: int, count: int) -> Array:
        most = max(SCAN_KEEPS, count)
        if last - first <= most:
            return np.arange(first, last)
        differing = np.zeros(last - first, dtype=np.uint16)
        for column, signs in zip(self._sign, _signs(vector[None])[0], strict=True):
            differing += np.bitwise_count(column[first:last] ^ signs)
        return first + np.argpartition(differing, most)[:most]


def _signs(vectors: Vectors) -> Array:
    return np.packbits(vectors > 0, axis=1).view(np.uint64)


def _mapped(file: Path) -> Array:
    return np.asarray(np.load(file, mmap_mode="r"))
