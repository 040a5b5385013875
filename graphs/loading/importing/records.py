"""What all readers of imported data share: records, the problems found in the data, and the limits of a file.

>>> NodeRecord("p1", ("Person",), {"name": "Michael Mann", "born": 1943}, 3).properties["born"]
1943

Nodes and relationships come in the form in which a file or a database provides them, without a schema. The limits keep
a small hostile file from exhausting memory or disk: without them, a gzipped file of 4 MB may expand to a line of 4 GB,
an XML entity of twelve lines to a petabyte, and a default value of GraphML to as many copies as there are nodes.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, AnyStr, Protocol, cast
from urllib.parse import urlsplit
from xml.parsers import expat

import graphground
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.loading.simplekg import OutputTooLarge, write_simplekg

MAX_SHOWN = 20
"""The maximum number of problems whose messages are kept."""
MAX_LINE_BYTES = 1 << 26
"""The maximum number of bytes or characters in one line of JSON Lines or CSV."""
MAX_XML_BYTES = 1 << 24
"""The maximum number of bytes in one XML tag, and of characters in one XML text."""
MAX_NAME_CHARACTERS = 200
"""The maximum number of characters in the name of a label, a type, a property or a column."""
MAX_ENTITY_CHARACTERS = 200
"""The maximum number of characters in an XML entity; RDF/XML uses entities for the beginnings of IRIs."""
MIN_BYTES, MAX_GROWTH = 1 << 26, 100
"""An import reads and writes at most `MIN_BYTES`, and `MAX_GROWTH` times the size of its files."""


class ImportRefused(ValueError):
    """Data cannot be imported; `problems` holds the messages of the first problems, and `count` is the total number."""

    def __init__(self, problems: Sequence[str], count: int) -> None:
        self.problems, self.count = list(problems), count
        self.draft = ""
        """A mapping to start from, as TOML, if only the mapping could not be inferred."""
        more = f"; and {count - len(self.problems):,} more" if count > len(self.problems) else ""
        super().__init__("; ".join(self.problems) + more)


class Problems:
    """A collector of problems, which raises them together in one error."""

    def __init__(self) -> None:
        self._first: list[str] = []
        self.count = 0

    def add(self, file: str, place: int | None, message: str, counted: str = "line") -> None:
        """Add a problem: `add("movies.csv", 17, "released: '1995-13-01' is not a date")`.

        `place` is the number of a line or row in the file, or None; `counted` is the noun for it, `line` or `row`.
        """
        self.count += 1
        if len(self._first) < MAX_SHOWN:
            self._first.append(_placed(file, place, message, counted))

    def raise_any(self) -> None:
        """Raise an error if problems have been collected.

        Raises:
            ImportRefused: there are problems.
        """
        if self.count:
            raise ImportRefused(self._first, self.count)


def refusal(file: str, place: int | None, message: str, counted: str = "line") -> ImportRefused:
    """Return the error for a single problem that stops the import."""
    return ImportRefused([_placed(file, place, message, counted)], 1)


def _placed(file: str, place: int | None, message: str, counted: str) -> str:
    return f"{file}: {message}" if place is None else f"{file}, {counted} {place:,}: {message}"


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """A node; property values are `str`, `int`, `float`, `bool`, `TimeText`, Python's dates and times, and lists.

    Other values, such as maps, become text when they are imported.
    `place` is the node's line in its file, or None if the source has no lines.
    """

    id: str
    labels: tuple[str, ...]
    properties: Mapping[str, Any] = field(default_factory=dict)
    place: int | None = None


@dataclass(frozen=True, slots=True)
class RelationshipRecord:
    """A relationship between the nodes with the ids `start` and `end`."""

    type: str
    start: str
    end: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    place: int | None = None


class RecordSource(Protocol):
    """A source of records that can be read repeatedly; problems are reported under its `name`."""

    name: str

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Yield every node; nodes that cannot be read are added to `problems` and skipped."""
        ...

    def relationships(self, problems: Problems) -> Iterator[RelationshipRecord]:
        """Yield every relationship; relationships that cannot be read are added to `problems` and skipped."""
        ...


class RecordFile:
    """A file of records: `JsonLines(Path("films.jsonl"))`, unpacked if its name ends in .gz.

    Raises:
        ImportRefused: the file does not exist. Reading the records also raises this error if the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name
        if not path.is_file():
            raise ImportRefused([f"there is no file {path}"], 1)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, unpacked if its name ends in .gz.

    Raises:
        ImportRefused: the file does not exist, or, when it is read, the compressed file is damaged or cut off.
    """
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
            yield cast("IO[bytes]", file)
    except FileNotFoundError:
        raise ImportRefused([f"there is no file {path}"], 1) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise refusal(path.name, None, f"the compressed file is damaged or cut off ({error})") from None


def max_bytes(size: int) -> int:
    """Return how many bytes the import of files of `size` bytes may read from compressed files, and may write."""
    return MIN_BYTES + MAX_GROWTH * size


def bounded_lines(file: IO[AnyStr], name: str, size: int) -> Iterator[AnyStr]:
    """Yield the lines of a file, which has `size` bytes on disk; errors call the file `name`.

    Raises:
        ImportRefused: a line is longer than `MAX_LINE_BYTES`, or the file unpacks to more than `max_bytes`.
    """
    number, left = 0, max_bytes(size)
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        left -= len(line)
        if len(line) > MAX_LINE_BYTES:
            raise refusal(name, number, f"longer than {MAX_LINE_BYTES >> 20} MiB")
        if left < 0:
            raise refusal(name, number, unpacks_too_far(size))
        yield line


def unpacks_too_far(size: int) -> str:
    """Return the message for a compressed file of `size` bytes that unpacks to more than `max_bytes`."""
    return (
        f"the {size:,} bytes of the file unpack to more than {max_bytes(size) >> 20:,} MiB ({MAX_GROWTH} times their "
        f"size and {MIN_BYTES >> 20} MiB); if you trust the file, unpack it and import it unpacked"
    )


def write_bounded(
    output: Path,
    schema: PropertyGraphSchema,
    entities: Iterable[Mapping[str, Any]],
    relations: Iterable[Mapping[str, Any]],
    name: str,
    size: int | None,
) -> tuple[int, int]:
    """Write a SimpleKG file as `write_simplekg` does, but at most `max_bytes(size)`; None sets no limit.

    Raises:
        ImportRefused: the file would be larger; nothing is written.
    """
    try:
        return write_simplekg(output, schema, entities, relations, None if size is None else max_bytes(size))
    except OutputTooLarge as error:
        raise refusal(
            name,
            None,
            f"{size:,} bytes would become more than {max_bytes(size or 0) >> 20:,} MiB ({MAX_GROWTH} times their size "
            f"and {MIN_BYTES >> 20} MiB), reached at {error}: a value is repeated too often, as by a default value",
        ) from None


def install_command(extra: str) -> str:
    """Return the command that installs an extra: in a clone of the repository, or after an installation with pip."""
    clone = Path(graphground.__file__).parent.parent
    if (clone / "bootstrap.py").exists():
        return f"python3 {clone / 'bootstrap.py'} install --extra {extra}"
    return f"pip install 'graphground[{extra}]'"


def check_entities(document: IO[bytes], name: str) -> None:
    """Refuse an XML document whose entities could expand without limit: nested, long or external entities.

    Only the part before the first element is checked. Other errors are left to the parser that reads the document.

    Raises:
        ImportRefused: the document declares a nested, long or external entity, or a parameter entity.
    """
    refused: list[ImportRefused] = []
    parser = expat.ParserCreate()

    def declared(entity: str, is_parameter: bool, value: str | None, *_: str | None) -> None:
        if is_parameter or value is None or "&" in value or len(value) > MAX_ENTITY_CHARACTERS:
            message = (
                f"the entity {entity!r} is not allowed: an entity must be a text of at most {MAX_ENTITY_CHARACTERS} "
                "characters without other entities"
            )
            refused.append(refusal(name, parser.CurrentLineNumber, message))

    def root_begins(*_: object) -> None:
        raise _RootReached

    parser.EntityDeclHandler = declared
    parser.StartElementHandler = root_begins
    try:
        read = 0
        while not refused and read < MAX_XML_BYTES and (chunk := document.read(1 << 16)):
            read += len(chunk)
            parser.Parse(chunk, False)
    except (_RootReached, expat.ExpatError, LookupError, ValueError):
        pass
    if refused:
        raise refused[0]


class _RootReached(Exception):
    """The signal that ends the check at the first element, because entities are declared before it."""


def name_of(source: str) -> str:
    """Return a valid graph name for the name of a file or folder, or for an address.

    >>> name_of("data/my films.jsonl.gz"), name_of("bolt://graphs.example:7687")
    ('my_films', 'graphs.example')
    """
    stem = urlsplit(source).hostname or "" if "://" in source else Path(source).name.partition(".")[0]
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", stem)
    return (name if name[:1].isalpha() else f"graph_{name}")[:64]
