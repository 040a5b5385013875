"""A SPARQL endpoint as a source: items are queried in batches, which are halved if the endpoint cannot answer in time.

Every query lists the items or properties that it is about, which bounds its cost. After a batch has been halved, later
batches keep the smaller size. Several batches are queried at the same time, by threads that send queries and parse
answers. Only the caller's thread writes to the workspace, one batch after another, so that the result never depends on
the order in which answers arrive.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import TypeVar

from graphground.graphs.definitions.model import IDENTICAL
from graphground.graphs.wikidata import queries
from graphground.graphs.wikidata.endpoint import HINT, Binding, Endpoint, EndpointError, QueryTooLong
from graphground.graphs.wikidata.names import TextsOfItems, with_fallback
from graphground.graphs.wikidata.plan import Plan
from graphground.graphs.wikidata.queries import Fetched, StatementQuery
from graphground.graphs.wikidata.rdf import last
from graphground.graphs.wikidata.source import Progress
from graphground.graphs.wikidata.values import ENTITY, item_number, item_of
from graphground.graphs.wikidata.workspace import Names, Workspace

ITEMS_AT_ONCE, CLASSES_AT_ONCE, NAMES_AT_ONCE = 400, 200, 800
ENDINGS = "0123456789"
LONGEST_ENDING = 3
T = TypeVar("T")
K = TypeVar("K")


class SparqlSource:
    """A SPARQL endpoint as a source: `SparqlSource(Endpoint("http://localhost:7878/query"))`."""

    def __init__(self, endpoint: Endpoint, progress: Progress | None = None) -> None:
        self.endpoint, self._progress = endpoint, progress
        self._sizes: dict[str, int] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(endpoint.traffic.most, thread_name_prefix="graphground-endpoint")
        self._types: Future[dict[str, str]] | None = None

    @property
    def identity(self) -> str:
        """The address of the endpoint."""
        return self.endpoint.url

    @property
    def notes(self) -> list[str]:
        """An empty list: an endpoint holds all statements."""
        return []

    broken = 0

    def check(self, plan: Plan) -> None:
        """Find out how many rows the endpoint returns at most, so that no answer is taken for complete that is cut.

        Raises:
            EndpointError: the endpoint cannot be used.
        """
        self.endpoint.measure_row_limit()

    def selects(self, plan: Plan, label: str) -> bool:
        """Whether the label's items are selected by classes: the query for members then checks all other conditions."""
        return not plan.node(label).from_relationships

    def close(self) -> None:
        """Wait for the queries in progress, and close the connections."""
        self.endpoint.stop()
        self._pool.shutdown(cancel_futures=True)
        self.endpoint.close()

    def _at_once(self, jobs: Iterable[tuple[K, Callable[[], T]]]) -> Iterator[tuple[K, T]]:
        """Run jobs in threads, and yield each key with the job's result, in the order of the jobs.

        Twice as many jobs as threads are submitted in advance, so that no thread waits for the caller. If a job fails,
        the results of later jobs that have already ended are still yielded, so that a resumed build need not query them
        again. The other jobs are dropped.
        """
        waiting: deque[tuple[K, Future[T]]] = deque()
        try:
            for key, job in jobs:
                waiting.append((key, self._pool.submit(job)))
                if len(waiting) > 2 * self.endpoint.traffic.most:
                    first, result = waiting.popleft()
                    yield first, result.result()
            while waiting:
                first, result = waiting.popleft()
                yield first, result.result()
        except EndpointError:
            for later, result in waiting:
                if result.done() and result.exception() is None:
                    yield later, result.result()
            raise
        finally:
            for _, result in waiting:
                result.cancel()

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """Fetch the subclasses of the plan's classes."""
        types = self._property_types(plan)
        missing = [root for root in plan.roots if not workspace.is_done(f"classes Q{root}")]
        for root, found in self._at_once((root, partial(self._subclasses, root)) for root in missing):
            with workspace.doing(f"classes Q{root}"):
                workspace.add_classes(root, found)
        types.result()

    def _property_types(self, plan: Plan) -> Future[dict[str, str]]:
        """Return a future for the datatypes of the properties whose values are converted, by property.

        Datatypes that the endpoint does not state are missing.
        """

        def fetch() -> dict[str, str]:
            try:
                answer = self.endpoint.select(queries.property_types(sorted(plan.in_full)))
            except QueryTooLong:
                return {}
            return {last(found["property"]["value"]): found["type"]["value"] for found in answer}

        if self._types is None:
            self._types = self._pool.submit(fetch if plan.in_full else dict)
        return self._types

    def _subclasses(self, root: int) -> set[int]:
        try:
            return {root, *_numbers(self.endpoint.select(queries.subclasses(root)), "class")}
        except QueryTooLong:
            found, edge = {root}, [root]
            while edge:
                subclasses = {
                    subclass
                    for parents in _slices(edge, CLASSES_AT_ONCE)
                    for subclass in self._in_parts("classes", parents, self._direct_subclasses)
                }
                edge = sorted(subclasses - found)
                found |= subclasses
            return found

    def _direct_subclasses(self, classes: Sequence[int]) -> list[int]:
        return _numbers(self.endpoint.select(queries.direct_subclasses(classes)), "class")

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Fetch the candidates of the labels, and their statements.

        Candidates are the members of classes and the start items of the relationships that select a label's items.
        """
        members = [label for label in labels if not plan.node(label).from_relationships]
        jobs = (job for label in members for job in self._members(plan, label, workspace))
        for (label, task), found in self._at_once(jobs):
            with workspace.doing(task):
                workspace.add_candidates(plan.number(label), sorted(set(found)))
        for label in labels:
            if label not in members:
                self._starts(plan, label, workspace)
        self._statements(plan, labels, workspace)

    def _members(
        self, plan: Plan, label: str, workspace: Workspace
    ) -> Iterator[tuple[tuple[str, str], Callable[[], list[int]]]]:
        """Yield a key and a job for each slice of a label's classes, except slices that are done.

        The key is the label and the name of the task; the job returns the members of the classes.
        """
        node = plan.node(label)
        classes = sorted(
            {
                class_id
                for name in node.classes
                for class_id in (workspace.classes(int(name[1:])) if node.subclasses else {int(name[1:])})
            }
        )

        def fetch(part: Sequence[int], ending: str = "") -> list[int]:
            query = queries.members(node, plan.class_property(label), part, ending)
            return _numbers(self.endpoint.select(query), "item")

        def fetch_by_endings(part: Sequence[int], ending: str = "") -> list[int]:
            """Query the members of a single class in parts, by the last digits of their item numbers."""
            if len(ending) == LONGEST_ENDING:
                raise EndpointError(
                    f"{self.endpoint.url}: {label!r} has too many members in the class Q{part[0]} to be "
                    f"listed within the time limit. Build from a dump, or name a more specific class."
                )
            found: list[int] = []
            for digit in ENDINGS:
                try:
                    found += fetch(part, digit + ending)
                except QueryTooLong:
                    found += fetch_by_endings(part, digit + ending)
            return found

        for some_classes in _slices(classes, CLASSES_AT_ONCE):
            task = f"members {label} {some_classes[0]}-{some_classes[-1]}"
            if not workspace.is_done(task):
                yield (label, task), partial(self._in_parts, "members", some_classes, fetch, fetch_by_endings)

    def _starts(self, plan: Plan, label: str, workspace: Workspace) -> None:
        """Store, as candidates of a label, the start items of the relationships that select the label's items.

        The items at the ends of these relationships are nodes already.
        """
        for relationship, is_end in plan.selecting(label):
            if is_end or relationship.wikidata == IDENTICAL:
                continue
            fetch = partial(self._subjects, relationship.wikidata, plan.definition.ranks(relationship))
            tasks = (
                (f"starts {label} {relationship} {ends[0]}-{ends[-1]}", ends)
                for ends in workspace.batches("nodes", plan.number(relationship.end), ITEMS_AT_ONCE)
            )
            jobs = (
                (task, partial(self._in_parts, "starts", ends, fetch))
                for task, ends in tasks
                if not workspace.is_done(task)
            )
            for task, found in self._at_once(jobs):
                with workspace.doing(task):
                    workspace.add_candidates(plan.number(label), sorted(set(found)))

    def _subjects(self, name: str, ranks: str, ends: Sequence[int]) -> list[int]:
        return _numbers(self.endpoint.select(queries.subjects(name, ranks, ends)), "item")

    def _statements(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        totals = {label: workspace.count("candidates", plan.number(label)) for label in labels}
        done = dict.fromkeys(labels, 0)

        def jobs() -> Iterator[tuple[tuple[str, str, int], Callable[[], Fetched]]]:
            for label in labels:
                properties = plan.wanted(label, are_selected=self.selects(plan, label))
                if not totals[label] or not properties:
                    continue
                query = StatementQuery(plan, properties, self._property_types(plan).result())
                for items in workspace.batches("candidates", plan.number(label), ITEMS_AT_ONCE):
                    task = f"statements {label} {items[0]}-{items[-1]}"
                    if workspace.is_done(task):
                        done[label] += len(items)
                    else:
                        yield (label, task, len(items)), partial(self._fetched, query, items)

        for (label, task, count), fetched in self._at_once(jobs()):
            with workspace.doing(task):
                workspace.add_statements(fetched.rows)
                workspace.add_redirects(sorted(fetched.merged.items()))
            done[label] += count
            self._report(f"{label}: statements", done[label], totals[label])

    def _fetched(self, query: StatementQuery, items: Sequence[int]) -> Fetched:
        """Fetch the statements of items, and of the items into which some of them were merged."""

        def fetch(part: Sequence[int]) -> list[Fetched]:
            return [query.read(self.endpoint.select(query.text(part)))]

        found = Fetched([], {})
        for part in self._in_parts("statements", items, fetch):
            found.rows += part.rows
            found.merged |= part.merged
        for item in {item for item, _, _ in found.rows}:
            found.merged.pop(item, None)
        targets = sorted(set(found.merged.values()) - set(items))
        for part in self._in_parts("statements", targets, fetch):
            found.rows += part.rows
        return found

    def names(self, plan: Plan, workspace: Workspace) -> None:
        """Fetch the names, descriptions, aliases and articles of nodes, and only the names of values."""
        done = 0
        nodes, values = workspace.unnamed_nodes(NAMES_AT_ONCE), workspace.unnamed_values(NAMES_AT_ONCE)
        batches = chain(((items, plan.definition.wikipedia) for items in nodes), ((items, None) for items in values))
        languages = plan.definition.languages
        jobs = ((len(items), partial(self._named, languages, wikipedia, items)) for items, wikipedia in batches)
        for count, (found, merged) in self._at_once(jobs):
            with workspace.doing():
                workspace.add_names(sorted(found.items()))
                workspace.add_redirects(sorted(merged.items()))
            done += count
            self._report("names", done, None)

    def _named(
        self, languages: Sequence[str], wikipedia: str | None, items: Sequence[int]
    ) -> tuple[dict[int, Names], dict[int, int]]:
        """Fetch the names of items, and of the items into which items without a name were merged.

        Return the names by item, and the merged items with their targets.
        """

        def fetch(part: Sequence[int]) -> list[tuple[int, Names, int | None]]:
            return self._names_of(languages, wikipedia, part)

        found, merged = {}, {}
        for item, names, target in self._in_parts("names", items, fetch):
            found[item] = names
            if names.name is None and target is not None:
                merged[item] = target
        for item, names, _ in self._in_parts("names", sorted(set(merged.values()) - found.keys()), fetch):
            found[item] = names
        return found, merged

    def _names_of(
        self, languages: Sequence[str], wikipedia: str | None, items: Sequence[int]
    ) -> list[tuple[int, Names, int | None]]:
        texts, targets = TextsOfItems(), dict[int, int | None]()
        numbers = {f"{ENTITY}Q{item}": item for item in items}
        for found in self.endpoint.select(queries.names(items, with_fallback(languages), wikipedia)):
            number = numbers.get(found.pop("item")["value"])
            if number is None:
                continue
            for kind, term in found.items():
                if kind == "same":
                    targets[number] = item_number(item_of(term["value"]) or "")
                else:
                    texts.add(number, kind, term.get("xml:lang", ""), term["value"])
        return [(item, texts.names(item, languages), targets.get(item)) for item in items]

    def _in_parts(
        self,
        kind: str,
        items: Sequence[int],
        fetch: Callable[[Sequence[int]], Iterable[T]],
        fetch_single: Callable[[Sequence[int]], Iterable[T]] | None = None,
    ) -> list[T]:
        """Call `fetch` for parts of the items, small enough for the endpoint to answer in time; return all results.

        For each `kind` of query, the size of parts that the endpoint can answer is remembered. `fetch_single` is called
        for a single item that takes too long; without `fetch_single`, an `EndpointError` is raised.
        """
        found: list[T] = []
        waiting = list(reversed(_slices(items, self._sizes.get(kind, len(items)))))
        while waiting:
            part = waiting.pop()
            try:
                found += fetch(part)
            except QueryTooLong as error:
                if len(part) > 1:
                    size = (len(part) + 1) // 2
                    with self._lock:
                        self._sizes[kind] = min(size, self._sizes.get(kind, size))
                    waiting.extend(reversed(_slices(part, size)))
                elif fetch_single is not None:
                    found += fetch_single(part)
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
