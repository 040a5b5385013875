"""Tables as sources of rows: CSV files, Parquet files and frames, all read through the same interface.

    open_table(Path("movies.parquet")).columns
    ["movieId", "title", "released"]

Cells of CSV files are text whose types are inferred; cells of Parquet files and frames are typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, Protocol

from graphground.graphs.loading.importing.bounds import LONGEST_NAME
from graphground.graphs.loading.importing.problems import ImportRefused, Problems, refusal

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
        ...

    def rows(self, problems: Problems, keys: Set[str] = frozenset()) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield each row with its number.

        A missing cell is an empty string, and each cell of a column in `keys` is a string.
        """
        ...

    def reader(self, type_: str) -> Callable[[Any], Any]:
        """Return the function that converts a cell to a type or raises ValueError: `not a date such as 1995-12-15`."""
        ...


def open_table(path: Path) -> Table:
    """Open the table in a file; its format is chosen by the ending of the file name.

    Raises:
        ImportRefused: the file cannot be read, or the extra that it needs is not installed.
    """
    if path.name.lower().endswith(PARQUET_SUFFIXES):
        try:
            from graphground.graphs.loading.importing.arrow_tables import (
                parquet_table,
            )  # pyarrow is loaded on first use
        except ImportError:
            raise refusal(
                path.name, None, "Parquet needs the extra `parquet`: pip install 'graphground[parquet]'"
            ) from None
        return parquet_table(path)
    from graphground.graphs.loading.importing.csv_files import CsvFile

    return CsvFile(path)


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


def check_columns(columns: Iterable[str], refuse: Callable[[str], ImportRefused]) -> None:
    """Raise the error that `refuse` returns if a column has no name or a very long one, or two have the same name."""
    seen: set[str] = set()
    for number, column in enumerate(columns, start=1):
        if not column:
            raise refuse(f"column {number} has no name")
        if len(column) > LONGEST_NAME:
            raise refuse(f"the name of column {number} is longer than {LONGEST_NAME} characters")
        if column in seen:
            raise refuse(f"the column {column!r} is named twice")
        seen.add(column)
