"""A dump of N-Triples as a source: its lines are filtered into a local store, which answers the queries of a build.

The first pass over the dump keeps the lines with predicates that the definition needs, the second the names of the
items that were found. Both go into a store of pyoxigraph (the extra `rdf`) beside the workspace, to which
`SparqlSource` sends the same queries as to an endpoint. The order of the lines does not matter, and memory does not
grow with the dump.

If only the values of a property are needed, they are read from truthy triples (`wdt:P31`), which hold the best
statements. A property with qualifiers, converted values or statements of every rank is read from statement nodes
(`p:P39`, `ps:P39`, `pq:P580` and the value nodes), if the dump has them.
"""

from __future__ import annotations

import re
import shutil
from array import array
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphground import install_command
from graphground.graphs.wikidata.dump_source import Dump, blocks, map_blocks
from graphground.graphs.wikidata.endpoint import AT_ONCE, Binding, bindings
from graphground.graphs.wikidata.plan import SUBCLASS_OF, Plan, SourceError
from graphground.graphs.wikidata.sparql_source import ONTOLOGY, PREFIXES, SparqlSource
from graphground.graphs.wikidata.statements import XSD
from graphground.graphs.wikidata.workspace import Workspace, with_fallback

if TYPE_CHECKING:
    import pyoxigraph

BATCH_BYTES = 1 << 26
"""The number of bytes that are loaded into the store at a time."""
RANK, NORMAL_RANK = f"<{ONTOLOGY}rank>".encode(), f"<{ONTOLOGY}NormalRank>".encode()
SAME_AS = f"{PREFIXES['owl']}sameAs"
DETAILS = ("propertyType", "quantityAmount", "quantityUnit", "timeValue", "timePrecision")
ABOUT, PART_OF = (f"<{PREFIXES['schema']}{name}>".encode() for name in ("about", "isPartOf"))
TEXTS = frozenset(
    f"<{predicate}>".encode()
    for predicate in (
        f"{PREFIXES['rdfs']}label",
        f"{PREFIXES['skos']}altLabel",
        f"{PREFIXES['schema']}description",
        f"{PREFIXES['schema']}about",
    )
)
_ITEM = re.compile(rb"<http://www\.wikidata\.org/entity/Q(\d{1,18})>").match
# The store would write a number of XML Schema in its own way (170 for +170); of another type, it is only a text.
_STORED_TYPE, _WRITTEN_TYPE = b"^^<xsd:", f"^^<{XSD}".encode()
_STORED_JSON, _WRITTEN_JSON = b'"datatype":"xsd:', f'"datatype":"{XSD}'.encode()


class Lines(NamedTuple):
    """The lines of a block that a pass keeps, and the number of lines that are not triples."""

    kept: bytes
    broken: int = 0


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


def language_of(rest: bytes) -> bytes:
    """Return the language tag of a literal; empty if the literal has none.

    >>> language_of(b'"Heat"@en-gb .')
    b'en-gb'
    """
    tag = rest[rest.rfind(b'"') + 1 :]
    return tag[1:].rstrip(b" \t\r.") if tag.startswith(b"@") else b""


def keep_statements(wanted: frozenset[bytes], piece: bytes) -> Lines:
    """Return the lines of a block with the predicates `wanted`; normal ranks, the most frequent, are left out."""
    kept, broken = [], 0
    for subject, predicate, rest in read_triples(piece, wanted):
        if not rest.rstrip().endswith(b"."):
            broken += 1
        elif predicate != RANK or not rest.startswith(NORMAL_RANK):
            kept.append(b"%b %b %b\n" % (subject, predicate, rest.replace(_WRITTEN_TYPE, _STORED_TYPE)))
    return Lines(b"".join(kept), broken)


def keep_names(items: Sequence[int], languages: frozenset[bytes], wikipedia: bytes, piece: bytes) -> Lines:
    """Return the names, descriptions, aliases and articles of items (sorted numbers) in a block of the dump."""
    kept = []
    for subject, predicate, rest in read_triples(piece, TEXTS):
        if predicate == ABOUT:
            item = find_item(rest) if subject.startswith(b"<%bwiki/" % wikipedia) else None
        else:
            item = find_item(subject) if language_of(rest) in languages else None
        if item is not None and (place := bisect_left(items, item)) < len(items) and items[place] == item:
            kept.append(b"%b %b %b\n" % (subject, predicate, rest))
            if predicate == ABOUT:
                kept.append(b"%b %b <%b> .\n" % (subject, PART_OF, wikipedia))
    return Lines(b"".join(kept))


def wanted_predicates(plan: Plan) -> frozenset[bytes]:
    """Return the predicates of all triples that a plan needs, except those of names."""
    found = {f"{PREFIXES['wdt']}{name}" for name in (*plan.wanted_of(plan.labels), SUBCLASS_OF)}
    found |= {SAME_AS, f"{ONTOLOGY}rank", *(f"{ONTOLOGY}{name}" for name in DETAILS)}
    for name in plan.beyond_values:
        found |= {f"{PREFIXES[prefix]}{name}" for prefix in ("p", "ps", "psv")}
        found |= {f"{PREFIXES[prefix]}{qualifier}" for prefix in ("pq", "pqv") for qualifier in plan.qualifiers[name]}
    return frozenset(f"<{predicate}>".encode() for predicate in found)


class TripleStore:
    """A store of triples in a folder, which answers SELECT queries as an `Endpoint` does."""

    def __init__(self, path: Path) -> None:
        import pyoxigraph  # an extra

        self.url, self.at_once = str(path), AT_ONCE
        self._library = pyoxigraph
        self._store: pyoxigraph.Store | None = pyoxigraph.Store(path)

    @property
    def store(self) -> pyoxigraph.Store:
        assert self._store is not None, "the store has been closed"
        return self._store

    def load(self, found: Iterable[Lines]) -> int:
        """Add lines to the store; return the number of lines that are not triples."""
        waiting, broken = bytearray(), 0
        for lines in found:
            waiting += lines.kept
            broken += lines.broken
            if len(waiting) > BATCH_BYTES:
                broken += self._load(bytes(waiting))
                waiting.clear()
        return broken + self._load(bytes(waiting))

    def _load(self, text: bytes) -> int:
        form = self._library.RdfFormat.N_TRIPLES
        try:
            self.store.bulk_load(text, form, lenient=True)
        except SyntaxError:
            lines = text.splitlines(keepends=True)
            valid = list(filter(self._is_triple, lines))
            self.store.bulk_load(b"".join(valid), form, lenient=True)
            return len(lines) - len(valid)
        return 0

    def _is_triple(self, line: bytes) -> bool:
        try:
            return bool(list(self._library.parse(line, self._library.RdfFormat.N_TRIPLES, lenient=True)))
        except SyntaxError:
            return False

    def pairs(self, predicate: str) -> Iterator[tuple[int, int]]:
        """Yield the subjects and objects of the triples with a predicate, if both are items."""
        for quad in self.store.quads_for_pattern(None, self._library.NamedNode(predicate), None):
            subject, value = (find_item(str(term).encode()) for term in (quad.subject, quad.object))
            if subject is not None and value is not None:
                yield subject, value

    def has(self, predicate: str) -> bool:
        """Whether there is a triple with a predicate."""
        return next(self.store.quads_for_pattern(None, self._library.NamedNode(predicate), None), None) is not None

    def select(self, query: str) -> list[Binding]:
        """Return the solutions of a query."""
        solutions = self.store.query(query)
        assert isinstance(solutions, self._library.QuerySolutions)
        answer = solutions.serialize(format=self._library.QueryResultsFormat.JSON)
        return bindings((answer or b"").replace(_STORED_JSON, _WRITTEN_JSON))

    def measure_row_limit(self) -> None:
        """Do nothing: the store returns all rows."""

    def stop(self) -> None:
        """Do nothing: no query waits."""

    def close(self) -> None:
        """Close the files of the store."""
        self._store = None


class NTriplesSource(Dump):
    """A dump of triples, truthy or full, in any order: `NTriplesSource(Path("latest-all.nt.bz2"))`."""

    has_triples = True
    _missing: Sequence[str] = ()
    _store: TripleStore
    _queries: SparqlSource | None = None

    @property
    def notes(self) -> list[str]:
        """Notes on data that a truthy dump does not have, and the number of lines that could not be read."""
        return [*self._missing, *super().notes]

    def check(self, plan: Plan) -> None:
        """Check that pyoxigraph is installed, that a dump suffices for the definition, and that the file is a dump.

        Raises:
            SourceError, DumpError: one of these is not the case.
        """
        try:
            import pyoxigraph  # noqa: F401
        except ImportError:
            raise SourceError(f"N-Triples need an extra: {install_command('rdf')}") from None
        super().check(plan)

    def close(self) -> None:
        """Close the store."""
        if self._queries is not None:
            self._queries.close()
            self._queries = None

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """Fill the store, and read the subclasses of the plan's classes."""
        if not workspace.is_done("extract"):
            shutil.rmtree(
                workspace.extract, ignore_errors=True
            )  # an earlier build may have been killed while it was filled
            store = TripleStore(workspace.extract)
            self.broken += store.load(self._pass("statements", partial(keep_statements, wanted_predicates(plan))))
            store.close()
            with workspace.doing("extract"):
                pass
        self._opened(plan, workspace).subclasses(plan, workspace)

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Read the candidates of the labels, and their statements."""
        self._opened(plan, workspace).items(plan, labels, workspace)

    def names(self, plan: Plan, workspace: Workspace) -> None:
        """Read the names of nodes and values in one pass over the dump."""
        queries, store = self._opened(plan, workspace), self._store
        rows = workspace.database.execute("SELECT item FROM nodes UNION SELECT item FROM values_seen")
        items = {item for (item,) in rows}
        items |= {target for item, target in store.pairs(SAME_AS) if item in items}
        languages = frozenset(language.encode() for language in with_fallback(plan.definition.languages))
        wikipedia = f"https://{plan.definition.wikipedia}.wikipedia.org/".encode()
        read = partial(keep_names, array("q", sorted(items)), languages, wikipedia)
        self.broken += store.load(self._pass("names", read))
        queries.names(plan, workspace)
        self.close()  # before the files are deleted

    def _opened(self, plan: Plan, workspace: Workspace) -> SparqlSource:
        if self._queries is None:
            self._store = TripleStore(workspace.extract)
            is_full = any(self._store.has(f"{PREFIXES['p']}{name}") for name in plan.beyond_values)
            if not is_full and plan.beyond_values:
                self._missing = list(_missing(plan))
            self._queries = SparqlSource(self._store, is_truthy=not is_full)
        return self._queries

    def _pass(self, step: str, read: Callable[[bytes], Lines]) -> Iterator[Lines]:
        return map_blocks(read, blocks(self.path, self._reporting(step, self.path)), self._processes)


def _missing(plan: Plan) -> Iterator[str]:
    """Yield notes on data that a definition needs and a truthy dump does not have.

    Raises:
        SourceError: the ends of a relationship are the values of a qualifier, which a truthy dump does not contain.
    """
    definition = plan.definition
    for relationship in definition.relationships:
        if relationship.qualifier:
            raise SourceError(
                f"{relationship}: its end is a qualifier, which a truthy dump does not contain; use a full dump"
            )
    yield (
        "The dump is truthy: it contains only the best statements, without ranks, qualifiers, units or the precision "
        "of dates. 1 January is read as a year, the first day of another month as that month."
    )
    incomplete = [
        f"{label}.{key}"
        for label, node in definition.nodes.items()
        for key, property_ in node.properties.items()
        if property_.unit is not None or property_.qualifiers
    ]
    for relationship in definition.relationships:
        incomplete += [relationship.type] if definition.ranks(relationship) != "best" else []
        incomplete += [
            f"{relationship.type}.{key}"
            for key, property_ in relationship.properties.items()
            if property_.wikidata != relationship.wikidata
        ]
    if incomplete:
        yield (
            "Properties that need units or qualifiers have no values, and relationships that have ended may be missing: "
            f"{', '.join(dict.fromkeys(incomplete))}."
        )
