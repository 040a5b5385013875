"""SimpleKG, CypherBench's JSON form of a graph: read as a stream and checked, and written.

    {"schema": {…}, "entities": [{"eid": "Q25173", "label": "Movie", "name": "Heat", "aliases": [],
     "description": "1995 film", "properties": {"runtime_minute": 170.0}, "provenance": ["…"]}, …],
     "relations": [{"rid": "0", "label": "directedBy", "subj_id": "Q25173", "obj_id": "Q220584",
     "properties": {}, "provenance": []}, …]}

    write_simplekg(Path("movie.json.gz"), schema, entities, relations)  →  (7, 12)

A file may be gzipped. Only a few hundred records are held in memory at a time.

Files in the usual layout are read a few hundred records at a time, several times faster than event by event: an object
with `schema`, `entities` and `relations` in this order, records as objects, no empty array. Any other layout is read
event by event, which also reports the problems of a file. Why a cut is correct: if a part begins between records, and
`[` + part + `]` is JSON, the part also ends between records. If it ended inside a text or a nested object, the bracket
would not close the array.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any, cast

import ijson
import orjson

from graphground.cypher.schema import PropertyGraphSchema, SchemaError
from graphground.graphs.storage.home import replacing

GZIP = b"\x1f\x8b"
PARTS = ("schema", "entities", "relations")
AT_ONCE = 1 << 16
MAX_HEAD_BYTES = 1 << 24
TRIES = 3
_BEGIN = re.compile(rb'"entities"\s*:\s*\[\s*(?=\{)')
_BETWEEN = re.compile(rb'\}\s*,\s*\{(?:\s*"[^"\\]*")?')
_NEXT = re.compile(rb'\}\s*\]\s*,\s*"relations"\s*:\s*\[\s*(?=\{)')
_END = re.compile(rb"\}\s*\]\s*\}\s*\Z")
Blocks = Generator[list[Any], None, int]


class SimpleKGError(ValueError):
    """An invalid graph file; the message gives the problem and, for an invalid record, its number (from 0) and id."""


class SimpleKGFile:
    """A SimpleKG file, whose records are read as a stream: `SimpleKGFile(Path("movie.json.gz")).schema`.

    `read` is called from time to time with the number of bytes read.
    """

    def __init__(self, path: Path, read: Callable[[int], None] | None = None) -> None:
        self.path = Path(path)
        self._read = read
        self._relations_begin: int | None = None
        if not self.path.is_file():
            raise SimpleKGError(f"there is no file {self.path}")
        self.schema = self._schema()

    def entities(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield each entity with its number, from 0."""
        return self._records("entities")

    def relations(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield each relation with its number, from 0."""
        return self._records("relations")

    def _schema(self) -> PropertyGraphSchema:
        place = "schema"
        with self._opened() as file, self._explained(lambda: place):
            document = next(iter(ijson.items(file, "schema", use_float=True)), None)
        if document is None:
            raise SimpleKGError(
                f"{self.path.name} has no 'schema'; a SimpleKG file is a JSON object with {', '.join(map(repr, PARTS))}"
            )
        try:
            return PropertyGraphSchema.from_cypherbench(document)
        except SchemaError as error:
            raise SimpleKGError(f"{self.path.name}: {error}") from None

    def _records(self, part: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
        number = -1
        try:
            for block in self._blocks(part):
                for record in block:
                    number += 1
                    yield number, _object(part, number, record)
            return
        except NotInBlocks:
            last_read = number
        with self._opened() as file, self._explained(lambda: f"{part}[{number + 1}]"):
            for number, record in enumerate(ijson.items(file, f"{part}.item", use_float=True)):
                if self._read is not None and number % 2000 == 0:
                    self._read(file.tell())
                if number > last_read:
                    yield number, _object(part, number, record)
        if number < 0 and part not in self._keys():
            raise SimpleKGError(f"{self.path.name} has no {part!r}")

    def _blocks(self, part: str) -> Iterator[list[Any]]:
        """Yield blocks of the records of `entities` or `relations`.

        Raises:
            NotInBlocks: the file has an unusual layout or is damaged, or `part` is `relations` and the entities have
                not been read yet.
        """
        with self._opened() as file:
            try:
                if part == "entities":
                    blocks = entity_blocks(file)
                elif self._relations_begin is not None:
                    blocks = relation_blocks(file, self._relations_begin)
                else:
                    raise NotInBlocks
                while True:
                    block = next(blocks)
                    if self._read is not None:
                        self._read(file.tell())
                    yield block
            except StopIteration as end:
                self._relations_begin = end.value
            except (EOFError, OSError, zlib.error):
                raise NotInBlocks from None

    def _keys(self) -> set[str]:
        with self._opened() as file:
            return {value for prefix, event, value in ijson.parse(file) if prefix == "" and event == "map_key"}

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        with self.path.open("rb") as raw:
            zipped = raw.read(2) == GZIP
            raw.seek(0)
            if not zipped:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as file:
                yield _Unzipped(file, raw)  # type: ignore[misc]

    @contextmanager
    def _explained(self, place: Callable[[], str]) -> Iterator[None]:
        try:
            yield
        except ijson.IncompleteJSONError as error:
            cut = "the file is truncated" if "premature" in str(error).lower() else f"not JSON ({_short(error)})"
            raise SimpleKGError(f"{self.path.name}, at {place()}: {cut}") from None
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise SimpleKGError(f"{self.path.name}, at {place()}: not JSON ({_short(error)})") from None
        except EOFError:
            raise SimpleKGError(f"{self.path.name}, at {place()}: the file is truncated") from None
        except (gzip.BadGzipFile, OSError) as error:
            raise SimpleKGError(f"{self.path.name}, at {place()}: cannot be read ({_short(error)})") from None


class _Unzipped:
    """A gzipped file for ijson; `tell` returns the position in the compressed file, to show the progress."""

    def __init__(self, file: gzip.GzipFile, raw: IO[bytes]) -> None:
        self.read, self.seek, self.tell = file.read, file.seek, raw.tell


def _object(part: str, number: int, record: Any) -> Mapping[str, Any]:
    if type(record) is not dict:
        raise SimpleKGError(f"{part}[{number}] must be an object, not {_kind(record)}")
    return record


def _kind(value: Any) -> str:
    return {
        dict: "an object",
        list: "a list",
        str: "text",
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        type(None): "null",
    }.get(type(value), type(value).__name__)


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:120]


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
        if not more or len(text) > MAX_HEAD_BYTES:
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
        if len(text) > MAX_HEAD_BYTES:
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
        if between.start() > MAX_HEAD_BYTES >> 8:
            break
    return b""


def _parsed(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


class OutputTooLarge(ValueError):
    """More bytes would be written than the caller allows; the message is the place of the first record too many."""


def write_simplekg(
    path: Path,
    schema: PropertyGraphSchema,
    entities: Iterable[Mapping[str, Any]],
    relations: Iterable[Mapping[str, Any]],
    max_bytes: int | None = None,
) -> tuple[int, int]:
    """Write a file as a stream, gzipped if its name ends in .gz; return the numbers of entities and relations.

    The file is renamed to `path` when it is complete.

    Raises:
        OutputTooLarge: the records, before they are zipped, have more than `max_bytes`; nothing is written.
    """
    counts, size = [0, 0], 0
    with replacing(Path(path)) as raw, _zipped(raw) if path.suffix == ".gz" else nullcontext(raw) as file:
        file.write(b'{"schema": ' + orjson.dumps(schema.to_cypherbench()))
        for place, (name, records) in enumerate((("entities", entities), ("relations", relations))):
            file.write(f',\n"{name}": ['.encode())
            for record in records:
                text = orjson.dumps(record)
                file.write((b",\n" if counts[place] else b"\n") + text)
                counts[place] += 1
                size += len(text)
                if max_bytes is not None and size > max_bytes:
                    raise OutputTooLarge(f"{name}[{counts[place] - 1:,}]")
            file.write(b"\n]")
        file.write(b"}\n")
    return counts[0], counts[1]


def _zipped(file: IO[bytes]) -> AbstractContextManager[IO[bytes]]:
    return cast("AbstractContextManager[IO[bytes]]", gzip.open(file, "wb", compresslevel=6))
