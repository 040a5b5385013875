"""The mapping from CSV and Parquet files to a graph: a TOML file that is inferred and that you can edit.

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
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Set
from collections.abc import Mapping as AbstractMapping
from pathlib import Path
from typing import Annotated, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from graphground.cypher.schema import (
    RESERVED_PROPERTIES,
    Label,
    PropertyGraphSchema,
    RelationshipPattern,
    merge_property_types,
)
from graphground.graphs.loading.importing.problems import ImportRefused, Problems
from graphground.graphs.storage.catalog import NAME, invalid_name

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
CellType = Literal[
    "str",
    "int",
    "float",
    "bool",
    "date",
    "datetime",
    "list[str]",
    "list[int]",
    "list[float]",
    "list[bool]",
    "list[date]",
    "list[datetime]",
]


class Part(BaseModel):
    """A part of a mapping, in which an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


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
                    **RESERVED_PROPERTIES,
                    **merge_property_types(
                        {key: column.type for key, column in table.properties.items()} for table in tables
                    ),
                },
                None,
                frozenset(RESERVED_PROPERTIES) - frozenset(key for table in tables for key in table.properties),
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


def read_mapping(path: Path) -> Mapping:
    """Read a mapping file.

    Raises:
        ImportRefused: the file does not exist or is not a valid mapping; the message lists the first problems.
    """
    from graphground.graphs.definitions.lines import Lines

    problems = Problems()
    try:
        text = path.read_text("utf-8")
        mapping = Mapping.model_validate(tomllib.loads(text))
    except FileNotFoundError:
        raise ImportRefused([f"there is no file {path}"], 1) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ImportRefused([f"{path.name}: not TOML: {error}"], 1) from None
    except ValidationError as error:
        lines = Lines(text)
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


def written(mapping: Mapping) -> str:
    """Return a mapping as TOML text.

    >>> print(written(mapping).splitlines()[0])
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
