"""A dump of entity documents as a source: each step is one pass over its lines, by processes on all cores.

The steps read the subclasses (P279), then the items of each level of labels with their statements and names, then the
names of the values. A pass reads the whole dump, parses only the lines that it needs, and writes its findings to the
workspace, so that memory does not grow with the dump.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from graphground.graphs.definitions.model import IDENTICAL
from graphground.graphs.wikidata.dump_files import (
    DumpError,
    blocks,
    identity_of,
    is_ntriples,
    map_blocks,
    processes_for,
)
from graphground.graphs.wikidata.names import names_in_document
from graphground.graphs.wikidata.plan import SUBCLASS_OF, Plan
from graphground.graphs.wikidata.source import Progress, refuse_sparql
from graphground.graphs.wikidata.statements import Wanted, pack_statements, select_best, select_by_rank, statements_of
from graphground.graphs.wikidata.values import ITEM, item_number
from graphground.graphs.wikidata.workspace import Names, Workspace

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


class DumpSource:
    """A dump of entity JSON, one document per line: `DumpSource(Path("latest-all.json.gz"))`."""

    def __init__(self, path: Path, progress: Progress | None = None, *, processes: int | None = None) -> None:
        self.path, self._progress = Path(path), progress
        self._processes = processes or processes_for(self.path)
        self.broken = 0
        """The number of lines that could not be read; a line that several passes read is counted in each."""

    @property
    def identity(self) -> str:
        """The dump's name, size and modification time, as one text."""
        return identity_of(self.path)

    @property
    def notes(self) -> list[str]:
        """A list with one note, the number of lines that could not be read; empty if all lines could be read."""
        return [f"Lines of the dump that are not JSON and were left out: {self.broken:,}."] if self.broken else []

    def check(self, plan: Plan) -> None:
        """Check that a dump suffices for the definition, and that the file is a dump of entity documents.

        Raises:
            SourceError: the definition has SPARQL conditions, which a dump cannot evaluate.
            DumpError: the file cannot be read, or is not a dump.
        """
        refuse_sparql(plan)
        if is_ntriples(self.path):
            raise DumpError(f"{self.path} contains N-Triples, not entity documents")

    def selects(self, plan: Plan, label: str) -> bool:
        """Return False: the candidates may still fail other conditions of the label, such as `linked_to`."""
        return False

    def close(self) -> None:
        """Do nothing: no file is open between passes."""

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """Read all edges of the class tree, and from them the direct and indirect subclasses of the plan's classes."""
        if not plan.roots:
            return
        with workspace.doing("edges"):
            for found in self._pass("classes", plan, workspace):
                workspace.add_edges(found.edges)
        for root in plan.roots:
            with workspace.doing():
                workspace.add_classes(root, workspace.below(root))

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Read the candidates of the labels, with their statements and names, in one pass."""
        with workspace.doing():
            for found in self._pass("items", plan, workspace, labels):
                for label, item in found.candidates:
                    workspace.add_candidates(label, (item,))
                workspace.add_packed(found.statements)
                workspace.add_names(found.names)
                workspace.add_redirects(found.redirects)

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
        size = self.path.stat().st_size if self.path.exists() else 0

        def read(done: int) -> None:
            if self._progress is not None:
                self._progress(f"{step} {', '.join(labels)}".strip(), done, size)

        for found in map_blocks(Reader, task, self._whole_blocks(read), self._processes):
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
    is_root = not node.from_relationships
    classes = (
        {
            class_id
            for name in node.classes
            for class_id in (workspace.classes(int(name[1:])) if node.subclasses else {int(name[1:])})
        }
        if is_root
        else set()
    )
    starts = tuple(
        (relationship.wikidata, plan.definition.ranks(relationship), plan.number(relationship.end))
        for relationship, is_end in plan.selecting(label)
        if not is_end and relationship.wikidata != IDENTICAL
    )
    return Rule(plan.number(label), plan.class_property(label), frozenset(classes), starts)


class Reader:
    """A parser of blocks of lines for one pass.

    It also reads the workspace, as it was before the pass: the findings of a pass are committed at its end.
    """

    def __init__(self, task: Pass) -> None:
        self.task = task
        self._db = sqlite3.connect(f"file:{task.workspace}?mode=ro", uri=True, check_same_thread=False)
        self._is_end = lru_cache(1 << 16)(self._is_node)
        self._read_line = {"classes": self._class_edges, "items": self._item, "names": self._name}[task.step]

    def close(self) -> None:
        """Close the connection to the workspace."""
        self._db.close()

    def read(self, piece: bytes) -> Found:
        """Parse a block of whole lines and return the findings."""
        found = Found([], [], [], [], [])
        for line in piece.split(b"\n"):
            if len(line) > 3:
                self._read_line(line, found)
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

    def _is_node(self, label: int, item: int) -> bool:
        found = self._db.execute("SELECT 1 FROM nodes WHERE label = ? AND item = ?", (label, item))
        return found.fetchone() is not None

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
