"""Infers a mapping from a folder of CSV files: node tables, relationship tables and the types of cells.

A file is a relationship table if two of its columns hold ids of other tables and no column holds ids of its own;
otherwise it is a node table, and each column that holds ids of another table is a relationship. A column holds a
table's ids if its name says so (`movieId`, `movie_id`, or `start` and `end`) and all its cells are such ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from graphground.cypher.schema import RESERVED_PROPERTIES
from graphground.graphs.loading.importing.cells import ColumnType
from graphground.graphs.loading.importing.csv_files import CsvFile, csv_files
from graphground.graphs.loading.importing.mapping import Column, Mapping, NodeTable, RelationshipTable
from graphground.graphs.loading.importing.problems import ImportRefused, Problems

ROWS_AT_ONCE = 20_000
ENDING_IN_IE = ("movies", "cookies", "calories", "zombies", "brownies", "selfies")
TITLES = ("name", "title", "label", "fullname", "displayname")
STARTS, ENDS = (
    ("start", "source", "from", "subject", "startid", "sourceid", "fromid", "src"),
    ("end", "target", "to", "object", "endid", "targetid", "toid", "dst"),
)


@dataclass
class Table:
    """The content of one file."""

    file: CsvFile
    rows: int
    types: dict[str, ColumnType]
    unique: dict[str, set[str]] = field(default_factory=dict)
    """The cells of the columns whose cells are unique and not empty."""
    id: str | None = None

    @property
    def ids(self) -> set[str]:
        """The ids of its nodes."""
        return self.unique.get(self.id or "", set())

    @property
    def stem(self) -> str:
        """`movies` of `movies.csv.gz`."""
        return self.file.path.name.split(".")[0]


def infer(folder: Path, name: str | None = None) -> Mapping:
    """The mapping of a folder.

    Raises:
        ImportRefused: no file can be read as nodes, or a file is broken.
    """
    problems = Problems()
    tables = [_table(CsvFile(path), problems) for path in csv_files(folder)]
    problems.raise_any()
    for table in tables:
        table.id = _id_column(table)
    nodes = [table for table in tables if table.id is not None]
    if not nodes:
        raise ImportRefused(
            [
                f"{folder}: no file has a column of unique, non-empty ids; name the id column in a "
                f"mapping "
                "(--mapping FILE)"
            ],
            1,
        )
    labels = {_label(table.stem): table for table in nodes}
    references = {table.file.path.name: dict(_references(table, labels, problems)) for table in tables}
    links = [table for table in tables if table.id is None and len(references[table.file.path.name]) >= 2]
    mapping_nodes = {label: _node(table, references[table.file.path.name]) for label, table in labels.items()}
    relationships = [
        _own(label, table, column, end)
        for label, table in labels.items()
        for column, end in references[table.file.path.name].items()
    ]
    relationships += [_link(table, references[table.file.path.name]) for table in links]
    unread = [table for table in tables if table.id is None and table not in links]
    for table in unread:
        problems.add(
            table.file.path.name,
            None,
            "no id column, and no two columns that hold ids of other files; describe it in a mapping (--mapping FILE)",
        )
    problems.raise_any()
    return Mapping(
        name=name
        or re.sub(
            r"[^A-Za-z0-9_.-]",
            "_",
            f"graph_{folder.resolve().name}" if not folder.resolve().name[:1].isalpha() else folder.resolve().name,
        ),
        nodes=mapping_nodes,
        relationships=relationships,
    )


def _table(file: CsvFile, problems: Problems) -> Table:
    types = {column: ColumnType() for column in file.columns}
    unique: dict[str, set[str]] = {column: set() for column in file.columns if _may_be_id(column)} or {
        file.columns[0]: set()
    }
    rows = 0
    for block in _blocks(file, problems):
        rows += len(block)
        for column, cells in zip(file.columns, zip(*block, strict=True), strict=True):
            types[column].add(cells)
            if column in unique:
                seen, before = unique[column], len(unique[column])
                seen.update(cells)
                if len(seen) - before != len(cells) or "" in seen:
                    del unique[column]
    return Table(file, rows, types, unique)


def _blocks(file: CsvFile, problems: Problems) -> Iterator[list[list[str]]]:
    rows = file.rows(problems)
    while block := [row for _, row in islice(rows, ROWS_AT_ONCE)]:
        yield block


def _folded(column: str) -> str:
    return re.sub(r"[^a-z0-9]", "", column.lower())


def _may_be_id(column: str) -> bool:
    return _folded(column).endswith(("id", "code", "key", "uri", "iri")) or _folded(column) in ("name", "title")


def _singular(stem: str) -> str:
    if stem.lower().endswith("ies") and not stem.lower().endswith(ENDING_IN_IE):
        return stem[:-3] + "y"
    return stem[:-1] if stem.endswith("s") and not stem.endswith(("ss", "us")) else stem


def _label(stem: str) -> str:
    """`Movie` of `movies`, `FilmSeries` of `film_series`."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", stem) if word]
    words = [*words[:-1], words[-1] if words[-1].lower() in ("series", "people") else _singular(words[-1])]
    words = [{"people": "person"}.get(word.lower(), word) for word in words]
    return "".join(word[:1].upper() + word[1:] for word in words)


def _id_column(table: Table) -> str | None:
    own = {"id", f"{_folded(_singular(table.stem))}id", f"{_folded(_label(table.stem))}id", "key", "code", "uri"}
    if table.rows == 0:
        return next((column for column in table.file.columns if _folded(column) in own), None)
    named = [column for column in table.unique if _folded(column) in own]
    first = table.file.columns[0]
    is_link = sum(1 for column in table.file.columns if _folded(column) in (*STARTS, *ENDS)) >= 2
    return named[0] if named else (first if first in table.unique and not is_link else None)


def _references(table: Table, labels: dict[str, Table], problems: Problems) -> Iterator[tuple[str, str]]:
    """The columns that hold ids of other tables, each with the label of that table."""
    for place, column in enumerate(table.file.columns):
        folded = _folded(column)
        if column == table.id:
            continue
        named = [label for label in labels if folded.endswith((f"{label.lower()}id", label.lower()))]
        if folded in (*STARTS, *ENDS) and table.id is None:
            named = list(labels)
        if not named and not folded.endswith("id"):
            continue
        cells = {row[place] for block in _blocks(table.file, problems) for row in block} - {""}
        fitting = [label for label in named or labels if cells and cells <= labels[label].ids]
        # `directorId` may be of any table, as long as there is no second one in which all its cells are.
        if fitting and (named or len(fitting) == 1):
            yield column, fitting[0]


def _node(table: Table, references: dict[str, str]) -> NodeTable:
    assert table.id is not None
    rest = [column for column in table.file.columns if column not in references]
    by_name = {_folded(column): column for column in rest}
    title = next((by_name[name] for name in (*TITLES, f"{_folded(_label(table.stem))}name") if name in by_name), None)
    description = by_name.get("description")
    used = {table.id, title, description}
    return NodeTable(
        file=table.file.path.name,
        id=table.id,
        title=title if title != table.id else None,
        description=description,
        properties=_properties(table, [c for c in rest if c not in used]),
    )


def _properties(table: Table, columns: list[str]) -> dict[str, Column]:
    return {
        _key(column): Column(column=column, type=table.types[column].name)  # type: ignore[arg-type]
        for column in columns
    }


def _key(column: str) -> str:
    """A property's name: `release_date` of `release date`."""
    name = re.sub(r"\W+", "_", column).strip("_") or "value"
    return f"{name}_" if name in RESERVED_PROPERTIES else name


def _own(label: str, table: Table, column: str, end: str) -> RelationshipTable:
    """The relationship for a column of a node table: `directorId` of movies gives `director`."""
    assert table.id is not None
    type_ = re.sub(r"[^A-Za-z0-9]*(id|Id|ID)$", "", column) or column
    return RelationshipTable(
        type=f"has{type_[:1].upper()}{type_[1:]}",
        file=table.file.path.name,
        start=label,
        start_column=table.id,
        end=end,
        end_column=column,
    )


def _link(table: Table, references: dict[str, str]) -> RelationshipTable:
    columns = sorted(references, key=lambda column: _folded(column) in ENDS)
    start, end = columns[:2]
    words = [word for word in re.split(r"[^A-Za-z0-9]+", table.stem) if word]
    rest = [column for column in table.file.columns if column not in (start, end)]
    return RelationshipTable(
        type="_".join(word.upper() for word in words),
        file=table.file.path.name,
        start=references[start],
        start_column=start,
        end=references[end],
        end_column=end,
        properties=_properties(table, rest),
    )
