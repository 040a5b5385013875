"""Files of nodes and relationships: JSON Lines, GraphML, and RDF, in which classes are labels and literals properties.

Text in the ISO form of a date or time is read as a date or time if all values of the property have that form; among
other texts it stays as it was written. Turtle, N-Triples, N-Quads, TriG, RDF/XML and JSON-LD are read by pyoxigraph
(the extra `rdf`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.parsers import expat

import orjson

from graphground.graphs.engines.temporal import read_date, read_datetime, read_time
from graphground.graphs.loading.importing.cells import TimeText, read_time_text
from graphground.graphs.loading.importing.records import (
    MAX_XML_BYTES,
    ImportRefused,
    NodeRecord,
    Problems,
    RecordFile,
    RelationshipRecord,
    bounded_lines,
    check_entities,
    install_command,
    max_bytes,
    opened,
    refusal,
    unpacks_too_far,
)

TRUTH = {"true": True, "1": True, "false": False, "0": False}
JSON_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


class JsonLines(RecordFile):
    """A file of JSON Lines in the form that Neo4j's `apoc.export.json` writes: `JsonLines(Path("films.jsonl"))`.

    {"type": "node", "id": "1", "labels": ["Movie"], "properties": {"title": "Heat", "released": 1995}}
    {"type": "relationship", "label": "DIRECTED", "start": {"id": "2"}, "end": {"id": "1"}, "properties": {}}
    """

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Yield a record for each line of type `node`; invalid lines and unknown types are added to `problems`."""
        for line, record in self._records(problems):
            match record:
                case {"type": "node", "id": str() | int() as key}:
                    labels, properties = record.get("labels", []), record.get("properties", {})
                    if not _all_texts(labels) or not isinstance(properties, dict):
                        problems.add(self.name, line, "'labels' must be a list of texts, 'properties' an object")
                    else:
                        yield NodeRecord(str(key), tuple(labels), _dated(properties), line)
                case {"type": "node"}:
                    problems.add(self.name, line, "a node needs an 'id', a text or a whole number")
                case {"type": "relationship"}:
                    pass
                case _:
                    problems.add(self.name, line, "'type' must be 'node' or 'relationship'")

    def relationships(self, problems: Problems) -> Iterator[RelationshipRecord]:
        """Yield a record for each line of type `relationship`; invalid lines of this type are added to `problems`."""
        for line, record in self._records(Problems()):
            if record.get("type") != "relationship":
                continue
            start, end, type_ = _end(record.get("start")), _end(record.get("end")), record.get("label")
            properties = record.get("properties", {})
            if start is None or end is None or not isinstance(type_, str) or not type_:
                problems.add(self.name, line, "a relationship needs 'label', 'start' and 'end', each end with an 'id'")
            elif not isinstance(properties, dict):
                problems.add(self.name, line, "'properties' must be an object")
            else:
                yield RelationshipRecord(type_, start, end, _dated(properties), line)

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


def _all_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) and part for part in value)


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

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Yield each `<node>` as a record."""
        for element in _GraphMLReader(self, problems).elements("node"):
            properties = dict(element.data)
            labels = tuple(filter(None, element.attributes.get("labels", "").split(":")))
            if not labels and (key := next((key for key in NODE_LABELS if properties.get(key)), None)):
                labels = tuple(filter(None, str(properties.pop(key)).split(":")))
            elif properties.get("labels") == element.attributes.get("labels"):
                properties.pop("labels", None)
            key = element.attributes.get("id", "")
            if key:
                yield NodeRecord(key, labels, properties, element.line)
            else:
                problems.add(self.name, element.line, "a <node> needs an 'id'")

    def relationships(self, problems: Problems) -> Iterator[RelationshipRecord]:
        """Yield each `<edge>` as a record."""
        for element in _GraphMLReader(self, problems).elements("edge"):
            properties = dict(element.data)
            type_ = element.attributes.get("label", "")
            if not type_ and (key := next((key for key in EDGE_TYPES if properties.get(key)), None)):
                type_ = str(properties.pop(key))
            elif properties.get("label") == type_:
                properties.pop("label", None)
            start, end = element.attributes.get("source", ""), element.attributes.get("target", "")
            if start and end:
                yield RelationshipRecord(type_ or "RELATED_TO", start, end, properties, element.line)
            else:
                problems.add(self.name, element.line, "an <edge> needs a 'source' and a 'target'")


class _Element:
    def __init__(self, attributes: Mapping[str, str], line: int) -> None:
        self.attributes, self.line = attributes, line
        self.data: dict[str, Any] = {}


class _GraphMLReader:
    def __init__(self, source: GraphML, problems: Problems) -> None:
        self._source, self._problems = source, problems
        self._keys: dict[str, tuple[str, str, str]] = {}
        self._defaults: dict[str, str] = {}
        self._open: list[str] = []
        self._complete: list[_Element] = []
        self._element: _Element | None = None
        self._text: list[str] | None = None
        self._length = 0
        self._key = ""
        self._wanted = ""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser = parser

    def elements(self, wanted: str) -> Iterator[_Element]:
        """Yield each element with the tag `wanted` (`node` or `edge`) as soon as it has been read completely."""
        self._wanted = wanted
        path = self._source.path
        try:
            with opened(path) as file:
                read, size = 0, path.stat().st_size
                while chunk := file.read(CHUNK):
                    read += len(chunk)
                    self._parser.Parse(chunk, False)
                    if read - self._parser.CurrentByteIndex > MAX_XML_BYTES:
                        raise self._refused(f"a tag longer than {MAX_XML_BYTES >> 20} MiB")
                    if read > max_bytes(size):
                        raise self._refused(unpacks_too_far(size))
                    yield from self._completed()
                self._parser.Parse(b"", True)
                yield from self._completed()
        except expat.ExpatError as error:
            message = expat.errors.messages.get(error.code, str(error))
            raise refusal(path.name, error.lineno, f"not XML: {message}") from None
        except (LookupError, ValueError) as error:
            if isinstance(error, ImportRefused):
                raise
            raise self._refused(f"not XML that can be read: {error}") from None

    def _completed(self) -> Iterator[_Element]:
        elements, self._complete = self._complete, []
        yield from elements

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(" ")[2]
        if not self._open and tag != "graphml":
            raise self._refused(f"not GraphML: it begins with <{tag}>")
        self._open.append(tag)
        if tag == "key":
            key = attributes.get("id", "")
            self._keys[key] = (
                attributes.get("attr.name", key),
                attributes.get("attr.type", "string"),
                attributes.get("for", "all"),
            )
            self._key = key
        elif tag == "default" and len(self._open) > 1 and self._open[-2] == "key":
            self._text, self._length = [], 0
        elif tag == "graph" and self._element is not None:
            raise self._refused("a graph inside a node is not supported; move its nodes to the outer graph")
        elif tag in ("node", "edge"):
            self._element = _Element(attributes, self._parser.CurrentLineNumber) if tag == self._wanted else None
        elif tag == "data" and self._element is not None and self._open[-2] == self._wanted:
            self._key, self._text, self._length = attributes.get("key", ""), [], 0

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)
            self._length += len(text)
            if self._length > MAX_XML_BYTES:
                raise self._refused(f"a text longer than {MAX_XML_BYTES >> 20} MiB")

    def _end(self, name: str) -> None:
        tag = self._open.pop()
        if tag == "default" and self._text is not None:
            self._defaults[self._key], self._text = "".join(self._text), None
        elif tag == "data" and self._text is not None and self._element is not None:
            self._set(self._element, self._key, "".join(self._text))
            self._text = None
        elif tag == self._wanted and self._element is not None:
            for key, text in self._defaults.items():
                attribute, _, kind = self._keys[key]
                if kind in (tag, "all") and attribute not in self._element.data:
                    self._set(self._element, key, text)
            self._complete.append(self._element)
            self._element = None

    def _set(self, element: _Element, key: str, text: str) -> None:
        attribute, type_, _ = self._keys.get(key, (key, "string", "all"))
        try:
            element.data[attribute] = (GRAPHML_READERS.get(type_) or read_time_text)(text)
        except (ValueError, KeyError):
            self._problems.add(
                self._source.name, self._parser.CurrentLineNumber, f"{attribute}: {text[:60]!r} is not a valid {type_}"
            )

    def _refuse_doctype(self, *_: Any) -> None:
        raise self._refused("a DOCTYPE declaration is not allowed; remove it")

    def _refused(self, message: str) -> ImportRefused:
        return refusal(self._source.name, self._parser.CurrentLineNumber, message)


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
NAMES = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
)
ALIASES = ("http://www.w3.org/2004/02/skos/core#altLabel", "http://schema.org/alternateName")
DESCRIPTIONS = (
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
    number is added to the second name. A resource without a class gets the label `Resource`. Of `NAMES`, `ALIASES` and
    `DESCRIPTIONS`, the aliases come from all languages. If any other property has literals in several languages, only
    one language is kept: English, else literals without a language, else the language of the first literal.

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

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Yield each resource that is a subject, or an object of a statement other than `a` (`rdf:type`)."""
        for message in self._wrong:
            problems.add(self.name, None, message)
        subjects = dict.fromkeys(
            [*self._classes, *self._literals, *(key for start, _, end in self._links for key in (start, end))]
        )
        for subject in subjects:
            labels = tuple(self._name(iri) for iri in self._classes.get(subject, ())) or ("Resource",)
            yield NodeRecord(subject, labels, self._properties(subject))

    def relationships(self, problems: Problems) -> Iterator[RelationshipRecord]:
        """Yield each statement whose object is a resource, except statements that give the class of a resource."""
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
            self._check_nesting()
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

    def _check_nesting(self) -> None:
        """Refuse JSON-LD nested deeper than orjson allows (1,024): the RDF parser takes time quadratic in the depth."""
        try:
            orjson.loads(self.path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            raise refusal(self.name, error.lineno, f"not JSON: {error.msg}") from None

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
            if predicate not in (*NAMES, *ALIASES, *DESCRIPTIONS):
                selected = in_one_language(values)
                properties[self._name(predicate)] = selected[0] if len(selected) == 1 else selected
        names = [value for predicate in NAMES for value in in_one_language(literals.get(predicate, []))]
        aliases = [value for predicate in ALIASES for _, value in literals.get(predicate, [])]
        descriptions = [value for predicate in DESCRIPTIONS for value in in_one_language(literals.get(predicate, []))]
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
    """Return the id of a resource: its IRI, or `_:` and the name of a blank node."""
    return str(term) if str(term).startswith("_:") else str(term.value)


def _last(iri: str) -> str:
    """Return the last part of an IRI: `Heat` for `http://example.org/Movie#Heat`."""
    return re.split(r"[#/:]", iri.rstrip("#/:"))[-1] or iri
