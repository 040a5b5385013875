"""The findings of an extraction so far, and the schema built from them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

from graphground.cypher.names.words import word_lists
from graphground.cypher.quoting import nodes
from graphground.cypher.schema import Combination, Index, Label, PropertyGraphSchema, RelationshipPattern
from graphground.graphs.engines.engine import EngineError, QueryRunner, QueryTimeout

# Translates the type names of databases to property types: `LIST<STRING NOT NULL> NOT NULL` is `list[str]`.


SCALARS: dict[str, str] = {name: type_ for type_, names in word_lists()["property_types"].items() for name in names}
EMPTY_LIST = "list[]"
"""The type of an empty list, whose element type is unknown. Any other list type of the same property replaces it."""

_LIST = re.compile(r"list\s*<(.*)>\Z", re.IGNORECASE)


def property_type(name: str) -> str | None:
    """Return the property type for a database's type name: None for null, `unknown` for an unknown name.

    >>> property_type("StringArray"), property_type("ZONED DATETIME NOT NULL"), property_type("INTEGER | FLOAT")
    ('list[str]', 'datetime', 'float|int')
    """
    text = re.sub(r"\s+NOT NULL\Z", "", name.strip(), flags=re.IGNORECASE)
    if " | " in text and not text.upper().startswith("LIST"):
        return merged(property_type(part) for part in text.split(" | "))
    lower = text.lower()
    if lower in ("null", "nothing", ""):
        return None
    found = _LIST.match(text)
    if found:
        inner = property_type(found.group(1))
        if found.group(1).strip().upper().startswith("NOTHING"):
            return EMPTY_LIST
        return list_of(inner or "unknown")
    if lower.endswith("array"):
        return list_of(SCALARS.get(lower[:-5], "unknown"))
    return SCALARS.get(lower, "unknown")


def list_of(inner: str) -> str:
    """Return the type of a list with elements of type `inner`: `list[str]`; `list[unknown]` for mixed elements."""
    return f"list[{inner}]" if inner in SCALARS.values() else "list[unknown]"


def merged(types: Iterable[str | None]) -> str | None:
    """Join types into one type name, in a fixed order: `int|str` for mixed values; None if there are none.

    >>> merged(["str", "int", "str"]), merged(["list[]", "list[str]"]), merged(["list[]"])
    ('int|str', 'list[str]', 'list[unknown]')
    """
    found = {part for type_ in types if type_ for part in type_.split("|")}
    if not found:
        return None
    if EMPTY_LIST in found:
        found.discard(EMPTY_LIST)
        if not any(part.startswith("list[") for part in found):
            found.add("list[unknown]")
    if "unknown" in found:
        return "unknown"
    return "|".join(sorted(found))


Ends = tuple[str, str, str]
"""The type, start label and end label of a pattern."""
Owner = frozenset[str] | str
"""The owner of a property: a set of labels that a node has, or a relationship type."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """A schema read from a database.

    `partial` is true if a step failed or ran out of time; `problems` describes each of these steps. The schema is then
    open: the database may contain names that the schema does not list.
    """

    schema: PropertyGraphSchema
    partial: bool = False
    problems: tuple[str, ...] = ()
    nodes: int | None = None
    relationships: int | None = None
    elapsed_ms: float = 0.0


class Findings:
    """The findings of an extraction so far; the steps of the extraction add them from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.combinations: dict[frozenset[str], int | None] = {}
        """The numbers of nodes by their sets of labels; None if the set exists but its nodes could not be counted."""
        self.types: dict[tuple[Owner, str], set[str]] = {}
        """The types of the values of each property."""
        self.patterns: dict[Ends, int | None] = {}
        self.filled: set[tuple[Owner, str]] = set()
        self.indexes: tuple[Index, ...] = ()
        self.problems: list[str] = []

    def add_combination(self, labels: Iterable[str], count: int | None) -> None:
        """Add `count` to the number of nodes that have exactly these labels; None if it is unknown."""
        with self._lock:
            key = frozenset(labels)
            self.combinations[key] = add_counts(self.combinations.get(key, 0), count)

    def add_property(self, owner: Iterable[str] | str, key: str, type_: str | None, *, filled: bool = False) -> None:
        """Add a property and its type for nodes with exactly these labels, or for relationships of a type.

        Without a type, nothing is added. `filled` says that all these nodes or relationships have the property.
        """
        found = (owner if isinstance(owner, str) else frozenset(owner), key)
        with self._lock:
            if type_ is not None:
                self.types.setdefault(found, set()).add(type_)
            if filled:
                self.filled.add(found)

    def add_pattern(self, type_: str, start: str, end: str, count: int | None) -> None:
        """Add `count` to the number of relationships of a type from one label to another; None if it is unknown."""
        with self._lock:
            self.patterns[type_, start, end] = add_counts(self.patterns.get((type_, start, end), 0), count)

    def add_problem(self, text: str) -> None:
        """Add a description of something that could not be read."""
        with self._lock:
            self.problems.append(text)

    def size(self) -> int:
        """Return the number of findings, by which the more complete of two extractions is chosen."""
        return len(self.combinations) + len(self.types) + len(self.patterns)

    def schema(self, name: str) -> PropertyGraphSchema:
        """Build the schema; labels, relationship types and properties are in alphabetical order."""
        labels: dict[str, Label] = {}
        counts: dict[str, int | None] = {}
        for combination, count in self.combinations.items():
            for label in combination:
                counts[label] = add_counts(counts.get(label, 0), count)
        for label in sorted(counts):
            types: dict[str, set[str]] = {}
            among = [combination for combination in self.combinations if label in combination]
            for (owner, key), found in self.types.items():
                if owner in among:
                    types.setdefault(key, set()).update(found)
            labels[label] = Label(
                label,
                {key: merged(types[key]) or "unknown" for key in sorted(types)},
                count=counts[label],
                filled=frozenset(
                    key for key in types if all((combination, key) in self.filled for combination in among)
                ),
            )
        patterns = []
        for (type_, start, end), count in sorted(self.patterns.items()):
            if start in labels and end in labels:
                properties = {
                    key: merged(found) or "unknown"
                    for (owner, key), found in sorted(self.types.items(), key=lambda item: item[0][1])
                    if owner == type_
                }
                filled = frozenset(key for key in properties if (type_, key) in self.filled)
                patterns.append(RelationshipPattern(type_, start, end, properties, count=count, filled=filled))
        several = frozenset(labels_together for labels_together in self.combinations if len(labels_together) > 1)
        return PropertyGraphSchema(
            name,
            labels,
            tuple(patterns),
            open=bool(self.problems),
            label_combinations=several,
            combinations=self._combinations() if several else (),
            indexes=self.indexes,
        )

    def _combinations(self) -> tuple[Combination, ...]:
        keys: dict[frozenset[str], list[str]] = {}
        for owner, key in sorted(self.types, key=lambda pair: pair[1]):
            if not isinstance(owner, str):
                keys.setdefault(owner, []).append(key)
        counted = [(labels, count) for labels, count in self.combinations.items() if labels and count]
        return tuple(
            Combination(labels, count, tuple(keys.get(labels, ())))
            for labels, count in sorted(counted, key=lambda pair: (-pair[1], sorted(pair[0])))
        )


def add_counts(known: int | None, more: int | None) -> int | None:
    """Return the sum of two counts; None if one of them is unknown."""
    return None if known is None or more is None else known + more


# Runs the queries of an extraction, several at once, each with a time limit.
#
# `Steps.rows` collects failures, and `Steps.must` raises them.


MOST_ROWS = 1_000_000
AT_ONCE = 2
"""The number of queries of one extraction that run at once."""


@dataclass
class Steps:
    """A runner for the queries of one extraction; time limits are in seconds.

    `Steps(engine, findings, step_timeout=10).rows("labels", "CALL db.labels()")` returns the labels.
    """

    engine: QueryRunner
    findings: Findings
    step_timeout: float = 10.0
    total_timeout: float = 120.0
    at_once: int = AT_ONCE
    started: float = field(default_factory=time.monotonic)

    def rows(self, step: str, query: str, parameters: dict[str, Any] | None = None) -> list[list[Any]] | None:
        """Return the rows of a query; if it fails or runs out of time, add a problem and return None."""
        left = self.time_left()
        if left <= 0:
            self.findings.add_problem(f"{step}: not read; the extraction was limited to {self.total_timeout:g} s")
            return None
        limit = min(self.step_timeout, left)
        try:
            return self.must(query, parameters, limit)
        except QueryTimeout:
            self.findings.add_problem(f"{step}: not complete within {limit:.3g} s")
        except EngineError as error:
            self.findings.add_problem(f"{step}: {error}")
        return None

    def must(
        self, query: str, parameters: dict[str, Any] | None = None, timeout: float | None = None
    ) -> list[list[Any]]:
        """Return the rows of a query; raise the engine's error if it fails. The default timeout is `step_timeout`."""
        return self.engine.run(query, parameters, limit=MOST_ROWS, timeout=timeout or self.step_timeout).rows

    def time_left(self) -> float:
        """Return the seconds until the whole extraction must end; negative after that."""
        return self.started + self.total_timeout - time.monotonic()

    def each(self, tasks: Iterable[Callable[[], object]]) -> None:
        """Run tasks concurrently; cancelling the caller's queries also cancels the queries of the tasks."""
        with ThreadPoolExecutor(self.at_once, "schema") as pool:
            for future in [pool.submit(copy_context().run, task) for task in tasks]:
                future.result()


def counting(name: str) -> str:
    """Return the query that counts the nodes of a label.

    If backticks can quote the name, the count store provides the number; otherwise all nodes are read.
    """
    return f"{nodes(name).match()} RETURN count(n) AS c"
