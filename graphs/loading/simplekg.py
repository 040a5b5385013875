"""SimpleKG, CypherBench's JSON form of a graph: read as a stream, and checked.

    {"schema": {…}, "entities": [{"eid": "Q25173", "label": "Movie", "name": "Heat", "aliases": [],
     "description": "1995 film", "properties": {"runtime_minute": 170.0}, "provenance": ["…"]}, …],
     "relations": [{"rid": "0", "label": "directedBy", "subj_id": "Q25173", "obj_id": "Q220584",
     "properties": {}, "provenance": []}, …]}

A file may be gzipped. Only a few hundred records are held in memory at a time.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import ijson

from graphground.cypher.schema import PropertyGraphSchema, SchemaError
from graphground.graphs.loading.simplekg_blocks import NotInBlocks, entity_blocks, relation_blocks

GZIP = b"\x1f\x8b"
PARTS = ("schema", "entities", "relations")


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
