"""A dump of entity documents as a source: each step is one pass over its lines, by processes on all cores.

The steps read the subclasses (P279), then the items of each level of labels with their statements and names, then the
names of the values. A pass reads the whole dump, parses only the lines that it needs, and writes its findings to the
workspace, so that memory does not grow with the dump.

A .bz2 dump of Wikidata consists of many consecutive streams, which are found by their headers and decompressed in
parallel. A .gz file is decompressed by one core, while other cores parse its lines.
"""

from __future__ import annotations

import bz2
import gzip
import os
import re
import sqlite3
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import pairwise, repeat, takewhile
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Any, TypeVar

import orjson

from graphground.graphs.definitions.read import IDENTICAL, selecting
from graphground.graphs.wikidata.plan import SUBCLASS_OF, Plan, Progress, Source, SourceError, report_nothing
from graphground.graphs.wikidata.statements import (
    ITEM,
    Wanted,
    item_number,
    pack_statements,
    select_best,
    select_by_rank,
    statements_of,
)
from graphground.graphs.wikidata.workspace import Names, Workspace, names_in_document

_ID = re.compile(rb'"id"\s*:\s*"([QPL]\d+)"')
_TYPE_FIRST = re.compile(rb'\s*\{"type":"item","id":"Q(\d+)"')


@dataclass(frozen=True, slots=True)
class Rule:
    """The condition under which a pass selects an item for one label.

    If there are `classes`, the item must be a member of one of them. Otherwise a relationship that starts at the item
    must end at a node that has been selected. `starts` lists these relationships, each as Wikidata property, ranks and
    number of the end's label.
    """

    label: int
    class_property: str
    classes: frozenset[int]
    starts: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """The task of one pass, which is sent to each process once."""

    workspace: str
    step: str
    wanted: Wanted
    rules: tuple[Rule, ...]
    labels: tuple[int, ...]
    languages: tuple[str, ...]
    wikipedia: str


@dataclass(slots=True)
class Found:
    """The findings in a block of lines; `broken` is the number of lines that are not JSON."""

    edges: list[tuple[int, int]]
    candidates: list[tuple[int, int]]
    statements: list[tuple[int, int, bytes]]
    names: list[tuple[int, Names]]
    redirects: list[tuple[int, int]]
    broken: int = 0


class Dump(Source):
    """A dump file as a source; `broken` is the number of lines that could not be read, counted in each pass."""

    has_triples = False
    broken = 0

    def __init__(self, path: Path, progress: Progress = report_nothing, *, processes: int | None = None) -> None:
        self.path, self._progress = Path(path), progress
        size = self.path.stat().st_size if self.path.exists() else 0
        self._processes = processes or ((os.cpu_count() or 1) if size > MAX_BYTES_FOR_ONE_PROCESS else 1)

    @property
    def identity(self) -> str:
        """The dump's name, size and modification time, as one text; a build resumes only if this is unchanged."""
        status = self.path.stat() if self.path.exists() else None
        return f"{self.path.name} {status.st_size} {status.st_mtime_ns}" if status else self.path.name

    @property
    def notes(self) -> list[str]:
        """A list with one note, the number of lines that could not be read; empty if all lines could be read."""
        form = "N-Triples" if self.has_triples else "JSON"
        return [f"Lines of the dump that are not {form} and were left out: {self.broken:,}."] if self.broken else []

    def check(self, plan: Plan) -> None:
        """Check that a dump suffices for the definition, and that the file is a dump of the right form.

        Raises:
            SourceError: the definition has SPARQL conditions, which a dump cannot evaluate.
            DumpError: the file cannot be read, or is not a dump.
        """
        for label in plan.labels:
            if plan.node(label).sparql:
                raise SourceError(
                    f"nodes.{label}.sparql: a dump cannot evaluate SPARQL; build from an endpoint, or use linked_to and "
                    "has_property"
                )
        if is_ntriples(self.path) != self.has_triples:
            forms = ("entity documents", "N-Triples") if self.has_triples else ("N-Triples", "entity documents")
            raise DumpError(f"{self.path} contains {forms[0]}, not {forms[1]}")

    def _reporting(self, step: str, path: Path) -> Callable[[int], None]:
        size = path.stat().st_size if path.exists() else 0
        return lambda done: self._progress(step, done, size)


class DumpSource(Dump):
    """A dump of entity JSON, one document per line: `DumpSource(Path("latest-all.json.gz"))`."""

    def selects(self, plan: Plan, label: str) -> bool:
        """Return False: only the classes of candidates have been checked."""
        return False

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """Read all edges of the class tree, and from them the direct and indirect subclasses of the plan's classes."""
        if not plan.roots:
            return
        with workspace.doing("edges"):
            for found in self._pass("classes", plan, workspace):
                workspace.add("edges", found.edges)
        for root in plan.roots:
            with workspace.doing():
                workspace.add("classes", [(root, class_) for class_ in workspace.below(root)])

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Read the candidates of the labels, with their statements and names, in one pass."""
        with workspace.doing():
            for found in self._pass("items", plan, workspace, labels):
                workspace.add("candidates", found.candidates)
                workspace.add("statements", found.statements)
                workspace.add_names(found.names)
                workspace.add("redirects", found.redirects)

    def names(self, plan: Plan, workspace: Workspace) -> None:
        """Read the names of nodes and values in one pass."""
        with workspace.doing():
            for found in self._pass("names", plan, workspace):
                workspace.add_names(found.names)

    def _pass(self, step: str, plan: Plan, workspace: Workspace, labels: Sequence[str] = ()) -> Iterator[Found]:
        task = Pass(
            str(workspace.path.absolute()),
            step,
            plan.wanted_of(labels),
            tuple(_rule(plan, label, workspace) for label in labels),
            tuple(map(plan.number, labels)),
            tuple(plan.definition.languages),
            plan.definition.wikipedia,
        )
        read = self._reporting(f"{step} {', '.join(labels)}".strip(), self.path)
        with closing(Reader(task)) as reader:
            for found in map_blocks(reader.read, self._whole_blocks(read), self._processes):
                self.broken += found.broken
                yield found

    def _whole_blocks(self, read: Callable[[int], None]) -> Iterator[bytes]:
        """Yield the blocks of the dump.

        Raises:
            DumpError: the dump begins with `[` and does not end with `]`: its end is missing.
        """
        first = last = b""
        for block in blocks(self.path, read):
            first = first or block.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
            last = block.rstrip()[-1:] or last
            yield block
        if first == b"[" and last != b"]":
            raise DumpError(
                f"{self.path} is truncated: it begins with [ and does not end with ]. Download it again; to build from "
                "a part of a dump on purpose, delete its first line"
            )


def _rule(plan: Plan, label: str, workspace: Workspace) -> Rule:
    node = plan.node(label)
    classes = set() if node.from_relationships else plan.classes(label, workspace)
    starts = tuple(
        (relationship.wikidata, plan.definition.ranks(relationship), plan.number(relationship.end))
        for relationship, is_end in selecting(plan.definition, label)
        if not is_end and relationship.wikidata != IDENTICAL
    )
    return Rule(plan.number(label), plan.class_property(label), frozenset(classes), starts)


class Reader:
    """A parser of blocks of lines for one pass.

    It also reads the workspace, as it was before the pass: the findings of a pass are committed at its end.
    """

    def __init__(self, task: Pass) -> None:
        self.task = task

    @cached_property
    def _db(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self.task.workspace}?mode=ro", uri=True, check_same_thread=False)

    @cached_property
    def _is_end(self) -> Callable[[int, int], bool]:
        query = "SELECT 1 FROM nodes WHERE label = ? AND item = ?"
        return lru_cache(1 << 16)(lambda *node: self._db.execute(query, node).fetchone() is not None)

    def close(self) -> None:
        """Close the connection to the workspace."""
        if "_db" in vars(self):
            self._db.close()

    def read(self, piece: bytes) -> Found:
        """Parse a block of whole lines and return the findings."""
        found = Found([], [], [], [], [])
        read_line = {"classes": self._class_edges, "items": self._item, "names": self._name}[self.task.step]
        for line in piece.split(b"\n"):
            if len(line) > 3:
                read_line(line, found)
        return found

    def _document(self, line: bytes, found: Found) -> Any:
        text = line.strip().rstrip(b",")
        if text in (b"[", b"]", b""):
            return None
        try:
            document = orjson.loads(text)
        except orjson.JSONDecodeError:
            found.broken += 1
            return None
        if not isinstance(document, dict) or item_number(str(document.get("id", ""))) is None:
            return None
        return document

    def _class_edges(self, line: bytes, found: Found) -> None:
        if b'"P279"' not in line:
            return
        document = self._document(line, found)
        if document is not None:
            statements = statements_of(document.get("claims") or {}, {SUBCLASS_OF: frozenset()}).get(SUBCLASS_OF, ())
            for statement in select_best(statements):
                above = item_number(statement.value[1]) if statement.value[0] == ITEM else None
                if above is not None:
                    found.edges.append((above, int(document["id"][1:])))

    def _labels_of(self, item: int) -> list[int]:
        return [
            row[0]
            for row in self._db.execute("SELECT label FROM candidates WHERE item = ?", (item,))
            if row[0] in self.task.labels
        ]

    def _item(self, line: bytes, found: Found) -> None:
        known: list[int] | None = None
        if first := _TYPE_FIRST.match(line):  # the first keys of a line in Wikidata's dumps
            known = self._labels_of(int(first[1]))
            if not known and not any(rule.classes or rule.starts for rule in self.task.rules):
                return
        document = self._document(line, found)
        if document is None:
            return
        item, claims = int(document["id"][1:]), document.get("claims") or {}
        known = self._labels_of(item) if known is None else known
        statements = statements_of(claims, self.task.wanted)
        matched = [
            rule.label for rule in self.task.rules if rule.label not in known and self._matches(rule, statements)
        ]
        if not known and not matched:
            return
        found.candidates += [(label, item) for label in matched]
        found.statements += [
            (item, int(name[1:]), pack_statements(named_statements)) for name, named_statements in statements.items()
        ]
        found.names.append((item, self._names(document)))
        redirect = document.get("redirects")
        if isinstance(redirect, dict) and item_number(redirect.get("from", "")) is not None:
            found.redirects.append((int(redirect["from"][1:]), item))

    def _matches(self, rule: Rule, statements: dict[str, Any]) -> bool:
        if rule.classes:
            return any(
                statement.value[0] == ITEM and item_number(statement.value[1]) in rule.classes
                for statement in select_best(statements.get(rule.class_property, ()))
            )
        return any(
            statement.value[0] == ITEM
            and (end := item_number(statement.value[1])) is not None
            and self._is_end(label, end)
            for name, ranks, label in rule.starts
            for statement in select_by_rank(statements.get(name, ()), ranks)
        )

    def _name(self, line: bytes, found: Found) -> None:
        first = _TYPE_FIRST.match(line) or _ID.search(line[:200])
        number = None if first is None else item_number("Q" + first[1].decode().lstrip("Q"))
        if number is not None and not self._is_unnamed(number):
            return
        document = self._document(line, found)
        if document is not None:
            item = int(document["id"][1:])
            if item == number or self._is_unnamed(item):
                found.names.append((item, self._names(document)))

    def _is_unnamed(self, item: int) -> bool:
        found = self._db.execute(
            "SELECT 1 WHERE (EXISTS (SELECT 1 FROM values_seen WHERE item = ?1) OR EXISTS (SELECT 1 FROM nodes WHERE "
            "item = ?1)) AND NOT EXISTS (SELECT 1 FROM names WHERE item = ?1)",
            (item,),
        )
        return found.fetchone() is not None

    def _names(self, document: dict[str, Any]) -> Names:
        return names_in_document(document, self.task.languages, self.task.wikipedia)


BLOCK_BYTES = 1 << 20
MAX_STREAM_BYTES = 1 << 25
MAX_BYTES_FOR_ONE_PROCESS = 1 << 26
"""The largest size, in bytes, of a dump that a single process reads.

Starting more processes for a smaller dump would take longer than they save.
"""
Finding = TypeVar("Finding")
_TRIPLE = re.compile(rb"(<[^<>\s]*>|_:\S+)\s+<[^<>\s]*>\s+(<[^<>\s]*>|_:\S+|\".*)")
_DOCUMENT = re.compile(rb"\[?\s*\{\s*\"\w+\"\s*:")
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
GZIP, BZIP2 = b"\x1f\x8b", b"BZh"


class DumpError(ValueError):
    """A dump, or the extract of a dump, that cannot be read; the message describes the problem."""


def is_ntriples(path: Path) -> bool:
    """Whether a dump contains N-Triples instead of entity JSON; decided by its content, which may be compressed.

    The first line that is neither empty nor a comment decides.

    Raises:
        DumpError: the file cannot be read, or its first line is neither a triple nor a document.
    """
    for block in blocks(path, size=1 << 12):
        for line in block.lstrip(b"\xef\xbb\xbf").split(b"\n"):
            text = line.strip()
            if not text or text.startswith(b"#"):
                continue
            if _TRIPLE.match(text):
                return True
            if text == b"[" or _DOCUMENT.match(text):
                return False
            shown = text[:80].decode("utf-8", "replace")
            raise DumpError(
                f"{path} is not a dump of Wikidata: its first line is {shown!r}. A dump has one entity document per "
                "line (latest-all.json.gz), or one N-Triples statement per line (latest-all.nt.bz2); Turtle is not read"
            )
    raise DumpError(f"{path} is not a dump of Wikidata: it is empty")


def blocks(path: Path, read: Callable[[int], None] | None = None, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Yield blocks of whole lines; about `size` bytes are read at a time.

    `read` is called with the number of bytes of the file that have been read so far.

    Raises:
        DumpError: the file is missing, damaged or truncated.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            head = file.read(3)
            file.seek(0)
            if head[:2] == GZIP:
                pieces = _ahead(gzip.GzipFile(fileobj=file).read, size)
            elif head == BZIP2:
                pieces = _bunzipped(file, size)
            else:
                pieces = iter(partial(file.read, size), b"")
            rest = b""
            for piece in pieces:
                if read is not None:
                    read(file.tell())
                cut = piece.rfind(b"\n") + 1
                if cut:
                    yield rest + piece[:cut]
                    rest = piece[cut:]
                else:
                    rest += piece
            if rest:
                yield rest
    except FileNotFoundError:
        raise DumpError(f"there is no file {path}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DumpError(f"{path.name} cannot be read any further: {error}") from None


def _ahead(read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
    """Yield the pieces of `size` bytes that a thread reads and decompresses, a few of them ahead of the caller."""
    with ThreadPoolExecutor(1) as pool:
        yield from takewhile(bool, _in_order(pool, repeat(partial(read, size)), 3))


def _bunzipped(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the decompressed streams of a .bz2 file, in order.

    They are decompressed in parallel up to the first stream of more than `MAX_STREAM_BYTES` bytes, then one at a time.
    """
    cores = os.cpu_count() or 1
    rest = b""

    def streams() -> Iterator[Callable[[], bytes]]:
        nonlocal rest
        while len(rest) <= MAX_STREAM_BYTES and (piece := file.read(size)):
            rest += piece
            begins = [0, *(match.start() for match in _STREAM.finditer(rest, 1))]
            yield from (partial(_bunzip, rest[begin:end]) for begin, end in pairwise(begins))
            rest = rest[begins[-1] :]

    with ThreadPoolExecutor(cores) as pool:
        yield from _in_order(pool, streams(), 2 * cores)
    file.seek(-len(rest), os.SEEK_CUR)
    yield from _ahead(bz2.BZ2File(file).read, size)


def _bunzip(stream: bytes) -> bytes:
    reader = bz2.BZ2Decompressor()
    piece = reader.decompress(stream)
    if not reader.eof:
        raise EOFError("it is truncated")
    return piece


def map_blocks(read: Callable[[bytes], Finding], pieces: Iterable[bytes], processes: int) -> Iterator[Finding]:
    """Yield the findings of `read` in each block, in the order of the blocks; processes read a few blocks ahead.

    `read` is sent to each process once.
    """
    if processes == 1:
        yield from map(read, pieces)
        return
    with ProcessPoolExecutor(processes, get_context("spawn"), _begin, (read,)) as pool:
        yield from _in_order(pool, (partial(_read, piece) for piece in pieces), 2 * processes)


def _in_order(pool: Executor, calls: Iterable[Callable[[], Finding]], ahead: int) -> Iterator[Finding]:
    """Yield the results of calls, in their order; at most `ahead` calls begin before their turn."""
    waiting: deque[Future[Finding]] = deque()
    for call in calls:
        waiting.append(pool.submit(call))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


_reader: Callable[[bytes], Any]


def _begin(read: Callable[[bytes], Any]) -> None:
    global _reader
    _reader = read


def _read(piece: bytes) -> Any:
    return _reader(piece)
