"""Reads a provisional schema of a large Neo4j without reading all its data.

Labels, relationship types and their counts come from the count store and are exact. Properties, sets of labels, and the
start and end labels that the counts do not determine come from the first nodes of each label and from the first
relationships of each type, so some may be missing. A provisional schema is therefore marked as provisional, is never
the reason for an error, and is replaced as soon as the complete schema has been read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from graphground.cypher.matching import nodes, relationships
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.activity import doing
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.schemas.extraction.findings import Extraction, Findings
from graphground.graphs.schemas.extraction.neo4j_counts import count_all, patterns
from graphground.graphs.schemas.extraction.profiles import read_indexes, read_profiles
from graphground.graphs.schemas.extraction.steps import Steps, counting
from graphground.graphs.schemas.extraction.value_types import property_type

MOST_READ_COMPLETELY = 200_000
"""The maximum number of nodes and relationships, added together, for which no provisional schema is read."""
SAMPLED = 1_000
"""The maximum number of nodes of each label, and of relationships of each type, that are read."""
TOGETHER = 8
"""The maximum number of samples that one query takes: the database plans a query for many labels slowly."""
Task = tuple[str, Callable[[], None]]
STEP_SECONDS, TOTAL_SECONDS = 10.0, 20.0


def read_provisional(engine: Engine, name: str) -> Extraction | None:
    """Read the provisional schema of a large Neo4j; None if the database should be read completely instead.

    None is returned for a small Neo4j, for any other database, and if a query fails or takes too long.
    """
    if engine.capabilities().dialect.name != "neo4j":
        return None
    doing(f"reading the names in the schema of {name}")
    steps = Steps(engine, Findings(), STEP_SECONDS, TOTAL_SECONDS)
    try:
        total_nodes, total_relationships = count_all(
            steps, "totals", ["MATCH (n) RETURN count(n) AS c", "MATCH ()-[r]->() RETURN count(r) AS c"]
        )
        if total_nodes + total_relationships <= MOST_READ_COMPLETELY:
            return None
        sampling = Sampling(steps)
        steps.each(
            [
                ("labels", sampling.labels),
                ("relationship patterns", partial(patterns, steps, sampling.ends)),
                ("indexes", sampling.indexes),
            ]
        )
        steps.each([*sampling.of_labels(), *sampling.of_types()])
        schema = read_profiles(steps, sampling.schema(name), formats=False)
    except EngineError:
        return None
    if steps.findings.problems:
        return None
    return Extraction(schema, nodes=total_nodes, relationships=total_relationships)


class Sampling:
    """A reader of samples of one database.

    Call `labels`, and `ends` for each type whose ends the counts do not determine; run the tasks of `of_labels` and
    `of_types`; then call `schema`.
    """

    def __init__(self, steps: Steps) -> None:
        self._steps, self._findings = steps, steps.findings
        self._counts: dict[str, int] = {}
        self._uncounted: set[str] = set()

    def indexes(self) -> None:
        """Read the constraints and indexes, which show the keys of labels."""
        self._findings.indexes = read_indexes(self._steps)

    def labels(self) -> None:
        """Count the nodes of each label."""
        listed = self._steps.rows("labels", self._steps.engine.capabilities().dialect.labels)
        names = sorted(str(row[0]) for row in listed or ())
        counts = count_all(self._steps, "labels", [counting(name) for name in names])
        self._counts = {name: count for name, count in zip(names, counts, strict=True) if count}

    def of_labels(self) -> list[Task]:
        """Return the tasks that sample the sets of labels and the properties of each label's nodes."""
        samples = [
            f"{nodes(name).match()} WITH n LIMIT {SAMPLED} "
            "UNWIND CASE WHEN size(keys(n)) = 0 THEN [null] ELSE keys(n) END AS k "
            "RETURN DISTINCT labels(n) AS l, k, valueType(n[k]) AS t"
            for name in self._counts
        ]
        return self._tasks("samples of labels", samples, self._add_nodes)

    def of_types(self) -> list[Task]:
        """Return the tasks that sample the properties of each type's relationships."""
        samples = [
            f"{relationships(name).match()} WITH r LIMIT {SAMPLED} UNWIND keys(r) AS k "
            "RETURN DISTINCT type(r) AS o, k, valueType(r[k]) AS t"
            for name in sorted({type_ for type_, _, _ in self._findings.patterns})
        ]
        return self._tasks("samples of relationship types", samples, self._add_relationships)

    def ends(self, type_: str, starts: Iterable[str], finishes: Iterable[str]) -> None:
        """Sample the start and end labels of one type.

        For each label in `starts` and `finishes` that the sample lacks, one more relationship is read.
        """
        self._uncounted.add(type_)
        self._add_ends(type_, "", "", SAMPLED)
        found = [ends for ends in self._findings.patterns if ends[0] == type_]
        for start in set(starts) - {pattern[1] for pattern in found}:
            self._add_ends(type_, start, "", 1)
        for end in set(finishes) - {pattern[2] for pattern in found}:
            self._add_ends(type_, "", end, 1)

    def schema(self, name: str) -> PropertyGraphSchema:
        """Build the schema, with the counts that are known."""
        schema = self._findings.schema(name)
        return replace(
            schema,
            labels={label: replace(found, count=self._counts.get(label)) for label, found in schema.labels.items()},
            patterns=tuple(
                replace(pattern, count=None) if pattern.type in self._uncounted else pattern
                for pattern in schema.patterns
            ),
        )

    def _add_ends(self, type_: str, start: str, end: str, most: int) -> None:
        rows = self._steps.rows(
            f"ends of {type_}",
            f"{relationships(type_, start, end).match()} WITH a, b LIMIT {most} "
            "RETURN DISTINCT labels(a) AS s, labels(b) AS e",
        )
        for start_labels, end_labels in rows or ():
            for ends in product(start_labels, end_labels):
                self._findings.add_pattern(type_, *ends, 0)

    def _tasks(self, step: str, samples: list[str], add: Callable[[list[list[Any]]], None]) -> list[Task]:
        parts = [samples[first : first + TOGETHER] for first in range(0, len(samples), TOGETHER)]
        return [(step, partial(self._sample, step, " UNION ALL ".join(part), add)) for part in parts]

    def _sample(self, step: str, query: str, add: Callable[[list[list[Any]]], None]) -> None:
        add(self._steps.rows(step, query) or [])

    def _add_nodes(self, rows: list[list[Any]]) -> None:
        for labels, key, type_ in rows:
            self._findings.add_combination(labels, 0)  # how many nodes have exactly these labels is unknown
            if key is not None:
                self._findings.add_property(labels, str(key), property_type(str(type_)))

    def _add_relationships(self, rows: list[list[Any]]) -> None:
        for owner, key, type_ in rows:
            self._findings.add_type_property(owner, str(key), property_type(str(type_)))
