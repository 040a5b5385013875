"""Reads a plain, .gz or .bz2 dump in blocks of lines; decompresses and parses it on all cores if the format allows it.

    for block in blocks(Path("latest-all.json.bz2")):
        block.split(b"\\n")

A .bz2 dump of Wikidata consists of many consecutive streams, which are found by their headers and decompressed in
parallel. A .gz file is decompressed by one core, while other cores parse its lines. Only a few blocks are in memory at
a time. `map_blocks` parses the blocks in several processes.
"""

from __future__ import annotations

import bz2
import os
import re
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

BLOCK_BYTES = 1 << 20
MAX_STREAM_BYTES = 1 << 25
MAX_BYTES_FOR_ONE_PROCESS = 1 << 26
"""The largest size, in bytes, of a dump that a single process reads.

Starting more processes for a smaller dump would take longer than they save.
"""
Task = TypeVar("Task")
Found = TypeVar("Found", covariant=True)
_TRIPLE = re.compile(rb"(<[^<>\s]*>|_:\S+)\s+<[^<>\s]*>\s+(<[^<>\s]*>|_:\S+|\".*)")
_DOCUMENT = re.compile(rb"\[?\s*\{\s*\"\w+\"\s*:")
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
GZIP, BZIP2 = b"\x1f\x8b", b"BZh"


class DumpError(ValueError):
    """A dump, or the extract of a dump, that cannot be read; the message describes the problem."""


def identity_of(path: Path) -> str:
    """Return a dump's name, size and modification time as a text; a build resumes only if this text is unchanged."""
    status = path.stat() if path.exists() else None
    return f"{path.name} {status.st_size} {status.st_mtime_ns}" if status else path.name


def is_ntriples(path: Path) -> bool:
    """Whether a dump contains N-Triples instead of entity JSON; decided by its content, which may be compressed.

    The first line that is neither empty nor a comment decides.

    Raises:
        DumpError: the file cannot be read, or its first line is neither a triple nor a document.
    """
    for block in blocks(path, size=1 << 12):
        for line in block.lstrip(b"\xef\xbb\xbf").split(b"\n"):
            text = line.strip()
            if not text or text.startswith(b"#"):
                continue
            if _TRIPLE.match(text):
                return True
            if text == b"[" or _DOCUMENT.match(text):
                return False
            shown = text[:80].decode("utf-8", "replace")
            raise DumpError(
                f"{path} is not a dump of Wikidata: its first line is {shown!r}. A dump has one entity document per "
                "line (latest-all.json.gz), or one N-Triples statement per line (latest-all.nt.bz2); Turtle is not read"
            )
    raise DumpError(f"{path} is not a dump of Wikidata: it is empty")


def blocks(path: Path, read: Callable[[int], None] | None = None, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Yield blocks of whole lines; about `size` bytes are read at a time.

    `read` is called with the number of bytes of the file that have been read so far.

    Raises:
        DumpError: the file is missing, damaged or truncated.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            head = file.read(3)
            file.seek(0)
            pieces = (
                _unzipped(file, size)
                if head[:2] == GZIP
                else (_bunzipped(file, size) if head == BZIP2 else _plain(file, size))
            )
            rest = b""
            for piece in pieces:
                if read is not None:
                    read(file.tell())
                cut = piece.rfind(b"\n") + 1
                if cut:
                    yield from _bounded(rest + piece[:cut], 2 * size)
                    rest = piece[cut:]
                else:
                    rest += piece
            if rest:
                yield rest
    except FileNotFoundError:
        raise DumpError(f"there is no file {path}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DumpError(f"{path.name} cannot be read any further: {error}") from None


def _bounded(lines: bytes, most: int) -> Iterator[bytes]:
    """Yield whole lines in blocks of at most `most` bytes; a longer line is a block by itself.

    A few compressed bytes may unpack to many lines.
    """
    start = 0
    while len(lines) - start > most:
        end = lines.rfind(b"\n", start, start + most) + 1 or lines.find(b"\n", start + most) + 1
        yield lines[start:end]
        start = end
    if start < len(lines):
        yield lines[start:] if start else lines


def _plain(file: IO[bytes], size: int) -> Iterator[bytes]:
    while piece := file.read(size):
        yield piece


def _unzipped(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the decompressed content of a .gz file, which another thread reads a few blocks ahead of the caller."""
    return _ahead(_members(file, b"", size // 4, lambda: zlib.decompressobj(zlib.MAX_WBITS | 16)), 4)


def _members(file: IO[bytes], compressed: bytes, size: int, fresh: Callable[[], Any]) -> Iterator[bytes]:
    """Yield the decompressed contents of all gzip members or bzip2 streams of a file, in order.

    `compressed` are the bytes that have been read already; `fresh` returns a new decompressor.
    """
    member, has_begun = fresh(), False
    while True:
        while compressed:
            yield member.decompress(compressed)
            has_begun, compressed = True, b""
            if member.eof:
                compressed = member.unused_data.lstrip(b"\0")
                member, has_begun = fresh(), False
        compressed = file.read(size)
        if not compressed:
            break
    if has_begun:
        raise EOFError("it is truncated")


def _ahead(pieces: Iterator[bytes], count: int) -> Iterator[bytes]:
    """Yield the pieces, while a thread prepares the next `count` of them (decompression releases the GIL)."""
    with ThreadPoolExecutor(1) as pool:
        waiting: deque[Future[bytes | None]] = deque(pool.submit(next, pieces, None) for _ in range(count))
        while (piece := waiting.popleft().result()) is not None:
            waiting.append(pool.submit(next, pieces, None))
            yield piece


def _bunzipped(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the decompressed streams of a .bz2 file, in order.

    They are decompressed in parallel up to the first stream of more than `MAX_STREAM_BYTES` bytes, then one at a time.
    """
    cores = os.cpu_count() or 1
    rest = b""
    with ThreadPoolExecutor(cores) as pool:
        waiting: deque[Future[bytes]] = deque()
        while piece := file.read(size):
            rest += piece
            begins = [match.start() for match in _STREAM.finditer(rest, 1)]
            for begin, end in pairwise([0, *begins]):
                waiting.append(pool.submit(_bunzip, rest[begin:end]))
            rest = rest[begins[-1] :] if begins else rest
            while len(waiting) > 2 * cores:
                yield waiting.popleft().result()
            if len(rest) > MAX_STREAM_BYTES:
                break
        while waiting:
            yield waiting.popleft().result()
    yield from _ahead(_members(file, rest, size // 8, bz2.BZ2Decompressor), 4)


def _bunzip(stream: bytes) -> bytes:
    reader = bz2.BZ2Decompressor()
    piece = reader.decompress(stream)
    if not reader.eof:
        raise EOFError("it is truncated")
    return piece


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
    return os.cpu_count() or 1 if size > MAX_BYTES_FOR_ONE_PROCESS else 1


def map_blocks(
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
