"""CSV files as rows of text cells; each row comes with the line on which it begins."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from graphground.cypher.wording import counted
from graphground.graphs.loading.importing.bounds import bounded_lines
from graphground.graphs.loading.importing.cells import reader_of
from graphground.graphs.loading.importing.problems import ImportRefused, Problems, refusal
from graphground.graphs.loading.importing.tables import check_columns

DELIMITERS = ",;\t|"
LARGEST_CELL = 1 << 24


class CsvFile:
    """A CSV file, whose rows can be read repeatedly: `CsvFile(Path("movies.csv")).columns`.

    Raises:
        ImportRefused: the file cannot be read, is empty, or has a header with an empty, repeated or very long name.
    """

    counted = "line"
    types = None

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.name = self.path.name
        csv.field_size_limit(LARGEST_CELL)
        with self._opened() as file:
            head = next(bounded_lines(file, self.path.name), "")
            if not head.strip():
                raise self._refused(1, "the file is empty; its first line must name the columns")
            self.delimiter = max(DELIMITERS, key=head.count)
            file.seek(0)
            self.columns = [name.strip() for name in self._header(file)]
        check_columns(self.columns, lambda message: self._refused(1, message))

    def reader(self, type_: str) -> Callable[[str], Any]:
        """Return the function that parses the cells of a type."""
        return reader_of(type_)

    def _header(self, file: TextIO) -> Sequence[str]:
        try:
            return next(csv.reader(bounded_lines(file, self.path.name), delimiter=self.delimiter, strict=True))
        except (csv.Error, StopIteration) as error:
            raise self._refused(1, f"the header is not valid CSV ({error})") from None

    def rows(self, problems: Problems, keys: Set[str] = frozenset()) -> Iterator[tuple[int, list[str]]]:
        """Yield each row with its line number; empty lines are skipped.

        A row with too few or too many cells is added to `problems` and skipped.
        """
        width = len(self.columns)
        with self._opened() as file:
            reader = csv.reader(bounded_lines(file, self.path.name), delimiter=self.delimiter, strict=True)
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
                raise self._refused(line, f"not valid CSV: {end}") from None

    @contextmanager
    def _opened(self) -> Iterator[TextIO]:
        try:
            if self.path.suffix == ".gz":
                with gzip.open(self.path, "rt", encoding="utf-8-sig", newline="") as file:
                    yield file
            else:
                with self.path.open("r", encoding="utf-8-sig", newline="") as file:
                    yield file
        except FileNotFoundError:
            raise ImportRefused([f"there is no file {self.path}"], 1) from None
        except UnicodeDecodeError as error:
            with self.path.open("rb") as raw:
                line = None if self.path.suffix == ".gz" else _line_of(raw.read(), error)
            raise self._refused(line, "not UTF-8; save the file as UTF-8") from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self._refused(None, f"the compressed file is damaged or cut off ({error})") from None

    def _refused(self, line: int | None, message: str) -> ImportRefused:
        return refusal(self.name, line, message)


def _line_of(content: bytes, error: UnicodeDecodeError) -> int:
    """Return the number of the line with the first byte that is not UTF-8."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as found:
        return content.count(b"\n", 0, found.start) + 1
    return 1
