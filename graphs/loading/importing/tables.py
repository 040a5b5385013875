"""Tables as sources of rows: CSV files, Parquet files and frames, all read through the same interface.

    open_table(Path("movies.parquet")).columns
    ["movieId", "title", "released"]

Cells of CSV files are text whose types are inferred; each row comes with the line on which it begins. Cells of Parquet
files and frames are typed (`arrow_tables`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TextIO

from graphground import install_command
from graphground.cypher.diagnostics import counted
from graphground.graphs.loading.importing.records import (
    MAX_NAME_CHARACTERS,
    CellFormat,
    ImportRefused,
    Problems,
    bounded_lines,
    opened,
    reader_of,
    refusal,
)

CSV_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
PARQUET_SUFFIXES = (".parquet", ".pq")
SUFFIXES = (*CSV_SUFFIXES, *PARQUET_SUFFIXES)


class Table(Protocol):
    """A table that can be read repeatedly; problems are reported under its `name`."""

    name: str
    columns: list[str]
    counted: str
    """The noun for a row in messages: `line` or `row`."""

    @property
    def types(self) -> Mapping[str, str] | None:
        """The property type of each column; None if the cells are untyped text."""

    def rows(self, problems: Problems, keys: Set[str] = frozenset()) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield each row with its number.

        A missing cell is an empty string, and each cell of a column in `keys` is a string.
        """

    def reader(self, type_: str) -> Callable[[Any], Any]:
        """Return the function that converts a cell to a type or raises ValueError: `not a date such as 1995-12-15`."""


def open_table(path: Path, cells: CellFormat | None = None) -> Table:
    """Open the table in a file, whose form is chosen by the ending of its name; `cells` is the format of text cells.

    Raises:
        ImportRefused: the file cannot be read, or the extra that it needs is not installed.
    """
    if path.name.lower().endswith(PARQUET_SUFFIXES):
        try:
            from graphground.graphs.loading.importing.arrow_tables import parquet_table  # loads pyarrow
        except ImportError:
            raise refusal(path.name, None, f"Parquet needs an extra: {install_command('parquet')}") from None
        return parquet_table(path)
    return CsvFile(path, cells)


def is_table(path: Path) -> bool:
    """Whether a path has the name of a table: `movies.csv`, or a folder of parts such as `movies.parquet`."""
    name = path.name.lower()
    return name.endswith(PARQUET_SUFFIXES if path.is_dir() else SUFFIXES)


def tables_in(source: Path) -> list[Path]:
    """Return the paths of the tables in a folder, in alphabetical order, or `source` alone if it is itself a table.

    Raises:
        ImportRefused: the folder does not exist, or contains no table.
    """
    if is_table(source) and source.exists():
        return [source]
    if not source.is_dir():
        raise ImportRefused([f"there is no file or folder {source}"], 1)
    found = sorted(path for path in source.iterdir() if is_table(path))
    if not found:
        raise ImportRefused([f"{source} has no file that ends in {', '.join(SUFFIXES)}"], 1)
    return found


def check_columns(columns: Iterable[str], file: str, line: int | None = None) -> None:
    """Refuse a file in which a column has no name or a very long one, or two have the same name."""
    seen: set[str] = set()
    for number, column in enumerate(columns, start=1):
        if not column:
            raise refusal(file, line, f"column {number} has no name")
        if len(column) > MAX_NAME_CHARACTERS:
            raise refusal(file, line, f"the name of column {number} is longer than {MAX_NAME_CHARACTERS} characters")
        if column in seen:
            raise refusal(file, line, f"the column {column!r} is named twice")
        seen.add(column)


DELIMITERS = ",;\t|"
LARGEST_CELL = 1 << 24


class CsvFile:
    """A CSV file, whose rows can be read repeatedly: `CsvFile(Path("movies.csv")).columns`.

    Raises:
        ImportRefused: the file cannot be read, is empty, or has a header with an empty, repeated or very long name.
    """

    counted = "line"
    types = None

    def __init__(self, path: Path, cells: CellFormat | None = None) -> None:
        self.path = Path(path)
        self.name = self.path.name
        self.cells = cells or CellFormat()
        # A byte order mark, which Excel writes, is not part of the first name.
        self._encoding = "utf-8-sig" if self.cells.encoding.lower() in ("utf-8", "utf8") else self.cells.encoding
        csv.field_size_limit(LARGEST_CELL)
        with self._opened() as file:
            head = next(self._lines(file), "")
            if not head.strip():
                raise refusal(self.name, 1, "the file is empty; its first line must name the columns")
            self.delimiter = max(DELIMITERS, key=head.count)
            file.seek(0)
            self.columns = [name.strip() for name in self._header(file)]
        check_columns(self.columns, self.name, 1)

    def reader(self, type_: str) -> Callable[[str], Any]:
        """Return the function that parses the cells of a type."""
        return reader_of(type_, self.cells)

    def _lines(self, file: TextIO) -> Iterator[str]:
        return bounded_lines(file, self.name, self.path.stat().st_size)

    def _header(self, file: TextIO) -> Sequence[str]:
        try:
            return next(csv.reader(self._lines(file), delimiter=self.delimiter, strict=True))
        except (csv.Error, StopIteration) as error:
            raise refusal(self.name, 1, f"the header is not valid CSV ({error})") from None

    def rows(self, problems: Problems, keys: Set[str] = frozenset()) -> Iterator[tuple[int, list[str]]]:
        """Yield each row with its line number; empty lines are skipped.

        A row with too few or too many cells is added to `problems` and skipped.
        """
        width = len(self.columns)
        with self._opened() as file:
            reader = csv.reader(self._lines(file), delimiter=self.delimiter, strict=True)
            next(reader)
            line = reader.line_num + 1
            try:
                for row in reader:
                    if len(row) == width:
                        yield line, row
                    elif row:
                        problems.add(self.name, line, f"{counted(len(row), 'cell')} where the header has {width}")
                    line = reader.line_num + 1
            except csv.Error as error:
                end = "a quoted cell is not closed" if "end of data" in str(error) else str(error)
                raise refusal(self.name, line, f"not valid CSV: {end}") from None

    @contextmanager
    def _opened(self) -> Iterator[TextIO]:
        try:
            with opened(self.path) as file, io.TextIOWrapper(file, self._encoding, newline="") as text:
                yield text
        except UnicodeError:
            with self.path.open("rb") as raw:
                line = None if self.path.suffix == ".gz" else _line_of(raw.read(), self.cells.encoding)
            advice = "save the file as UTF-8, or name its encoding: --encoding latin-1, --encoding cp1252, …"
            raise refusal(self.name, line, f"not {self.cells.encoding.upper()}; {advice}") from None


def _line_of(content: bytes, encoding: str) -> int:
    try:
        content.decode(encoding)
    except UnicodeDecodeError as found:
        return content.count(b"\n", 0, found.start) + 1
    return 1
