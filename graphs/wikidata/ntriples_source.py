"""A dump of N-Triples as a source: two passes over the dump, for statements and for names, and more over an extract.

The first pass keeps only lines with predicates that the definition needs, in a compressed extract beside the workspace.
Each level of labels then takes up to three passes over the extract. They find the members of classes and the start
items of relationships, the candidates' statements, and the value nodes of these statements. All findings are stored on
disk and joined there, so that memory does not grow with the dump and the order of its lines does not matter.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from zlib import crc32

from graphground.graphs.definitions.model import IDENTICAL
from graphground.graphs.wikidata import triples
from graphground.graphs.wikidata.dump_source import Dump, blocks, map_blocks, processes_for
from graphground.graphs.wikidata.plan import SUBCLASS_OF, Plan, SourceError
from graphground.graphs.wikidata.statements import (
    ITEM,
    NORMAL,
    Statement,
    Value,
    drop_deprecated,
    item_number,
    pack_statements,
    value_of_term,
)
from graphground.graphs.wikidata.triples import (
    ABOUT,
    DETAILS,
    NORMAL_RANK,
    RANK,
    SAME_AS,
    TEXT_KINDS,
    Predicates,
    StatementParts,
    Term,
    find_item,
    find_statement,
    find_value_node,
    full_value,
    language_of,
    last,
    read_triples,
    statements_by_property,
    term_of,
    truthy_value,
)
from graphground.graphs.wikidata.workspace import TextsOfItems, Workspace, with_fallback

FULL = "full dump"
MAX_BITS = 1 << 28
"""The maximum size of a `BitSet`: 32 MiB, enough for one bit per item of Wikidata."""
COMPRESSION = 1
"""The compression level of the extract: the fastest."""
TABLES = {
    "members": "label INTEGER, item INTEGER",
    "statement_members": "label INTEGER, item INTEGER",
    "triples": "item INTEGER, statement BLOB, predicate BLOB, rest BLOB",
    "value_nodes": "node BLOB",
    "details": "node BLOB, predicate BLOB, rest BLOB",
    "texts": "item INTEGER, predicate BLOB, rest BLOB",
}
Row = tuple[int | bytes, ...]
Ends = Mapping[bytes, Sequence[tuple[int, "BitSet | frozenset[int]"]]]


@dataclass(frozen=True, slots=True)
class BitSet:
    """A set of item numbers, or of value nodes, in bounded memory; it is sent to each process once.

    For item numbers the set is exact. For nodes there are false positives, which a join with the exact nodes removes.

    >>> 42 in BitSet.of_items([42], 42), 43 in BitSet.of_items([42], 42), b"b72" in BitSet.of_nodes([b"b72"], 1)
    (True, False, True)
    """

    bits: bytes
    beyond: frozenset[int] = frozenset()
    """Item numbers that are too large to have a bit."""

    @classmethod
    def of_items(cls, items: Iterable[int], largest: int) -> BitSet:
        """Return the set of item numbers, of which `largest` is the largest."""
        bits, beyond = bytearray(min(MAX_BITS, 1 << max(largest.bit_length(), 3)) >> 3), set()
        for item in items:
            if item >> 3 < len(bits):
                bits[item >> 3] |= 1 << (item & 7)
            else:
                beyond.add(item)
        return cls(bytes(bits), frozenset(beyond))

    @classmethod
    def of_nodes(cls, nodes: Iterable[bytes], count: int) -> BitSet:
        """Return the set of `count` value nodes."""
        size = min(MAX_BITS, 1 << max((count * 16).bit_length(), 16))
        return cls.of_items((crc32(node) % size for node in nodes), size - 1)

    def __contains__(self, member: int | bytes | None) -> bool:
        if member is None:
            return False
        number = crc32(member) % (len(self.bits) << 3) if isinstance(member, bytes) else member
        place = number >> 3
        return bool(self.bits[place] >> (number & 7) & 1) if place < len(self.bits) else number in self.beyond


@dataclass(slots=True)
class Findings:
    """The findings in a block: rows by table, pairs of a class and a subclass, redirects, and lines of the extract.

    `has_statements` is whether a line leads to a statement node; `broken` is the number of lines that are not triples.
    """

    rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    edges: list[tuple[int, int]] = field(default_factory=list)
    redirects: list[tuple[int, int]] = field(default_factory=list)
    extract: bytes = b""
    has_statements: bool = False
    broken: int = 0


def find_extract(wanted: frozenset[bytes], subclass_of: bytes, claims: frozenset[bytes], piece: bytes) -> Findings:
    """Return the lines of a block of the dump for later passes, the class tree and the redirects of merged items.

    Redirects and normal ranks are not kept as lines.
    """
    found, kept = Findings(), []
    for subject, predicate, rest in read_triples(piece, wanted):
        if not rest.rstrip().endswith(b"."):
            found.broken += 1
        elif predicate == SAME_AS:
            _add_pair(found.redirects, find_item(subject), find_item(rest))
        elif predicate != RANK or not rest.startswith(NORMAL_RANK):
            kept.append(b"%b %b %b\n" % (subject, predicate, rest))
            if predicate == subclass_of:
                _add_pair(found.edges, find_item(rest), find_item(subject))
            elif predicate in claims:
                found.has_statements = True
    if kept:
        found.extract = gzip.compress(b"".join(kept), COMPRESSION, mtime=0)
    return found


def _add_pair(rows: list[tuple[int, int]], left: int | None, right: int | None) -> None:
    if left is not None and right is not None:
        rows.append((left, right))


def find_members(ends: Ends, piece: bytes) -> Findings:
    """Return the members of classes and the start items of relationships in a block of the extract.

    `ends` maps the predicates of classes and relationships to pairs of a label and a set of items: the classes, or the
    ends of the relationship. If the object of a line is in the set, its subject becomes a candidate of the label. The
    subject may be a statement of any rank, so candidates found through statements are kept apart.
    """
    found = Findings()
    for subject, predicate, rest in read_triples(piece, ends):
        end = find_item(rest)
        for label, items in ends[predicate]:
            if end is not None and end in items:
                if (item := find_item(subject)) is not None:
                    found.rows["members"].append((label, item))
                elif statement := find_statement(subject):
                    found.rows["statement_members"].append((label, statement[0]))
    return found


def find_statements(wanted: frozenset[bytes], items: BitSet, piece: bytes) -> Findings:
    """Return the candidates' truthy values, their statements with values, qualifiers and ranks, and the value nodes."""
    found = Findings()
    for subject, predicate, rest in read_triples(piece, wanted):
        item = find_item(subject)
        if item is not None:
            if item in items:
                found.rows["triples"].append((item, b"", predicate, rest))
        elif (statement := find_statement(subject)) and statement[0] in items:
            found.rows["triples"].append((*statement, predicate, rest))
            if node := find_value_node(rest):
                found.rows["value_nodes"].append((node,))
    return found


def find_details(nodes: BitSet, piece: bytes) -> Findings:
    """Return the amounts, units, times and precisions of value nodes in a block of the extract."""
    found = Findings()
    for subject, predicate, rest in read_triples(piece, DETAILS):
        if (node := find_value_node(subject)) and node in nodes:
            found.rows["details"].append((node, predicate, rest))
    return found


def find_names(items: BitSet, languages: frozenset[bytes], articles: bytes, piece: bytes) -> Findings:
    """Return the names, descriptions, aliases and articles of items in a block of the dump."""
    found = Findings()
    for subject, predicate, rest in read_triples(piece, TEXT_KINDS):
        text = rest
        if predicate == ABOUT:
            item = find_item(rest) if subject.startswith(articles) else None
            text = b'"%b" .' % subject[1:-1]
        else:
            item = find_item(subject) if language_of(rest) in languages else None
        if item is not None and item in items:
            found.rows["texts"].append((item, predicate, text))
    return found


class NTriplesSource(Dump):
    """A dump of triples, truthy or full, in any order: `NTriplesSource(Path("latest-all.nt.bz2"))`."""

    has_triples = True
    _missing: Sequence[str] = ()

    @property
    def notes(self) -> list[str]:
        """Notes on data that a truthy dump does not have, and the number of lines that could not be read."""
        return [*self._missing, *super().notes]

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """Write the extract, and read the subclasses of the plan's classes."""
        if not workspace.is_done("extract"):
            self._write_extract(plan, workspace)
        for root in plan.roots:
            with workspace.doing():
                workspace.add_classes(root, workspace.below(root))

    def _write_extract(self, plan: Plan, workspace: Workspace) -> None:
        read = partial(
            find_extract,
            Predicates(plan).extract,
            triples.direct(SUBCLASS_OF) if plan.roots else b"",
            frozenset(map(triples.claim, plan.beyond_values)),
        )
        part = workspace.extract.with_name(workspace.extract.name + ".part")
        with part.open("wb") as file, workspace.doing("extract"):
            for found in self._pass("statements", read, self.path):
                file.write(found.extract)
                workspace.add_edges(found.edges)
                workspace.add_redirects(found.redirects)
                if found.has_statements:
                    workspace.mark(FULL)
            # The file is complete before the workspace says so: a build that is killed in between writes it again.
            file.close()
            part.replace(workspace.extract)

    def _predicates(self, plan: Plan, workspace: Workspace) -> Predicates:
        found = Predicates(plan, workspace.is_done(FULL))
        if not found.is_full and plan.beyond_values:
            self._missing = list(_missing(plan))
        return found

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Read the candidates of the labels, and their statements.

        Candidates are the members of classes and the start items of the relationships that select a label's items.
        """
        predicates = self._predicates(plan, workspace)
        with _staging(workspace) as staging:
            doubtful = self._find_members(predicates, labels, staging)
            self._read_statements(predicates, labels, staging)
            # A statement that led to an item may be deprecated; its rank is known only now, with the item's statements.
            for label, ends in doubtful:
                rows = staging.database.execute("SELECT item FROM statement_members WHERE label = ?", (label,))
                found = {item for (item,) in rows if _has_end(workspace, item, ends)}
                workspace.add_candidates(label, sorted(found))

    def _find_members(
        self, predicates: Predicates, labels: Sequence[str], staging: Staging
    ) -> list[tuple[int, list[tuple[str, BitSet]]]]:
        """Store the members of classes, and the start items of relationships that select items, as candidates.

        Return the labels with start items that were found through statements of any rank; each comes with pairs of a
        Wikidata property and its possible ends.
        """
        plan, workspace = predicates.plan, staging.workspace
        ends: dict[bytes, list[tuple[int, BitSet | frozenset[int]]]] = defaultdict(list)
        doubtful: dict[int, list[tuple[str, BitSet]]] = defaultdict(list)
        for label in labels:
            number, node = plan.number(label), plan.node(label)
            if node.classes and not node.from_relationships:
                classes = frozenset(plan.classes(label, workspace))
                ends[triples.direct(plan.class_property(label))].append((number, classes))
            for relationship, is_end in plan.selecting(label):
                if is_end or relationship.wikidata == IDENTICAL:
                    continue
                name = relationship.wikidata
                nodes = staging.items("SELECT item FROM nodes WHERE label = ?", [plan.number(relationship.end)])
                if name in predicates.with_statements and plan.definition.ranks(relationship) != "best":
                    ends[triples.value(name)].append((number, nodes))
                    doubtful[number].append((name, nodes))
                else:
                    ends[triples.direct(name)].append((number, nodes))
        if ends:
            self._stage("members", partial(find_members, dict(ends)), staging)
        for number in map(plan.number, labels):
            rows = staging.database.execute("SELECT DISTINCT item FROM members WHERE label = ?", (number,))
            workspace.add_candidates(number, [row[0] for row in rows])
        return list(doubtful.items())

    def _read_statements(self, predicates: Predicates, labels: Sequence[str], staging: Staging) -> None:
        """Read the statements of the candidates of labels, and of the items into which candidates were merged."""
        plan = predicates.plan
        names = sorted(plan.wanted_of(labels))
        with_statements = [name for name in names if name in predicates.with_statements]
        direct = {triples.direct(name): int(name[1:]) for name in names if name not in predicates.with_statements}
        claims = {triples.claim(name): name for name in with_statements}
        wanted = frozenset([*direct, *claims, *predicates.parts(with_statements), *([RANK] if claims else [])])
        numbers = ", ".join(str(plan.number(label)) for label in labels)
        candidates = f"SELECT item FROM candidates WHERE label IN ({numbers}) UNION SELECT item FROM statement_members"
        items = staging.items(f"{candidates} UNION SELECT target FROM redirects WHERE item IN ({candidates})")
        self._stage("values", partial(find_statements, wanted, items), staging)
        if nodes := staging.nodes():
            self._stage("details", partial(find_details, nodes), staging)
        staging.workspace.add_packed(staging.statements(direct, claims))
        self.broken += staging.broken

    def names(self, plan: Plan, workspace: Workspace) -> None:
        """Read the names of nodes and values in one pass over the dump."""
        self._predicates(plan, workspace)
        languages = frozenset(language.encode() for language in with_fallback(plan.definition.languages))
        seen = "SELECT item FROM nodes UNION SELECT item FROM values_seen"
        with _staging(workspace) as staging:
            items = staging.items(f"{seen} UNION SELECT target FROM redirects WHERE item IN ({seen})")
            articles = f"<https://{plan.definition.wikipedia}.wikipedia.org/wiki/".encode()
            for found in self._pass("names", partial(find_names, items, languages, articles), self.path):
                staging.add(found)
            workspace.add_names((item, texts.names(item, plan.definition.languages)) for item, texts in staging.texts())

    def _stage(self, step: str, read: Callable[[bytes], Findings], staging: Staging) -> None:
        """Run a pass over the extract, and store its findings in the temporary tables."""
        for found in self._pass(step, read, staging.workspace.extract):
            staging.add(found)

    def _pass(self, step: str, read: Callable[[bytes], Findings], path: Path) -> Iterator[Findings]:
        processes = self._processes if path == self.path else min(self._processes, processes_for(path))
        for found in map_blocks(read, blocks(path, self._reporting(step, path)), processes):
            self.broken += found.broken
            yield found


def _has_end(workspace: Workspace, item: int, ends: Iterable[tuple[str, BitSet]]) -> bool:
    """Whether a statement of an item, of a rank that is not deprecated, leads to one of the ends."""
    return any(
        statement.value[0] == ITEM and item_number(statement.value[1]) in items
        for name, items in ends
        for statement in drop_deprecated(workspace.statements(item, name))
    )


@contextmanager
def _staging(workspace: Workspace) -> Iterator[Staging]:
    """Run the block in a transaction, with temporary tables that are dropped at its end."""
    with workspace.doing():
        staging = Staging(workspace)
        yield staging
        staging.drop_tables()


class Staging:
    """Temporary tables for the findings of one step, where the lines about an item come together."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.database = workspace, workspace.database
        self.broken = 0
        """The number of lines with a malformed object that `statements` has left out."""
        self.drop_tables()  # those of a step that failed
        for name, columns in TABLES.items():
            self.database.execute(f"CREATE TEMP TABLE {name} ({columns})")

    def drop_tables(self) -> None:
        """Drop the temporary tables."""
        for name in TABLES:
            self.database.execute(f"DROP TABLE IF EXISTS temp.{name}")

    def add(self, found: Findings) -> None:
        """Store the rows that a pass has found in one block."""
        for name, rows in found.rows.items():
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self.database.executemany(f"INSERT INTO temp.{name} VALUES ({marks})", rows)

    def items(self, query: str, values: Sequence[int] = ()) -> BitSet:
        """Return the item numbers that a query returns; `values` are its parameters."""
        largest = self.database.execute(f"SELECT max(item) FROM ({query})", values).fetchone()[0]
        return BitSet.of_items((row[0] for row in self.database.execute(query, values)), largest or 0)

    def nodes(self) -> BitSet | None:
        """Return the value nodes of the statements; None if there are none."""
        count = self.database.execute("SELECT count(*) FROM value_nodes").fetchone()[0]
        rows = self.database.execute("SELECT node FROM value_nodes")
        return BitSet.of_nodes((row[0] for row in rows), count) if count else None

    def statements(self, direct: Mapping[bytes, int], claims: Mapping[bytes, str]) -> Iterator[tuple[int, int, bytes]]:
        """Yield the statements of each item as rows of a workspace: item, property number and packed statements.

        `direct` maps the predicates of truthy values to property numbers, `claims` those of statements to properties.
        """
        self.database.execute("CREATE INDEX temp.details_node ON details (node)")
        query = "SELECT DISTINCT item, statement, predicate, rest FROM temp.triples ORDER BY item"
        for item, rows in groupby(self.database.execute(query), itemgetter(0)):
            values: dict[int, set[Value]] = defaultdict(set)
            parts: dict[str, StatementParts] = defaultdict(StatementParts)
            for _, key, predicate, rest in rows:
                term = term_of(rest)
                if term is None:
                    self.broken += 1
                elif predicate in direct:
                    values[direct[predicate]].add(truthy_value(term))
                elif predicate not in claims:
                    self._add_part(parts[key.decode("utf-8", "replace")], predicate, term)
                elif statement := find_statement(rest):
                    of_statement = parts[statement[1].decode("utf-8", "replace")]
                    of_statement.item, of_statement.name = item, claims[predicate]
            for number, found in values.items():
                best = [Statement(NORMAL, value) for value in sorted(found, key=str)]
                yield item, number, pack_statements(best)
            for _, name, statements in statements_by_property(parts):
                yield item, int(name[1:]), pack_statements(statements)

    def _add_part(self, parts: StatementParts, predicate: bytes, term: Term) -> None:
        if predicate == RANK:
            parts.set_rank(term["value"])
            return
        full, simple = parts.values(last(predicate[1:-1].decode()) if b"/qualifier/" in predicate else "")
        if b"/value/" not in predicate:
            simple.append(value_of_term(term))
            return
        rows = self.database.execute(
            "SELECT predicate, rest FROM temp.details WHERE node = ?", (last(term["value"]).encode(),)
        )
        details = {
            name[1:-1].decode().rpartition("#")[2]: found["value"] for name, rest in rows if (found := term_of(rest))
        }
        if (value := full_value(details)) is not None:
            full.append(value)

    def texts(self) -> Iterator[tuple[int, TextsOfItems]]:
        """Yield each item that has texts, with its texts."""
        rows = self.database.execute("SELECT DISTINCT item, predicate, rest FROM temp.texts ORDER BY item")
        for item, lines in groupby(rows, itemgetter(0)):
            texts = TextsOfItems()
            for _, predicate, rest in lines:
                if term := term_of(rest):
                    texts.add(item, TEXT_KINDS[predicate], term.get("xml:lang", ""), term["value"])
            yield item, texts


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
    units = [
        f"{label}.{key}"
        for label, node in definition.nodes.items()
        for key, property_ in node.properties.items()
        if property_.unit is not None or property_.qualifiers
    ]
    if units:
        yield f"These properties have no values, because the dump has no units or qualifiers: {', '.join(units)}."
    qualified = [
        f"{relationship.type}.{key}"
        for relationship in definition.relationships
        for key, property_ in relationship.properties.items()
        if property_.wikidata != relationship.wikidata
    ]
    if qualified:
        names = ", ".join(dict.fromkeys(qualified))
        yield f"These properties have no values, because the dump has no qualifiers: {names}."
    of_every_rank = [
        relationship.type for relationship in definition.relationships if definition.ranks(relationship) != "best"
    ]
    if of_every_rank:
        types = ", ".join(dict.fromkeys(of_every_rank))
        yield f"The dump contains only the best statements, so relationships that have ended may be missing: {types}."
