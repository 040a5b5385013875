"""Reads the records of an entity index from a connected database, page by page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from graphground.cypher.matching import nodes, property_of
from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.entities.record import Record

PAGE = 20_000
NAME_PROPERTIES = ("name", "title", "label", "fullName", "full_name", "displayName", "username", "id")
ALIAS_PROPERTIES = ("aliases", "alias", "alternativeNames", "synonyms")
_TEXTS = frozenset({"str", "list[str]"})


def count_nodes(engine: Engine, schema: PropertyGraphSchema, labels: Iterable[str] | None = None) -> int:
    """Return the number of records that `database_records` will yield."""
    return sum(
        int(engine.run(f"{nodes(label.name).match()} RETURN count(n) AS c").rows[0][0])
        for label in _chosen(schema, labels)
    )


def database_records(
    engine: Engine, schema: PropertyGraphSchema, labels: Iterable[str] | None = None, page: int = PAGE
) -> Iterator[Record]:
    """Yield as a record each node of the labels (all labels if None) that has a name or a text property.

    The name is the property `name` if the label has it, else `title` or similar; every other text property is a value.
    A node is identified by its `eid`, else by the database's own id.

    Raises:
        EngineError: the database failed, or changed while it was read.
    """
    for label in _chosen(schema, labels):
        yield from _records_of(engine, label, page)


def name_property(label: Label) -> str | None:
    """Return the property that names a label's nodes: the detected or configured one, else `name`, `title`, …"""
    return label.naming or next((key for key in NAME_PROPERTIES if label.properties.get(key) == "str"), None)


def _chosen(schema: PropertyGraphSchema, labels: Iterable[str] | None) -> list[Label]:
    wanted = set(schema.labels) if labels is None else set(labels)
    unknown = wanted - set(schema.labels)
    if unknown:
        raise EngineError(f"the graph has no label {', '.join(sorted(unknown))}; it has {', '.join(schema.labels)}")
    return [label for label in schema.labels.values() if label.name in wanted]


def _records_of(engine: Engine, label: Label, page: int) -> Iterator[Record]:
    name = name_property(label)
    aliases = next((key for key in ALIAS_PROPERTIES if label.properties.get(key) in _TEXTS), None)
    description = "description" if label.properties.get("description") == "str" else None
    values = [
        key
        for key, type_ in label.properties.items()
        if type_ in _TEXTS and key not in {name, aliases, description, "eid", "provenance"}
    ]
    if name is None and aliases is None and not values:
        return
    own_id = "n.eid" if "eid" in label.properties else _own_id(engine)
    columns = [
        own_id,
        *(property_of("n", key) if key else "null" for key in (name, aliases, description)),
        *(property_of("n", key) for key in values),
    ]
    returned = ", ".join(f"{column} AS c{number}" for number, column in enumerate(columns))
    expected = int(engine.run(f"{nodes(label.name).match()} RETURN count(n) AS c").rows[0][0])
    keys: set[int] = set()
    for skip in range(0, max(expected, 1), page):
        rows = engine.run(f"{nodes(label.name).match()} RETURN {returned} SKIP {skip} LIMIT {page}").rows
        for row in rows:
            keys.add(hash(row[0]))
            yield _record(row, label.name, name, aliases, values)
    if len(keys) < expected:
        raise EngineError(
            f"the nodes of {label.name} changed while they were being read ({expected} expected, "
            f"{len(keys)} distinct ones seen); build the index again"
        )


def _record(row: Sequence[Any], label: str, name: str | None, aliases: str | None, values: Sequence[str]) -> Record:
    others = row[2] if isinstance(row[2], list) else [row[2]]
    return Record(
        str(row[0]),
        label,
        _text(row[1]),
        [other for other in others if isinstance(other, str) and other],
        _text(row[3]),
        {key: value for key, value in zip(values, row[4:], strict=True) if value},
        name or "name",
        aliases or "aliases",
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _own_id(engine: Engine) -> str:
    return engine.capabilities().dialect.own_id
