"""Imports RDF: classes become labels, literals become properties, and links between resources become relationships.

    <http://example.org/heat> a <http://example.org/Movie> ; rdfs:label "Heat"@en ; ex:director
    <http://example.org/mann> .

Turtle, N-Triples, N-Quads, TriG, RDF/XML and JSON-LD are read by pyoxigraph (the extra `rdf`). Labels, properties and
types are named after the last part of their IRI; if two IRIs have the same last part, a number is added to the second
name. A resource without a class gets the label `Resource`.

`rdfs:label`, `skos:prefLabel`, `schema:name` and `foaf:name` name a node. `skos:altLabel` and `schema:alternateName`
give its aliases, in all languages. `rdfs:comment`, `schema:description` and `dcterms:description` give its description.
If any other property has literals in several languages, only one language is kept: English, else literals without a
language, else the language of the first literal.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from graphground.graphs.engines.temporal import read_date, read_datetime, read_time
from graphground.graphs.loading.importing.cells import TimeText
from graphground.graphs.loading.importing.records import (
    ImportRefused,
    NodeRecord,
    Problems,
    RelationshipRecord,
    check_entities,
    install_command,
)

FORMATS = {
    ".ttl": "TURTLE",
    ".nt": "N_TRIPLES",
    ".nq": "N_QUADS",
    ".trig": "TRIG",
    ".rdf": "RDF_XML",
    ".owl": "RDF_XML",
    ".jsonld": "JSON_LD",
}
SUFFIXES = tuple(FORMATS)
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
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
READERS: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("integer", "int", "long", "short", "byte", "gYear"), int),
    **dict.fromkeys(("nonNegativeInteger", "positiveInteger", "negativeInteger", "nonPositiveInteger"), int),
    **dict.fromkeys(("unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"), int),
    **dict.fromkeys(("decimal", "float", "double"), float),
    "boolean": _TRUTH.__getitem__,
    "date": lambda text: text if ZONED_DAY(text) else TimeText(read_date(text)),
    **dict.fromkeys(("dateTime", "dateTimeStamp"), lambda text: TimeText(read_datetime(text))),
    "time": lambda text: TimeText(read_time(text)),
}


class Rdf:
    """An RDF file, whose statements are held in memory: `Rdf(Path("films.ttl"))`.

    Raises:
        ImportRefused: the file cannot be read, or the extra `rdf` is not installed.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name
        if not path.is_file():
            raise ImportRefused([f"there is no file {path}"], 1)
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
            raise ImportRefused([f"{self.name}: RDF needs an extra: {install_command('rdf')}"], 1) from None
        name = FORMATS[self.path.suffix.lower()]
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
            place = self.name if error.lineno is None else f"{self.name}, line {error.lineno:,}"
            raise ImportRefused([f"{place}: {error.msg}"], 1) from None
        except ValueError as error:
            raise ImportRefused([f"{self.name}: {error}"], 1) from None

    def _check_nesting(self) -> None:
        """Refuse JSON-LD nested deeper than orjson allows (1,024): the RDF parser takes time quadratic in the depth."""
        try:
            orjson.loads(self.path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            raise ImportRefused([f"{self.name}, line {error.lineno:,}: not JSON: {error.msg}"], 1) from None

    def _value(self, predicate: str, literal: Any) -> Any:
        datatype = literal.datatype.value
        read = READERS.get(datatype.removeprefix(XSD)) if datatype.startswith(XSD) else None
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
