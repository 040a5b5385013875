"""Converts the rows of a mapping's files to a SimpleKG file; if any row is invalid, nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as AbstractMapping
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any

from graphground.graphs.loading.importing.bounds import LONGEST_NAME
from graphground.graphs.loading.importing.cells import SEPARATOR
from graphground.graphs.loading.importing.mapping import Column, Mapping, NodeTable, RelationshipTable
from graphground.graphs.loading.importing.problems import Problems
from graphground.graphs.loading.importing.tables import Table, open_table
from graphground.graphs.loading.label_sets import SEPARATOR as LABEL_SEPARATOR
from graphground.graphs.loading.record_checks import LONGEST_ID
from graphground.graphs.loading.simplekg_writing import write_simplekg

Cell = tuple[str, int, Callable[[Any], Any]]
TableOf = Callable[[str], Table]
"""A function that opens a table by its name, the value of `file` in the mapping."""


class Conversion:
    """The conversion of tables to records by a mapping; `problems` collects invalid rows while the records are read."""

    def __init__(self, mapping: Mapping, table_of: TableOf) -> None:
        self.mapping, self._table_of = mapping, table_of
        self.problems = Problems()
        self._ids: dict[str, set[str]] = {label: set() for label in mapping.nodes}

    def check_columns(self) -> None:
        """Raise an error if a file or a column that the mapping names does not exist."""
        for label, node in self.mapping.nodes.items():
            named = [node.id, node.title, node.aliases, node.description, node.labels]
            self._check(f"nodes.{label}", node.file, [name for name in named if name], node.properties)
        for table in self.mapping.relationships:
            self._check(str(table), table.file, [table.start_column, table.end_column], table.properties)
        self.problems.raise_any()

    def _check(self, place: str, file: str, columns: list[str], properties: AbstractMapping[str, Column]) -> None:
        known = self._table_of(file).columns
        for name in [*columns, *(property_.column for property_ in properties.values())]:
            if name not in known:
                self.problems.add(
                    file, None, f"{place}: there is no column {name!r}; the file's columns are {', '.join(known)}"
                )

    def further_labels(self) -> dict[str, set[frozenset[str]]]:
        """Return for each table's own label the sets of further labels that occur in the rows of the table.

        Tables without a column of further labels are left out.

        Raises:
            ImportRefused: a name cannot be a label.
        """
        found: dict[str, set[frozenset[str]]] = {}
        for label, node in self.mapping.nodes.items():
            if node.labels is not None:
                file = self._table_of(node.file)
                place = file.columns.index(node.labels)
                first: dict[tuple[str, ...], int] = {}
                for line, row in file.rows(Problems()):
                    first.setdefault(tuple(labels_in(row[place])), line)
                for names, line in first.items():
                    for name in (name for name in names if not _can_be_label(name)):
                        self._wrong(file, line, f"{node.labels}: {name[:60]!r} cannot be a label")
                found[label] = {frozenset(names) for names in first}
        self.problems.raise_any()
        return found

    def entities(self) -> Iterator[AbstractMapping[str, Any]]:
        """Yield the entities of the node tables; add invalid rows to `problems`."""
        for label, node in self.mapping.nodes.items():
            yield from self._nodes(label, node)

    def _nodes(self, label: str, node: NodeTable) -> Iterator[AbstractMapping[str, Any]]:
        file = self._table_of(node.file)
        place = file.columns.index
        cells, ids = _cells(file, node.properties), self._ids[label]
        id_, title = place(node.id), place(node.title or node.id)
        aliases = None if node.aliases is None else place(node.aliases)
        description = None if node.description is None else place(node.description)
        labels = None if node.labels is None else place(node.labels)
        texts = {name for name in (node.id, node.title, node.description) if name is not None}
        for line, row in file.rows(self.problems, texts):
            key = row[id_]
            eid = f"{label}#{key}"
            if not key or len(eid) > LONGEST_ID:
                self._wrong(file, line, f"{node.id} is empty" if not key else f"{node.id} is too long")
                continue
            if key in ids:
                self._wrong(file, line, f"{node.id} {key!r} appears a second time")
                continue
            ids.add(key)
            together = {label} if labels is None else {label, *labels_in(row[labels])}
            yield {
                "eid": eid,
                "label": label,
                **({"labels": sorted(together)} if len(together) > 1 else {}),
                "name": row[title] or key,
                "aliases": [] if aliases is None else _parts(row[aliases]),
                "description": (row[description] or None) if description is not None else None,
                "properties": self._values(file, line, row, cells),
                "provenance": [],
            }

    def relations(self) -> Iterator[AbstractMapping[str, Any]]:
        """Yield the relations of the relationship tables; call it after `entities` has been read completely.

        Raises:
            ImportRefused: rows of nodes or relationships are invalid; raised after the last row.
        """
        rids = count()
        for table in self.mapping.relationships:
            for record in self._relationships(table):
                yield {"rid": str(next(rids)), **record, "provenance": []}
        self.problems.raise_any()

    def _relationships(self, table: RelationshipTable) -> Iterator[AbstractMapping[str, Any]]:
        file = self._table_of(table.file)
        cells = _cells(file, table.properties)
        ends = itemgetter(file.columns.index(table.start_column), file.columns.index(table.end_column))
        is_own = table.file == self.mapping.nodes[table.start].file
        starts, targets = self._ids[table.start], self._ids[table.end]
        texts = {table.start_column, table.end_column}
        for line, row in file.rows(Problems() if is_own else self.problems, texts):
            start, end = ends(row)
            if not end and is_own:
                continue  # an empty cell: the node has no such relationship
            for key, known, label, column in (
                (start, starts, table.start, table.start_column),
                (end, targets, table.end, table.end_column),
            ):
                if key not in known:
                    self._wrong(
                        file, line, f"{column} {key!r} is not the id of any {label}" if key else f"{column} is empty"
                    )
                    break
            else:
                yield {
                    "label": table.type,
                    "subj_id": f"{table.start}#{start}",
                    "obj_id": f"{table.end}#{end}",
                    "properties": self._values(file, line, row, cells),
                }

    def _values(self, file: Table, line: int, row: Sequence[Any], cells: list[Cell]) -> dict[str, Any]:
        values = {}
        for key, place, read in cells:
            cell = row[place]
            if cell != "":
                try:
                    values[key] = read(cell)
                except ValueError as error:
                    self._wrong(file, line, f"{key}: {str(cell)[:60]!r} is {error}")
        return values

    def _wrong(self, file: Table, line: int, message: str) -> None:
        self.problems.add(file.name, line, message, file.counted)


def _cells(file: Table, properties: AbstractMapping[str, Column]) -> list[Cell]:
    return [
        (key, file.columns.index(property_.column), file.reader(property_.type))
        for key, property_ in properties.items()
    ]


def _parts(cell: Any) -> list[str]:
    """Return the parts of a list, or of a text in which they are separated by `;`."""
    parts = (str(part) for part in cell if part is not None) if isinstance(cell, list) else str(cell).split(SEPARATOR)
    return [part.strip() for part in parts if part.strip()]


def labels_in(cell: Any) -> list[str]:
    """Return the labels in a list or in a text, separated by `;` or, as Neo4j's exports write them, by `:`.

    >>> labels_in("Actor; Director"), labels_in(":Actor:Director")
    (['Actor', 'Director'], ['Actor', 'Director'])
    """
    return _parts(cell if isinstance(cell, list) else str(cell).replace(":", SEPARATOR))


def _can_be_label(name: str) -> bool:
    return len(name) <= LONGEST_NAME and name.isprintable() and not name.startswith("@") and LABEL_SEPARATOR not in name


def import_folder(folder: Path, mapping: Mapping, output: Path) -> tuple[int, int]:
    """Convert a folder of CSV and Parquet files to a SimpleKG file; return the numbers of nodes and relationships.

    Raises:
        ImportRefused: a file or a column is missing, or rows are invalid; the message lists the first problems. Nothing
            is written.
    """
    return import_tables(mapping, lambda name: open_table(folder / name), output)


def import_tables(mapping: Mapping, table_of: TableOf, output: Path) -> tuple[int, int]:
    """Convert tables to a SimpleKG file; return the numbers of nodes and relationships.

    Raises:
        ImportRefused: a table or a column is missing, or rows are invalid; the message lists the first problems.
            Nothing is written.
    """
    conversion = Conversion(mapping, table_of)
    conversion.check_columns()
    further = conversion.further_labels()
    return write_simplekg(output, mapping.schema_of_graph(further), conversion.entities(), conversion.relations())
