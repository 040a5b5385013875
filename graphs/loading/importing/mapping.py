"""The mapping from CSV and Parquet files to a graph, a TOML file that is inferred and that you can edit, and its use.

name = "films"
[nodes.Movie]
file = "movies.csv"
id = "movieId"
title = "title"
[nodes.Movie.properties]
released = { column = "released", type = "date" }
[[relationships]]
type = "actedIn"
file = "roles.csv"
start = "Person"
start_column = "personId"
end = "Movie"
end_column = "movieId"

If any row is invalid, it is reported, and nothing is written.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence, Set
from collections.abc import Mapping as AbstractMapping
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator
from pydantic_core import ErrorDetails

from graphground.cypher.schema import (
    RESERVED_PROPERTIES,
    Label,
    PropertyGraphSchema,
    RelationshipPattern,
    merge_property_types,
)
from graphground.graphs.loading.importing.cells import FALSE, SEPARATOR, TRUE, CellFormat
from graphground.graphs.loading.importing.records import MAX_NAME_CHARACTERS, ImportRefused, Problems, write_bounded
from graphground.graphs.loading.importing.tables import Table, open_table
from graphground.graphs.loading.record_checks import MAX_ID_CHARACTERS
from graphground.graphs.loading.record_checks import SEPARATOR as LABEL_SEPARATOR
from graphground.graphs.storage.catalog import NAME, invalid_name

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
CellType = Literal[
    "str",
    "int",
    "float",
    "bool",
    "date",
    "datetime",
    "time",
    "list[str]",
    "list[int]",
    "list[float]",
    "list[bool]",
    "list[date]",
    "list[datetime]",
    "list[time]",
]


class Part(BaseModel):
    """A part of a mapping, in which an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Cells(Part):
    """The format of the text cells of CSV files (`CellFormat`); a line break or a byte order mark needs no setting."""

    encoding: str = "utf-8"
    decimal: str = "."
    dates: str = "yyyy-mm-dd"
    true: list[str] = Field(default=list(TRUE), min_length=1)
    false: list[str] = Field(default=list(FALSE), min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Cells:
        self.format()
        return self

    def format(self) -> CellFormat:
        """Return the format for the readers of cells."""
        return CellFormat(self.encoding, self.decimal, self.dates, tuple(self.true), tuple(self.false))


class Column(Part):
    """A property: its column, and the type of the cells. The items of a list are separated by `;`."""

    column: Name
    type: CellType = "str"


class NodeTable(Part):
    """A file whose rows are nodes of one label; `title` is the column with the nodes' names, by default `id`.

    `labels` is a column with further labels of each node: `Actor;Director`.
    """

    file: Name
    id: Name
    title: Name | None = None
    aliases: Name | None = None
    description: Name | None = None
    labels: Name | None = None
    properties: dict[Name, Column] = {}


class RelationshipTable(Part):
    """A file whose rows are relationships, or a node file with a column that refers to other nodes."""

    type: Name
    file: Name
    start: Name
    start_column: Name
    end: Name
    end_column: Name
    properties: dict[Name, Column] = {}

    def __str__(self) -> str:
        return f"(:{self.start})-[:{self.type}]->(:{self.end})"


class Mapping(Part):
    """A whole mapping: the tables of nodes by label, and the tables of relationships."""

    name: Annotated[str, StringConstraints(pattern=f"^{NAME.pattern}$")]
    nodes: dict[Name, NodeTable] = Field(min_length=1)
    relationships: list[RelationshipTable] = []
    cells: Cells = Cells()

    def schema_of_graph(self, further: AbstractMapping[str, Set[frozenset[str]]] | None = None) -> PropertyGraphSchema:
        """Return the schema of the graph that the mapping produces.

        `further` maps the label of a table to the sets of further labels that its rows have.
        """
        together = {
            frozenset({label, *labels})
            for label, sets in (further or {}).items()
            for labels in sets
            if labels - {label}
        }
        owners: dict[str, list[NodeTable]] = {label: [table] for label, table in self.nodes.items()}
        for label, sets in (further or {}).items():
            for other in sorted(frozenset[str]().union(*sets) - {label}):
                owners.setdefault(other, []).append(self.nodes[label])
        labels = {
            name: Label(
                name,
                {
                    **{key: type_ for key, type_ in RESERVED_PROPERTIES.items() if key in _fields(tables)},
                    **merge_property_types(
                        {key: column.type for key, column in table.properties.items()} for table in tables
                    ),
                },
                None,
                _fields(tables),
            )
            for name, tables in owners.items()
        }
        patterns: dict[str, RelationshipPattern] = {}
        for table in self.relationships:
            known = patterns.get(str(table))
            properties = {key: column.type for key, column in table.properties.items()}
            patterns[str(table)] = RelationshipPattern(
                table.type, table.start, table.end, {**(dict(known.properties) if known else {}), **properties}
            )
        return PropertyGraphSchema(self.name, labels, tuple(patterns.values()), label_combinations=frozenset(together))


def _fields(tables: Sequence[NodeTable]) -> frozenset[str]:
    """Return the properties that the nodes of tables have besides those of the mapping.

    These are a name, what is mapped, and `eid` if no other property holds the ids of a table.
    """
    found = {"name"}
    for table in tables:
        found |= {key for key in ("aliases", "description") if getattr(table, key) is not None}
        if table.id not in {table.title or table.id, *(column.column for column in table.properties.values())}:
            found.add("eid")
    return frozenset(found)


def read_mapping(path: Path) -> Mapping:
    """Read a mapping file.

    Raises:
        ImportRefused: the file does not exist or is not a valid mapping; the message lists the first problems.
    """
    from graphground.graphs.definitions.read import KeyLines

    problems = Problems()
    try:
        text = path.read_text("utf-8")
        mapping = Mapping.model_validate(tomllib.loads(text))
    except FileNotFoundError:
        raise ImportRefused([f"there is no file {path}"], 1) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ImportRefused([f"{path.name}: not TOML: {error}"], 1) from None
    except ValidationError as error:
        lines = KeyLines(text)
        for details in error.errors():
            place = tuple(part for part in details["loc"] if part != "[key]")
            problems.add(path.name, lines.of(place), f"{'.'.join(map(str, place))}: {_described(details)}")
        problems.raise_any()
        raise
    for message in _inconsistencies(mapping):
        problems.add(path.name, None, message)
    problems.raise_any()
    return mapping


def _described(details: ErrorDetails) -> str:
    """Return what is wrong with a value, in lower case: `input should be a valid string, not 7`."""
    value = details["input"]
    if details["type"] == "extra_forbidden":
        return "is not a known key"
    if details["type"] == "string_pattern_mismatch":  # only the graph's name has a pattern
        return invalid_name(value)
    message = details["msg"][:1].lower() + details["msg"][1:]
    return message if isinstance(value, dict | list) else f"{message}, not {value!r}"


def _inconsistencies(mapping: Mapping) -> Iterator[str]:
    for table in mapping.relationships:
        for label in (table.start, table.end):
            if label not in mapping.nodes:
                yield f"{table}: there is no node table {label!r}"
        if table.type in mapping.nodes:
            yield f"{table.type!r} is a label and a relationship type; the embedded engine needs different names"
    for label, node in mapping.nodes.items():
        for key in node.properties:
            if key in RESERVED_PROPERTIES:
                yield f"nodes.{label}.properties.{key}: every node has this property already; rename it"


def write_mapping(mapping: Mapping) -> str:
    """Return a mapping as TOML text.

    >>> print(write_mapping(mapping).splitlines()[0])
    name = "films"
    """

    def text(value: str) -> str:
        return orjson.dumps(value).decode()

    def key(name: str) -> str:
        return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else text(name)

    def properties(columns: dict[str, Column]) -> list[str]:
        return [
            f"{key(name)} = {{ column = {text(column.column)}, type = {text(column.type)} }}"
            for name, column in columns.items()
        ]

    lines = [f"name = {text(mapping.name)}"]
    if changed := mapping.cells.model_dump(exclude_defaults=True):
        lines += ["", "[cells]", *(f"{name} = {orjson.dumps(value).decode()}" for name, value in changed.items())]
    for label, node in mapping.nodes.items():
        lines += ["", f"[nodes.{key(label)}]", f"file = {text(node.file)}", f"id = {text(node.id)}"]
        lines += [
            f"{name} = {text(value)}"
            for name in ("title", "aliases", "description", "labels")
            if (value := getattr(node, name)) is not None
        ]
        if node.properties:
            lines += [f"[nodes.{key(label)}.properties]", *properties(node.properties)]
    for table in mapping.relationships:
        lines += [
            "",
            "[[relationships]]",
            *(
                f"{name} = {text(getattr(table, name))}"
                for name in ("type", "file", "start", "start_column", "end", "end_column")
            ),
        ]
        if table.properties:
            lines += ["[relationships.properties]", *properties(table.properties)]
    return "\n".join(lines) + "\n"


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
            if not key or len(eid) > MAX_ID_CHARACTERS:
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
    return (
        len(name) <= MAX_NAME_CHARACTERS
        and name.isprintable()
        and not name.startswith("@")
        and LABEL_SEPARATOR not in name
    )


def import_folder(folder: Path, mapping: Mapping, output: Path) -> tuple[int, int]:
    """Convert a folder of CSV and Parquet files to a SimpleKG file; return the numbers of nodes and relationships.

    Raises:
        ImportRefused: a file or a column is missing, or rows are invalid; the message lists the first problems. Nothing
            is written.
    """
    files = {table.file for table in mapping.nodes.values()} | {table.file for table in mapping.relationships}
    size = sum(path.stat().st_size for file in files for path in _files_of(folder / file))
    cells = mapping.cells.format()
    return import_tables(mapping, lambda name: open_table(folder / name, cells), output, size)


def _files_of(path: Path) -> list[Path]:
    if path.is_dir():
        return [part for part in path.iterdir() if part.is_file()]
    return [path] if path.is_file() else []


def import_tables(mapping: Mapping, table_of: TableOf, output: Path, size: int | None = None) -> tuple[int, int]:
    """Convert tables to a SimpleKG file; return the numbers of nodes and relationships.

    `size` is the size of the tables in bytes, which limits the size of the output.

    Raises:
        ImportRefused: a table or a column is missing, or rows are invalid; the message lists the first problems.
            Nothing is written.
    """
    conversion = Conversion(mapping, table_of)
    conversion.check_columns()
    further = conversion.further_labels()
    schema = mapping.schema_of_graph(further)
    return write_bounded(output, schema, conversion.entities(), conversion.relations(), mapping.name, size)
