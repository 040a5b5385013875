"""Reads the arrays of a SimpleKG file a few hundred records at a time, several times faster than event by event.

Only the usual layout is supported: an object with `schema`, `entities` and `relations` in this order, records as
objects, no empty array. Any other layout raises `NotInBlocks`; `simplekg.py` then reads the file event by event and
reports its problems.

Why a cut is correct: if a part begins between records, and `[` + part + `]` is JSON, the part also ends between
records. If it ended inside a text or a nested object, the bracket would not close the array.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import IO, Any

import orjson

AT_ONCE = 1 << 16
LONGEST_HEAD = 1 << 24
TRIES = 3
_BEGIN = re.compile(rb'"entities"\s*:\s*\[\s*(?=\{)')
_BETWEEN = re.compile(rb'\}\s*,\s*\{(?:\s*"[^"\\]*")?')
_NEXT = re.compile(rb'\}\s*\]\s*,\s*"relations"\s*:\s*\[\s*(?=\{)')
_END = re.compile(rb"\}\s*\]\s*\}\s*\Z")


Blocks = Generator[list[Any], None, int]


class NotInBlocks(Exception):
    """The file does not have the supported layout, or is not JSON."""


def entity_blocks(file: IO[bytes]) -> Blocks:
    """Yield the entities of a file positioned at its start, in blocks of a few hundred.

    `next(entity_blocks(file))` is `[{"eid": "Q25173", …}, …]`. The generator's return value is the byte at which the
    relations begin, which `relation_blocks` needs.

    Raises:
        NotInBlocks: the layout is not supported; the blocks already yielded are valid.
    """
    text = file.read(AT_ONCE)
    while (begin := _beginning(text)) is None:
        more = file.read(AT_ONCE)
        if not more or len(text) > LONGEST_HEAD:
            raise NotInBlocks
        text += more
    return (yield from _blocks(file, text[begin:], begin, _NEXT))


def relation_blocks(file: IO[bytes], begin: int) -> Blocks:
    """Yield the relations from the byte `begin` on, in blocks; after them, the JSON object and the file must end.

    Raises:
        NotInBlocks: the layout is not supported; the blocks already yielded are valid.
    """
    file.seek(begin)
    return (yield from _blocks(file, b"", begin, _END))


def _blocks(file: IO[bytes], text: bytes, at: int, end: re.Pattern[bytes]) -> Blocks:
    """Yield, in blocks, the records of an array; return the byte position after the match of `end`.

    The array begins in `text`, which was read already, and continues in the unread part of the file.

    `at` is the position of `text` in the file. `end` matches the end of the array and what follows it: the beginning of
    the next array, or the end of the file.
    """
    separator = b""
    while True:
        more = file.read(AT_ONCE)
        text += more
        # The end of the last array is searched for only at the end of the file.
        last = end.search(text) if end is _NEXT or not more else None
        block = _parsed(b"[" + text[: last.start() + 1] + b"]") if last else None
        if last and block is not None:
            yield block
            return at + last.end()
        if not more:
            raise NotInBlocks
        separator = separator or _separator(text)
        cut = len(text)
        for _ in range(TRIES):
            cut = text.rfind(separator, 0, cut)
            if not separator or cut < 0:
                break
            block = _parsed(b"[" + text[: cut + 1] + b"]")
            if block is not None:
                yield block
                passed = text.index(b"{", text.index(b",", cut))
                text, at = text[passed:], at + passed
                break
        else:
            raise NotInBlocks
        if len(text) > LONGEST_HEAD:
            raise NotInBlocks


def _beginning(text: bytes) -> int | None:
    """Return the position of the first entity; None if it is not in `text`.

    The schema, which comes first, also has a key `entities`; that key does not count.
    """
    for begin in _BEGIN.finditer(text):
        head = _parsed(text[: begin.start()] + b'"entities":[]}')
        if type(head) is dict and list(head) == ["schema", "entities"]:
            return begin.end()
    return None


def _separator(text: bytes) -> bytes:
    """Return the text between two records, including the first key of the second record; empty if it is not found."""
    for between in _BETWEEN.finditer(text):
        if _parsed(b"[" + text[: between.start() + 1] + b"]") is not None:
            return between[0]
        if between.start() > LONGEST_HEAD >> 8:
            break
    return b""


def _parsed(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
