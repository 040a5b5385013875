"""Reads the records of an entity index from a connected database, page by page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from graphground.cypher.diagnostics import counted, either
from graphground.cypher.quoting import nodes, property_of
from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.entities.candidate import Record

PAGE = 20_000
FIRST = 1_000
"""The number of nodes in a label's first page; the length of the texts in a page decides the size of the next page."""
MOST_LETTERS = 4_000_000
"""The approximate maximum number of letters in a page: a whole page is held in memory, here and in the database."""
NAME_PROPERTIES = ("name", "title", "label", "fullName", "full_name", "displayName", "username", "id")
ALIAS_PROPERTIES = ("aliases", "alias", "alternativeNames", "synonyms")
_TEXTS = frozenset({"str", "list[str]"})


def count_nodes(engine: Engine, schema: PropertyGraphSchema, labels: Iterable[str] | None = None) -> int:
    """Return the number of nodes with the labels (all labels if None); a node with two of the labels counts twice."""
    return sum(
        int(engine.run(f"{nodes(label.name).match()} RETURN count(n) AS c").rows[0][0])
        for label in _chosen(schema, labels)
    )


def database_pages(
    engine: Engine, schema: PropertyGraphSchema, labels: Iterable[str] | None = None
) -> Iterator[list[Record]]:
    """Yield a record for each node of the labels (all labels if None), in pages of at most `PAGE` nodes.

    Labels without a property for names, aliases or values are left out. `columns_of` chooses the properties for the
    name, the aliases, the description and the values. A node is identified by its `eid`, else by the database's own id.
    The database returns a page as one row of lists, which is 30 times faster than one row for each node.

    Raises:
        EngineError: a label is not in the schema, or the database failed or changed while it was read.
    """
    for label in _chosen(schema, labels):
        yield from _pages_of(engine, label)


def name_property(label: Label) -> str | None:
    """Return the property that names a label's nodes; None if there is none.

    It is the detected or configured property, else the first of `NAME_PROPERTIES` that the label has as a text.
    """
    return label.naming or next((key for key in NAME_PROPERTIES if label.properties.get(key) == "str"), None)


def columns_of(label: Label) -> tuple[str | None, str | None, str | None, list[str]]:
    """Return the properties of name, aliases and description (None if missing), and a list of other text properties."""
    name = name_property(label)
    aliases = next((key for key in ALIAS_PROPERTIES if label.properties.get(key) in _TEXTS), None)
    description = "description" if label.properties.get("description") == "str" else None
    others = {name, aliases, description, "eid", "provenance"}
    values = sorted(key for key, type_ in label.properties.items() if type_ in _TEXTS and key not in others)
    return name, aliases, description, values


def _chosen(schema: PropertyGraphSchema, labels: Iterable[str] | None) -> list[Label]:
    names = set(schema.labels) if labels is None else set(labels)
    unknown = names - set(schema.labels)
    if unknown:
        raise EngineError(f"the graph has no label {either(sorted(unknown))}; it has: {', '.join(schema.labels)}")
    return [label for label in schema.labels.values() if label.name in names]


def _pages_of(engine: Engine, label: Label) -> Iterator[list[Record]]:
    name, aliases, description, values = columns_of(label)
    if name is None and aliases is None and not values:
        return
    own_id = engine.capabilities().dialect.own_id
    if "eid" in label.properties:
        own_id = f"coalesce(n.eid, {own_id})"
    read = [key for key in (name, aliases, description, *values) if key is not None]
    columns = [own_id, *(property_of("n", key) for key in read)]
    returned = ", ".join(f"collect(coalesce({column}, '')) AS c{number}" for number, column in enumerate(columns))
    expected = int(engine.run(f"{nodes(label.name).match()} RETURN count(n) AS c").rows[0][0])
    keys: set[int] = set()
    skip, size = 0, min(FIRST, PAGE)
    while skip < expected:
        rows = engine.run(f"{nodes(label.name).match()} WITH n SKIP {skip} LIMIT {size} RETURN {returned}").rows
        ids, *texts = rows[0]
        page = []
        for key, *row in zip(map(str, ids), *texts, strict=True):
            node = dict(zip(read, row, strict=True))
            others = node.get(aliases or "", ())
            value = node.get(name or "")
            page.append(
                Record(
                    key,
                    label.name,
                    str(value) if type(value) is int else _text(value),
                    [other for other in (others if isinstance(others, list) else [others]) if _text(other)],
                    _text(node.get(description or "")),
                    {key: node[key] for key in values if is_text(node[key])},
                    name or "name",
                    aliases or "aliases",
                )
            )
        keys.update(hash(record.key) for record in page)
        yield page
        skip += size
        letters = 10 * sum(len(str(text)) for column in texts for text in column[::10])
        size = max(1, min(PAGE, 4 * size, MOST_LETTERS * size // max(letters, 1)))
    if len(keys) < expected:
        raise EngineError(
            f"the nodes of {label.name} changed while they were being read ({counted(expected, 'node')} "
            f"expected, {counted(len(keys), 'different node')} read); build the index again"
        )


def is_text(value: Any) -> bool:
    """Whether a value is a text or a list, and not empty: a few values may have another type than in the schema."""
    return isinstance(value, str | list) and bool(value)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
