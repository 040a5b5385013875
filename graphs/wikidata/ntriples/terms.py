"""Parses the parts of an N-Triples line: https://www.w3.org/TR/n-triples/.

>>> term_of(b'"Ascenseur"@fr .')
{'type': 'literal', 'value': 'Ascenseur', 'xml:lang': 'fr'}
>>> item_in(b"<http://www.wikidata.org/entity/Q42> ."), item_in(b"_:b0 .")
(42, None)
"""

from __future__ import annotations

import re

from graphground.graphs.wikidata.rdf import Term
from graphground.graphs.wikidata.values import DAY, ITEM, MONTH, TIME, YEAR, Value, value_of_term

ENTITY = b"<http://www.wikidata.org/entity/"
ITEM_PREFIX = ENTITY + b"Q"
STATEMENT = b"<http://www.wikidata.org/entity/statement/"
VALUE_NODE = b"<http://www.wikidata.org/value/"
_ITEM = re.compile(rb"<http://www\.wikidata\.org/entity/Q(\d{1,18})>").match
_ITEM_ALONE = re.compile(rb"<http://www\.wikidata\.org/entity/(Q\d{1,18})>\s*\.\s*").fullmatch
_TEXT = re.compile(rb'"([^"\\]*)"@([A-Za-z0-9-]+) \.').fullmatch
_LITERAL_ALONE = re.compile(
    rb'"[\x20\x21\x23-\x5b\x5d-\x7e]*"(?:@[A-Za-z0-9-]+|\^\^<[!#-;=?-\x5b\x5d-~]*>)? \.'
).fullmatch
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SINGLE = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def item_in(part: bytes) -> int | None:
    """Return the number of the item with which a part of a line begins; None if it begins otherwise."""
    found = _ITEM(part)
    return int(found[1]) if found else None


def key_in(part: bytes, prefix: bytes) -> bytes:
    """Return the key of a statement or value node: the part of an IRI after `prefix`; empty for any other IRI."""
    return part[len(prefix) : part.find(b">")] if part.startswith(prefix) else b""


def truthy_value(rest: bytes) -> Value | None:
    """Return the value of a truthy triple; None if the line is malformed.

    `rest` is the line after its predicate; usually it is an item and the full stop.
    """
    item = _ITEM_ALONE(rest)
    if item:
        return ITEM, item[1].decode()
    term = term_of(rest)
    return None if term is None else direct_value(term)


def is_object(rest: bytes) -> bool:
    """Whether the rest of a line, after its predicate, is a well-formed object and the full stop."""
    return _ITEM_ALONE(rest) is not None or _LITERAL_ALONE(rest) is not None or term_of(rest) is not None


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
        return {"type": "uri", "value": unescaped(term[1:-1])}
    if term.startswith("_:"):
        return {"type": "bnode", "value": term[2:]}
    end = term.rfind('"')
    if not term.startswith('"') or end == 0:
        return None
    value, suffix = unescaped(term[1:end]), term[end + 1 :]
    if suffix.startswith("@"):
        return {"type": "literal", "value": value, "xml:lang": suffix[1:]}
    if suffix.startswith("^^<") and suffix.endswith(">"):
        return {"type": "literal", "value": value, "datatype": suffix[3:-1]}
    return None if suffix else {"type": "literal", "value": value}


def text_of(rest: bytes) -> tuple[str, str] | None:
    """Return the text of a literal and its language tag, which may be empty; None if the line is malformed.

    >>> text_of(b'"Ascenseur"@fr .')
    ('Ascenseur', 'fr')
    """
    plain = _TEXT(rest)
    if plain:
        try:
            return plain[1].decode(), plain[2].decode()
        except UnicodeDecodeError:
            return None
    term = term_of(rest)
    return None if term is None else (term["value"], language_of(rest).decode("ascii", "replace"))


def unescaped(text: str) -> str:
    """Replace the escape sequences in a text by the characters for which they stand.

    >>> unescaped(r"caf\\u00e9 \\"noir\\"")
    'café "noir"'
    """
    return _ESCAPE.sub(_replaced, text) if "\\" in text else text


def _replaced(escape: re.Match[str]) -> str:
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


def direct_value(term: Term) -> Value:
    """Return the value in the object of a truthy triple.

    Truthy dates have no precision: 1 January is read as a year, the first day of another month as that month.

    >>> direct_value({"type": "literal", "value": "1991-01-01T00:00:00Z",
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
