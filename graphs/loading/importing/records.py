"""Values of imported data: text cells, typed cells and the values of records, their types, and their SimpleKG form.

    >>> read_cell(1995, "float"), read_cell(3.0, "int"), read_cell("1995", "int"), read_cell([1, None], "list[str]")
    (1995.0, 3, 1995, ['1'])
    >>> type_of([1, 2.5]), merge_types("int", "float"), merge_types("str", "date"), as_type([1, 2], "list[float]")
    ('list[float]', 'float', 'str', [1.0, 2.0])

A column of text stays text if a number in it has a needless leading zero, a leading plus sign or too many digits before
the point, because parsing would lose them. An empty cell means that the property is missing.
"""

from __future__ import annotations

import datetime
import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import reduce
from math import isfinite
from pathlib import Path
from typing import IO, Any, AnyStr, ClassVar, Protocol, cast
from urllib.parse import urlsplit
from xml.parsers import expat

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.temporal import READERS, NotInCalendar, kind_of, read_date, read_datetime, read_time
from graphground.graphs.loading.simplekg import OutputTooLarge, write_simplekg

LARGEST = 1 << 63
"""The smallest whole number above those of 64 bits."""
SEPARATOR = ";"
"""Separates the items of a list in a text cell."""
NARROW_FIRST = ("int", "float", "bool", "date", "datetime", "time")
_INT = re.compile(r"-?[1-9]\d{0,18}|0", re.ASCII).fullmatch
_FLOAT = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII).fullmatch
_FLOAT_WITH_COMMA = re.compile(
    r"-?(?:0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:\.\d{3}){1,4})(?:,\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII
).fullmatch
_DAY = {"d": r"\d{1,2}", "dd": r"\d\d", "m": r"\d{1,2}", "mm": r"\d\d", "yyyy": r"\d{4}"}
TRUE, FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
Reader = Callable[[str], Any]


@dataclass(frozen=True)
class CellFormat:
    """How the text cells of CSV files are written: `CellFormat(decimal=",", dates="dd.mm.yyyy", true=("ja",))`.

    `dates` is a day as in `dd.mm.yyyy`, `mm/dd/yyyy` or `yyyy-mm-dd` (`d` and `m` allow one digit). Dates in ISO form
    are read in any case.

    Raises:
        ValueError: the encoding is unknown, or `decimal` or `dates` is invalid.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    encoding: str = "utf-8"
    decimal: str = "."
    dates: str = "yyyy-mm-dd"
    true: tuple[str, ...] = TRUE
    false: tuple[str, ...] = FALSE

    def __post_init__(self) -> None:
        try:
            "".encode(self.encoding)
        except LookupError:
            raise ValueError(f"the encoding {self.encoding!r} is not known; use utf-8, latin-1, cp1252, …") from None
        if not self.true or not self.false:
            raise ValueError("there must be a word for true, and one for false")
        if self.decimal not in (".", ","):
            raise ValueError(f"the decimal sign must be '.' or ',', not {self.decimal!r}")
        if sorted(part[0] for part in re.findall("[a-z]+", self.dates) if part in _DAY) != ["d", "m", "y"]:
            raise ValueError(f"{self.dates!r} is not the form of a date such as dd.mm.yyyy, mm/dd/yyyy or yyyy-mm-dd")

    def readers(self) -> Mapping[str, Reader]:
        """Return the functions that read a text cell as a value of each scalar type, or raise ValueError."""
        words = {**dict.fromkeys(self.true, True), **dict.fromkeys(self.false, False)}

        def read_bool(text: str) -> bool:
            if text not in words:
                raise ValueError(f"neither {self.true[0]} nor {self.false[0]}")
            return words[text]

        return {
            "str": str,
            "int": _int,
            "float": self._float,
            "bool": read_bool,
            "date": self._own_days(read_date),
            "datetime": self._own_days(read_datetime),
            "time": read_time,
        }

    def _float(self, text: str) -> float:
        if not (_FLOAT if self.decimal == "." else _FLOAT_WITH_COMMA)(text):
            raise ValueError("not a number")
        number = float(text if self.decimal == "." else text.replace(".", "").replace(",", "."))
        if not isfinite(number):
            raise ValueError("not a number: it is too large")
        return number

    def _own_days(self, read: Reader) -> Reader:
        """Return a reader that accepts a day in the form of `dates` too."""
        if self.dates == "yyyy-mm-dd":
            return read
        form = re.sub("[a-z]+", lambda word: f"(?P<{word[0][0]}>{_DAY[word[0]]})", re.escape(self.dates))
        find = re.compile(form + r"(?P<rest>$|[T ].*)", re.ASCII).match

        def read_either(text: str) -> Any:
            match = find(text)
            return read(f"{match['y']}-{match['m']:0>2}-{match['d']:0>2}{match['rest']}" if match else text)

        return read_either


def _int(text: str) -> int:
    if not _INT(text) or not -LARGEST <= (number := int(text)) < LARGEST:
        raise ValueError("not a 64-bit whole number")
    return number


def reader_of(type_: str, cells: CellFormat | None = None) -> Reader:
    """Return the function that parses text cells of a type.

    For an invalid cell the function raises a ValueError, for example `not a date such as 1995-12-15`.

    >>> reader_of("list[int]")("1; 2")
    [1, 2]
    """
    readers = (cells or CellFormat()).readers()
    if type_.startswith("list["):
        inner = readers[type_[5:-1]]
        return lambda text: [inner(part.strip()) for part in text.split(SEPARATOR) if part.strip()]
    return readers[type_]


class ColumnType:
    """The narrowest type that fits the text cells added so far.

        column = ColumnType()
        rows = [row for row in column.watch(rows, 2)]      # reads the cells of the third column as they pass
        column.name                                        # 'date'

    A column of dates in which a few cells have the form of a date, but are no day of the calendar (`2023-02-29`), is
    still a column of dates: reading these cells reports them.
    """

    def __init__(self, cells: CellFormat | None = None) -> None:
        readers = (cells or CellFormat()).readers()
        self._possible = {name: readers[name] for name in NARROW_FIRST}
        self._impossible: Counter[str] = Counter()
        self._read: Counter[str] = Counter()
        self.is_empty = True

    def add(self, cells: Iterable[str]) -> None:
        """Add cells of the column."""
        if self._possible:
            for text in set(cells):
                if text:
                    self.is_empty = False
                    self._possible = {name: read for name, read in self._possible.items() if self._fits(name, text)}

    def watch(self, rows: Iterable[Any], place: int) -> Iterable[Any]:
        """Yield rows unchanged, and add the cell at `place` of each."""
        for row in rows:
            self.add((row[place],))
            yield row

    @property
    def name(self) -> str:
        """The name of the type; `str` if no narrower type fits or all cells are empty."""
        fitting = [name for name in self._possible if self._impossible[name] <= self._read[name]]
        return fitting[0] if fitting and not self.is_empty else "str"

    def _fits(self, name: str, text: str) -> bool:
        if name == "time" and text.count(":") < 2:
            return False  # `12:30` may be a score
        try:
            self._possible[name](text)
        except NotInCalendar:
            if name == "time":  # `25:10:00` may be a duration
                return False
            self._impossible[name] += 1
        except ValueError:
            return False
        else:
            self._read[name] += 1
        return True


def read_cell(value: Any, type_: str) -> Any:
    """Convert a typed cell of a Parquet file or a frame; text is parsed like a cell of a CSV file.

    Raises:
        ValueError: the cell cannot be converted without loss: `not a 64-bit whole number`.
    """
    if isinstance(value, TimeText) and type_ == "date" and ":" in value:
        if not value.endswith("T00:00:00"):
            raise ValueError("a time, not a date")
        return value[: -len("T00:00:00")]
    if isinstance(value, str):
        return reader_of(type_)(value)
    if type_.startswith("list["):
        return [
            read_cell(part, type_[5:-1]) for part in (value if isinstance(value, list) else [value]) if part is not None
        ]
    match type_:
        case "str":
            return text_of(value)
        case "int":
            is_whole = isinstance(value, int | float | Decimal) and not isinstance(value, bool) and value == value // 1
            if not is_whole or not -LARGEST <= (number := int(value)) < LARGEST:
                raise ValueError("not a 64-bit whole number")
            return number
        case "float":
            is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
            if not is_number or not isfinite(float(value)):
                raise ValueError("not a finite number")
            return float(value)
        case "bool" if isinstance(value, bool):
            return value
    raise ValueError(f"not a value of type {type_}")


def key_text(value: Any) -> str:
    """Return an id, a name or a description as text; whole numbers have no fraction.

    >>> key_text(12), key_text(12.0), key_text("012")
    ('12', '12', '012')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return text_of(value)


class TimeText(str):
    """A text in the ISO form of a date or time: such a value, unless other values of the property are plain texts."""

    __slots__ = ()


def read_time_text(value: Any) -> Any:
    """Return a text in ISO form as a `TimeText`, also within a list; other values unchanged.

    >>> type(read_time_text("1995-12-15")).__name__, read_time_text("1995-13-15")
    ('TimeText', '1995-13-15')
    """
    if isinstance(value, list):
        return [read_time_text(part) for part in value]
    if isinstance(value, str) and len(value) >= 8 and (value[4] == "-" or value[2] == ":" or value[0] in "+-"):
        for read in (read_date, read_datetime, read_time):
            try:
                read(value)
            except ValueError:
                continue
            return TimeText(value)
    return value


_SCALARS = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    datetime.date: "date",
    datetime.datetime: "datetime",
    datetime.time: "time",
}
_EXACT = {kind: name for kind, name in _SCALARS.items() if kind not in (int, float)}
"""Python types that alone decide the property type; for a number, the value matters too: it may be too large."""


def type_of(value: Any) -> str | None:
    """Return the property type of a value; None for a missing value: null or an empty list.

    A whole number beyond 64 bits, a duration, a point and a map have the type `str`.

    Raises:
        ValueError: the value is, or contains, a float that is not finite.
    """
    kind = type(value)
    if kind in _EXACT:
        return _EXACT[kind]
    if kind is TimeText:
        return kind_of(value)
    if value is None:
        return None
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} is not a finite number; leave it out, or write it as text")
    if isinstance(value, list | tuple):
        types = {found for part in value if (found := type_of(part)) is not None}
        if not types:
            return None
        nested = any(found.startswith("list[") for found in types)
        return "list[str]" if nested else f"list[{reduce(merge_types, sorted(types))}]"
    if kind is int and not -LARGEST <= value < LARGEST:
        return "str"
    return _SCALARS.get(kind, "str")


def merge_types(first: str, second: str) -> str:
    """Return the type that covers two types: float for an integer and a float, a list for a list and a single value."""
    if first == second:
        return first
    if first.startswith("list[") or second.startswith("list["):
        return f"list[{merge_types(_inner(first), _inner(second))}]"
    parts = {*first.split("|"), *second.split("|")}
    parts -= READERS.keys() if "str" in parts else set()  # dates among other texts stay texts
    return "|".join(sorted(parts - {"int"} if "float" in parts else parts))


def as_type(value: Any, type_: str) -> Any:
    """Convert a value to a property type; None for a missing value."""
    found = type_of(value)
    if found is None:
        return None
    if type_.startswith("list["):
        parts = value if isinstance(value, list | tuple) else [value]
        return [as_type(part, type_[5:-1]) for part in parts if type_of(part) is not None]
    if type(value) is str:
        return value
    if isinstance(value, TimeText):  # a text among other texts stays as it was written
        return str(value) if "str" in type_ else READERS[found](value)
    if isinstance(value, datetime.date | datetime.time):
        return READERS[found](value.isoformat())
    if type(value) is int and "float" in type_:
        return float(value)
    return value if found in ("int", "float", "bool") and type_ != "str" else text_of(value)


def text_of(value: Any) -> str:
    """Return a value of any kind as text.

    >>> text_of("a"), text_of(1.5), text_of(True), text_of({"x": 1})
    ('a', '1.5', 'true', '{"x": 1}')
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=text_of)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _inner(type_: str) -> str:
    return type_[5:-1] if type_.startswith("list[") else type_


# Records, the problems found in the data, and the limits of a file. Nodes and relationships come in the form in which a
# file or a database provides them, without a schema. The limits keep a small hostile file from exhausting memory or
# disk: without them, a gzipped file of 4 MB may expand to a line of 4 GB, an XML entity of twelve lines to a petabyte,
# and a default value of GraphML to as many copies as there are nodes.


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


Records = Iterator[NodeRecord | RelationshipRecord]


class RecordSource(Protocol):
    """A source of records; problems are reported under its `name`."""

    name: str

    def records(self, problems: Problems) -> Records:
        """Yield all nodes and relationships in any order; what cannot be read is added to `problems` and skipped."""


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
        raise grows_too_far(name, size or 0, str(error)) from None


def grows_too_far(name: str, size: int, reached: str) -> ImportRefused:
    """Return the error for data of `size` bytes that become more than `max_bytes`; `reached` says where."""
    message = (
        f"{size:,} bytes would become more than {max_bytes(size) >> 20:,} MiB ({MAX_GROWTH} times their size and "
        f"{MIN_BYTES >> 20} MiB), reached at {reached}: a value is repeated too often, as by a default value"
    )
    return refusal(name, None, message)


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

    def end_check(*_: object) -> None:
        raise ValueError("entities are declared before the first element, which begins here")

    parser.EntityDeclHandler = declared
    parser.StartElementHandler = end_check
    with suppress(expat.ExpatError, LookupError, ValueError):
        read = 0
        while not refused and read < MAX_XML_BYTES and (chunk := document.read(1 << 16)):
            read += len(chunk)
            parser.Parse(chunk, False)
    if refused:
        raise refused[0]


def can_be_name(name: str) -> bool:
    """Whether databases can store a label, type or property of this name."""
    return 0 < len(name) <= MAX_NAME_CHARACTERS and name.isprintable() and not name.startswith("@")


def name_of(source: str) -> str:
    """Return a valid graph name for the name of a file or folder, or for an address.

    >>> name_of("data/my films.jsonl.gz"), name_of("bolt://graphs.example:7687")
    ('my_films', 'graphs.example')
    """
    stem = urlsplit(source).hostname or "" if "://" in source else Path(source).name.partition(".")[0]
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", stem)
    return (name if name[:1].isalpha() else f"graph_{name}")[:64]
