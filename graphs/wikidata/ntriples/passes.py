"""Reads blocks of N-Triples lines, with one class for each pass: extract, members, subjects, claims, parts, details and
names.

A line is split into three parts, and skipped unless its predicate is one that the pass reads: most lines of a dump are
names in other languages, references and properties that the definition does not use.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field

from graphground.graphs.wikidata.ntriples.bits import Bits
from graphground.graphs.wikidata.ntriples.predicates import (
    ABOUT,
    ALIAS,
    DEPRECATED_RANK,
    DESCRIPTION,
    LABEL,
    NORMAL_RANK,
    RANK,
    SAME_AS,
)
from graphground.graphs.wikidata.ntriples.terms import (
    STATEMENT,
    VALUE_NODE,
    is_object,
    item_in,
    key_in,
    language_of,
    term_of,
)

Line = tuple[bytes, bytes, bytes]
"""The subject, the predicate, and the rest of a line: the object and the final full stop."""
LEVEL = 1
"""The gzip compression level of the extract: the fastest."""
NAMES = frozenset({LABEL, ALIAS, DESCRIPTION, ABOUT})
Row = tuple[int | bytes, ...]


def triples(piece: bytes, wanted: frozenset[bytes] | Mapping[bytes, object]) -> list[Line]:
    """Return the lines of a block whose predicate is in `wanted`."""
    return [
        (parts[0], parts[1], parts[2])
        for line in piece.split(b"\n")
        if len(parts := line.split(None, 2)) == 3 and parts[1] in wanted
    ]


@dataclass(slots=True)
class Found:
    """The findings in a block: rows for the staging tables, the extract, and the number of malformed lines."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    extract: bytes = b""
    statements: int = 0
    broken: int = 0

    def add(self, table: str, *row: int | bytes) -> None:
        """Add a row to a table."""
        self.rows.setdefault(table, []).append(row)


class _Pass:
    def close(self) -> None:
        """Do nothing: a pass holds no resources between blocks."""


@dataclass(frozen=True)
class Extract(_Pass):
    """Keeps the lines that later passes need, gzipped, and reads the class tree and the redirects of merged items."""

    wanted: frozenset[bytes]
    subclass_of: bytes
    claims: frozenset[bytes]

    def read(self, piece: bytes) -> Found:
        """Return the lines of a block that the extract keeps, with edges of the class tree and redirects."""
        found, kept = Found(), []
        for subject, predicate, rest in triples(piece, self.wanted):
            if not rest.endswith((b".", b".\r", b". ")):
                found.broken += 1
            elif predicate == SAME_AS:
                _add_pair(found, "redirects", item_in(subject), item_in(rest))
            elif predicate != RANK or not rest.startswith(NORMAL_RANK):
                if predicate == self.subclass_of:
                    _add_pair(found, "edges", item_in(rest), item_in(subject))
                found.statements += predicate in self.claims
                kept.append(b"%b %b %b\n" % (subject, predicate, rest))
        if kept:
            found.extract = gzip.compress(b"".join(kept), LEVEL)
        return found


def _add_pair(found: Found, table: str, left: int | None, right: int | None) -> None:
    if left is not None and right is not None:
        found.add(table, left, right)


@dataclass(frozen=True)
class Members(_Pass):
    """Finds the members of classes and the start items of relationships, in truthy triples or in full statements.

    `classes` maps each predicate that states a class to the labels of each class. `starts` maps the predicate of a
    relationship to its start labels, each with the items at which the relationship may end. For the predicates in
    `by_statement`, a start is stored with the key of its statement.
    """

    classes: Mapping[bytes, Mapping[int, tuple[int, ...]]]
    starts: Mapping[bytes, tuple[tuple[int, Bits], ...]]
    by_statement: frozenset[bytes]

    def read(self, piece: bytes) -> Found:
        """Return the members and starts in a block of whole lines."""
        found = Found()
        for subject, predicate, rest in triples(piece, {**self.classes, **self.starts}):
            value = item_in(rest)
            if value is None:
                continue
            labels = [label for label, ends in self.starts.get(predicate, ()) if value in ends]
            if predicate in self.by_statement:
                key = key_in(subject, STATEMENT)
                for label in labels if key else ():
                    found.add("hits", key, label)
                continue
            item = item_in(subject)
            if item is not None:
                for label in (*self.classes.get(predicate, {}).get(value, ()), *labels):
                    found.add("members", label, item)
        return found


@dataclass(frozen=True)
class Subjects(_Pass):
    """Finds the items and the ranks of the statements that `Members` found (the hits)."""

    claims: frozenset[bytes]
    keys: Bits

    def read(self, piece: bytes) -> Found:
        """Return the items of the hits in a block, and the hits that are deprecated."""
        found = Found()
        for subject, predicate, rest in triples(piece, self.claims | {RANK}):
            if predicate == RANK:
                if rest.startswith(DEPRECATED_RANK) and (key := key_in(subject, STATEMENT)) in self.keys:
                    found.add("deprecated", key)
            elif (key := key_in(rest, STATEMENT)) in self.keys and (item := item_in(subject)) is not None:
                found.add("subjects", key, item)
        return found


@dataclass(frozen=True)
class Claims(_Pass):
    """Reads the truthy values of candidates, and the keys of their statements."""

    direct: Mapping[bytes, int]
    claims: Mapping[bytes, int]
    items: Bits

    def read(self, piece: bytes) -> Found:
        """Return the truthy values and the statement keys of candidates in a block."""
        found = Found()
        last, item = b"", None
        for subject, predicate, rest in triples(piece, {**self.direct, **self.claims}):
            if subject != last:  # a dump usually has the lines of an item together
                last, item = subject, self.items.item_in(subject)
            if item is None:
                continue
            if predicate in self.claims:
                key = key_in(rest, STATEMENT)
                if key:
                    found.add("links", key, item, self.claims[predicate])
            elif not is_object(rest):
                found.broken += 1
            else:
                found.add("direct", item, self.direct[predicate], rest)
        return found


@dataclass(frozen=True)
class Parts(_Pass):
    """Reads the values, qualifiers and ranks of statements, and the names of their value nodes."""

    wanted: frozenset[bytes]
    keys: Bits

    def read(self, piece: bytes) -> Found:
        """Return the values, qualifiers, ranks and value nodes of statements in a block."""
        found = Found()
        for subject, predicate, rest in triples(piece, self.wanted):
            key = key_in(subject, STATEMENT)
            if key in self.keys:
                if term_of(rest) is None:
                    found.broken += 1
                    continue
                found.add("parts", key, predicate, rest)
                node = key_in(rest, VALUE_NODE)
                if node:
                    found.add("value_nodes", node)
        return found


@dataclass(frozen=True)
class Details(_Pass):
    """Reads the amounts, units, times and precisions of value nodes."""

    wanted: frozenset[bytes]
    nodes: Bits

    def read(self, piece: bytes) -> Found:
        """Return the parts of value nodes in a block."""
        found = Found()
        for subject, predicate, rest in triples(piece, self.wanted):
            node = key_in(subject, VALUE_NODE)
            if node in self.nodes:
                found.add("details", node, predicate, rest)
        return found


@dataclass(frozen=True)
class Names(_Pass):
    """Reads the names, descriptions and aliases of items in the wanted languages, and their articles."""

    items: Bits
    languages: frozenset[bytes]
    articles: bytes

    def read(self, piece: bytes) -> Found:
        """Return the names and articles of items in a block."""
        found = Found()
        usual = tuple(b'"@%b .' % language for language in self.languages)
        last, item = b"", None
        for parts in [
            parts
            for line in piece.split(b"\n")
            # Most names are in other languages: their lines end with another tag, one space and the full stop.
            if (line.endswith(usual) or line[-2:] != b" ." or not line[-3:-2].isalnum())
            and len(parts := line.split(None, 2)) == 3
            and parts[1] in NAMES
        ]:
            subject, predicate, rest = parts
            if predicate == ABOUT:
                if subject.startswith(self.articles) and (about := self.items.item_in(rest)) is not None:
                    found.add("texts", about, predicate, b"%b ." % (b'"' + subject[1:-1] + b'"'))
            elif rest.endswith(usual) or language_of(rest) in self.languages:
                if subject != last:
                    last, item = subject, self.items.item_in(subject)
                if item is not None:
                    found.add("texts", item, predicate, rest)
        return found
