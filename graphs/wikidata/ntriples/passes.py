"""Reads N-Triples, with one class for each pass.

`Extract` and `Names` read blocks of the dump; `Members`, `Subjects`, `Claims`, `Parts` and `Details` read frames of the
extract. A pass reads only lines with certain predicates: most lines of a dump are names in other languages, references,
and properties that the definition does not use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy

from graphground.graphs.wikidata.ntriples.bits import Bits, ItemSet
from graphground.graphs.wikidata.ntriples.extract_file import content_of, frame_of
from graphground.graphs.wikidata.ntriples.lines import Lines, Mask, Numbers, Terms, lines_ending
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
from graphground.graphs.wikidata.ntriples.terms import STATEMENT, VALUE_NODE, is_object, key_in, language_of

NAMES = (LABEL, ALIAS, DESCRIPTION, ABOUT)
"""The predicates of names; the staging table `texts` stores a predicate as its position in this tuple."""
Row = tuple[int | bytes, ...]


@dataclass(slots=True)
class Found:
    """The findings in a block: rows by table, a frame of the extract, and two counts.

    `statements` is the number of lines that lead to statement nodes, `broken` the number of malformed lines.
    """

    rows: dict[str, list[Row]] = field(default_factory=dict)
    extract: bytes = b""
    statements: int = 0
    broken: int = 0

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Add rows for a table."""
        self.rows.setdefault(table, []).extend(rows)


class _Pass:
    def close(self) -> None:
        """Do nothing: a pass holds no resources between blocks."""


@dataclass(frozen=True)
class Extract(_Pass):
    """The pass that keeps the lines for later passes, and reads the class tree and the redirects of merged items."""

    wanted: tuple[bytes, ...]
    """The predicates of the lines that are read: the vocabulary of the extract.

    Redirects of merged items and normal ranks are read, but not kept as lines.
    """
    subclass_of: bytes
    claims: frozenset[bytes]

    @cached_property
    def _terms(self) -> Terms:
        return Terms(self.wanted)

    @cached_property
    def _claims(self) -> Mask:
        return self._terms.are(self.claims)

    def read(self, piece: bytes) -> Found:
        """Return the findings in the block `piece`: lines for the extract, edges of the class tree, and redirects."""
        terms, lines = self._terms, Lines(piece, self._terms)
        is_complete = lines.are_complete
        found = Found(broken=len(lines) - int(is_complete.sum()))
        is_redirect = lines.are_of(terms, SAME_AS) & is_complete
        if is_redirect.any():
            redirects = lines.only(is_redirect)
            _add_pairs(found, "redirects", redirects.subjects, redirects.objects)
        ranks = numpy.flatnonzero(lines.are_of(terms, RANK))
        is_normal = numpy.zeros(len(lines), bool)
        is_normal[ranks] = lines.only(ranks).kinds_of_objects(_NORMAL) >= 0
        kept_lines = lines.only(is_complete & ~is_redirect & ~is_normal)
        edges = kept_lines.only(kept_lines.are_of(terms, self.subclass_of))
        _add_pairs(found, "edges", edges.objects, edges.subjects)
        found.statements = int(self._claims[kept_lines.kinds].sum())
        found.extract = frame_of(kept_lines)
        return found


_NORMAL = Terms([NORMAL_RANK])


def _add_pairs(found: Found, table: str, lefts: Numbers, rights: Numbers) -> None:
    pairs = (lefts >= 0) & (rights >= 0)
    if pairs.any():
        found.add(table, zip(lefts[pairs].tolist(), rights[pairs].tolist(), strict=True))


@dataclass(frozen=True)
class Members(_Pass):
    """The pass that finds members of classes and start items of relationships, in truthy triples or full statements.

    `ends` maps the predicates of classes and relationships to pairs of a label and a set of items: the classes, or the
    ends of the relationship. If the object of a line is in the set, its subject becomes a candidate of the label. The
    subjects of predicates in `by_statement` are statements, which are stored by their keys (the hits).
    """

    ends: Mapping[bytes, tuple[tuple[int, ItemSet], ...]]
    by_statement: frozenset[bytes]
    vocabulary: tuple[bytes, ...]

    @cached_property
    def _terms(self) -> Terms:
        return Terms(self.ends)

    @cached_property
    def _places(self) -> Numbers:
        return self._terms.places_of(self.vocabulary)

    def read(self, piece: bytes) -> Found:
        """Return the members of classes, the start items of relationships and the hits in a frame of the extract."""
        pairs, text = content_of(piece)
        found, every, kinds = Found(), Lines(text, self._terms), self._places[pairs.kinds]
        for kind, predicate in enumerate(self._terms.terms):
            lines, rows = every.only(every.kinds == kind), kinds == kind
            subjects, objects = pairs.subjects[rows], pairs.objects[rows]
            for label, ends in self.ends[predicate]:
                some = lines.only(ends.contain(lines.objects))
                if predicate in self.by_statement:
                    keys = (key_in(subject, STATEMENT) for subject in some.subject_texts())
                    found.add("hits", ((key, label) for key in keys if key))
                else:
                    for items in (subjects[ends.contain(objects)], some.subjects[some.subjects >= 0]):
                        found.add("members", ((label, item) for item in items.tolist()))
        return found


@dataclass(frozen=True)
class Subjects(_Pass):
    """The pass that finds the items to which the hits of `Members` belong, and the hits with a deprecated rank."""

    claims: frozenset[bytes]
    keys: Bits

    @cached_property
    def _terms(self) -> Terms:
        return Terms([RANK, *sorted(self.claims)])

    def read(self, piece: bytes) -> Found:
        """Return the hits in a frame with their items, and the deprecated hits."""
        found, lines = Found(), Lines(content_of(piece)[1], self._terms)
        is_rank = lines.are_of(self._terms, RANK)
        ranks, claims = lines.only(is_rank), lines.only(~is_rank & (lines.subjects >= 0))
        for subject, rest in zip(ranks.subject_texts(), ranks.rests(), strict=True):
            if rest.startswith(DEPRECATED_RANK) and (key := key_in(subject, STATEMENT)) in self.keys:
                found.add("deprecated", ((key,),))
        keys = (key_in(rest, STATEMENT) for rest in claims.rests())
        subjects = zip(keys, claims.subjects.tolist(), strict=True)
        found.add("subjects", ((key, item) for key, item in subjects if key in self.keys))
        return found


@dataclass(frozen=True)
class Claims(_Pass):
    """The pass that reads the truthy values of candidates, and the keys of the candidates' statements.

    Truthy values that are items are stored as numbers. `direct` and `claims` map predicates to property numbers.
    """

    direct: Mapping[bytes, int]
    claims: Mapping[bytes, int]
    items: Bits
    vocabulary: tuple[bytes, ...]

    @cached_property
    def _terms(self) -> Terms:
        return Terms([*self.direct, *self.claims])

    @cached_property
    def _places(self) -> Numbers:
        places = self._terms.places_of(self.vocabulary)
        return numpy.where(places < len(self.direct), places, -1)

    @cached_property
    def _properties(self) -> Numbers:
        return numpy.array([*self.direct.values(), *self.claims.values()], numpy.int64)

    def read(self, piece: bytes) -> Found:
        """Return the truthy values and the statement keys of candidates in a frame."""
        pairs, text = content_of(piece)
        found, lines, kinds = Found(), Lines(text, self._terms), self._places[pairs.kinds]
        rows = (kinds >= 0) & self.items.contain(pairs.subjects)
        names = self._properties[kinds[rows]]
        found.add(
            "items",
            zip(*(column.tolist() for column in (pairs.subjects[rows], names, pairs.objects[rows])), strict=True),
        )
        lines = lines.only(self.items.contain(lines.subjects))
        is_direct = lines.kinds < len(self.direct)
        claims, direct = lines.only(~is_direct), lines.only(is_direct)
        items, others = direct.only(direct.are_items), direct.only(~direct.are_items)
        found.add("items", self._rows(items, items.objects.tolist()))
        values = [rest if is_object(rest) else b"" for rest in others.rests()]
        found.broken = values.count(b"")
        found.add("direct", (row for row in self._rows(others, values) if row[2]))
        keys = [key_in(rest, STATEMENT) for rest in claims.rests()]
        found.add("links", ((key, item, name) for item, name, key in self._rows(claims, keys) if key))
        return found

    def _rows(self, lines: Lines, values: Sequence[int | bytes]) -> Iterator[tuple[int, int, int | bytes]]:
        return zip(lines.subjects.tolist(), self._properties[lines.kinds].tolist(), values, strict=True)


@dataclass(frozen=True)
class Parts(_Pass):
    """The pass that reads the values, qualifiers and ranks of statements, and the keys of their value nodes."""

    wanted: frozenset[bytes]
    keys: Bits

    @cached_property
    def _terms(self) -> Terms:
        return Terms(sorted(self.wanted))

    def read(self, piece: bytes) -> Found:
        """Return the values, qualifiers and ranks of statements in a frame, and the keys of their value nodes."""
        found, lines = Found(), Lines(content_of(piece)[1], self._terms)
        rows: list[Row] = []
        for subject, kind, rest in zip(lines.subject_texts(), lines.kinds.tolist(), lines.rests(), strict=True):
            key = key_in(subject, STATEMENT)
            if key in self.keys:
                if not is_object(rest):
                    found.broken += 1
                    continue
                rows.append((key, self._terms.terms[kind], rest))
                node = key_in(rest, VALUE_NODE)
                if node:
                    found.add("value_nodes", ((node,),))
        found.add("parts", rows)
        return found


@dataclass(frozen=True)
class Details(_Pass):
    """The pass that reads the amounts, units, times and precisions of value nodes."""

    wanted: frozenset[bytes]
    nodes: Bits

    @cached_property
    def _terms(self) -> Terms:
        return Terms(sorted(self.wanted))

    def read(self, piece: bytes) -> Found:
        """Return the amounts, units, times and precisions of value nodes in a frame."""
        found, lines = Found(), Lines(content_of(piece)[1], self._terms)
        nodes = (key_in(subject, VALUE_NODE) for subject in lines.subject_texts())
        details = zip(nodes, lines.kinds.tolist(), lines.rests(), strict=True)
        found.add(
            "details", ((node, self._terms.terms[kind], rest) for node, kind, rest in details if node in self.nodes)
        )
        return found


@dataclass(frozen=True)
class Names(_Pass):
    """The pass that reads names, descriptions and aliases of items in the wanted languages, and the items' articles."""

    items: Bits
    languages: frozenset[bytes]
    articles: bytes

    @cached_property
    def _terms(self) -> Terms:
        return Terms(NAMES)

    @cached_property
    def _usual(self) -> tuple[bytes, ...]:
        return tuple(b'"@%b .' % language for language in sorted(self.languages))

    def read(self, piece: bytes) -> Found:
        """Return the names, descriptions, aliases and articles of items in a block."""
        found, lines = Found(), Lines(lines_ending(piece, self._usual), self._terms)
        is_about = lines.are_of(self._terms, ABOUT)
        articles, names = lines.only(is_about), lines.only(~is_about)
        articles = articles.only(self.items.contain(articles.objects))
        place = NAMES.index(ABOUT)
        found.add(
            "texts",
            (
                (item, place, b"%b ." % (b'"' + subject[1:-1] + b'"'))
                for item, subject in zip(articles.objects.tolist(), articles.subject_texts(), strict=True)
                if subject.startswith(self.articles)
            ),
        )
        names = names.only(self.items.contain(names.subjects))
        found.add(
            "texts",
            (
                (item, kind, rest)
                for item, kind, rest in zip(names.subjects.tolist(), names.kinds.tolist(), names.rests(), strict=True)
                if rest.endswith(self._usual) or language_of(rest) in self.languages
            ),
        )
        return found
