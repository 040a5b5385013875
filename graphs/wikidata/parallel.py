"""Reads the blocks of a dump in processes on all cores, and returns their findings in the order of the blocks."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol, TypeVar

ONE_PROCESS = 1 << 26
"""The largest size, in bytes, of a dump that a single process reads.

Starting more processes for a smaller dump would take longer than they save.
"""
Task = TypeVar("Task")
Found = TypeVar("Found", covariant=True)


class BlockReader(Protocol[Found]):
    """A reader of blocks of lines; each process has its own reader."""

    def read(self, piece: bytes) -> Found:
        """Parse a block of whole lines and return the findings."""
        ...

    def close(self) -> None:
        """Release the reader's resources, such as a database connection."""
        ...


def processes_for(path: Path) -> int:
    """Return the number of processes with which to read a dump: one for a small dump, otherwise one for each core."""
    size = path.stat().st_size if path.exists() else 0
    return os.cpu_count() or 1 if size > ONE_PROCESS else 1


def mapped(
    make: Callable[[Task], BlockReader[Found]], task: Task, pieces: Iterable[bytes], processes: int
) -> Iterator[Found]:
    """Yield the findings in each block, in the order of the blocks; the processes read a few blocks ahead.

    `make(task)` creates the reader of each process.
    """
    if processes == 1:
        reader = make(task)
        try:
            yield from map(reader.read, pieces)
        finally:
            reader.close()
        return
    with ProcessPoolExecutor(processes, get_context("spawn"), _begin, (make, task)) as pool:
        waiting: deque[Future[Found]] = deque()
        for piece in pieces:
            waiting.append(pool.submit(_read, piece))
            if len(waiting) > 2 * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


_reader: BlockReader[Any]


def _begin(make: Callable[[Any], BlockReader[Any]], task: Any) -> None:
    global _reader
    _reader = make(task)


def _read(piece: bytes) -> Any:
    return _reader.read(piece)
