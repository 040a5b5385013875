"""A SPARQL endpoint as a source: items are queried in batches, which are halved if the endpoint cannot answer in time.

Every query lists the items or properties that it is about, which bounds its cost. After a batch has been halved, later
batches keep the smaller size. Several batches are queried at the same time, by threads that send queries and parse
answers. Only the caller's thread writes to the workspace, one batch after another, so that the result never depends on
the order in which answers arrive.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Protocol, TypeVar

from graphground.graphs.definitions.read import IDENTICAL, Node, selecting
from graphground.graphs.wikidata.endpoint import HINT, Binding, EndpointError, QueryTooLong
from graphground.graphs.wikidata.plan import Plan, Progress, Source, report_nothing
from graphground.graphs.wikidata.statements import (
    DAY,
    ENTITY,
    MONTH,
    NO_VALUE,
    NORMAL,
    RANKS,
    SOME_VALUE,
    TIME,
    YEAR,
    Statement,
    Value,
    Wanted,
    item_number,
    item_of,
    quantity,
    rdf_time,
    value_of_term,
)
from graphground.graphs.wikidata.workspace import Names, Workspace, names_in_texts, with_fallback

ITEMS_AT_ONCE, CLASSES_AT_ONCE, NAMES_AT_ONCE = 400, 200, 800
ENDINGS = "0123456789"
LONGEST_ENDING = 3
T = TypeVar("T")
K = TypeVar("K")
Job = tuple[tuple[str, str], Callable[[], list[int]]]
"""A label and the name of a task, with the function that returns the task's items."""


class Queries(Protocol):
    """What answers the queries of a source: an `Endpoint`, or the store of a dump."""

    url: str
    at_once: int

    def select(self, query: str) -> list[Binding]: ...
    def measure_row_limit(self) -> None: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...


class SparqlSource(Source):
    """A SPARQL endpoint as a source: `SparqlSource(Endpoint("http://localhost:7878/query"))`.

    With `is_truthy`, it holds only truthy triples, the best values of properties.
    """

    def __init__(self, endpoint: Queries, progress: Progress = report_nothing, *, is_truthy: bool = False) -> None:
        self.endpoint, self._progress, self._is_truthy = endpoint, progress, is_truthy
        self._sizes: dict[str, int] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(endpoint.at_once, thread_name_prefix="graphground-endpoint")
        self._types: dict[str, str] | None = None

    @property
    def identity(self) -> str:
        """The address of the endpoint."""
        return self.endpoint.url

    def check(self, plan: Plan) -> None:
        """Find out how many rows the endpoint returns at most, so that no answer is taken for complete that is cut.

        Raises:
            EndpointError: the endpoint cannot be used.
        """
        self.endpoint.measure_row_limit()

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
                if len(waiting) > 2 * self.endpoint.at_once:
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
        missing = [root for root in plan.roots if not workspace.is_done(f"classes Q{root}")]
        for root, found in self._at_once((root, partial(self._subclasses, root)) for root in missing):
            with workspace.doing(f"classes Q{root}"):
                workspace.add("classes", [(root, class_) for class_ in found])

    def _property_types(self, plan: Plan) -> dict[str, str]:
        """Return the datatypes of the properties whose values are converted, as far as the endpoint states them."""
        if self._types is None:
            self._types = {}
            with suppress(QueryTooLong):
                properties = " ".join(f"wd:{name}" for name in sorted(plan.in_full))
                query = (
                    f"SELECT * WHERE {{ VALUES ?property {{ {properties} }} ?property wikibase:propertyType ?type }}"
                )
                answer = self.endpoint.select(prefixed(query)) if properties else ()
                self._types = {last(found["property"]["value"]): found["type"]["value"] for found in answer}
        return self._types

    def _subclasses(self, root: int) -> set[int]:
        def direct_subclasses(classes: Sequence[int]) -> list[int]:
            return self._numbers("class", f"VALUES ?parent {{ {item_list(classes)} }} ?class wdt:P279 ?parent")

        try:
            return {root, *self._numbers("class", f"?class wdt:P279* wd:Q{root}")}
        except QueryTooLong:
            found, edge = {root}, [root]
            while edge:
                subclasses = {
                    subclass
                    for parents in _slices(edge, CLASSES_AT_ONCE)
                    for subclass in self._in_parts("classes", parents, direct_subclasses)
                }
                edge = sorted(subclasses - found)
                found |= subclasses
            return found

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Fetch the candidates of the labels, and their statements.

        Candidates are the members of classes and the start items of the relationships that select a label's items.
        """

        def jobs() -> Iterator[Job]:
            for label in labels:
                jobs_of = self._starts if plan.node(label).from_relationships else self._members
                yield from jobs_of(plan, label, workspace)

        for (label, task), found in self._at_once(jobs()):
            with workspace.doing(task):
                workspace.add("candidates", [(plan.number(label), item) for item in sorted(set(found))])
        self._statements(plan, labels, workspace)

    def _members(self, plan: Plan, label: str, workspace: Workspace) -> Iterator[Job]:
        """Yield a job for each slice of a label's classes, except slices that are done."""
        node = plan.node(label)
        classes = sorted(plan.classes(label, workspace))

        def fetch(part: Sequence[int], ending: str = "") -> list[int]:
            query = members_query(node, plan.class_property(label), part, ending)
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

    def _starts(self, plan: Plan, label: str, workspace: Workspace) -> Iterator[Job]:
        """Yield a job for the start items of the relationships that select a label's items, except what is done.

        The items at the ends of these relationships are nodes already.
        """
        for relationship, is_end in selecting(plan.definition, label):
            if is_end or relationship.wikidata == IDENTICAL:
                continue
            ranks = "best" if self._is_truthy else plan.definition.ranks(relationship)
            fetch = partial(self._subjects, relationship.wikidata, ranks)
            for ends in workspace.batches("nodes", plan.number(relationship.end), ITEMS_AT_ONCE):
                task = f"starts {label} {relationship} {ends[0]}-{ends[-1]}"
                if not workspace.is_done(task):
                    yield (label, task), partial(self._in_parts, "starts", ends, fetch)

    def _subjects(self, name: str, ranks: str, ends: Sequence[int]) -> list[int]:
        """Return the items that have one of the items `ends` as a value of a property, by statements of `ranks`."""
        pattern = f"?item wdt:{name} ?end"
        if ranks != "best":
            pattern = f"?item p:{name} ?s . ?s ps:{name} ?end "
            pattern += "FILTER NOT EXISTS { ?s wikibase:rank wikibase:DeprecatedRank }"
        return self._numbers("item", f"VALUES ?end {{ {item_list(ends)} }} {pattern}")

    def _numbers(self, variable: str, pattern: str) -> list[int]:
        return _numbers(self.endpoint.select(prefixed(f"SELECT DISTINCT ?{variable} WHERE {{ {pattern} }}")), variable)

    def _statements(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        totals = {label: workspace.count("candidates", plan.number(label)) for label in labels}
        done = dict.fromkeys(labels, 0)

        def jobs() -> Iterator[tuple[tuple[str, str, int], Callable[[], Fetched]]]:
            for label in labels:
                properties = plan.wanted(label, are_selected=self.selects(plan, label))
                if not totals[label] or not properties:
                    continue
                query = StatementQuery(plan, properties, self._property_types(plan), is_truthy=self._is_truthy)
                for items in workspace.batches("candidates", plan.number(label), ITEMS_AT_ONCE):
                    task = f"statements {label} {items[0]}-{items[-1]}"
                    if workspace.is_done(task):
                        done[label] += len(items)
                    else:
                        yield (label, task, len(items)), partial(self._fetched, query, items)

        for (label, task, count), fetched in self._at_once(jobs()):
            with workspace.doing(task):
                workspace.add_statements(fetched.rows)
                workspace.add("redirects", sorted(fetched.merged.items()))
            done[label] += count
            self._progress(f"{label}: statements", done[label], totals[label])

    def _fetched(self, query: StatementQuery, items: Sequence[int]) -> Fetched:
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
                workspace.add("redirects", sorted(merged.items()))
            done += count
            self._progress("names", done, None)

    def _named(
        self, languages: Sequence[str], wikipedia: str | None, items: Sequence[int]
    ) -> tuple[dict[int, Names], dict[int, int]]:
        """Fetch the names of items, and of the items into which items without a name were merged.

        Return the names by item, and the merged items with their targets.
        """

        def fetch(part: Sequence[int]) -> list[tuple[int, Names, int | None]]:
            texts: dict[int, defaultdict[str, defaultdict[str, list[str]]]] = {
                item: defaultdict(lambda: defaultdict(list)) for item in part
            }
            targets: dict[int, int | None] = {}
            numbers = {f"{ENTITY}Q{item}": item for item in part}
            for found in self.endpoint.select(names_query(part, with_fallback(languages), wikipedia)):
                number = numbers.get(found.pop("item")["value"])
                if number is None:
                    continue
                for kind, term in found.items():
                    if kind == "same":
                        targets[number] = item_number(item_of(term["value"]) or "")
                    else:
                        texts[number][kind][term.get("xml:lang", "")].append(term["value"])
            return [(item, names_in_texts(its, languages), targets.get(item)) for item, its in texts.items()]

        found, merged = {}, {}
        for item, names, target in self._in_parts("names", items, fetch):
            found[item] = names
            if names.name is None and target is not None:
                merged[item] = target
        for item, names, _ in self._in_parts("names", sorted(set(merged.values()) - found.keys()), fetch):
            found[item] = names
        return found, merged

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


def _slices(items: Sequence[int], size: int) -> list[Sequence[int]]:
    return [items[start : start + size] for start in range(0, len(items), max(size, 1))]


def _numbers(answer: Sequence[Binding], variable: str) -> list[int]:
    items = (item_of(found[variable]["value"]) or "" for found in answer if variable in found)
    return [number for item in items if (number := item_number(item)) is not None]


PREFIXES = {
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "pqv": "http://www.wikidata.org/prop/qualifier/value/",
    "wikibase": "http://wikiba.se/ontology#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "bd": "http://www.bigdata.com/rdf#",
}


_PROLOGUE = "".join(f"PREFIX {name}: <{address}>\n" for name, address in PREFIXES.items())


def prefixed(body: str) -> str:
    """Return a query with the declarations of all prefixes in front."""
    return _PROLOGUE + body


def item_list(numbers: Iterable[int]) -> str:
    """Return items for a VALUES clause: `item_list([42])` is `"wd:Q42"`."""
    return " ".join(f"wd:Q{number}" for number in numbers)


def members_query(node: Node, class_property: str, classes: Sequence[int], ending: str = "") -> str:
    """Return the query for those members of some classes that satisfy the other conditions of a label.

    An item is a member of a class if the class is a value of its property `class_property`. If `ending` is not empty,
    only items whose number ends with these digits are returned.
    """
    conditions = [f"?item wdt:{link.property} wd:{link.item} ." for link in node.linked_to]
    conditions += [f"?item wdt:{name} [] ." for name in node.has_property]
    if node.sparql:
        pattern = node.sparql.strip()
        conditions.append(pattern if pattern.endswith((".", "}")) else f"{pattern} .")
    if ending:
        conditions.append(f'FILTER(STRENDS(STR(?item), "{ending}"))')
    return prefixed(
        f"SELECT DISTINCT ?item WHERE {{ VALUES ?class {{ {item_list(classes)} }} "
        f"?item wdt:{class_property} ?class . {' '.join(conditions)} }}"
    )


def names_query(items: Sequence[int], languages: Sequence[str], wikipedia: str | None) -> str:
    """Return the query for names of items in some languages, and for the items into which the items were merged.

    With `wikipedia`, a language code such as `en`, the query also returns descriptions, aliases and the articles in
    this Wikipedia. Each row has a value for ?item and for one other variable, whose name is the kind of the value.

    The Wikipedia is compared in a filter: otherwise a planner may first read all its articles, and compare each article
    with every item.
    """
    codes = ", ".join(f'"{language}"' for language in languages)
    texts = {"label": "rdfs:label"}
    if wikipedia is not None:
        texts |= {"alias": "skos:altLabel", "description": "schema:description"}
    branches = {
        kind: f"?item {predicate} ?{kind} FILTER(LANG(?{kind}) IN ({codes}))" for kind, predicate in texts.items()
    }
    if wikipedia is not None:
        site = f"<https://{wikipedia}.wikipedia.org/>"
        branches["article"] = f"?article schema:about ?item ; schema:isPartOf ?site FILTER(?site = {site})"
    branches["same"] = "?item owl:sameAs ?same"
    variables = " ".join(f"?{kind}" for kind in branches)
    return prefixed(
        f"SELECT ?item {variables} WHERE {{\n    VALUES ?item {{ {item_list(items)} }}\n    "
        + "\n    UNION ".join(f"{{ {pattern} }}" for pattern in branches.values())
        + "\n}"
    )


def last(address: str) -> str:
    """Return the last part of an address: `last("http://www.wikidata.org/prop/P57")` is `"P57"`."""
    return address.rpartition("/")[2]


def truthy_value(term: Mapping[str, Any]) -> Value:
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
    """The parts of a statement of an item and a property, in whatever order the rows of an answer give them.

    Values are kept under the name of their qualifier, or under an empty name: those with a unit or a precision, and
    simple values.
    """

    item: int
    name: str
    rank: int = NORMAL
    values: defaultdict[str, tuple[list[Value], list[Value]]] = field(
        default_factory=lambda: defaultdict(lambda: ([], []))
    )

    def statement(self, identifier: str) -> Statement:
        """Return the statement."""
        value, *_ = [*values_of(*self.values.pop("", ([], []))), (NO_VALUE,)]
        qualifiers = {name: values_of(*self.values[name]) for name in sorted(self.values)}
        return Statement(self.rank, value, qualifiers, identifier)


ONTOLOGY = PREFIXES["wikibase"]
QUANTITY_TYPE, TIME_TYPE = ONTOLOGY + "Quantity", ONTOLOGY + "Time"
BEST, RANK, VALUE, AMOUNT, MOMENT = range(5)
_DETAILS = {
    AMOUNT: ("quantityAmount", "quantityUnit", QUANTITY_TYPE),
    MOMENT: ("timeValue", "timePrecision", TIME_TYPE),
}
StatementRow = tuple[int, str, list[Statement]]


class Column(NamedTuple):
    """The meaning of a variable: `Column(MOMENT, "P39", "P580", "w3")` is the time of a qualifier of P39.

    The precision of the time is the value of the variable `?w3`.
    """

    kind: int
    name: str
    qualifier: str = ""
    second: str = ""
    """The name of the variable with the unit or the precision; empty if there is none."""


@dataclass(slots=True)
class Fetched:
    """Statements by item and property, and merged items with the items into which they were merged."""

    rows: list[StatementRow]
    merged: dict[int, int]


class StatementQuery:
    """The query for the properties of items; `types` are the datatypes of properties, as far as they are known.

    A property with a known datatype has branches only for values of that type. With `is_truthy`, the best values are
    read from truthy triples alone.
    """

    def __init__(self, plan: Plan, wanted: Wanted, types: Mapping[str, str], *, is_truthy: bool = False) -> None:
        self._plan, self._types = plan, types
        self._best_value = truthy_value if is_truthy else value_of_term
        self._columns: dict[str, Column] = {}
        self._branches = ["{ ?item owl:sameAs ?same }"]
        for name, qualifiers in wanted.items():
            if is_truthy or (name not in plan.as_statements and not self._has_details(name)):
                self._add(Column(BEST, name), f"?item wdt:{name} ?{{}}")
                continue
            begin = f"?item p:{name} ?s . ?s "
            # Most ranks are normal, so only the other ranks are returned.
            self._add(Column(RANK, name), f"{begin}wikibase:rank ?{{0}} FILTER(?{{0}} != wikibase:NormalRank)")
            self._values(begin, name, "", "ps")
            for qualifier in sorted(qualifiers):
                self._values(begin, name, qualifier, "pq")
        variables = " ".join(
            f"?{name} ?{column.second}" if column.second else f"?{name}" for name, column in self._columns.items()
        )
        self._beginning = prefixed(f"SELECT ?item ?same ?s {variables} WHERE {{\n    VALUES ?item {{ ")
        self._end = " }\n    " + "\n    UNION ".join(self._branches) + "\n}"

    def _values(self, begin: str, name: str, qualifier: str, prefix: str) -> None:
        """Add the branches for the values of a property, or of its qualifier if `qualifier` is not empty."""
        read = qualifier or name
        has_details = self._has_details(read)
        only_unknown = has_details and read in self._types
        self._add(
            Column(VALUE, name, qualifier),
            f"{begin}{prefix}:{read} ?{{0}}" + (" FILTER(!isLiteral(?{0}))" if only_unknown else ""),
        )
        if not has_details:
            return
        for kind, (first, second, type_) in _DETAILS.items():
            if self._types.get(read, type_) == type_:
                self._add(
                    Column(kind, name, qualifier, f"w{len(self._columns)}"),
                    f"{begin}{prefix}v:{read} ?n . ?n wikibase:{first} ?{{0}} ; wikibase:{second} ?w{len(self._columns)}",
                )

    def _has_details(self, name: str) -> bool:
        """Whether a property's values are converted and may have a unit or a precision."""
        return name in self._plan.in_full and self._types.get(name) in (None, QUANTITY_TYPE, TIME_TYPE)

    def _add(self, column: Column, pattern: str) -> None:
        variable = f"v{len(self._columns)}"
        self._columns[variable] = column
        self._branches.append(f"{{ {pattern.format(variable)} }}")

    def text(self, items: Sequence[int]) -> str:
        """Return the text of the query for some items."""
        return self._beginning + item_list(items) + self._end

    def read(self, answer: Iterable[Binding]) -> Fetched:
        """Return the statements in an answer, sorted by item and property, and the merged items."""
        best: defaultdict[tuple[int, str], list[Value]] = defaultdict(list)
        parts_by_key: dict[str, StatementParts] = {}
        merged: dict[int, int] = {}
        numbers: dict[str, int | None] = {}
        for found in answer:
            address = found["item"]["value"]
            if address not in numbers:
                numbers[address] = item_number(last(address))
            item = numbers[address]
            if item is None:
                continue
            for variable, term in found.items():
                column = self._columns.get(variable)
                if column is not None:
                    if column.kind == BEST:
                        best[item, column.name].append(self._best_value(term))
                    else:
                        key = last(found["s"]["value"])
                        if key not in parts_by_key:
                            parts_by_key[key] = StatementParts(item, column.name)
                        _add_part(parts_by_key[key], column, found, variable)
                elif variable == "same" and (target := item_number(last(term["value"]))) is not None:
                    merged[item] = target
        rows = defaultdict[tuple[int, str], list[Statement]](list)
        for place, values in best.items():
            rows[place] = [Statement(NORMAL, value) for value in values_of((), values)]
        for key, parts in sorted(parts_by_key.items(), key=lambda entry: entry[0].upper()):
            rows[parts.item, parts.name].append(parts.statement(key))
        return Fetched([(*place, rows[place]) for place in sorted(rows)], merged)


def _add_part(parts: StatementParts, column: Column, found: Binding, variable: str) -> None:
    text = found[variable]["value"]
    if column.kind == RANK:
        parts.rank = RANKS.get(text.rpartition("#")[2], NORMAL)  # http://wikiba.se/ontology#PreferredRank
        return
    full, simple = parts.values[column.qualifier]
    if column.kind == VALUE:
        simple.append(value_of_term(found[variable]))
    elif column.kind == AMOUNT:
        full.append(quantity(text, found[column.second]["value"]))
    else:
        full.append(rdf_time(text, int(float(found[column.second]["value"]))))
