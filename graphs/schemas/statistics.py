"""The statistics of a graph's data: a few limited queries for each label, type, pattern and property.

Counts of nodes and patterns come with the schema, which takes them from the count store if there is one. The number of
nodes that have a property is counted over all nodes if there are at most `MOST_FILL`. That takes seconds in a large
database, so brief statistics count it in a sample, which is marked with `counted=False`. More expensive figures
(distinct values, reverse relationships) are computed from the first `SAMPLED` nodes if there are more than `WHOLE`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from graphground.cypher.quoting import nodes, property_of, relationships
from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern, grouped
from graphground.cypher.text_values import find_placeholders
from graphground.graphs.engines.client_context import BackgroundWork
from graphground.graphs.engines.engine import Engine, EngineError, QueryCancelled, QueryRunner
from graphground.graphs.schemas.extraction.findings import AT_ONCE, Findings, Steps
from graphground.graphs.storage.home import replacing

if TYPE_CHECKING:
    from pydantic import TypeAdapter


VERSION = 6
"""The version of the file format, which this module alone writes and reads."""
NAME = "statistics.json"
"""The name of the statistics file in the folder of a loaded graph."""
MIRRORED = 0.95
"""The least share of a type's relationships that another type has in the opposite direction, to be its mirror."""
MOSTLY_SYMMETRIC = 0.66
"""The share of relationships that must exist in both directions for a pattern to count as symmetric."""
FEWEST_FOR_SYMMETRY = 10
"""The minimum number of relationships for which the share of symmetric relationships is meaningful."""


@dataclass(frozen=True, slots=True)
class PropertyStatistics:
    """The values of one property: `PropertyStatistics(count=3373, of=3373, distinct=3340, least="12 Angry Men", …)`.

    Attributes:
        count: nodes or relationships that have a value (not null).
        of: nodes or relationships that were read; `count / of` is the fill.
        distinct: the number of distinct values; None if unknown.
        repeated: nodes or relationships that share their value with another; None if unknown.
        least, greatest: the extremes in the order of their type; None for lists and for mixed types.
        placeholders: texts that stand for a missing value, such as `N/A` among dates, with their counts: null tests and
            counts treat them as values. The counts come from a sample unless `exact`.
        common: the most frequent values with their counts, the most frequent first; lists are counted as a whole.
        exact: whether everything was read; otherwise `distinct` and the figures after it come from a sample.
        counted: whether `count` and `of` cover all nodes or relationships. If they cover only a sample, they prove
            neither that a property is empty nor that every node has it.
    """

    count: int
    of: int
    distinct: int | None = None
    repeated: int | None = None
    least: Any = None
    greatest: Any = None
    common: tuple[tuple[Any, int], ...] = ()
    exact: bool = True
    counted: bool = True
    placeholders: tuple[tuple[str, int], ...] = ()

    @property
    def fill(self) -> float:
        """The share of nodes or relationships that have a value, from 0 to 1; 0 if nothing was read."""
        return self.count / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class LabelStatistics:
    """The nodes of one label: `LabelStatistics("Country", 195, {"founding_date": PropertyStatistics(0, 195)}, "name")`.

    `naming` is the property that names the nodes, or None if unknown.
    """

    label: str
    nodes: int
    properties: Mapping[str, PropertyStatistics] = field(default_factory=dict)
    naming: str | None = None


@dataclass(frozen=True, slots=True)
class TypeStatistics:
    """All relationships of one type, between any labels.

    `mirror` is a type that has these relationships, and more, in the opposite direction: `SIGNED_BY` of `SIGNED`.
    `twin` is a type of the opposite direction that, where a node has both, leads to the same nodes: then both say one
    fact, each of some nodes.
    """

    type: str
    relationships: int
    properties: Mapping[str, PropertyStatistics] = field(default_factory=dict)
    mirror: str | None = None
    twin: str | None = None


@dataclass(frozen=True, slots=True)
class PatternStatistics:
    """One pattern: `PatternStatistics("borders", "Country", "Country", 640, both_ways=0.98)`.

    Attributes:
        relationships: the number of relationships.
        both_ways: the share of relationships, other than loops, whose reverse exists too; None if unknown, or if the
            labels at the ends differ.
        exact: whether `both_ways` comes from all relationships.
    """

    type: str
    start: str
    end: str
    relationships: int
    both_ways: float | None = None
    exact: bool = True

    @property
    def symmetric(self) -> bool:
        """Whether the data show that the relationships exist in both directions."""
        return (
            self.both_ways is not None
            and self.both_ways >= MOSTLY_SYMMETRIC
            and self.relationships >= FEWEST_FOR_SYMMETRY
        )


@dataclass(frozen=True)
class Statistics:
    """The statistics of one graph; labels and patterns without data are included with counts of zero.

    >>> facts = graph.statistics()
    >>> facts.nodes("Country"), facts.fill("Country", "founding_date"), facts.namesakes("Person")
    (195, 0.0, 12)

    Every lookup returns None for an unknown figure and never guesses; 0 means that the count is zero.
    `complete` is False if something could not be read; `mark` identifies the state of the database that was read.
    `provisional` is True while some properties have been counted only in a sample and are still being counted exactly.
    """

    labels: Mapping[str, LabelStatistics] = field(default_factory=dict)
    types: Mapping[str, TypeStatistics] = field(default_factory=dict)
    patterns: tuple[PatternStatistics, ...] = ()
    complete: bool = True
    mark: str | None = None
    seconds: float = 0.0
    """The time that reading took, in seconds."""
    provisional: bool = False

    def nodes(self, label: str) -> int | None:
        """Return the number of nodes with the label; None if unknown."""
        known = self.labels.get(label)
        return known.nodes if known is not None else None

    def relationships(self, type_: str, start: str | None = None, end: str | None = None) -> int | None:
        """Return the number of relationships of a type; None if unknown.

        With `start` and `end`, only relationships from a node labelled `start` to a node labelled `end` are counted.
        With one of them, a relationship whose other end has several labels is counted once for each of these labels.
        """
        if start is None and end is None:
            known = self.types.get(type_)
            return known.relationships if known is not None else None
        found = self.matching(type_, start, end)
        return sum(pattern.relationships for pattern in found) if found else None

    def matching(self, type_: str, start: str | None = None, end: str | None = None) -> tuple[PatternStatistics, ...]:
        """Return the statistics of the patterns of a type with these start and end labels; None allows any label."""
        return tuple(
            pattern
            for pattern in self._by_type.get(type_, ())
            if start in (None, pattern.start) and end in (None, pattern.end)
        )

    def pattern(self, type_: str, start: str, end: str) -> PatternStatistics | None:
        """Return the statistics of the pattern with exactly these names; None if unknown."""
        return next(iter(self.matching(type_, start, end)), None)

    def property(self, owner: str, key: str) -> PropertyStatistics | None:
        """Return the statistics of a property of a label or relationship type; None if unknown."""
        known = self.labels.get(owner) or self.types.get(owner)
        return known.properties.get(key) if known is not None else None

    def fill(self, owner: str, key: str) -> float | None:
        """Return the share of nodes of a label, or relationships of a type, that have the property; None if unknown."""
        known = self.property(owner, key)
        return known.fill if known is not None else None

    def mirror(self, type_: str) -> str | None:
        """Return the type that says the same, and more, in the opposite direction; None if there is none."""
        known = self.types.get(type_)
        return known.mirror if known is not None else None

    def twin(self, type_: str) -> str | None:
        """Return the type that says the same fact of other nodes in the opposite direction; None if there is none."""
        known = self.types.get(type_)
        other = self.types.get(known.twin) if known is not None and known.twin else None
        return other.type if other is not None and other.twin == type_ else None

    def namesakes(self, label: str) -> int | None:
        """Return the number of nodes of a label that share their name with another; None if unknown."""
        known = self.labels.get(label)
        values = known.properties.get(known.naming) if known is not None and known.naming else None
        return values.repeated if values is not None else None

    def symmetric(self, type_: str, label: str) -> bool:
        """Whether the data show that the relationships between nodes of a label exist in both directions."""
        known = self.pattern(type_, label, label)
        return known is not None and known.symmetric

    def leads_both_ways(self, type_: str) -> bool:
        """Whether most relationships of a type between nodes of one label exist in both directions, as `spouse`."""
        known = [pattern for pattern in self.matching(type_) if pattern.both_ways is not None]
        both = sum(pattern.relationships * (pattern.both_ways or 0.0) for pattern in known)
        return both > 0 and both >= MOSTLY_SYMMETRIC * sum(pattern.relationships for pattern in known)

    @cached_property
    def _by_type(self) -> Mapping[str, tuple[PatternStatistics, ...]]:
        return {group[0].type: tuple(group) for group in grouped(self.patterns, lambda pattern: pattern.type)}


def write_statistics(path: Path, facts: Statistics) -> None:
    """Store statistics, replacing older ones; only the file's owner can read them, since they contain data values."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, private=True) as file:
        file.write(orjson.dumps({"version": VERSION, "statistics": facts}, default=str))


def read_statistics(path: Path) -> Statistics | None:
    """Read the stored statistics; None if there are none that this version can read."""
    try:
        document = orjson.loads(path.read_bytes())
        if document["version"] != VERSION:
            return None
        return _statistics_form().validate_python(document["statistics"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


@cache
def _statistics_form() -> TypeAdapter[Statistics]:
    from pydantic import TypeAdapter  # imported on first use, like all of pydantic

    return TypeAdapter(Statistics)


WHOLE, SAMPLED = 50_000, 10_000
"""Up to `WHOLE` nodes or relationships are all read; if there are more, only the first `SAMPLED` are read."""
MOST_FILL = 3_000_000
"""The number of nodes above which fill is computed only from a sample."""
RARE = 10
"""The limit for rare properties: fewer than one in `RARE` nodes of a sample have such a property. The values of
such a property are read only when all nodes are counted."""
MOST_PROPERTIES = 60
MOST_ITEMS, MOST_COMMON, MOST_FREQUENT, LONGEST_VALUE = 5, 20, 40, 80
LEFT_OUT = frozenset({"provenance", "eid", "aliases", "description"})
"""Properties that loading adds to every node, for which no statistics are computed."""
NO_RANGE = ("list[", "unknown", "point", "|")
STEP_SECONDS, TOTAL_SECONDS = 10.0, 120.0


def query_statistics(
    engine: QueryRunner,
    schema: PropertyGraphSchema,
    *,
    mark: str | None = None,
    whole: int = WHOLE,
    brief: bool = False,
) -> Statistics:
    """Compute the statistics of all elements of a schema; parts that cannot be read are left out.

    If `brief`, the values of a property are counted in a sample of more than `whole` nodes or relationships; the
    statistics are then provisional. Otherwise one query runs at a time, so that counting millions of values leaves
    a core to the queries of clients, within twice the time. `mark` identifies the state of the database.

    >>> query_statistics(engine, schema).fill("Movie", "tagline")
    0.68
    """
    begin = time.monotonic()
    at_once = AT_ONCE if brief else 1
    steps = Steps(engine, Findings(), STEP_SECONDS, TOTAL_SECONDS * AT_ONCE / at_once, at_once)
    return Reading(steps, schema, whole, brief).statistics(mark, begin)


def shown(value: Any) -> Any:
    """Return a value in the stored form: long text and long lists shortened."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
    return [shown(item) for item in value[:MOST_ITEMS]] if isinstance(value, list) else value


class Reading:
    """One computation of the statistics; call `statistics`."""

    def __init__(self, steps: Steps, schema: PropertyGraphSchema, whole: int, brief: bool = False) -> None:
        self._steps, self._schema, self._whole, self._brief = steps, schema, whole, brief
        self._labels: dict[str, LabelStatistics] = {}
        self._types: dict[str, TypeStatistics] = {}

    def statistics(self, mark: str | None, begin: float) -> Statistics:
        """Compute the statistics of labels, types and patterns."""
        found: dict[int, PatternStatistics] = {}
        self._steps.each(
            [partial(self._label, label) for label in self._schema.labels.values()]
            + [partial(self._type, type_) for type_ in self._schema.relationship_types]
            + [partial(self._pattern, number, pattern, found) for number, pattern in enumerate(self._schema.patterns)]
        )
        self._steps.each([partial(self._mirror, type_) for type_ in self._types])
        labels = {name: self._labels[name] for name in self._schema.labels if name in self._labels}
        types = {name: self._types[name] for name in self._schema.relationship_types if name in self._types}
        values = [its.properties for its in labels.values()] + [its.properties for its in types.values()]
        return Statistics(
            labels,
            types,
            tuple(found[number] for number in sorted(found)),
            not self._steps.findings.problems,
            mark,
            time.monotonic() - begin,
            self._brief and not all(its.counted for properties in values for its in properties.values()),
        )

    def _label(self, label: Label) -> None:
        match = nodes(label.name).match()
        count = label.count if label.count is not None else self._count(label.name, f"{match} RETURN count(n) AS c")
        if count is None:
            return
        left_out = LEFT_OUT & label.reserved
        keys = {key: type_ for key, type_ in label.properties.items() if key not in left_out}
        values = self._values(label.name, match, keys, count, label.filled)
        self._labels[label.name] = LabelStatistics(label.name, count, values, label.name_property)

    def _type(self, type_: str) -> None:
        patterns = self._schema.relationship_types[type_]
        match = relationships(type_, variable="n").match()
        known = [pattern.count for pattern in patterns]
        several = bool(self._schema.label_combinations)
        count = None if None in known or several else sum(count or 0 for count in known)
        if count is None:
            count = self._count(type_, f"{match} RETURN count(n) AS c")
        if count is not None:
            filled = frozenset.intersection(*(pattern.filled for pattern in patterns))
            keys = self._schema.relationship_properties[type_]
            values = self._values(type_, match, keys, count, filled)
            self._types[type_] = TypeStatistics(type_, count, values)

    def _mirror(self, type_: str) -> None:
        """Find the types that say in the opposite direction what this type says: the mirror and the twin."""
        ends = {(pattern.end, pattern.start) for pattern in self._schema.relationship_types[type_]}
        count = self._types[type_].relationships
        others = sorted({its.type for its in self._schema.patterns if (its.start, its.end) in ends} & {*self._types})
        others = [other for other in others if other != type_]
        if not others or count < FEWEST_FOR_SYMMETRY:
            return
        match = f"{relationships(type_).match()} WITH a, b LIMIT {SAMPLED}"
        # First the types that lead back between the same nodes: a graph with few labels may have a hundred to test.
        back = self._steps.rows(
            f"opposites of {type_}",
            f"{match} MATCH (b)-[x]->(a) WITH a, b, type(x) AS other, count(*) AS number RETURN other, count(*) AS pairs",
        )
        often = {other for other, pairs in back or () if pairs >= FEWEST_FOR_SYMMETRY}
        others = [other for other in others if other in often]
        columns = []
        for other in others:
            for end in (("b", "a"), ("b", ""), ("", "a")):
                opposite = relationships(other, variable="x", ends=end).inside()
                columns.append(f"count(CASE WHEN EXISTS {{ {opposite} }} THEN 1 END)")
        if not columns:
            return
        rows = self._steps.rows(f"mirrors of {type_}", f"{match} RETURN count(*), {', '.join(columns)}")
        if not rows:
            return
        of, figures = rows[0][0], list(zip(others, *(rows[0][1 + place :: 3] for place in range(3)), strict=True))
        mirrors = [
            other for other, both, _, _ in figures if both >= MIRRORED * of and self._types[other].relationships > count
        ]
        # A case with a presiding judge was heard by others too: nodes with both types would have other neighbours.
        twins = [
            other
            for other, both, at_end, at_start in figures
            if both >= FEWEST_FOR_SYMMETRY and both >= MIRRORED * min(at_end, at_start)
        ]
        self._types[type_] = replace(
            self._types[type_],
            mirror=mirrors[0] if len(mirrors) == 1 else None,
            twin=twins[0] if len(twins) == 1 else None,
        )

    def _count(self, step: str, query: str) -> int | None:
        rows = self._steps.rows(step, query)
        return int(rows[0][0]) if rows else None

    def _values(
        self, owner: str, match: str, types: Mapping[str, str], count: int, known_filled: frozenset[str]
    ) -> dict[str, PropertyStatistics]:
        """Return the statistics of properties: how many nodes or relationships have a value, and the values' details.

        The properties in `known_filled`, which all nodes or relationships have, are not counted again. The result is
        empty if the values cannot be counted.
        """
        keys = list(types)[:MOST_PROPERTIES]
        if not keys or not count:
            return {key: PropertyStatistics(0, 0, distinct=0, repeated=0) for key in keys}
        found = {key: PropertyStatistics(count, count, exact=False) for key in keys}
        if counted := [key for key in keys if key not in known_filled]:
            sampled = count > MOST_FILL or (self._brief and count > self._whole)
            filled = self._fill(owner, match, counted, sampled=sampled)
            if filled is None:
                return {}
            found |= filled
        # A sample shows the typical values only of properties that enough of its nodes have.
        frequent = {key for key, its in found.items() if its.counted or its.count * RARE >= its.of}
        if some := [key for key in keys if found[key].count and key in frequent]:
            self._details(owner, match, types, some, found, count)
        return found

    def _fill(
        self, owner: str, match: str, keys: Sequence[str], *, sampled: bool = False
    ) -> dict[str, PropertyStatistics] | None:
        """Return how many nodes or relationships have each property; None if the query fails.

        With `sampled`, only the first `SAMPLED` nodes or relationships are counted.
        """
        bound = f" WITH n LIMIT {SAMPLED}" if sampled else ""
        columns = ", ".join(f"count({property_of('n', key)}) AS c{place}" for place, key in enumerate(keys))
        rows = self._steps.rows(f"fill of {owner}", f"{match}{bound} RETURN {columns}, count(*) AS total")
        if not rows:
            return None
        *filled, total = rows[0]
        return {
            key: PropertyStatistics(number, total, exact=False, counted=not sampled)
            if number or sampled
            else PropertyStatistics(0, total, distinct=0, repeated=0)
            for key, number in zip(keys, filled, strict=True)
        }

    def _details(
        self,
        owner: str,
        match: str,
        types: Mapping[str, str],
        keys: Sequence[str],
        found: dict[str, PropertyStatistics],
        count: int,
    ) -> None:
        """Add to `found` the details of values, computed from all values or from the first `SAMPLED`.

        These are the numbers of distinct and repeated values, the extremes and the most common values.
        """
        for key in keys:
            value = property_of("n", key)
            bound = "" if count <= self._whole else f" LIMIT {SAMPLED}"
            ranged = not any(part in types[key] for part in NO_RANGE)
            some = f"{match} WHERE {value} IS NOT NULL WITH {value} AS v{bound}"
            if not found[key].counted:  # the first nodes, not the first values, which may be far between
                some = f"{match} WITH n{bound} WHERE {value} IS NOT NULL WITH {value} AS v"
            grouped = f"{some} WITH v, count(*) AS c "
            rows = self._steps.rows(
                f"values of {owner}.{key}",
                f"{grouped}RETURN count(*) AS different, sum(CASE WHEN c > 1 THEN c ELSE 0 END) AS repeated, "
                + ("min(v) AS least, max(v) AS greatest" if ranged else "null AS least, null AS greatest"),
            )
            if not rows:
                continue
            different, repeated, least, greatest = rows[0]
            common = None
            if repeated:
                common = self._steps.rows(
                    f"common values of {owner}.{key}", f"{grouped}RETURN v, c ORDER BY c DESC LIMIT {MOST_FREQUENT}"
                )
            frequent = common or []
            missing: list[str] = []
            if "str" in types[key] and "list[" not in types[key]:
                missing = find_placeholders(
                    [(value, times) for value, times in frequent], found[key].count if not bound else 0, different
                )
            found[key] = replace(
                found[key],
                distinct=different,
                repeated=repeated,
                least=shown(least),
                greatest=shown(greatest),
                common=tuple((shown(value), times) for value, times in frequent[:MOST_COMMON] if times > 1),
                placeholders=tuple((value, times) for value, times in frequent if value in missing),
                exact=not bound and found[key].count <= self._whole,
            )

    def _pattern(self, number: int, pattern: RelationshipPattern, found: dict[int, PatternStatistics]) -> None:
        start, type_, end = pattern.start, pattern.type, pattern.end
        match = relationships(type_, start, end).match()
        count = pattern.count
        if count is None or self._schema.label_combinations:
            count = self._count(str(pattern), f"{match} RETURN count(r) AS c")
        if count is None:
            return
        both_ways = None
        bound = "" if count <= self._whole else f" LIMIT {SAMPLED}"
        if pattern.start == pattern.end and count:
            opposite = relationships(type_, variable="x", ends=("b", "a")).inside()
            rows = self._steps.rows(
                f"opposites of {pattern}",
                f"{match} WITH a, b{bound} RETURN count(*) AS c, count(CASE WHEN a = b THEN 1 END) AS loops, "
                f"count(CASE WHEN a <> b AND EXISTS {{ {opposite} }} THEN 1 END) AS back",
            )
            if rows:
                seen, loops, back = rows[0]
                both_ways = round(back / (seen - loops), 4) if seen > loops else 0.0
        found[number] = PatternStatistics(type_, start, end, count, both_ways, not bound)


MOST_SHARE = 0.05
"""The largest share of the time that may be spent recomputing statistics of a continuously changing database."""
RETRY_SECONDS = 60.0
logger = logging.getLogger(__name__)


class LiveStatistics(BackgroundWork):
    """The statistics of one graph: `LiveStatistics("films", engine, lambda: (schema, None), path).now()`.

    `mark` returns a value that changes with the data, or None for data that never change. `complete` returns the
    complete schema, waiting for it if necessary, and the mark of the data when that schema was read. Statistics with an
    outdated mark are computed again in the background. Only `wait` and `stop` block.
    """

    def __init__(
        self,
        name: str,
        engine: Engine,
        complete: Callable[[], tuple[PropertyGraphSchema, str | None]],
        path: Path,
        mark: Callable[[], str | None] = lambda: None,
    ) -> None:
        super().__init__()
        self._name, self._engine, self._complete, self._path, self._mark = name, engine, complete, path, mark
        self._facts: Statistics | None = None
        self._opened = False
        self._earliest = 0.0
        self._lock = threading.Lock()

    def now(self, *, fresh: bool = False) -> Statistics | None:
        """Return the available statistics, which may be provisional; None if there are none.

        With `fresh`, the result is also None if the statistics are outdated. Missing, provisional and outdated
        statistics are computed in the background, but not again shortly after the last computation.
        """
        if not self._opened:
            with self._lock:
                self._facts = self._facts or read_statistics(self._path)
                self._opened = True
        if self.stale:
            self._begin()
            return None if fresh else self._facts
        if self._facts is not None and self._facts.provisional:
            self._begin()  # unless the counting still runs
        return self._facts

    @property
    def stale(self) -> bool:
        """Whether there are no statistics yet, or the database is known to have changed since they were computed."""
        if self._facts is None:
            return True
        mark = self._mark()
        return mark is not None and mark != self._facts.mark

    def wait(self, seconds: float) -> Statistics | None:
        """Return the statistics after waiting up to `seconds` for a running computation; None if there are none yet.

        A check that seems to find a mistake uses this method, as commands and tests do.
        """
        facts = self.now(fresh=True)
        if facts is None or facts.provisional:
            self._wait(seconds)
            facts = self._facts
        return facts

    def _begin(self) -> None:
        if time.monotonic() >= self._earliest:
            self._start(f"statistics of {self._name}", self._read)

    def _read(self) -> None:
        try:
            schema, mark = self._complete()
            begin = time.monotonic()
            facts = self._facts
            if facts is None or self.stale:
                facts = query_statistics(self._engine, schema, mark=mark, brief=True)
            if facts.provisional:
                if not self._cancellation.cancelled and self.stale:
                    self._facts = facts  # used until the complete statistics are read
                facts = query_statistics(self._engine, schema, mark=mark)
        except QueryCancelled:
            return  # the graph is being closed
        except Exception as error:  # a database or a proxy may return rows of an unexpected form
            self._earliest = time.monotonic() + RETRY_SECONDS
            if not self._cancellation.cancelled:
                known = isinstance(error, (EngineError, OSError))
                reason = error if known else f"the database returned an unreadable answer: {type(error).__name__}"
                logger.warning("the statistics of %s could not be read: %s", self._name, reason)
            return
        if self._cancellation.cancelled:
            return
        self._facts = facts
        self._earliest = time.monotonic() + (time.monotonic() - begin) / MOST_SHARE
        try:
            write_statistics(self._path, facts)
        except OSError as error:
            logger.warning("the statistics of %s could not be stored: %s", self._name, error)
