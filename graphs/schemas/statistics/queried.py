"""Computes the statistics of a database, by a few limited queries for each label, type, pattern and property.

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
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from graphground.cypher.quoting import nodes, property_of, relationships
from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.cypher.text_values import find_placeholders
from graphground.graphs.engines.client_context import CANCELLATION, Cancellation
from graphground.graphs.engines.engine import Engine, EngineError, QueryCancelled, QueryRunner
from graphground.graphs.schemas.extraction.findings import Findings, Steps
from graphground.graphs.schemas.statistics.model import (
    LabelStatistics,
    PatternStatistics,
    PropertyStatistics,
    Statistics,
    TypeStatistics,
    read_statistics,
    write_statistics,
)

WHOLE, SAMPLED = 50_000, 10_000
"""Up to `WHOLE` nodes or relationships are all read; if there are more, only the first `SAMPLED` are read."""
MOST_FILL = 3_000_000
"""The number of nodes above which fill is computed only from a sample."""
RARE = 10
"""The limit for rare properties: fewer than one in `RARE` nodes of a sample have such a property. The values of
such a property are read only when all nodes are counted."""
MOST_PROPERTIES = 60
MOST_COMMON, MOST_FREQUENT, LONGEST_VALUE = 5, 40, 80
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
    statistics are then provisional. `mark` identifies the state of the database.

    >>> query_statistics(engine, schema).fill("Movie", "tagline")
    0.68
    """
    begin = time.monotonic()
    return Reading(Steps(engine, Findings(), STEP_SECONDS, TOTAL_SECONDS), schema, whole, brief).statistics(mark, begin)


def shown(value: Any) -> Any:
    """Return a value in the stored form: long text and long lists shortened."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
    return [shown(item) for item in value[:MOST_COMMON]] if isinstance(value, list) else value


def _is_frequent(values: PropertyStatistics) -> bool:
    """Whether enough nodes of a sample have a property, so that the sample shows the property's typical values."""
    return values.count * RARE >= values.of


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
        keys = {key: type_ for key, type_ in label.properties.items() if not self._is_left_out(label, key)}
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
            self._types[type_] = TypeStatistics(type_, count, self._values(type_, match, keys, count, filled))

    def _is_left_out(self, label: Label, key: str) -> bool:
        return key in LEFT_OUT and key in label.reserved

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
        if some := [key for key in keys if found[key].count and (found[key].counted or _is_frequent(found[key]))]:
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
CLOSING_SECONDS = 5.0
logger = logging.getLogger(__name__)


class LiveStatistics:
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
        self._name, self._engine, self._complete, self._path, self._mark = name, engine, complete, path, mark
        self._facts: Statistics | None = None
        self._opened = False
        self._earliest = 0.0
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._cancellation = Cancellation()
        self.thread: threading.Thread | None = None

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

        Tests and commands use this method.
        """
        facts = self.now(fresh=True)
        if (facts is None or facts.provisional) and self.thread is not None:
            self.thread.join(seconds)
            facts = self._facts
        return facts

    def stop(self) -> None:
        """Stop the background computation and its queries, waiting up to `CLOSING_SECONDS` for them to end."""
        self._stopped.set()
        until = time.monotonic() + CLOSING_SECONDS
        for thread in (*self._cancellation.cancel(), *([self.thread] if self.thread is not None else [])):
            thread.join(max(0.0, until - time.monotonic()))

    def _begin(self) -> None:
        with self._lock:
            reading = self.thread is not None and self.thread.is_alive()
            if reading or self._stopped.is_set() or time.monotonic() < self._earliest:
                return
            self.thread = threading.Thread(target=self._read, name=f"statistics of {self._name}", daemon=True)
            self.thread.start()

    def _publish(self, facts: Statistics) -> None:
        """Use provisional statistics until the complete ones are read, unless the statistics in use are up to date."""
        if not self._cancellation.cancelled and self.stale:
            self._facts = facts

    def _read(self) -> None:
        CANCELLATION.set(self._cancellation)
        try:
            schema, mark = self._complete()
            begin = time.monotonic()
            facts = query_statistics(self._engine, schema, mark=mark, brief=True)
            if facts.provisional:
                self._publish(facts)
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
