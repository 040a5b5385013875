"""The extract of a dump: the lines that later passes need, in frames; each frame holds lines of one block of the dump.

A triple whose subject and object are items is stored as numbers, which take a tenth of the time and memory of its text.
All other lines are stored as text.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy

from graphground.graphs.wikidata.dump_files import DumpError
from graphground.graphs.wikidata.ntriples.lines import Lines, Numbers

LEVEL = 1
"""The compression level of zlib: the fastest."""
_HEADER = struct.Struct("<II")
_NUMBER, _KIND = numpy.dtype("<i8"), numpy.dtype("<u2")


class Pairs(NamedTuple):
    """Triples whose subjects and objects are items, as three arrays of the same length.

    `kinds` are the positions of the predicates in the extract's vocabulary; `subjects` and `objects` are item numbers.
    """

    kinds: Numbers
    subjects: Numbers
    objects: Numbers


def frame_of(lines: Lines) -> bytes:
    """Return lines of a block as a frame; an empty frame (`b""`) if there are no lines."""
    if not len(lines):
        return b""
    are_pairs = lines.are_items & (lines.subjects >= 0)
    pairs, others = lines.only(are_pairs), lines.only(~are_pairs)
    columns = ((pairs.subjects, _NUMBER), (pairs.objects, _NUMBER), (pairs.kinds, _KIND))
    numbers = zlib.compress(b"".join(column.astype(kind).tobytes() for column, kind in columns), LEVEL)
    text = zlib.compress(others.text(), LEVEL)
    return _HEADER.pack(len(numbers), len(text)) + numbers + text


def content_of(frame: bytes) -> tuple[Pairs, bytes]:
    """Return the content of a frame: the triples whose subject and object are items, and the text of all other lines.

    Raises:
        DumpError: the frame is damaged.
    """
    size, _ = _HEADER.unpack_from(frame)
    try:
        numbers, text = (zlib.decompress(part) for part in (frame[_HEADER.size :][:size], frame[_HEADER.size + size :]))
    except zlib.error as error:
        raise DumpError(f"the extract of the dump is damaged: {error}") from None
    count = len(numbers) // (2 * _NUMBER.itemsize + _KIND.itemsize)
    subjects = numpy.frombuffer(numbers, _NUMBER, count)
    objects = numpy.frombuffer(numbers, _NUMBER, count, count * _NUMBER.itemsize)
    kinds = numpy.frombuffer(numbers, _KIND, count, 2 * count * _NUMBER.itemsize)
    return Pairs(kinds.astype(numpy.int64), subjects, objects), text


def frames(path: Path, read: Callable[[int], None]) -> Iterator[bytes]:
    """Yield the frames of an extract; `read` is called with the number of bytes read so far.

    Raises:
        DumpError: the extract is missing or truncated.
    """
    try:
        with path.open("rb") as file:
            while header := file.read(_HEADER.size):
                size = sum(_HEADER.unpack(header)) if len(header) == _HEADER.size else 1
                body = file.read(size)
                if len(body) < size:
                    raise DumpError(f"{path.name} cannot be read any further: it is truncated")
                read(file.tell())
                yield header + body
    except OSError as error:
        raise DumpError(f"{path.name} cannot be read any further: {error}") from None
