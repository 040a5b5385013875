"""Reads GraphML: nodes, edges and their data as a stream, each with its line number.

The format (http://graphml.graphdrawing.org/primer/graphml-primer.html) does not define labels and types, so each tool
stores them in its own way. Supported are Neo4j's way (`labels=":Movie"` on a node, `label="DIRECTED"` on an edge),
TinkerPop's (data under `labelV`, `labelE`), and data under `labels` or `type` for nodes, `type` or `label` for edges.
Without any of these, a node is a `Node` and an edge is `RELATED_TO`. An undirected edge keeps its written direction.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.parsers import expat

from graphground.graphs.loading.importing.cells import read_time_text
from graphground.graphs.loading.importing.records import (
    MAX_XML_BYTES,
    ImportRefused,
    NodeRecord,
    Problems,
    RelationshipRecord,
    max_bytes,
    unpacks_too_far,
)

SUFFIXES = (".graphml", ".graphml.gz")
CHUNK = 1 << 20
NODE_LABELS = ("labelV", "labels", "type")
EDGE_TYPES = ("labelE", "type", "label")
TRUTH = {"true": True, "1": True, "false": False, "0": False}
READERS: Mapping[str, Callable[[str], Any]] = {
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "boolean": lambda text: TRUTH[text.strip().lower()],
    "string": read_time_text,
}


class GraphML:
    """A GraphML file, gzipped if its name ends in .gz: `GraphML(Path("films.graphml"))`.

    Raises:
        ImportRefused: the file does not exist. Reading the nodes or edges also raises this error if the file is not
            valid GraphML.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name
        if not path.is_file():
            raise ImportRefused([f"there is no file {path}"], 1)

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Yield each `<node>` as a record."""
        for element in _Reader(self, problems).elements("node"):
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
        for element in _Reader(self, problems).elements("edge"):
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


class _Reader:
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
            with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
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
            raise ImportRefused([f"{path.name}, line {error.lineno:,}: not XML: {message}"], 1) from None
        except (LookupError, ValueError) as error:
            if isinstance(error, ImportRefused):
                raise
            raise self._refused(f"not XML that can be read: {error}") from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ImportRefused([f"{path.name}: the compressed file is damaged or cut off ({error})"], 1) from None

    def _completed(self) -> Iterator[_Element]:
        elements, self._complete = self._complete, []
        yield from elements

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(" ")[2]
        line = self._parser.CurrentLineNumber
        if not self._open and tag != "graphml":
            raise ImportRefused([f"{self._source.name}, line {line}: not GraphML: it begins with <{tag}>"], 1)
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
            self._element = _Element(attributes, line) if tag == self._wanted else None
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
            element.data[attribute] = (READERS.get(type_) or read_time_text)(text)
        except (ValueError, KeyError):
            self._problems.add(
                self._source.name, self._parser.CurrentLineNumber, f"{attribute}: {text[:60]!r} is not a valid {type_}"
            )

    def _refuse_doctype(self, *_: Any) -> None:
        raise self._refused("a DOCTYPE declaration is not allowed; remove it")

    def _refused(self, message: str) -> ImportRefused:
        return ImportRefused([f"{self._source.name}, line {self._parser.CurrentLineNumber:,}: {message}"], 1)
