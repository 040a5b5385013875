"""Converts files of nodes and relationships (JSON Lines, GraphML, RDF) and other records to a SimpleKG file.

The schema is inferred first, then the records are written. Text in the ISO form of a date or time is read as a date or
time if all values of the property have that form; among other texts it stays as it was written.

A source is read once, into temporary files. From these, nodes are read three times: to count labels, to infer types and
to write the nodes. Relationships are read twice. Only the labels of each node id and the types of properties are held
in memory.
"""

from __future__ import annotations

import pickle
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from itertools import count, islice, product
from pathlib import Path
from typing import Any, TypeVar, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser
from xml.parsers import expat

import orjson

from graphground import install_command
from graphground.cypher.schema import RESERVED_PROPERTIES, Label, PropertyGraphSchema, RelationshipPattern
from graphground.cypher.text_values import text_values
from graphground.graphs.engines.temporal import read_date, read_datetime, read_time
from graphground.graphs.loading.importing.records import (
    MAX_NAME_CHARACTERS,
    MAX_XML_BYTES,
    ImportRefused,
    NodeRecord,
    Problems,
    RecordFile,
    Records,
    RecordSource,
    RelationshipRecord,
    TimeText,
    as_type,
    bounded_lines,
    can_be_name,
    check_entities,
    grows_too_far,
    max_bytes,
    merge_types,
    opened,
    read_time_text,
    refusal,
    text_of,
    type_of,
    unpacks_too_far,
    write_bounded,
)
from graphground.graphs.loading.simplekg import MAX_ID_CHARACTERS
from graphground.graphs.schemas.extraction.profiles import SAMPLED_NODES, Seen, name_parts, naming_property

TRUTH = {"true": True, "1": True, "false": False, "0": False}
RECORDS_AT_ONCE = 200
RecordT = TypeVar("RecordT", NodeRecord, RelationshipRecord)
JSON_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


class JsonLines(RecordFile):
    """A file of JSON Lines in the form that Neo4j's `apoc.export.json` writes: `JsonLines(Path("films.jsonl"))`.

    {"type": "node", "id": "1", "labels": ["Movie"], "properties": {"title": "Heat", "released": 1995}}
    {"type": "relationship", "label": "DIRECTED", "start": {"id": "2"}, "end": {"id": "1"}, "properties": {}}
    """

    def records(self, problems: Problems) -> Records:
        """Yield a record for each line; invalid lines are added to `problems`."""
        for line, record in self._records(problems):
            properties = record.get("properties", {})
            match record:
                case {"type": "node", "id": str() | int() as key}:
                    labels = record.get("labels", [])
                    texts = isinstance(labels, list) and all(isinstance(part, str) and part for part in labels)
                    if not texts or not isinstance(properties, dict):
                        problems.add(self.name, line, "'labels' must be a list of texts, 'properties' an object")
                    else:
                        yield NodeRecord(str(key), tuple(labels), _dated(properties), line)
                case {"type": "node"}:
                    problems.add(self.name, line, "a node needs an 'id', a text or a whole number")
                case {"type": "relationship"}:
                    start, end, type_ = _end(record.get("start")), _end(record.get("end")), record.get("label")
                    if start is None or end is None or not isinstance(type_, str) or not type_:
                        wanted = "a relationship needs 'label', 'start' and 'end', each end with an 'id'"
                        problems.add(self.name, line, wanted)
                    elif not isinstance(properties, dict):
                        problems.add(self.name, line, "'properties' must be an object")
                    else:
                        yield RelationshipRecord(type_, start, end, _dated(properties), line)
                case _:
                    problems.add(self.name, line, "'type' must be 'node' or 'relationship'")

    def _records(self, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
        with opened(self.path) as file:
            for line, text in enumerate(bounded_lines(file, self.name, self.path.stat().st_size), start=1):
                if not text.strip():
                    continue
                try:
                    record = orjson.loads(text)
                except orjson.JSONDecodeError as error:
                    problems.add(self.name, line, f"not JSON: {error}")
                    continue
                if isinstance(record, dict):
                    yield line, record
                else:
                    problems.add(self.name, line, "a line must be a JSON object")


def _end(value: Any) -> str | None:
    key = value.get("id") if isinstance(value, dict) else value
    return str(key) if isinstance(key, str | int) and not isinstance(key, bool) and key != "" else None


def _dated(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {key: read_time_text(value) for key, value in properties.items()}


GRAPHML_SUFFIXES = (".graphml", ".graphml.gz")
CHUNK = 1 << 20
NODE_LABELS = ("labelV", "labels", "type")
EDGE_TYPES = ("labelE", "type", "label")
GRAPHML_READERS: Mapping[str, Callable[[str], Any]] = {
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "boolean": lambda text: TRUTH[text.strip().lower()],
    "string": read_time_text,
}


class GraphML(RecordFile):
    """A GraphML file, read as a stream: `GraphML(Path("films.graphml"))`.

    The format (http://graphml.graphdrawing.org/primer/graphml-primer.html) does not define labels and types, so each
    tool stores them in its own way. Supported are Neo4j's way (`labels=":Movie"` on a node, `label="DIRECTED"` on an
    edge), TinkerPop's (data under `labelV`, `labelE`), and data under `labels` or `type` for nodes, `type` or `label`
    for edges. Without any of these, a node is a `Node` and an edge is `RELATED_TO`. An undirected edge keeps its
    written direction.
    """

    def records(self, problems: Problems) -> Records:
        """Yield each `<node>` and `<edge>` as a record."""
        keys: dict[str, tuple[str, str]] = {}
        defaults: list[tuple[str, str, str]] = []
        for line, element in self._elements():
            written, properties = element.attrib, dict[str, Any]()
            if element.tag == "key":
                key = written.get("id", "")
                keys[key] = written.get("attr.name", key), written.get("attr.type", "string")
                defaults += [(written.get("for", "all"), key, its.text or "") for its in element.iterfind("default")]
                continue
            texts = [(data.get("key", ""), "".join(data.itertext())) for data in element.iterfind("data")]
            texts += [(key, text) for owner, key, text in defaults if owner in (element.tag, "all")]
            for key, text in texts:
                name, type_ = keys.get(key, (key, "string"))
                try:
                    properties.setdefault(name, (GRAPHML_READERS.get(type_) or read_time_text)(text))
                except (ValueError, KeyError):
                    problems.add(self.name, line, f"{name}: {text[:60]!r} is not a valid {type_}")
            attribute, keys_of_kinds = ("labels", NODE_LABELS) if element.tag == "node" else ("label", EDGE_TYPES)
            kind = written.get(attribute, "")
            if not kind.strip(":") and (own := next((key for key in keys_of_kinds if properties.get(key)), None)):
                kind = str(properties.pop(own))
            elif properties.get(attribute) == kind:
                del properties[attribute]
            if element.tag == "node":
                labels = tuple(filter(None, kind.split(":")))
                if written.get("id"):
                    yield NodeRecord(written["id"], labels, properties, line)
                else:
                    problems.add(self.name, line, "a <node> needs an 'id'")
                continue
            start, end = written.get("source", ""), written.get("target", "")
            if start and end:
                yield RelationshipRecord(kind or "RELATED_TO", start, end, properties, line)
            else:
                problems.add(self.name, line, "an <edge> needs a 'source' and a 'target'")

    def _elements(self) -> Iterator[tuple[int, Element]]:
        """Yield each `key`, `node` and `edge` as soon as it has been read completely, with the line where it ends."""
        with opened(self.path) as file:
            check_entities(file, self.name)
        parser: XMLPullParser[Any] = XMLPullParser(("start", "end"))
        above, item = list[Element](), None
        line, read, waiting, size = 1, 0, 0, self.path.stat().st_size
        try:
            with opened(self.path) as file:
                while piece := file.readline(CHUNK):
                    read, waiting = read + len(piece), waiting + len(piece)
                    if read > max_bytes(size):
                        raise refusal(self.name, line, unpacks_too_far(size))
                    parser.feed(piece)
                    for event, element in cast("Iterator[tuple[str, Element]]", parser.read_events()):
                        waiting = 0
                        if event == "start":
                            tag = element.tag = element.tag.rpartition("}")[2]
                            if not above and tag != "graphml":
                                raise refusal(self.name, line, f"not GraphML: it begins with <{tag}>")
                            if tag == "graph" and item is not None:
                                message = "a graph inside a node is not supported; move its nodes to the outer graph"
                                raise refusal(self.name, line, message)
                            item = element if item is None and tag in ("key", "node", "edge") else item
                            above.append(element)
                            continue
                        above.pop()
                        if element is item:
                            yield line, element
                            item = None
                        if item is None and above:
                            above[-1].remove(element)  # so that the file is not held in memory
                    if waiting > MAX_XML_BYTES:
                        raise refusal(self.name, line, f"a tag or a text longer than {MAX_XML_BYTES >> 20} MiB")
                    line += piece.endswith(b"\n")
                parser.close()
        except ParseError as error:
            message = expat.errors.messages.get(error.code, error.msg)
            raise refusal(self.name, error.position[0], f"not XML: {message}") from None
        except (LookupError, ValueError) as error:
            if isinstance(error, ImportRefused):
                raise
            raise refusal(self.name, line, f"not XML that can be read: {error}") from None


RDF_FORMATS = {
    ".ttl": "TURTLE",
    ".nt": "N_TRIPLES",
    ".nq": "N_QUADS",
    ".trig": "TRIG",
    ".rdf": "RDF_XML",
    ".owl": "RDF_XML",
    ".jsonld": "JSON_LD",
}
RDF_SUFFIXES = tuple(RDF_FORMATS)
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
XSD = "http://www.w3.org/2001/XMLSchema#"
NAME_PREDICATES = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
)
ALIAS_PREDICATES = ("http://www.w3.org/2004/02/skos/core#altLabel", "http://schema.org/alternateName")
DESCRIPTION_PREDICATES = (
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://schema.org/description",
    "http://purl.org/dc/terms/description",
)
ZONED_DAY = re.compile(r".*\d\d(?:Z|[+-]\d\d:\d\d)").fullmatch
"""Matches a date with a zone, which no database has: it stays text."""
XSD_READERS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("integer", "int", "long", "short", "byte", "gYear"), int),
    **dict.fromkeys(("nonNegativeInteger", "positiveInteger", "negativeInteger", "nonPositiveInteger"), int),
    **dict.fromkeys(("unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"), int),
    **dict.fromkeys(("decimal", "float", "double"), float),
    "boolean": TRUTH.__getitem__,
    "date": lambda text: text if ZONED_DAY(text) else TimeText(read_date(text)),
    **dict.fromkeys(("dateTime", "dateTimeStamp"), lambda text: TimeText(read_datetime(text))),
    "time": lambda text: TimeText(read_time(text)),
}


class Rdf(RecordFile):
    """An RDF file, whose statements are held in memory: `Rdf(Path("films.ttl"))`.

    Labels, properties and types are named after the last part of their IRI; if two IRIs have the same last part, a
    number is added to the second name. A resource without a class gets the label `Resource`. Aliases come from all
    languages. If any other property has literals in several languages, only one language is kept: English, else
    literals without a language, else the language of the first literal. Turtle, N-Triples, N-Quads, TriG, RDF/XML and
    JSON-LD are read by pyoxigraph (the extra `rdf`).

    Raises:
        ImportRefused: the file cannot be read, or the extra `rdf` is not installed.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._literals: defaultdict[str, defaultdict[str, list[tuple[str, Any]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._classes: defaultdict[str, list[str]] = defaultdict(list)
        self._links: list[tuple[str, str, str]] = []
        self._names: dict[str, str] = {}
        self._used: set[str] = set()
        self._wrong: list[str] = []
        self._read()

    def records(self, problems: Problems) -> Records:
        """Yield each resource, and each statement whose object is a resource, except those that give its class.

        A resource is a subject, or an object of a statement other than `a` (`rdf:type`).
        """
        for message in self._wrong:
            problems.add(self.name, None, message)
        subjects = dict.fromkeys(
            [*self._classes, *self._literals, *(key for start, _, end in self._links for key in (start, end))]
        )
        for subject in subjects:
            labels = tuple(self._name(iri) for iri in self._classes.get(subject, ())) or ("Resource",)
            yield NodeRecord(subject, labels, self._properties(subject))
        for start, predicate, end in self._links:
            yield RelationshipRecord(self._name(predicate), start, end)

    def _read(self) -> None:
        try:
            import pyoxigraph  # pyoxigraph, an extra, is loaded on first use
        except ImportError:
            raise refusal(self.name, None, f"RDF needs an extra: {install_command('rdf')}") from None
        name = RDF_FORMATS[self.path.suffix.lower()]
        form = getattr(pyoxigraph.RdfFormat, name)
        if name == "RDF_XML":
            with self.path.open("rb") as document:
                check_entities(document, self.name)
        elif name == "JSON_LD":
            # The RDF parser takes time quadratic in the depth of nesting, which orjson limits to 1,024.
            try:
                orjson.loads(self.path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
            except orjson.JSONDecodeError as error:
                raise refusal(self.name, error.lineno, f"not JSON: {error.msg}") from None
        try:
            for quad in pyoxigraph.parse(path=str(self.path), format=form):
                subject, predicate, value = str(_key(quad.subject)), quad.predicate.value, quad.object
                if isinstance(value, pyoxigraph.Triple):
                    self._wrong.append(f"{predicate}: a statement about a statement is not supported")
                elif isinstance(value, pyoxigraph.Literal):
                    self._literals[subject][predicate].append((value.language or "", self._value(predicate, value)))
                elif predicate == TYPE:
                    self._classes[subject].append(_key(value))
                else:
                    self._links.append((subject, predicate, _key(value)))
        except SyntaxError as error:
            raise refusal(self.name, error.lineno, error.msg) from None
        except ValueError as error:
            raise refusal(self.name, None, str(error)) from None

    def _value(self, predicate: str, literal: Any) -> Any:
        datatype = literal.datatype.value
        read = XSD_READERS.get(datatype.removeprefix(XSD)) if datatype.startswith(XSD) else None
        if read is None:
            return literal.value
        try:
            return read(literal.value)
        except (ValueError, KeyError):
            self._wrong.append(f"{predicate}: {literal.value[:60]!r} is not a valid {datatype.removeprefix(XSD)}")
            return None

    def _properties(self, subject: str) -> dict[str, Any]:
        literals: Mapping[str, list[tuple[str, Any]]] = self._literals.get(subject, {})
        properties: dict[str, Any] = {}
        for predicate, values in literals.items():
            if predicate not in (*NAME_PREDICATES, *ALIAS_PREDICATES, *DESCRIPTION_PREDICATES):
                selected = in_one_language(values)
                properties[self._name(predicate)] = selected[0] if len(selected) == 1 else selected
        names, descriptions = (
            [value for predicate in predicates for value in in_one_language(literals.get(predicate, []))]
            for predicates in (NAME_PREDICATES, DESCRIPTION_PREDICATES)
        )
        aliases = [value for predicate in ALIAS_PREDICATES for _, value in literals.get(predicate, [])]
        properties["name"] = str(names[0]) if names else _last(subject)
        if also := list(dict.fromkeys(map(str, [*names[1:], *aliases]))):
            properties["aliases"] = also
        if descriptions:
            properties["description"] = str(descriptions[0])
        return properties

    def _name(self, iri: str) -> str:
        """Return the name for the IRI of a class or predicate; the same IRI always has the same name."""
        if iri not in self._names:
            name = last = _last(iri)
            number = 1
            while name in self._used or name in ("name", "aliases", "description"):
                number += 1
                name = f"{last}_{number}"
            self._used.add(name)
            self._names[iri] = name
        return self._names[iri]


def in_one_language(values: list[tuple[str, Any]]) -> list[Any]:
    """Return the values in English, else those without a language, else those in the first value's language.

    >>> in_one_language([("de", "Hitze"), ("en", "Heat")])
    ['Heat']
    """
    languages = [language for language, _ in values]
    preferred = next((item for item in ("en", "") if item in languages), languages[0] if languages else "")
    return [value for language, value in values if language == preferred and value is not None]


def _key(term: Any) -> str:
    return str(term) if str(term).startswith("_:") else str(term.value)


def _last(iri: str) -> str:
    """Return the last part of an IRI: `Heat` for `http://example.org/Movie#Heat`."""
    return re.split(r"[#/:]", iri.rstrip("#/:"))[-1] or iri


FIELDS = {"aliases": "list[str]", "provenance": "list[str]", "description": "str"}
"""Properties that become fields of an entity if they have the type given here."""
TAKEN = {name: f"source_{name}" for name in ("name", "eid", *FIELDS)}
"""New names for properties of an imported graph that are named like a field of an entity."""


class Spool:
    """The records of a source in two files of a folder that nobody else can write, to be read several times."""

    def __init__(self, source: RecordSource, folder: Path, problems: Problems, size: int | None) -> None:
        """Read the source, which has `size` bytes.

        Raises:
            ImportRefused: the files would become larger than `max_bytes(size)`.
        """
        self._folder = folder
        with self._path(NodeRecord).open("wb") as nodes, self._path(RelationshipRecord).open("wb") as links:
            records, number = source.records(problems), 0
            while block := list(islice(records, RECORDS_AT_ONCE)):
                number += len(block)
                for kind, file in ((NodeRecord, nodes), (RelationshipRecord, links)):
                    pickle.dump([record for record in block if type(record) is kind], file)
                if size is not None and nodes.tell() + links.tell() > max_bytes(size):
                    raise grows_too_far(source.name, size, f"record {number:,}")

    def _path(self, kind: type) -> Path:
        return self._folder / kind.__name__

    def read(self, kind: type[RecordT]) -> Iterator[RecordT]:
        """Yield the records of a kind in the order of the source."""
        with self._path(kind).open("rb") as file:
            while file.peek(1):
                yield from pickle.load(file)


class GraphOfRecords:
    """The inferred schema of a source's records, and the records in SimpleKG form."""

    def __init__(self, source: RecordSource, name: str, folder: Path, size: int | None = None) -> None:
        """Read the source, which has `size` bytes, into temporary files in `folder`."""
        self.source, self.name = source, name
        self.problems = Problems()
        self._spool = Spool(source, folder, self.problems, size)
        self._labels: dict[str, tuple[str, ...]] = {}
        """The labels of each node by its id, the rarest label first."""
        self._together: set[frozenset[str]] = set()
        self._properties: dict[str, dict[str, str]] = {}
        self._patterns: dict[tuple[str, str, str], dict[str, str]] = {}
        self._titles: dict[str, tuple[str, ...]] = {}
        """For each label, the property that names its nodes, or the two that hold the parts of a person's name."""
        self._samples: dict[str, list[Mapping[str, Any]]] = {}
        """The properties of the first nodes of each label."""
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
            raise refusal(self.source.name, None, "there are no nodes")
        self._unify_types()
        self._check_names()
        both = sorted(self._properties.keys() & {type_ for type_, _, _ in self._patterns})
        if both:
            raise refusal(self.source.name, None, f"{both[0]!r} is both a label and a relationship type")
        for label, keys in self._properties.items():
            title = "name" if "name" in keys else naming_property(label, [*self._seen(label, keys)])
            parts = name_parts(keys)
            if parts and title in (None, *parts):
                self._titles[label] = parts
            elif title:
                self._titles[label] = (title,)
        labels = {label: self._label(label) for label in self._properties}
        patterns = (
            RelationshipPattern(type_, start, end, properties)
            for (type_, start, end), properties in self._patterns.items()
        )
        return PropertyGraphSchema(self.name, labels, tuple(patterns), label_combinations=frozenset(self._together))

    def _infer_nodes(self) -> None:
        frequent: Counter[str] = Counter()
        known: dict[tuple[str, ...], tuple[str, ...]] = {}  # the ordered labels of all nodes with the same labels
        for node in self._spool.read(NodeRecord):
            frequent.update(node.labels)
        for node in self._spool.read(NodeRecord):
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
                    if len(sample := self._samples.setdefault(label, [])) < SAMPLED_NODES:
                        sample.append(properties)

    def _seen(self, label: str, keys: Iterable[str]) -> Iterator[Seen]:
        sample = self._samples[label]
        for key in keys:
            values = [value for node in sample if isinstance(value := node.get(key), str) and value.strip()]
            yield Seen(key, values, len(values) / len(sample), text_values(values))

    def _infer_relationships(self) -> None:
        for link in self._spool.read(RelationshipRecord):
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
        keys = {key for types in (*self._properties.values(), *self._patterns.values()) for key in types}
        for name in sorted(self._properties.keys() | {type_ for type_, _, _ in self._patterns} | keys):
            if not can_be_name(name):
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
        return (key == "name" and self._titles.get(label) == ("name",)) or (
            key in FIELDS and self._properties[label].get(key) == FIELDS[key]
        )

    def renamed(self) -> dict[str, str]:
        """Return the properties whose names every node of a SimpleKG file has already, with their new names."""
        keys = {key for label in self._properties for key in self._properties[label] if not self._is_field(label, key)}
        return {key: name for key, name in TAKEN.items() if key in keys}

    def entities(self) -> Iterator[Mapping[str, Any]]:
        """Yield each node as a SimpleKG entity."""
        for node in self._spool.read(NodeRecord):
            labels = self._labels[node.id]
            label = labels[0]
            types = self._properties[label]
            properties = node.properties
            titles = (
                [text_of(properties[key]) for key in self._titles.get(name, ()) if properties.get(key) is not None]
                for name in labels
            )
            title = next(filter(None, titles), [node.id])
            fields = {key: properties.get(key) if self._is_field(label, key) else None for key in FIELDS}
            yield {
                "eid": node.id,
                "label": label,
                **({"labels": sorted(labels)} if len(labels) > 1 else {}),
                "name": " ".join(filter(None, title)),
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
        for link in self._spool.read(RelationshipRecord):
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
    path: Path | None = getattr(source, "path", None)
    size = None if path is None else path.stat().st_size
    with tempfile.TemporaryDirectory(prefix=".records-", dir=output.parent) as folder:
        graph = GraphOfRecords(source, name, Path(folder), size)
        schema = graph.infer()
        write_bounded(output, schema, graph.entities(), graph.relations(), source.name, size)
    return graph


def _is_id(node: NodeRecord, key: str) -> bool:
    return key == "eid" and node.properties.get(key) == node.id


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
