"""Infers a mapping from CSV files, Parquet files or frames: node tables, relationship tables and the types of cells.

A file with a column of its own ids is a node table, and each of its other columns that holds ids of a table is a
relationship. A file without its own ids is a relationship table if two of its columns hold ids of other tables;
otherwise it is refused. A column holds the ids of a table if it is not empty, all its non-empty cells are ids of that
table, and its name fits: `movieId` or `movie_id`, or, in a file without its own ids, `start` or `end`. Any name that
ends in `id` but names no table fits if the non-empty cells are ids of exactly one table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, cast

from graphground.cypher.schema import RESERVED_PROPERTIES
from graphground.graphs.loading.importing.cells import CellFormat, ColumnType
from graphground.graphs.loading.importing.mapping import (
    Cells,
    CellType,
    Column,
    Mapping,
    NodeTable,
    RelationshipTable,
    write_mapping,
)
from graphground.graphs.loading.importing.records import ImportRefused, Problems
from graphground.graphs.loading.importing.tables import Table, open_table, tables_in

ROWS_AT_ONCE = 20_000
MAX_WRONG_IDS = 0.05
"""The share of empty and repeated cells up to which a column is taken for an id column with mistakes."""
ENDING_IN_IE = ("movies", "cookies", "calories", "zombies", "brownies", "selfies")
TITLES = ("name", "title", "label", "fullname", "displayname")
LABELS = (":LABEL", "_labels")
"""Columns that hold the labels of nodes in exports of Neo4j and APOC.

A column `labels` is not among them, because it may hold anything, such as the record labels of a musician.
"""
STARTS, ENDS = (
    ("start", "source", "from", "subject", "startid", "sourceid", "fromid", "src"),
    ("end", "target", "to", "object", "endid", "targetid", "toid", "dst"),
)


@dataclass
class Content:
    """The columns, ids and types of one table, as far as they have been inferred."""

    file: Table
    rows: int
    types: dict[str, str]
    unique: dict[str, set[str]] = field(default_factory=dict)
    """The columns that may hold ids and whose cells are unique and not empty, each with its cells."""
    id: str | None = None

    @property
    def ids(self) -> set[str]:
        """The cells of the id column; empty if the table has none."""
        return self.unique.get(self.id or "", set())

    @property
    def stem(self) -> str:
        """The file name without its endings: `movies` of `movies.csv.gz`."""
        return self.file.name.split(".")[0]


def infer(folder: Path, name: str | None = None, cells: CellFormat | None = None) -> Mapping:
    """Infer the mapping of a folder of CSV and Parquet files, or of a single file; `cells` is the format of CSV cells.

    Raises:
        ImportRefused: there is no node table, a file is neither a node table nor a relationship table, two node tables
            have the same label, or a file is broken.
    """
    tables = [open_table(path, cells) for path in tables_in(folder)]
    return infer_tables(tables, name or _name(folder.resolve().name.partition(".")[0]), cells)


def infer_tables(files: Sequence[Table], name: str, cells: CellFormat | None = None) -> Mapping:
    """Infer the mapping of tables; `name` is the graph's name.

    Raises:
        ImportRefused: there is no node table, a table is neither a node table nor a relationship table, two node tables
            have the same label, or a row is broken. Its `draft` is a mapping to edit, if the rows could be read.
    """
    problems = Problems()
    tables = [_read(file, problems, cells) for file in files]
    problems.raise_any()
    for table in tables:
        table.id = _id_column(table)
    for table in tables:
        _release_if_link(table, tables)
    nodes = [table for table in tables if table.id is not None]
    labels = {_label(table.stem): table for table in nodes}
    references = {table.file.name: dict(_references(table, labels)) for table in tables}
    links = [table for table in tables if table.id is None and len(references[table.file.name]) >= 2]
    own_format = cells or CellFormat()
    settings = Cells(
        encoding=own_format.encoding,
        decimal=own_format.decimal,
        dates=own_format.dates,
        true=list(own_format.true),
        false=list(own_format.false),
    )
    for number, table in enumerate(nodes):
        twin = next((other for other in nodes[:number] if _label(other.stem) == _label(table.stem)), None)
        if twin is not None:
            problems.add(
                table.file.name,
                None,
                f"its label would be {_label(table.stem)!r}, like the label of {twin.file.name}; rename a file, or "
                "describe both in a mapping (--mapping FILE)",
            )
    unread = [table for table in tables if table.id is None and table not in links]
    mistaken = [table for table in unread if _add_wrong_ids(table, problems)]
    for table in unread:
        if not mistaken:  # otherwise links to a table with mistakes may be unread only because of these
            problems.add(
                table.file.name,
                None,
                f"no id column ({_likely_id(table)} has empty or repeated cells), and no two columns that hold ids of "
                "other files; describe it in a mapping (--show prints a draft, --mapping FILE reads it)",
            )
        table.id = _likely_id(table)  # for the draft
        labels.setdefault(_label(table.stem), table)
    mapping_nodes = {label: _node(table, references[table.file.name]) for label, table in labels.items()}
    relationships = [
        _own(label, table, column, end)
        for label, table in labels.items()
        for column, end in references[table.file.name].items()
    ]
    relationships += [_link(table, references[table.file.name]) for table in links]
    mapping = Mapping(name=name, nodes=mapping_nodes, relationships=relationships, cells=settings)
    try:
        problems.raise_any()
    except ImportRefused as refused:
        refused.draft = "".join(f"# {problem}\n" for problem in refused.problems) + write_mapping(mapping)
        raise
    return mapping


def _add_wrong_ids(table: Content, problems: Problems) -> bool:
    """Report the rows with repeated or empty ids if they are few; return whether they are."""
    column = _likely_id(table)
    place, first = table.file.columns.index(column), dict[str, int]()
    wrong: list[tuple[int, str]] = []
    for line, row in table.file.rows(Problems(), frozenset({column})):
        key = row[place]
        if not key:
            wrong.append((line, f"{column} is empty"))
        elif first.setdefault(key, line) != line:
            wrong.append(
                (line, f"{column} {key!r} appears a second time; {table.file.counted} {first[key]:,} has it too")
            )
    if not wrong or len(wrong) > max(1, table.rows * MAX_WRONG_IDS):
        return False
    for line, message in wrong:
        problems.add(table.file.name, line, message, table.file.counted)
    return True


def _likely_id(table: Content) -> str:
    return next(iter(_named_ids(table)), table.file.columns[0])


def _name(text: str) -> str:
    """Return a valid graph name for the name of a file or folder."""
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", text)
    return (name if name[:1].isalpha() else f"graph_{name}")[:64]


def _read(file: Table, problems: Problems, cells: CellFormat | None) -> Content:
    types = {column: ColumnType(cells) for column in file.columns} if file.types is None else {}
    unique: dict[str, set[str]] = {
        column: set() for column in file.columns if _may_be_id(column) or column == file.columns[0]
    }
    rows = 0
    for block in _blocks(file, problems, unique.keys()):
        rows += len(block)
        for column, values in zip(file.columns, zip(*block, strict=True), strict=True):
            if types:
                types[column].add(values)
            if column in unique:
                seen, before = unique[column], len(unique[column])
                seen.update(values)
                if len(seen) - before != len(values) or "" in seen:
                    del unique[column]
    return Content(file, rows, dict(file.types or {column: found.name for column, found in types.items()}), unique)


def _blocks(file: Table, problems: Problems, keys: Set[str]) -> Iterator[list[Sequence[Any]]]:
    rows = file.rows(problems, frozenset(keys))
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
    """Return a label for a file name: `Movie` for `movies`, `FilmSeries` for `film_series`."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", stem) if word]
    words = [*words[:-1], words[-1] if words[-1].lower() in ("series", "people") else _singular(words[-1])]
    words = [{"people": "person"}.get(word.lower(), word) for word in words]
    return "".join(word[:1].upper() + word[1:] for word in words)


def _own_ids(table: Content) -> list[str]:
    """Return the columns named like the table's own id: `id`, `key`, `code`, `uri`, or `movieId` in `movies`."""
    return [*_named_ids(table), *(name for name in table.file.columns if _folded(name) in ("key", "code", "uri"))]


def _named_ids(table: Content) -> list[str]:
    own = {"id", f"{_folded(_singular(table.stem))}id", f"{_folded(_label(table.stem))}id"}
    return [column for column in table.file.columns if _folded(column) in own]


def _id_column(table: Content) -> str | None:
    own = _own_ids(table)
    if table.rows == 0:
        return next((column for column in table.file.columns if column in own), None)
    named = [column for column in table.unique if column in own]
    if not named and _named_ids(table):
        return None  # its ids are not unique: another column is not a better id
    first = table.file.columns[0]
    is_link = sum(1 for column in table.file.columns if _folded(column) in (*STARTS, *ENDS)) >= 2
    return named[0] if named else (first if first in table.unique and not is_link else None)


def _release_if_link(table: Content, tables: Sequence[Content]) -> None:
    """Unset an id column that was chosen only because its cells are unique, if the rows are links between other tables.

    In a table with the columns `person,movie`, for example, each person may appear only once.
    """
    column = table.id
    if column is None or column in _own_ids(table):
        return
    others = {_label(other.stem): other for other in tables if other is not table and other.id is not None}
    table.id = None
    ends = dict(_references(table, others))
    if len(ends) < 2 or column not in ends:
        table.id = column


def _references(table: Content, labels: dict[str, Content]) -> Iterator[tuple[str, str]]:
    """Yield each column that holds ids of a table, with the label of that table; the id column is left out."""
    named: dict[str, list[str]] = {}
    for column in table.file.columns:
        folded = _folded(column)
        if column == table.id:
            continue
        named[column] = [label for label in labels if folded.endswith((f"{label.lower()}id", label.lower()))]
        if folded in (*STARTS, *ENDS) and table.id is None:
            named[column] = list(labels)
        if not named[column] and not folded.endswith("id"):
            del named[column]
    fitting = {column: found or list(labels) for column, found in named.items()}
    has_cells: set[str] = set()
    places = [(column, table.file.columns.index(column)) for column in named]
    for block in _blocks(table.file, Problems(), named.keys()) if named else ():
        for column, place in places:
            cells = {row[place] for row in block} - {""}
            if cells:
                has_cells.add(column)
                fitting[column] = [label for label in fitting[column] if cells <= labels[label].ids]
    for column, found in fitting.items():
        # `directorId` may refer to any table whose ids contain all its cells, if there is only one such table.
        if column in has_cells and found and (named[column] or len(found) == 1):
            yield column, found[0]


def _node(table: Content, references: dict[str, str]) -> NodeTable:
    assert table.id is not None
    rest = [column for column in table.file.columns if column not in references]
    by_name = {_folded(column): column for column in rest}
    title = next((by_name[name] for name in (*TITLES, f"{_folded(_label(table.stem))}name") if name in by_name), None)
    description = by_name.get("description")
    labels = next((column for column in LABELS if column in rest), None)
    title = None if title == labels else title
    # The columns of the ids and the names are properties too, so that queries can use the names that the user knows.
    used = {description, labels, *(column for column in (table.id, title) if column in RESERVED_PROPERTIES)}
    return NodeTable(
        file=table.file.name,
        id=table.id,
        title=title if title != table.id else None,
        description=description,
        labels=labels,
        properties=_properties(table, [c for c in rest if c not in used]),
    )


def _properties(table: Content, columns: list[str]) -> dict[str, Column]:
    return {_key(column): Column(column=column, type=cast(CellType, table.types[column])) for column in columns}


def _key(column: str) -> str:
    """Return a column's name as the name of a property: `release_date` for `release date`."""
    name = re.sub(r"\W+", "_", column).strip("_") or "value"
    return f"{name}_" if name in RESERVED_PROPERTIES else name


def _own(label: str, table: Content, column: str, end: str) -> RelationshipTable:
    """Return the relationship table for a column of a node table: `directorId` of movies gives `hasDirector`."""
    assert table.id is not None
    type_ = re.sub(r"[^A-Za-z0-9]*(id|Id|ID)$", "", column) or column
    return RelationshipTable(
        type=f"has{type_[:1].upper()}{type_[1:]}",
        file=table.file.name,
        start=label,
        start_column=table.id,
        end=end,
        end_column=column,
    )


def _link(table: Content, references: dict[str, str]) -> RelationshipTable:
    columns = sorted(references, key=lambda column: _folded(column) in ENDS)
    start, end = columns[:2]
    words = [word for word in re.split(r"[^A-Za-z0-9]+", table.stem) if word]
    rest = [column for column in table.file.columns if column not in (start, end)]
    return RelationshipTable(
        type="_".join(word.upper() for word in words),
        file=table.file.name,
        start=references[start],
        start_column=start,
        end=references[end],
        end_column=end,
        properties=_properties(table, rest),
    )
