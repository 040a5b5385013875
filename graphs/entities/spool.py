"""Temporary files of a build, in which arrays grow on disk instead of in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

NEIGHBOURS = 4
"""The average number of consecutive pieces in a run above which `gather` copies each run as a whole."""


class Spool:
    """Named columns of numbers and texts in a folder: `spool.numbers("entity", array)`, then `spool.read(…)`."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._files: dict[str, BinaryIO] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def numbers(self, column: str, values: npt.NDArray[Any]) -> None:
        """Append an array; all arrays of a column have the same type."""
        self._file(column).write(np.ascontiguousarray(values).tobytes())

    def texts(self, column: str, texts: Sequence[str]) -> None:
        """Append texts as UTF-8 with their lengths in bytes."""
        encoded = [text.encode("utf-8", "replace") for text in texts]
        self._file(column + ".bytes").write(b"".join(encoded))
        self.numbers(column + ".lengths", np.fromiter(map(len, encoded), dtype=np.uint32, count=len(encoded)))

    def packed(self, column: str, pieces: npt.NDArray[np.uint8], starts: npt.NDArray[Any]) -> None:
        """Append packed texts: their bytes, and in `starts` the offset of each text and the end of the last text."""
        self._file(column + ".bytes").write(np.ascontiguousarray(pieces[: int(starts[-1])]).data)
        self.numbers(column + ".lengths", np.diff(starts.astype(np.int64)).astype(np.uint32))

    def read(self, column: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Read a whole column into memory."""
        self._file(column).flush()
        return np.fromfile(self._folder / column, dtype=dtype)

    def mapped(self, column: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Memory-map a whole column."""
        file = self._file(column)
        file.flush()
        if not file.tell():
            return np.zeros(0, dtype=dtype)
        return np.asarray(np.memmap(self._folder / column, dtype=dtype, mode="r"))

    def close(self) -> None:
        for file in self._files.values():
            file.close()

    def _file(self, column: str) -> BinaryIO:
        if column not in self._files:
            self._files[column] = (self._folder / column).open("wb")
        return self._files[column]


def offsets(lengths: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the offset of each piece and the end of the last piece: `[0, 3, 5]` for the lengths `[3, 2]`.

    The array has 32-bit integers if they suffice, otherwise 64-bit integers.
    """
    total = int(lengths.sum(dtype=np.int64))
    starts = np.zeros(len(lengths) + 1, dtype=np.uint32 if total < 1 << 32 else np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def gather(
    pieces: npt.NDArray[Any],
    starts: npt.NDArray[Any],
    lengths: npt.NDArray[Any],
    order: npt.NDArray[Any],
    into: npt.NDArray[Any],
    chunk: int = 500_000,
) -> None:
    """Write the pieces of a packed column into the array `into`, in the order `order`.

    If `order` consists of long runs of consecutive numbers, each run is copied as a whole; otherwise `chunk` pieces are
    copied at a time.
    """
    written = 0
    breaks = np.flatnonzero(np.diff(order.astype(np.int64)) != 1) + 1
    if len(order) and NEIGHBOURS * len(breaks) < len(order):
        firsts, lasts = order[np.concatenate(([0], breaks))], order[np.concatenate((breaks, [len(order)])) - 1]
        ends = starts[lasts].astype(np.int64) + lengths[lasts]
        for low, end in zip(starts[firsts].tolist(), ends.tolist(), strict=True):
            into[written : written + end - low] = pieces[low:end]
            written += end - low
        return
    for low in range(0, len(order), chunk):
        chosen = order[low : low + chunk]
        sizes = lengths[chosen].astype(np.int64)
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        place = np.arange(total, dtype=np.int64) + np.repeat(starts[chosen].astype(np.int64) - (ends - sizes), sizes)
        into[written : written + total] = pieces[place]
        written += total
