"""Reads the schema from Neo4j's exact metadata: the property procedures, which read all data, and the count store.

`db.schema.nodeTypeProperties` and `db.schema.relTypeProperties` read every node and relationship inside the database,
so they include rare properties and mixed types, and their column `mandatory` states whether every node or relationship
has the property. `db.schema.visualization` is not exact, because it pairs every start label of a type with every end
label. Its patterns are therefore only candidates. The count store gives the number of relationships of a type that
start at a label, and of those that end at a label. If the count of every start label of a type, or the count of every
end label, equals the number of all relationships of the type, the type's patterns are certain. The patterns of any
other type are read by scanning its relationships.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from graphground.cypher.quoting import nodes, relationships
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.client_context import report_stage
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.schemas.extraction.findings import Extraction, Findings, Steps, counting, merged, property_type
from graphground.graphs.schemas.extraction.profiles import read_indexes, read_profiles

UNIONS = 100


def read_neo4j(steps: Steps) -> None:
    """Read the whole schema from procedures and counts."""
    steps.each(partial(read, steps) for read in (node_properties, relationship_properties, patterns))


def node_properties(steps: Steps) -> None:
    """Read the sets of labels with their properties and numbers of nodes.

    The numbers come from the count store if no node has several labels; otherwise all nodes are counted.
    """
    combinations = {frozenset(labels) for labels in read_properties(steps, "node", "nodeLabels", lambda labels: labels)}
    if any(len(combination) > 1 for combination in combinations):
        counted = steps.rows("label combinations", "MATCH (n) RETURN labels(n) AS l, count(*) AS c")
        for labels, count in counted or ():
            steps.findings.add_combination(labels, count)
        return
    names = sorted(label for item in combinations for label in item)
    counts = count_all(steps, "labels", [counting(name) for name in names])
    for name, count in zip(names, counts, strict=True):
        steps.findings.add_combination([name], count)


def relationship_properties(steps: Steps) -> None:
    """Read the properties of each relationship type."""
    read_properties(steps, "rel", "relType", unquoted)


def read_properties(steps: Steps, element: str, owner: str, name_of: Callable[[Any], Any]) -> list[Any]:
    """Add the properties of all nodes, or of all relationships, and return their owners: sets of labels, or types."""
    columns = f"{owner}, propertyName, propertyTypes, mandatory"
    rows = steps.rows(
        f"properties of {'nodes' if element == 'node' else 'relationships'}",
        f"CALL db.schema.{element}TypeProperties() YIELD {columns} RETURN {columns}",
    )
    for name, key, types, filled in rows or ():
        if key is not None:
            steps.findings.add_property(name_of(name), key, merged(map(property_type, types)), filled=filled)
    return [row[0] for row in rows or ()]


def patterns(steps: Steps, read_ends: Callable[[str, Iterable[str], Iterable[str]], None] | None = None) -> None:
    """Read the start and end labels of each type, from counts alone if they suffice.

    If they do not suffice for a type, `read_ends` is called with the type, its start labels and its end labels. Without
    `read_ends`, all relationships of the type are read.
    """
    starts: dict[str, set[str]] = {}
    ends: dict[str, set[str]] = {}
    for type_, start, end in candidates(steps):
        starts.setdefault(type_, set()).add(start)
        ends.setdefault(type_, set()).add(end)
    types = sorted(starts)
    counted: list[tuple[str, str, str]] = [(type_, "", "") for type_ in types]
    counted += [(type_, start, "") for type_ in types for start in sorted(starts[type_])]
    counted += [(type_, "", end) for type_ in types for end in sorted(ends[type_])]
    counts = dict(
        zip(
            counted,
            count_all(
                steps,
                "relationship counts",
                [f"{relationships(type_, start, end).match()} RETURN count(r) AS c" for type_, start, end in counted],
            ),
            strict=True,
        )
    )
    for type_ in types:
        leaving = {start: count for start in starts[type_] if (count := counts[type_, start, ""]) != 0}
        arriving = {end: count for end in ends[type_] if (count := counts[type_, "", end]) != 0}
        if decided_by_counts(steps, type_, counts[type_, "", ""], leaving, arriving):
            continue
        if read_ends is None:
            relationships_only_ends(steps, type_)
        else:
            read_ends(type_, leaving, arriving)


def candidates(steps: Steps) -> list[tuple[str, str, str]]:
    """Return type, start label and end label of each pattern that may exist; empty if the query for them fails."""
    rows = steps.rows(
        "candidate patterns", "CALL db.schema.visualization() YIELD nodes, relationships RETURN nodes, relationships"
    )
    if not rows:
        return []
    nodes, edges = rows[0]
    labels = {node["id"]: node["labels"][0] for node in nodes if node["labels"]}
    return [
        (edge["type"], labels[edge["start"]], labels[edge["end"]])
        for edge in edges
        if edge["start"] in labels and edge["end"] in labels
    ]


def decided_by_counts(
    steps: Steps, type_: str, total: int | None, leaving: Mapping[str, int | None], arriving: Mapping[str, int | None]
) -> bool:
    """Add the patterns of a type if counts determine them; return whether they do.

    Counts suffice if every relationship of the type starts at a node with all the start labels, or ends at a node
    with all the end labels. Unknown counts never suffice.
    """
    if total is None or None in (*leaving.values(), *arriving.values()):
        return False
    if not all(count == total for count in leaving.values()) and not all(count == total for count in arriving.values()):
        return False
    for start, from_start in leaving.items():
        for end, to_end in arriving.items():
            steps.findings.add_pattern(type_, start, end, min(from_start or 0, to_end or 0))
    return True


def relationships_only_ends(steps: Steps, type_: str) -> None:
    """Find the patterns of one type by reading each of its relationships."""
    rows = steps.rows(
        f"ends of {type_}", f"{relationships(type_).match()} RETURN labels(a) AS s, labels(b) AS e, count(*) AS c"
    )
    for starts, ends, count in rows or ():
        for start in starts:
            for end in ends:
                steps.findings.add_pattern(type_, start, end, count)


def count_all(steps: Steps, step: str, queries: list[str]) -> list[int | None]:
    """Return the results of counting queries, sent many at a time; None, and never 0, for a query that failed."""
    counts: list[int | None] = []
    for first in range(0, len(queries), UNIONS):
        part = queries[first : first + UNIONS]
        # The number is returned outside: beside another column, count() would group rows and not use the count store.
        numbered = [f"CALL {{ {query} }} RETURN {number} AS q, c" for number, query in enumerate(part)]
        found = {row[0]: row[1] for row in steps.rows(step, " UNION ALL ".join(numbered)) or ()}
        counts += [found.get(number) for number in range(len(part))]
    return counts


def unquoted(name: str) -> str:
    """Return a name without the colon and the backticks that Neo4j's procedures add."""
    return name.removeprefix(":").removeprefix("`").removesuffix("`").replace("``", "`")


# Reads a provisional schema of a large Neo4j without reading all its data.
#
# Labels, relationship types and their counts come from the count store and are exact. Properties, sets of labels, and
# the start and end labels that the counts do not determine come from the first nodes of each label and from the first
# relationships of each type, so some may be missing. A provisional schema is therefore marked as provisional, is
# never the reason for an error, and is replaced as soon as the complete schema has been read.


MOST_READ_COMPLETELY = 200_000
"""The maximum number of nodes and relationships, added together, for which no provisional schema is read."""
SAMPLED = 1_000
"""The maximum number of nodes of each label, and of relationships of each type, that are read."""
TOGETHER = 8
"""The maximum number of samples that one query takes: the database plans a query for many labels slowly."""
Task = Callable[[], None]
STEP_SECONDS, TOTAL_SECONDS = 10.0, 20.0


def read_provisional(engine: Engine, name: str) -> Extraction | None:
    """Read the provisional schema of a large Neo4j; None if the database should be read completely instead.

    None is returned for a small Neo4j, for any other database, and if a query fails or takes too long.
    """
    if not engine.capabilities().dialect.has_count_store:
        return None
    report_stage(f"reading the names in the schema of {name}")
    steps = Steps(engine, Findings(), STEP_SECONDS, TOTAL_SECONDS)
    try:
        total_nodes, total_relationships = count_all(
            steps, "totals", ["MATCH (n) RETURN count(n) AS c", "MATCH ()-[r]->() RETURN count(r) AS c"]
        )
        if total_nodes is None or total_relationships is None:
            return None
        if total_nodes + total_relationships <= MOST_READ_COMPLETELY:
            return None
        sampling = Sampling(steps)
        steps.each([sampling.labels, partial(patterns, steps, sampling.ends), sampling.indexes])
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
        self._counts: dict[str, int | None] = {}
        self._uncounted: set[str] = set()

    def indexes(self) -> None:
        """Read the constraints and indexes, which show the keys of labels."""
        self._findings.indexes = read_indexes(self._steps)

    def labels(self) -> None:
        """Count the nodes of each label."""
        listed = self._steps.rows("labels", self._steps.engine.capabilities().dialect.labels)
        names = sorted(str(row[0]) for row in listed or ())
        counts = count_all(self._steps, "labels", [counting(name) for name in names])
        self._counts = {name: count for name, count in zip(names, counts, strict=True) if count != 0}

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
        return [partial(self._sample, step, " UNION ALL ".join(part), add) for part in parts]

    def _sample(self, step: str, query: str, add: Callable[[list[list[Any]]], None]) -> None:
        add(self._steps.rows(step, query) or [])

    def _add_nodes(self, rows: list[list[Any]]) -> None:
        for labels, key, type_ in rows:
            self._findings.add_combination(labels, None)  # how many nodes have exactly these labels is unknown
            if key is not None:
                self._findings.add_property(labels, str(key), property_type(str(type_)))

    def _add_relationships(self, rows: list[list[Any]]) -> None:
        for owner, key, type_ in rows:
            self._findings.add_property(owner, str(key), property_type(str(type_)))
