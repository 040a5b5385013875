"""Reads the lines of a plain, .gz or .bz2 dump in blocks; decompresses it on all cores if the format allows it.

    for block in blocks(Path("latest-all.json.bz2")):
        block.split(b"\\n")

A .bz2 dump of Wikidata consists of many consecutive streams, which are found by their headers and decompressed in
parallel. A .gz file is decompressed by one core, while other cores parse its lines. Only a few blocks are in memory at
a time.
"""

from __future__ import annotations

import bz2
import os
import re
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

BLOCK = 1 << 20
LONGEST_STREAM = 1 << 25
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

    Raises:
        DumpError: the file cannot be read.
    """
    first = next(blocks(path, size=1 << 12), b"")
    return first.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"<", b"_", b"#")


def blocks(path: Path, read: Callable[[int], None] | None = None, size: int = BLOCK) -> Iterator[bytes]:
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

    They are decompressed in parallel up to the first stream of more than `LONGEST_STREAM` bytes, then one at a time.
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
            if len(rest) > LONGEST_STREAM:
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
