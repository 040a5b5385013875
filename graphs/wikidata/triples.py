"""Wikidata's RDF: the lines of N-Triples (https://www.w3.org/TR/n-triples/), predicates, and statements of triples.

>>> term_of(b'"Ascenseur"@fr .')
{'type': 'literal', 'value': 'Ascenseur', 'xml:lang': 'fr'}
>>> find_item(b"<http://www.wikidata.org/entity/Q42> ."), find_item(b"_:b0 .")
(42, None)

If only the values of a property are needed, they are read from truthy triples (`wdt:P31`), which hold the best
statements. A property with qualifiers, converted values or statements of every rank is read from statement nodes
(`p:P39`, `ps:P39`, `pq:P580` and the value nodes), if the dump has them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from graphground.graphs.wikidata.plan import SUBCLASS_OF, Plan
from graphground.graphs.wikidata.statements import (
    DAY,
    MONTH,
    NO_VALUE,
    NORMAL,
    RANKS,
    SOME_VALUE,
    TIME,
    YEAR,
    Statement,
    Value,
    quantity,
    rdf_time,
    value_of_term,
)

SAME_AS = b"<http://www.w3.org/2002/07/owl#sameAs>"
RANK, NORMAL_RANK = b"<http://wikiba.se/ontology#rank>", b"<http://wikiba.se/ontology#NormalRank>"
PROP = "http://www.wikidata.org/prop/"
ONTOLOGY = "http://wikiba.se/ontology#"
DETAILS = tuple(
    f"<{ONTOLOGY}{name}>".encode() for name in ("quantityAmount", "quantityUnit", "timeValue", "timePrecision")
)
ABOUT = b"<http://schema.org/about>"
TEXT_KINDS = {
    b"<http://www.w3.org/2000/01/rdf-schema#label>": "label",
    b"<http://www.w3.org/2004/02/skos/core#altLabel>": "alias",
    b"<http://schema.org/description>": "description",
    ABOUT: "article",
}
"""The kinds of an item's texts by predicate; an article is the subject of its triple, with the item as object."""
_ITEM = re.compile(rb"<http://www\.wikidata\.org/entity/Q(\d{1,18})>").match
_STATEMENT = re.compile(rb"<http://www\.wikidata\.org/entity/statement/([Qq](\d{1,18})-[^>]*)>").match
_VALUE_NODE = re.compile(rb"<http://www\.wikidata\.org/value/([^>]+)>").match
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SINGLE = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def read_triples(piece: bytes, predicates: Container[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines of a block with one of the predicates: each as subject, predicate and the rest of the line.

    >>> list(read_triples(b'<a> <b> "c d" .\\n<a> <x> <y> .\\n', {b"<b>"}))
    [[b'<a>', b'<b>', b'"c d" .']]
    """
    for line in piece.split(b"\n"):
        parts = line.split(None, 2)
        if len(parts) == 3 and parts[1] in predicates:
            yield parts


def find_item(part: bytes) -> int | None:
    """Return the number of the item with which a part of a line begins; None if it begins otherwise."""
    found = _ITEM(part)
    return int(found[1]) if found else None


def find_statement(part: bytes) -> tuple[int, bytes] | None:
    """Return the item and the name of the statement with which a part of a line begins; None if it begins otherwise.

    Wikidata makes the name of a statement from the name of its item.

    >>> find_statement(b"<http://www.wikidata.org/entity/statement/q42-F078>")
    (42, b'q42-F078')
    """
    found = _STATEMENT(part)
    return (int(found[2]), found[1]) if found else None


def find_value_node(part: bytes) -> bytes | None:
    """Return the name of the value node with which a part of a line begins; None if it begins otherwise."""
    found = _VALUE_NODE(part)
    return found[1] if found else None


def term_of(rest: bytes) -> Term | None:
    """Return the object of a line as a term of a SPARQL result; None if the line is malformed.

    `rest` is the line after its predicate, with the full stop at the end.
    """
    text = rest.strip()
    if not text.endswith(b"."):
        return None
    try:
        term = text[:-1].rstrip().decode()
    except UnicodeDecodeError:
        return None
    if term.startswith("<") and term.endswith(">"):
        return {"type": "uri", "value": unescape(term[1:-1])}
    if term.startswith("_:"):
        return {"type": "bnode", "value": term[2:]}
    end = term.rfind('"')
    if not term.startswith('"') or end == 0:
        return None
    value, suffix = unescape(term[1:end]), term[end + 1 :]
    if suffix.startswith("@"):
        return {"type": "literal", "value": value, "xml:lang": suffix[1:]}
    if suffix.startswith("^^<") and suffix.endswith(">"):
        return {"type": "literal", "value": value, "datatype": suffix[3:-1]}
    return None if suffix else {"type": "literal", "value": value}


def unescape(text: str) -> str:
    """Replace the escape sequences in a text by the characters for which they stand.

    >>> unescape(r"caf\\u00e9 \\"noir\\"")
    'café "noir"'
    """
    return _ESCAPE.sub(_replace_escape, text) if "\\" in text else text


def _replace_escape(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    if code is None:
        return _SINGLE.get(escape[3], escape[3])
    number = int(code, 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\N{REPLACEMENT CHARACTER}"


def language_of(rest: bytes) -> bytes:
    """Return the language tag of a literal; empty if the literal has none.

    >>> language_of(b'"Heat"@en-gb .')
    b'en-gb'
    """
    tag = rest[rest.rfind(b'"') + 1 :]
    return tag[1:].rstrip(b" \t\r.") if tag.startswith(b"@") else b""


def truthy_value(term: Term) -> Value:
    """Return the value in the object of a truthy triple.

    Truthy dates have no precision: 1 January is read as a year, the first day of another month as that month.

    >>> truthy_value({"type": "literal", "value": "1991-01-01T00:00:00Z",
    ...               "datatype": "http://www.w3.org/2001/XMLSchema#dateTime"})
    ('time', 1991, 0, 0, 9)
    """
    value = value_of_term(term)
    if value[0] != TIME or value[4] < DAY:
        return value
    _, year, month, day, _ = value
    if (month, day) == (1, 1):
        return TIME, year, 0, 0, YEAR
    return (TIME, year, month, 0, MONTH) if day == 1 else value


def direct(name: str) -> bytes:
    """Return the predicate `wdt:P31` for `"P31"`, which leads from an item to the value of a best statement."""
    return f"<{PROP}direct/{name}>".encode()


def claim(name: str) -> bytes:
    """Return the predicate `p:P39` for `"P39"`, which leads from an item to a statement."""
    return f"<{PROP}{name}>".encode()


def value(name: str) -> bytes:
    """Return the predicate `ps:P39` for `"P39"`, which leads from a statement to its value."""
    return f"<{PROP}statement/{name}>".encode()


@dataclass(frozen=True)
class Predicates:
    """The predicates that a plan needs; `is_full` is whether the dump has statement nodes."""

    plan: Plan
    is_full: bool = True

    @cached_property
    def with_statements(self) -> frozenset[str]:
        """The Wikidata properties that are read from statement nodes."""
        return self.plan.beyond_values if self.is_full else frozenset()

    def parts(self, names: Iterable[str]) -> Iterator[bytes]:
        """Yield the predicates that lead from statements of the given properties to values and qualifiers."""
        for name in names:
            yield value(name)
            if name in self.plan.in_full:
                yield f"<{PROP}statement/value/{name}>".encode()
            for qualifier in sorted(self.plan.qualifiers.get(name, ())):
                yield f"<{PROP}qualifier/{qualifier}>".encode()
                if qualifier in self.plan.in_full:
                    yield f"<{PROP}qualifier/value/{qualifier}>".encode()

    @cached_property
    def extract(self) -> frozenset[bytes]:
        """All predicates that are needed, except those of names."""
        names = self.plan.wanted_of(self.plan.labels)
        found = {SAME_AS, *map(direct, names), *map(claim, self.plan.beyond_values)}
        found.update(self.parts(self.plan.beyond_values))
        if self.plan.roots:
            found.add(direct(SUBCLASS_OF))
        if self.plan.beyond_values:
            found |= {RANK, *DETAILS}
        return frozenset(found)


Term = Mapping[str, Any]


def last(address: str) -> str:
    """Return the last part of an address: `last("http://www.wikidata.org/prop/P57")` is `"P57"`."""
    return address.rpartition("/")[2]


def values_of(full: Sequence[Value], simple: Sequence[Value]) -> list[Value]:
    """Return the values of a predicate, sorted.

    Full values have a unit or a precision. If there are any, the simple values are left out, except unknown values,
    which have no full form.

    >>> values_of([("time", 1999, 0, 0, 9)], [("time", 1999, 1, 1, 11), ("some",)])
    [('some',), ('time', 1999, 0, 0, 9)]
    """
    if not full and len(simple) == 1:
        return list(simple)
    remaining = [value for value in simple if value[0] == SOME_VALUE] if full else simple
    return sorted(dict.fromkeys([*full, *remaining]), key=str)


@dataclass(slots=True)
class StatementParts:
    """The parts of a statement, in whatever order its triples come; `name` is its property.

    Full values have a unit or a precision; simple values are all others.
    """

    item: int = 0
    name: str = ""
    rank: int = NORMAL
    full: list[Value] = field(default_factory=list)
    simple: list[Value] = field(default_factory=list)
    qualifiers: dict[str, tuple[list[Value], list[Value]]] = field(default_factory=dict)

    def set_rank(self, address: str) -> None:
        """Set the rank: `http://wikiba.se/ontology#PreferredRank`."""
        self.rank = RANKS.get(address.rpartition("#")[2], NORMAL)

    def values(self, qualifier: str) -> tuple[list[Value], list[Value]]:
        """Return the lists of full and of simple values of a qualifier, or of the statement itself if it is empty."""
        return self.qualifiers.setdefault(qualifier, ([], [])) if qualifier else (self.full, self.simple)


def statements_by_property(parts_by_key: Mapping[str, StatementParts]) -> Iterator[tuple[int, str, list[Statement]]]:
    """Yield each item and property with its statements, sorted; a key is the identifier of a statement.

    Parts without a property belong to a statement that no item has.
    """
    found: dict[tuple[int, str], list[Statement]] = defaultdict(list)
    for key, parts in parts_by_key.items():
        if parts.name:
            values = values_of(parts.full, parts.simple)
            qualifiers = {name: values_of(*parts.qualifiers[name]) for name in sorted(parts.qualifiers)}
            found[parts.item, parts.name].append(
                Statement(parts.rank, values[0] if values else (NO_VALUE,), qualifiers, key)
            )
    for (item, name), statements in found.items():
        yield item, name, sorted(statements, key=lambda statement: statement.identifier.upper())


def full_value(details: Mapping[str, str]) -> Value | None:
    """Return the value that a value node describes, by the names of its predicates; None if they do not suffice.

    >>> full_value({"timeValue": "1952-01-01T00:00:00Z", "timePrecision": "9"})
    ('time', 1952, 0, 0, 9)
    """
    if "timeValue" in details and "timePrecision" in details:
        return rdf_time(details["timeValue"], int(float(details["timePrecision"])))
    if "quantityAmount" in details and "quantityUnit" in details:
        return quantity(details["quantityAmount"], details["quantityUnit"])
    return None
