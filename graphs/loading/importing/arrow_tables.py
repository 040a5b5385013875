"""Reads tables of Apache Arrow: Parquet files in batches, and frames of pandas, polars and pyarrow.

    parquet_table(Path("movies.parquet")).types
    {"movieId": "str", "title": "str", "released": "date"}

Needs the extra `parquet`. A column has the type that the file declares: text stays text, even if all of it is digits.
NaN is a missing value. Dates and times are exact to the nanosecond, and keep the zone of their column. Durations,
structures, bytes and decimal numbers with more than 15 digits become text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet

from graphground.graphs.engines.temporal import iso_clock, iso_date, iso_instant
from graphground.graphs.loading.importing.records import ImportRefused, Problems, TimeText, key_text, read_cell, refusal
from graphground.graphs.loading.importing.tables import PARQUET_SUFFIXES, check_columns

ROWS_AT_ONCE = 20_000
FLOAT_DIGITS = 15
Batches = Callable[[], Iterator[Any]]


class ArrowTable:
    """A table with an Arrow schema; `batches` returns a new iterator over the data at each call.

    Raises:
        ImportRefused: there are no columns, a column has no name or a very long one, or two have the same name.
    """

    counted = "row"

    def __init__(self, name: str, schema: Any, batches: Batches) -> None:
        self.name, self._batches = name, batches
        self.columns = [str(column) for column in schema.names]
        if not self.columns:
            raise refusal(name, None, "it has no columns")
        check_columns(self.columns, name)
        self.types: Mapping[str, str] = {
            column: property_type(type_) for column, type_ in zip(self.columns, schema.types, strict=True)
        }

    def reader(self, type_: str) -> Callable[[Any], Any]:
        """Return the function that converts a cell to a property type."""
        return partial(read_cell, type_=type_)

    def rows(self, problems: Problems, keys: Set[str] = frozenset()) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield each row with its number, from 1."""
        number = 0
        try:
            for batch in self._batches():
                columns = []
                for name, column in zip(self.columns, batch.columns, strict=True):
                    try:
                        cells = _cells(column)
                    except (ValueError, OverflowError):  # bytes that are not UTF-8
                        raise refusal(self.name, None, f"{name} cannot be read after row {number:,}") from None
                    if name in keys:
                        cells = [cell if type(cell) is str else key_text(cell) for cell in cells]
                    columns.append(cells)
                yield from enumerate(zip(*columns, strict=True), number + 1)
                number += batch.num_rows
        except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise refusal(
                self.name, None, f"cannot be read after row {number:,}: {_first_line(error)}; is it damaged?"
            ) from None


def _cells(column: Any) -> list[Any]:
    """Return a column's cells as Python values; a missing cell is an empty text, a date or time its canonical text."""
    kinds = arrow.types
    if kinds.is_dictionary(column.type):
        # The text of each value exists once, however many cells have it.
        known = _cells(column.dictionary)
        return ["" if index is None else known[index] for index in column.indices.to_pylist()]
    if kinds.is_temporal(column.type) and not kinds.is_duration(column.type) and not kinds.is_interval(column.type):
        write = _writer_of(column.type)
        width = arrow.int32() if column.type.bit_width == 32 else arrow.int64()
        return ["" if number is None else TimeText(write(number)) for number in column.cast(width).to_pylist()]
    if (kinds.is_list(column.type) or kinds.is_large_list(column.type)) and kinds.is_temporal(column.type.value_type):
        parts = iter(_cells(column.flatten()))
        lengths = column.value_lengths().to_pylist()
        return [[part for part in islice(parts, length or 0) if part != ""] or "" for length in lengths]
    is_float = arrow.types.is_floating(column.type)
    return ["" if cell is None or (is_float and cell != cell) or cell == [] else cell for cell in column.to_pylist()]


def _writer_of(type_: Any) -> Callable[[int], str]:
    """Return the function that writes a number of a date or time type as canonical text."""
    kinds = arrow.types
    if kinds.is_date(type_):
        return iso_date if type_.bit_width == 32 else lambda number: iso_date(number // 86_400_000)
    in_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type_.unit]
    decimals = 10**9 // in_second
    if kinds.is_time(type_):

        def write_time(number: int) -> str:
            seconds, part = divmod(number, in_second)
            return iso_clock(seconds // 3600, seconds // 60 % 60, seconds % 60, part * decimals)

        return write_time

    def write_timestamp(number: int) -> str:
        seconds, part = divmod(number, in_second)
        return iso_instant(seconds, part * decimals, type_.tz)

    return write_timestamp


def property_type(type_: Any) -> str:
    """Return the property type for an Arrow type.

    >>> property_type(arrow.list_(arrow.int32())), property_type(arrow.decimal128(38, 2))
    ('list[int]', 'str')
    """
    kinds = arrow.types
    if isinstance(type_, arrow.BaseExtensionType):
        return property_type(type_.storage_type)
    if kinds.is_dictionary(type_) or kinds.is_run_end_encoded(type_):
        return property_type(type_.value_type)
    if any(is_list(type_) for is_list in (kinds.is_list, kinds.is_large_list, kinds.is_fixed_size_list)) or (
        kinds.is_list_view(type_) or kinds.is_large_list_view(type_)
    ):
        inner = property_type(type_.value_type)
        return "list[str]" if inner.startswith("list[") else f"list[{inner}]"
    if kinds.is_boolean(type_):
        return "bool"
    if kinds.is_integer(type_):
        return "int"
    if kinds.is_floating(type_) or (kinds.is_decimal(type_) and type_.precision <= FLOAT_DIGITS):
        return "float"
    if kinds.is_date(type_):
        return "date"
    if kinds.is_time(type_):
        return "time"
    return "datetime" if kinds.is_timestamp(type_) else "str"


def parquet_table(path: Path) -> ArrowTable:
    """Open a Parquet file, or a folder of parts such as `movies.parquet/part-0.parquet`, as a table.

    Raises:
        ImportRefused: a file cannot be read, the folder has no parts, or the parts have different columns or types.
    """
    if path.is_dir():
        paths = sorted(part for part in path.iterdir() if part.name.lower().endswith(PARQUET_SUFFIXES))
        if not paths:
            raise refusal(path.name, None, "the folder has no part that ends in .parquet")
    else:
        paths = [path]
    schemas = [_schema(part) for part in paths]
    for part, schema in zip(paths, schemas, strict=True):
        if not schema.equals(schemas[0]):
            raise refusal(
                path.name, None, f"the columns of {part.name} differ in name or type from those of {paths[0].name}"
            )

    # As dictionaries, repeated texts take memory once: a file of kilobytes may repeat a text of megabytes.
    texts = [field.name for field in schemas[0] if arrow.types.is_string(field.type)]

    def batches() -> Iterator[Any]:
        for part in paths:
            with parquet.ParquetFile(part, read_dictionary=texts) as file:
                yield from file.iter_batches(ROWS_AT_ONCE)

    return ArrowTable(path.name, schemas[0], batches)


def _schema(path: Path) -> Any:
    try:
        with parquet.ParquetFile(path) as file:
            return file.schema_arrow
    except FileNotFoundError:
        raise ImportRefused([f"there is no file {path}"], 1) from None
    except (arrow.ArrowException, OSError) as error:
        raise refusal(path.name, None, f"not a Parquet file that can be read: {_first_line(error)}") from None


def frame_table(name: str, frame: Any) -> ArrowTable:
    """Convert a frame of pandas or polars, or any other object that Arrow can read, to a table.

    Raises:
        ImportRefused: the object is not a frame, or a column mixes types.
    """
    try:
        if hasattr(frame, "collect") and not hasattr(frame, "__arrow_c_stream__"):
            frame = frame.collect()  # a lazy frame of polars
        if type(frame).__module__.partition(".")[0] == "pandas":
            table = arrow.Table.from_pandas(frame, preserve_index=False)
        else:
            table = arrow.table(frame)
    except (arrow.ArrowException, TypeError, ValueError) as error:
        raise refusal(name, None, f"not a frame that can be read: {_first_line(error)}") from None
    return ArrowTable(name, table.schema, lambda: iter(table.to_batches(ROWS_AT_ONCE)))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")[:300]
