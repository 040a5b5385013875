"""The mapping from tables (CSV and Parquet files, frames) to a graph: inferred, edited as TOML, and used.

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

How it is inferred: a file with a column of its own ids is a node table, and each of its other columns that holds ids of
a table is a relationship. A file without its own ids is a relationship table if two of its columns hold ids of other
tables; otherwise it is refused. A column holds the ids of a table if it is not empty, all its non-empty cells are ids
of that table, and its name fits: `movieId` or `movie_id`, or, in a file without its own ids, `start` or `end`. Any name
that ends in `id` but names no table fits if the non-empty cells are ids of exactly one table.

If any row is invalid, it is reported, and nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from collections.abc import Mapping as AbstractMapping
from dataclasses import asdict, dataclass, field
from itertools import count, islice
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from graphground.cypher.names.words import lemma, split
from graphground.cypher.schema import (
    RESERVED_PROPERTIES,
    Label,
    PropertyGraphSchema,
    RelationshipPattern,
    merge_property_types,
)
from graphground.graphs.definitions.read import Place, read_toml
from graphground.graphs.loading.importing.records import (
    SEPARATOR,
    CellFormat,
    ColumnType,
    ImportRefused,
    Problems,
    can_be_name,
    name_of,
    write_bounded,
)
from graphground.graphs.loading.importing.tables import Table, open_table, tables_in
from graphground.graphs.loading.simplekg import MAX_ID_CHARACTERS
from graphground.graphs.loading.simplekg import SEPARATOR as LABEL_SEPARATOR
from graphground.graphs.storage.home import NAME, invalid_name

ROWS_AT_ONCE = 20_000
MAX_WRONG_IDS = 0.05
"""The share of empty and repeated cells up to which a column is taken for an id column with mistakes."""
ID_ENDINGS = ("id", "code", "key", "uri", "iri")
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
    numbered: bool = False
    """Whether the rows are nodes that are numbered, because no column has an id for each."""

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
    return infer_tables(tables, name or name_of(str(folder.resolve())), cells)


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
    for table in tables if len(tables) == 1 else ():  # things, such as loans, for which no column is meant as an id
        table.numbered = table.id is None and table.rows > 0 and not _named_ids(table) and not _is_link(table)
    nodes = [table for table in tables if table.id is not None or table.numbered]
    labels = {_label(table.stem): table for table in nodes}
    references = {table.file.name: dict(_references(table, labels)) for table in tables}
    links = [table for table in tables if table not in nodes and len(references[table.file.name]) >= 2]
    for number, table in enumerate(nodes):
        twin = next((other for other in nodes[:number] if _label(other.stem) == _label(table.stem)), None)
        if twin is not None:
            problems.add(
                table.file.name,
                None,
                f"its label would be {_label(table.stem)!r}, like the label of {twin.file.name}; rename a file, or "
                "describe both in a mapping (--mapping FILE)",
            )
    unread = [table for table in tables if table not in nodes and table not in links]
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
    mapping = Mapping(name=name, nodes=mapping_nodes, relationships=relationships, cells=cells or CellFormat())
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


def _read(file: Table, problems: Problems, cells: CellFormat | None) -> Content:
    types = {column: ColumnType(cells) for column in file.columns} if file.types is None else {}
    unique: dict[str, set[str]] = {
        column: set()
        for column in file.columns
        if column == file.columns[0] or _folded(column).endswith(ID_ENDINGS) or _folded(column) in ("name", "title")
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


def _label(stem: str) -> str:
    """Return a label for a file name: `Movie` for `movies`, `FilmSeries` for `film_series`."""
    words = split(stem)
    if (singular := lemma(words[-1].lower())) != words[-1].lower():
        words[-1] = singular
    return "".join(word[:1].upper() + word[1:] for word in words)


def _own_ids(table: Content) -> list[str]:
    """Return the columns named like the table's own id: `id`, `key`, `code`, `uri`, or `movieId` in `movies`."""
    return [*_named_ids(table), *(name for name in table.file.columns if _folded(name) in ("key", "code", "uri"))]


def _named_ids(table: Content) -> list[str]:
    own = {"id", f"{_folded(table.stem)}id", f"{_folded(_label(table.stem))}id"}
    return [column for column in table.file.columns if _folded(column) in own]


def _id_column(table: Content) -> str | None:
    own = _own_ids(table)
    if table.rows == 0:
        return next((column for column in table.file.columns if column in own), None)
    named = [column for column in table.unique if column in own]
    if not named and _named_ids(table):
        return None  # its ids are not unique: another column is not a better id
    first = table.file.columns[0]
    return named[0] if named else (first if first in table.unique and not _is_link(table) else None)


def _is_link(table: Content) -> bool:
    return sum(1 for column in table.file.columns if _folded(column) in (*STARTS, *ENDS)) >= 2


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
    return {_key(column): Column(column=column, type=cast("CellType", table.types[column])) for column in columns}


def _key(column: str) -> str:
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


Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
ScalarType = Literal["str", "int", "float", "bool", "date", "datetime", "time"]
ListType = Literal["list[str]", "list[int]", "list[float]", "list[bool]", "list[date]", "list[datetime]", "list[time]"]
CellType = Literal[ScalarType, ListType]


class Part(BaseModel):
    """A part of a mapping, in which an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Column(Part):
    """A property: its column, and the type of the cells. The items of a list are separated by `;`."""

    column: Name
    type: CellType = "str"


class NodeTable(Part):
    """A file whose rows are nodes of one label; `title` is the column with the nodes' names, by default `id`.

    Without `id`, a node's id is the number of its line.
    `labels` is a column with further labels of each node: `Actor;Director`.
    """

    file: Name
    id: Name | None = None
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

    name: Name
    nodes: dict[Name, NodeTable] = Field(min_length=1)
    relationships: list[RelationshipTable] = []
    cells: CellFormat = CellFormat()

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
    problems = Problems()
    try:
        mapping, found = read_toml(path.read_text("utf-8"), Mapping, _inconsistencies)
    except FileNotFoundError:
        raise ImportRefused([f"there is no file {path}"], 1) from None
    except UnicodeDecodeError as error:
        raise ImportRefused([f"{path.name}: not TOML: {error}"], 1) from None
    for problem in found:
        problems.add(path.name, problem.line, ": ".join(filter(None, (problem.place, problem.message))))
    problems.raise_any()
    assert mapping is not None
    return mapping


def _inconsistencies(mapping: Mapping) -> Iterator[tuple[Place, str]]:
    if not NAME.fullmatch(mapping.name):
        yield ("name",), invalid_name(mapping.name)
    for number, table in enumerate(mapping.relationships):
        for end in ("start", "end"):
            if getattr(table, end) not in mapping.nodes:
                yield ("relationships", number, end), f"there is no node table {getattr(table, end)!r}"
        if table.type in mapping.nodes:
            message = f"{table.type!r} is a label and a relationship type; the embedded engine needs different names"
            yield ("relationships", number, "type"), message
    for label, node in mapping.nodes.items():
        for key in node.properties.keys() & RESERVED_PROPERTIES:
            yield ("nodes", label, "properties", key), "every node has this property already; rename it"


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

    def fields(part: Part) -> list[str]:
        return [f"{name} = {text(value)}" for name, value in part if isinstance(value, str)]

    lines = fields(mapping)
    usual = asdict(CellFormat())
    if changed := {name: value for name, value in asdict(mapping.cells).items() if value != usual[name]}:
        lines += ["", "[cells]", *(f"{name} = {orjson.dumps(value).decode()}" for name, value in changed.items())]
    for label, node in mapping.nodes.items():
        lines += ["", f"[nodes.{key(label)}]", *fields(node)]
        if node.properties:
            lines += [f"[nodes.{key(label)}.properties]", *properties(node.properties)]
    for table in mapping.relationships:
        lines += ["", "[[relationships]]", *fields(table)]
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
                    for name in (name for name in names if not can_be_name(name) or LABEL_SEPARATOR in name):
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
        id_, title, aliases, description, labels = (
            None if name is None else place(name)
            for name in (node.id, node.title or node.id, node.aliases, node.description, node.labels)
        )
        texts = {name for name in (node.id, node.title, node.description) if name is not None}
        for line, row in file.rows(self.problems, texts):
            key = str(line) if id_ is None else row[id_]
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
                "name": ("" if title is None else row[title]) or (f"{label} {key}" if id_ is None else key),
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
    parts = (str(part) for part in cell if part is not None) if isinstance(cell, list) else str(cell).split(SEPARATOR)
    return [part.strip() for part in parts if part.strip()]


def labels_in(cell: Any) -> list[str]:
    """Return the labels in a list or in a text, separated by `;` or, as Neo4j's exports write them, by `:`.

    >>> labels_in("Actor; Director"), labels_in(":Actor:Director")
    (['Actor', 'Director'], ['Actor', 'Director'])
    """
    return _parts(cell if isinstance(cell, list) else str(cell).replace(":", SEPARATOR))


def import_folder(folder: Path, mapping: Mapping, output: Path) -> tuple[int, int]:
    """Convert a folder of CSV and Parquet files to a SimpleKG file; return the numbers of nodes and relationships.

    Raises:
        ImportRefused: a file or a column is missing, or rows are invalid; the message lists the first problems. Nothing
            is written.
    """
    files = {table.file for table in mapping.nodes.values()} | {table.file for table in mapping.relationships}
    size = sum(path.stat().st_size for file in files for path in _files_of(folder / file))
    return import_tables(mapping, lambda name: open_table(folder / name, mapping.cells), output, size)


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
