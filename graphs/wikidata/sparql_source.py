"""A SPARQL endpoint as a source: items are queried in batches, which are halved if the endpoint cannot answer in time.

Every query lists the items or classes that it is about, which bounds its cost, and no query depends on the result of an
earlier query. After a batch has been halved, later batches keep the smaller size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial
from typing import TypeVar

from graphground.graphs.definitions.model import IDENTICAL, Definition
from graphground.graphs.wikidata import queries
from graphground.graphs.wikidata.answers import Binding
from graphground.graphs.wikidata.endpoint import HINT, Endpoint, EndpointError, QueryTooLong
from graphground.graphs.wikidata.names import Texts, with_fallback
from graphground.graphs.wikidata.plan import Plan
from graphground.graphs.wikidata.rdf import Gathering, last
from graphground.graphs.wikidata.source import Progress
from graphground.graphs.wikidata.statements import Statement, Wanted
from graphground.graphs.wikidata.values import item_number, item_of
from graphground.graphs.wikidata.workspace import Names, Workspace

ITEMS_AT_ONCE, CLASSES_AT_ONCE, NAMES_AT_ONCE = 400, 200, 800
ENDINGS = "0123456789"
LONGEST_ENDING = 3
_KINDS = {
    "http://www.w3.org/2000/01/rdf-schema#label": "label",
    "http://www.w3.org/2004/02/skos/core#altLabel": "alias",
    "http://schema.org/description": "description",
    "http://schema.org/about": "article",
}
T = TypeVar("T")


class SparqlSource:
    """A SPARQL endpoint as a source: `SparqlSource(Endpoint("http://localhost:7878/query"))`."""

    def __init__(self, endpoint: Endpoint, progress: Progress | None = None) -> None:
        self.endpoint, self._progress = endpoint, progress
        self._sizes: dict[str, int] = {}

    @property
    def identity(self) -> str:
        """The address of the endpoint."""
        return self.endpoint.url

    @property
    def notes(self) -> list[str]:
        """An empty list: an endpoint holds all statements."""
        return []

    def check(self, plan: Plan) -> None:
        """Accept every definition: an endpoint can provide all data that a definition may need."""

    def close(self) -> None:
        """Close the connections."""
        self.endpoint.close()

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """Fetch the subclasses of the plan's classes."""
        for root in plan.roots:
            task = f"classes Q{root}"
            if not workspace.is_done(task):
                found = self._subclasses(root)
                with workspace.doing(task):
                    workspace.add_classes(root, found)

    def _subclasses(self, root: int) -> set[int]:
        try:
            return {root, *_numbers(self.endpoint.select(queries.subclasses(root)), "class")}
        except QueryTooLong:
            found, edge = {root}, [root]
            while edge:
                near = {
                    in_part
                    for some in _slices(edge, CLASSES_AT_ONCE)
                    for in_part in self._in_parts("classes", some, self._direct_subclasses)
                }
                edge = sorted(near - found)
                found |= near
            return found

    def _direct_subclasses(self, classes: Sequence[int]) -> list[int]:
        return _numbers(self.endpoint.select(queries.direct_subclasses(classes)), "class")

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Fetch candidates (members of classes, starts of selecting relationships) and their statements."""
        for label in labels:
            if plan.node(label).from_relationships:
                self._starts(plan, label, workspace)
            else:
                self._members(plan, label, workspace)
            self._statements(plan, label, workspace)

    def _members(self, plan: Plan, label: str, workspace: Workspace) -> None:
        node = plan.node(label)
        classes = sorted(
            {
                class_id
                for name in node.classes
                for class_id in (workspace.classes(int(name[1:])) if node.subclasses else {int(name[1:])})
            }
        )

        def ask(part: Sequence[int], ending: str = "") -> list[int]:
            query = queries.members(node, plan.class_property(label), part, ending)
            return _numbers(self.endpoint.select(query), "item")

        def ask_by_endings(part: Sequence[int], ending: str = "") -> list[int]:
            """Query the members of a single class in parts, by the last digits of the item number."""
            if len(ending) == LONGEST_ENDING:
                raise EndpointError(
                    f"{self.endpoint.url}: {label!r} has too many members for its time limit "
                    f"(class Q{part[0]}). Build from a dump, or name a more specific class."
                )
            found: list[int] = []
            for digit in ENDINGS:
                try:
                    found += ask(part, digit + ending)
                except QueryTooLong:
                    found += ask_by_endings(part, digit + ending)
            return found

        for some in _slices(classes, CLASSES_AT_ONCE):
            task = f"members {label} {some[0]}-{some[-1]}"
            if not workspace.is_done(task):
                found = self._in_parts("members", some, ask, ask_by_endings)
                with workspace.doing(task):
                    workspace.add_candidates(plan.number(label), sorted(set(found)))

    def _starts(self, plan: Plan, label: str, workspace: Workspace) -> None:
        """Add the start items of the selecting relationships as candidates; their end items are already nodes."""
        for relationship, is_end in plan.selecting(label):
            if is_end or relationship.wikidata == IDENTICAL:
                continue
            ask = partial(self._subjects, relationship.wikidata, plan.definition.ranks(relationship))
            for some in workspace.batches("nodes", plan.number(relationship.end), ITEMS_AT_ONCE):
                task = f"starts {label} {relationship} {some[0]}-{some[-1]}"
                if not workspace.is_done(task):
                    found = self._in_parts("starts", some, ask)
                    with workspace.doing(task):
                        workspace.add_candidates(plan.number(label), sorted(set(found)))

    def _subjects(self, name: str, ranks: str, ends: Sequence[int]) -> list[int]:
        return _numbers(self.endpoint.select(queries.subjects(name, ranks, ends)), "item")

    def _statements(self, plan: Plan, label: str, workspace: Workspace) -> None:
        wanted, number = plan.wanted(label), plan.number(label)
        if not wanted:
            return
        ask = partial(self._fetched, wanted, plan.in_full)
        done, total = 0, workspace.count("candidates", number)
        for some in workspace.batches("candidates", number, ITEMS_AT_ONCE):
            task = f"statements {label} {some[0]}-{some[-1]}"
            if not workspace.is_done(task):
                rows = self._in_parts("statements", some, ask)
                merged = self._redirects(sorted(set(some) - {item for item, _, _ in rows}))
                targets = sorted({target for _, target in merged} - set(some))
                rows += self._in_parts("statements", targets, ask)
                with workspace.doing(task):
                    workspace.add_statements(rows)
                    workspace.add_redirects(merged)
            done += len(some)
            self._report(f"{label}: statements", done, total)

    def _fetched(
        self, wanted: Wanted, in_full: Set[str], items: Sequence[int]
    ) -> Iterator[tuple[int, str, list[Statement]]]:
        gathering = Gathering()
        for found in self.endpoint.select(queries.statements(items, wanted, in_full)):
            subject, predicate, term = last(found["s"]["value"]), found["k"]["value"], found["v"]
            if "p" in found:
                gathering.statement(last(found["item"]["value"]), last(found["p"]["value"]), subject)
                gathering.part(subject, predicate, term)
            else:
                gathering.detail(subject, predicate, term["value"])
        return gathering.rows()

    def _redirects(self, items: Sequence[int]) -> list[tuple[int, int]]:
        """Fetch the target of each item that was merged into another."""
        pairs = [
            (_number(found, "item"), _number(found, "target"))
            for found in self._in_parts("redirects", items, self._merged)
        ]
        return sorted((item, target) for item, target in pairs if item is not None and target is not None)

    def _merged(self, items: Sequence[int]) -> list[Binding]:
        return self.endpoint.select(queries.redirects(items))

    def names(self, plan: Plan, workspace: Workspace) -> None:
        """Fetch the names of nodes and values."""
        ask = partial(self._named, plan.definition)
        done = 0
        for some in workspace.unnamed(NAMES_AT_ONCE):
            found = dict(self._in_parts("names", some, ask))
            merged = self._redirects([item for item in some if found[item].name is None])
            targets = sorted({target for _, target in merged} - found.keys())
            found.update(self._in_parts("names", targets, ask))
            with workspace.doing():
                workspace.add_names(sorted(found.items()))
                workspace.add_redirects(merged)
            done += len(some)
            self._report("names", done, None)

    def _named(self, definition: Definition, items: Sequence[int]) -> list[tuple[int, Names]]:
        texts: dict[int, Texts] = defaultdict(Texts)
        languages, wikipedia = with_fallback(definition.languages), definition.wikipedia
        for found in self.endpoint.select(queries.names(items, languages, wikipedia)):
            number = _number(found, "item")
            if number is not None:
                text = found["text"]
                texts[number].add(_KINDS[found["kind"]["value"]], text.get("xml:lang", ""), text["value"])
        return [(item, texts[item].names(definition.languages)) for item in items]

    def _in_parts(
        self,
        kind: str,
        items: Sequence[int],
        ask: Callable[[Sequence[int]], Iterable[T]],
        ask_single: Callable[[Sequence[int]], Iterable[T]] | None = None,
    ) -> list[T]:
        """Return the answers for all items, queried in parts that the endpoint can answer in time."""
        found: list[T] = []
        waiting = list(reversed(_slices(items, self._sizes.get(kind, len(items)))))
        while waiting:
            part = waiting.pop()
            try:
                found += ask(part)
            except QueryTooLong as error:
                if len(part) > 1:
                    size = (len(part) + 1) // 2
                    self._sizes[kind] = min(size, self._sizes.get(kind, size))
                    waiting.extend(reversed(_slices(part, size)))
                elif ask_single is not None:
                    found += ask_single(part)
                else:
                    raise EndpointError(
                        f"{self.endpoint.url}: Q{part[0]} alone takes too long ({error}). {HINT}"
                    ) from None
        return found

    def _report(self, step: str, done: int, total: int | None) -> None:
        if self._progress is not None:
            self._progress(step, done, total)


def _slices(items: Sequence[int], size: int) -> list[Sequence[int]]:
    return [items[start : start + size] for start in range(0, len(items), max(size, 1))]


def _number(found: Binding, variable: str) -> int | None:
    return item_number(item_of(found[variable]["value"]) or "") if variable in found else None


def _numbers(answer: Sequence[Binding], variable: str) -> list[int]:
    return [number for found in answer if (number := _number(found, variable)) is not None]
