"""Converts the records of a graph to a SimpleKG file: the schema is inferred first, then the records are written.

Nodes are read three times: to count labels, to infer types and to write the nodes. Relationships are read twice. Only
the labels of each node id and the types of properties are held in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from itertools import count, product
from pathlib import Path
from typing import Any

from graphground.cypher.schema import RESERVED_PROPERTIES, Label, PropertyGraphSchema, RelationshipPattern
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.loading.importing.cells import as_type, merge_types, text_of, type_of
from graphground.graphs.loading.importing.record_files import (
    GRAPHML_SUFFIXES,
    JSON_SUFFIXES,
    RDF_SUFFIXES,
    GraphML,
    JsonLines,
    Rdf,
)
from graphground.graphs.loading.importing.records import (
    MAX_NAME_CHARACTERS,
    NodeRecord,
    Problems,
    RecordSource,
    refusal,
    write_bounded,
)
from graphground.graphs.loading.record_checks import MAX_ID_CHARACTERS

NAMES = ("name", "title", "label", "fullname", "full_name", "displayname", "display_name", "caption", "preflabel")
"""Names of properties that name a node, in lower case, in order of preference."""
FIELDS = {"aliases": "list[str]", "provenance": "list[str]", "description": "str"}
"""Properties that become fields of an entity if they have the type given here."""
TAKEN = {name: f"source_{name}" for name in ("name", "eid", *FIELDS)}
"""New names for properties of an imported graph that are named like a field of an entity."""


class GraphOfRecords:
    """The inferred schema of a source's records, and the records in SimpleKG form."""

    def __init__(self, source: RecordSource, name: str) -> None:
        self.source, self.name = source, name
        self.problems = Problems()
        self._labels: dict[str, tuple[str, ...]] = {}
        """The labels of each node by its id, the rarest label first."""
        self._together: set[frozenset[str]] = set()
        self._properties: dict[str, dict[str, str]] = {}
        self._patterns: dict[tuple[str, str, str], dict[str, str]] = {}
        self._titles: dict[str, str] = {}
        self._has_eids = False

    def infer(self) -> PropertyGraphSchema:
        """Read all records and infer the schema.

        Raises:
            ImportRefused: the data cannot be imported; the message gives the first problems with their lines.
        """
        self._infer_nodes()
        self._infer_relationships()
        self.problems.raise_any()
        if not self._labels:
            self.problems.add(self.source.name, None, "there are no nodes")
            self.problems.raise_any()
        self._unify_types()
        self._check_names()
        both = sorted(self._properties.keys() & {type_ for type_, _, _ in self._patterns})
        if both:
            self.problems.add(self.source.name, None, f"{both[0]!r} is both a label and a relationship type")
            self.problems.raise_any()
        self._titles = {label: title for label, keys in self._properties.items() if (title := _title(keys)) is not None}
        labels = {label: self._label(label) for label in self._properties}
        patterns = (
            RelationshipPattern(type_, start, end, properties)
            for (type_, start, end), properties in self._patterns.items()
        )
        return PropertyGraphSchema(self.name, labels, tuple(patterns), label_combinations=frozenset(self._together))

    def _infer_nodes(self) -> None:
        frequent: Counter[str] = Counter()
        known: dict[tuple[str, ...], tuple[str, ...]] = {}  # the ordered labels of all nodes with the same labels
        for node in self.source.nodes(Problems()):
            frequent.update(node.labels)
        for node in self.source.nodes(self.problems):
            if not node.id or len(node.id) > MAX_ID_CHARACTERS:
                self._wrong(node.place, f"the id {node.id[:40]!r}… is too long" if node.id else "a node has no id")
            elif node.id in self._labels:
                self._wrong(node.place, f"the node id {node.id!r} appears a second time")
            else:
                labels = known.get(node.labels)
                if labels is None:
                    labels = tuple(sorted(set(node.labels), key=lambda label: (frequent[label], label))) or ("Node",)
                    known[node.labels] = labels
                    if len(labels) > 1:
                        self._together.add(frozenset(labels))
                self._labels[node.id] = labels
                self._has_eids = self._has_eids or _is_id(node, "eid")
                properties = {key: value for key, value in node.properties.items() if not _is_id(node, key)}
                for label in labels:
                    self._add_types(self._properties.setdefault(label, {}), properties, node.place, f"node {node.id}")

    def _infer_relationships(self) -> None:
        for link in self.source.relationships(self.problems):
            for end, key in (("start", link.start), ("end", link.end)):
                if key not in self._labels:
                    self._wrong(link.place, f"the {end} {key!r} of a relationship {link.type} is not the id of a node")
                    break
            else:
                for start, end_label in product(self._labels[link.start], self._labels[link.end]):
                    types = self._patterns.setdefault((link.type, start, end_label), {})
                    self._add_types(types, link.properties, link.place, f"{link.start}-[:{link.type}]->{link.end}")

    def _unify_types(self) -> None:
        """Give a property the same type in all labels that occur together on nodes.

        The value of a node with several labels is stored once, but belongs to the property of each of the labels. For
        the same reason, a property of a relationship type has the same type in all patterns whose start or end may have
        several labels.
        """
        several = frozenset[str]().union(*self._together)
        groups = [[self._properties[label] for label in together] for together in self._together]
        by_type: dict[str, list[dict[str, str]]] = {}
        for (type_, start, end), types in self._patterns.items():
            if start in several or end in several:
                by_type.setdefault(type_, []).append(types)
        groups += by_type.values()
        is_changed = bool(groups)
        while is_changed:
            is_changed = False
            for group in groups:
                for key in {key for types in group for key in types}:
                    owners = [types for types in group if key in types]
                    type_ = reduce(merge_types, (types[key] for types in owners))
                    for types in owners:
                        is_changed |= types[key] != type_
                        types[key] = type_

    def _check_names(self) -> None:
        """Refuse names that the database cannot store: empty, too long, not printable, or beginning with `@`."""
        keys = {key for types in (*self._properties.values(), *self._patterns.values()) for key in types}
        for name in sorted(self._properties.keys() | {type_ for type_, _, _ in self._patterns} | keys):
            if len(name) > MAX_NAME_CHARACTERS or not name or not name.isprintable() or name.startswith("@"):
                self._wrong(
                    None,
                    f"{name[:40]!r} cannot be the name of a label, type or property: a name has 1 to {MAX_NAME_CHARACTERS} "
                    "printable characters and does not begin with '@'",
                )
        self.problems.raise_any()

    def _label(self, label: str) -> Label:
        """Return a label with its properties, named as in the SimpleKG file, and with the reserved properties."""
        own = {
            TAKEN.get(key, key): type_
            for key, type_ in self._properties[label].items()
            if not self._is_field(label, key)
        }
        fields = {"name", *(key for key in FIELDS if self._is_field(label, key)), *(["eid"] if self._has_eids else [])}
        reserved = {key: type_ for key, type_ in RESERVED_PROPERTIES.items() if key in fields}
        return Label(label, {**reserved, **own}, None, frozenset(reserved))

    def _is_field(self, label: str, key: str) -> bool:
        """Whether a property becomes a field of the entity: its name, aliases, description or provenance.

        The property `title` of a film gives the entity its name, and stays a property too, under its own name.
        """
        return key == self._titles.get(label) == "name" or (
            key in FIELDS and self._properties[label].get(key) == FIELDS[key]
        )

    def renamed(self) -> dict[str, str]:
        """Return the properties whose names every node of a SimpleKG file has already, with their new names."""
        keys = {key for label in self._properties for key in self._properties[label] if not self._is_field(label, key)}
        return {key: name for key, name in TAKEN.items() if key in keys}

    def entities(self) -> Iterator[Mapping[str, Any]]:
        """Yield each node as a SimpleKG entity."""
        for node in self.source.nodes(Problems()):
            labels = self._labels[node.id]
            label = labels[0]
            types = self._properties[label]
            properties = node.properties
            titles = (self._titles.get(name, "") for name in labels)
            title = next((key for key in titles if properties.get(key) is not None), None)
            fields = {key: properties.get(key) if self._is_field(label, key) else None for key in FIELDS}
            yield {
                "eid": node.id,
                "label": label,
                **({"labels": sorted(labels)} if len(labels) > 1 else {}),
                "name": node.id if title is None else text_of(properties[title]),
                "aliases": fields["aliases"] or [],
                "description": fields["description"],
                "properties": {
                    TAKEN.get(key, key): found
                    for key, value in properties.items()
                    if not self._is_field(label, key)
                    and not _is_id(node, key)
                    and (found := as_type(value, types.get(key, "str"))) is not None
                },
                "provenance": fields["provenance"] or [],
            }

    def relations(self) -> Iterator[Mapping[str, Any]]:
        """Yield each relationship as a SimpleKG relation."""
        numbers = count()
        for link in self.source.relationships(Problems()):
            types = self._patterns[link.type, self._labels[link.start][0], self._labels[link.end][0]]
            yield {
                "rid": str(next(numbers)),
                "label": link.type,
                "subj_id": link.start,
                "obj_id": link.end,
                "properties": {
                    key: found
                    for key, value in link.properties.items()
                    if (found := as_type(value, types.get(key, "str"))) is not None
                },
                "provenance": [],
            }

    def _add_types(self, types: dict[str, str], properties: Mapping[str, Any], place: int | None, owner: str) -> None:
        """Add the types of properties to `types`; `owner` names a record that has no line in a file."""
        for key, value in properties.items():
            try:
                found = type_of(value)
            except ValueError as error:
                self._wrong(place, f"{key}: {error}" if place is not None else f"{owner[:80]}, {key}: {error}")
                continue
            known = types.get(key)
            if found is not None and found != known:
                types[key] = found if known is None else merge_types(known, found)

    def _wrong(self, place: int | None, message: str) -> None:
        self.problems.add(self.source.name, place, message)


def import_records(source: RecordSource, name: str, output: Path) -> GraphOfRecords:
    """Convert a source's graph to a SimpleKG file; return the graph with its inferred schema.

        import_records(JsonLines(Path("films.jsonl")), "films", Path("films.json"))

    Raises:
        ImportRefused: the data cannot be imported; the message gives the first problems with their lines. Nothing is
            written.
    """
    graph = GraphOfRecords(source, name)
    schema = graph.infer()
    path: Path | None = getattr(source, "path", None)
    size = None if path is None else path.stat().st_size
    write_bounded(output, schema, graph.entities(), graph.relations(), source.name, size)
    return graph


def _is_id(node: NodeRecord, key: str) -> bool:
    """Whether a property is an `eid` that repeats the node's id, as in a graph that graphground loaded."""
    return key == "eid" and node.properties.get(key) == node.id


def _title(keys: Mapping[str, str]) -> str | None:
    """Return the property that names the nodes of a label; None if the label has none of the usual names."""
    folded = {key.lower(): key for key in keys}
    return next((folded[name] for name in NAMES if name in folded), None)


READERS: Mapping[str, type[JsonLines] | type[GraphML] | type[Rdf]] = {
    **dict.fromkeys(JSON_SUFFIXES, JsonLines),
    **dict.fromkeys(GRAPHML_SUFFIXES, GraphML),
    **dict.fromkeys(RDF_SUFFIXES, Rdf),
}


def file_source(path: Path) -> RecordSource:
    """Return the reader for a file, chosen by the ending of its name.

    Raises:
        ImportRefused: files of this type are not supported, or the file cannot be read.
    """
    reader = next((reader for suffix, reader in READERS.items() if path.name.lower().endswith(suffix)), None)
    if reader is None:
        raise refusal(
            path.name,
            None,
            f"files of this type cannot be imported; supported are .csv, .tsv, .parquet, {', '.join(READERS)}, or a "
            "folder of CSV and Parquet files",
        )
    return reader(path)


def database_source(address: BoltAddress, folder: Path, report: Callable[[str, int, int | None], None]) -> RecordSource:
    """Copy a database into `folder` and return the copy as a source of records.

    Raises:
        EngineError: the database does not respond, or refuses the user or a query; call again to resume.
        ImportRefused: the folder holds a copy of another database, or of an earlier state of this database.
    """
    from graphground.graphs.loading.importing.database_copy import DatabaseCopy  # the driver is loaded on first use

    copy = DatabaseCopy(address, folder)
    copy.fetch(report)
    return copy
