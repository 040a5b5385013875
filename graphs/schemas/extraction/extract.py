"""Extracts the exact schema of a connected database, without APOC.

>>> extract(engine, "films").schema.patterns[0]
RelationshipPattern(type='directedBy', start='Movie', end='Person', …, count=27)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from graphground.cypher.quoting import nodes, property_of, relationships
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.client_context import report_stage
from graphground.graphs.engines.engine import Engine, EngineError, QueryFailed, QueryTimeout
from graphground.graphs.schemas.extraction.findings import (
    EMPTY_LIST,
    Extraction,
    Findings,
    Steps,
    counting,
    merged,
    property_type,
)
from graphground.graphs.schemas.extraction.profiles import read_indexes, read_profiles

STEP_SECONDS, TOTAL_SECONDS = 30.0, 300.0


def extract(
    engine: Engine, name: str, *, step_timeout: float = STEP_SECONDS, total_timeout: float = TOTAL_SECONDS
) -> Extraction:
    """Read the complete schema of a database.

    The database's own metadata is used if it is exact; otherwise every node and relationship is read, inside the
    database. The schema has the formats found in text properties, the naming property of each label, and the keys.
    `step_timeout` limits each query and `total_timeout` the whole extraction, in seconds.

    Raises:
        EngineError: nothing can be read. A later failure only makes the result partial.
    """
    report_stage(f"reading the schema of {name}")
    begin = time.perf_counter()
    findings = Findings()
    steps = Steps(engine, findings, step_timeout, total_timeout)
    steps.must("RETURN 1 AS one")
    has_counts = engine.capabilities().dialect.has_count_store
    reader = read_neo4j if has_counts else scan
    try:
        reader(steps)
    except QueryFailed as error:  # this version does not have the metadata
        findings.add_problem(f"metadata: {error}")
    if findings.problems and reader is not scan:
        steps.findings = Findings()
        scan(steps)
        if steps.findings.size() < findings.size():
            steps.findings = findings
        findings = steps.findings
    if has_counts:
        findings.indexes = read_indexes(steps)
    schema = read_profiles(steps, findings.schema(name))
    counts = list(findings.combinations.values())
    nodes = None if None in counts else sum(count or 0 for count in counts)
    try:
        relationships = int(steps.must("MATCH ()-[r]->() RETURN count(r) AS c")[0][0])
    except EngineError:
        relationships = None
    return Extraction(
        schema,
        bool(findings.problems),
        tuple(findings.problems),
        nodes,
        relationships,
        round((time.perf_counter() - begin) * 1e3, 1),
    )


# Reads a schema with plain Cypher that visits every node and relationship, one label and one type at a time.
#
# Works on ArcadeDB, on Memgraph and on any Neo4j since 5.13 (for `valueType`). The database holds in memory only one
# row for each label, property and value type. If a label takes longer than a step's time limit, its nodes are read
# page by page. If the time for this is used up before the last page, the result is marked as partial.


PAGE = 20_000
MOST_COLUMNS = 60


def scan(steps: Steps) -> None:
    """Read labels and their properties, and relationship types with their ends and properties."""
    combinations = steps.rows("labels", "MATCH (n) RETURN labels(n) AS l, count(*) AS c")
    if combinations is None:
        # The database groups all nodes too slowly; sets of labels remain unknown.
        combinations = []
        for row in steps.rows("label names", steps.engine.capabilities().dialect.labels) or ():
            counted = steps.rows(f"label {row[0]}", counting(row[0]))
            if counted and counted[0][0]:
                combinations.append([[row[0]], counted[0][0]])
    for labels, count in combinations:
        steps.findings.add_combination(labels, count)
    types = [
        str(row[0])
        for row in steps.rows("relationship types", steps.engine.capabilities().dialect.relationship_types) or ()
    ]
    steps.each(
        [partial(node_properties, steps, labels) for labels, _ in combinations if labels]
        + [partial(read_relationships, steps, type_) for type_ in types]
    )


def node_properties(steps: Steps, labels: list[str]) -> None:
    """Read the properties of the nodes with exactly these labels, with their value types."""
    match = nodes(*labels).match()
    # Some nodes may have all these labels and further labels.
    if any(frozenset(labels) < combination for combination in steps.findings.combinations):
        match = f"{match} WHERE size(labels(n)) = {len(labels)} WITH n"
    add_properties(steps, labels, match, "n", typed_keys(steps, f"properties of {':'.join(labels)}", match, "n"))


def add_properties(
    steps: Steps, owner: Iterable[str] | str, match: str, variable: str, typed: Iterable[tuple[str, str | None]]
) -> None:
    """Add the properties of the matched nodes or relationships; the types of lists are read from their elements."""
    for key, type_ in typed:
        if type_ == "list[unknown]":
            type_ = element_types(steps, match, variable, key)
        steps.findings.add_property(owner, key, type_)


def typed_keys(steps: Steps, step: str, match: str, variable: str) -> list[tuple[str, str | None]]:
    """Return the property names of the matched nodes or relationships, each with its type; empty if a query fails.

    The properties are read page by page if one pass takes too long.
    """
    tail = f"UNWIND keys({variable}) AS k RETURN DISTINCT k, valueType({variable}[k]) AS t"
    try:
        rows = side_by_side(steps, match, variable)
        if rows is None:
            rows = steps.must(f"{match} {tail}")
    except QueryTimeout:
        rows = paged(steps, step, match, variable, tail)
    except EngineError as error:
        steps.findings.add_problem(f"{step}: {error}")
        return []
    return [(str(key), property_type(str(type_))) for key, type_ in rows]


def side_by_side(steps: Steps, match: str, variable: str) -> list[list[Any]] | None:
    """Return property names with their types, read quickly with one column per property; None if a name may be missing.

    The columns are the properties of the first nodes. The result is exact if no node has a property without a column.
    """
    keys = [str(row[0]) for row in steps.must(first_keys(match, variable))]
    if not keys and not steps.must(f"{match} WITH {variable} WHERE size(keys({variable})) > 0 RETURN 1 AS x LIMIT 1"):
        return []
    if not keys or len(keys) > MOST_COLUMNS:
        return None
    found: dict[tuple[str, str], None] = {}
    for *types, size in steps.must(f"{match} RETURN DISTINCT {value_types(keys, variable)}size(keys({variable})) AS s"):
        named = named_types(keys, types)
        if len(named) != size:
            return None
        found |= dict.fromkeys(named)
    return [list(pair) for pair in found]


def first_keys(match: str, variable: str) -> str:
    """Return a query for the property names of the first nodes or relationships."""
    return f"{match} WITH {variable} LIMIT {PAGE} UNWIND keys({variable}) AS k RETURN DISTINCT k"


def value_types(keys: list[str], variable: str) -> str:
    """Return the columns with the type of each property: `valueType(r.`year`) AS t0, `."""
    return "".join(f"valueType({property_of(variable, key)}) AS t{number}, " for number, key in enumerate(keys))


def named_types(keys: list[str], types: list[Any]) -> list[tuple[str, str]]:
    """Return the properties that have a type other than null in a row of types, each with its type."""
    return [(key, str(type_)) for key, type_ in zip(keys, types, strict=True) if type_ not in (None, "NULL")]


def paged(steps: Steps, step: str, match: str, variable: str, tail: str) -> list[list[Any]]:
    """Return property names with their types, read from pages of nodes or relationships.

    If the step's time limit ends the reading, this is recorded as a problem.
    """
    found: dict[tuple[str, str], None] = {}
    seen = 0
    spent = steps.time_left() - steps.step_timeout
    while steps.time_left() > max(spent, 0):
        query = f"{match} WITH {variable} SKIP {seen} LIMIT {PAGE} {tail}"
        try:
            rows = steps.must(query)
        except EngineError:
            break
        if not rows:
            return [list(pair) for pair in found]
        found |= {(str(key), str(type_)): None for key, type_ in rows}
        seen += PAGE
    read = "nodes" if variable == "n" else "relationships"
    steps.findings.add_problem(
        f"{step}: only the first {seen:,} {read} were read" if seen else f"{step}: no {read} were read in time"
    )
    return [list(pair) for pair in found]


def element_types(steps: Steps, match: str, variable: str, key: str) -> str:
    """Return the type of a list property, read from its elements, for databases that report only `list`."""
    name = property_of(variable, key)
    rows = steps.rows(
        f"elements of {key}", f"{match} WHERE {name} IS NOT NULL UNWIND {name} AS x RETURN DISTINCT valueType(x) AS t"
    )
    if rows is None:
        return "list[unknown]"
    inner = {property_type(str(row[0])) for row in rows} - {None}
    if not inner:
        return EMPTY_LIST
    type_ = merged(inner)
    return f"list[{type_}]" if type_ and "|" not in type_ and not type_.startswith("list") else "list[unknown]"


def read_relationships(steps: Steps, type_: str) -> None:
    """Read the start and end labels of one relationship type, and its properties."""
    match = relationships(type_).match()
    first = steps.rows(f"property names of {type_}", first_keys(match, "r")) or []
    keys = [str(row[0]) for row in first[:MOST_COLUMNS]]
    ends = steps.rows(
        f"ends of {type_}",
        f"{match} RETURN labels(a) AS s, labels(b) AS e, size(keys(r)) AS p, {value_types(keys, 'r')}count(*) AS c",
    )
    found: dict[tuple[str, str], None] | None = {}
    for starts, finishes, size, *types, count in ends or ():
        for start in starts:
            for end in finishes:
                steps.findings.add_pattern(type_, start, end, count)
        named = named_types(keys, types)
        found = found | dict.fromkeys(named) if found is not None and len(named) == size else None
    if ends is None or found is None:
        properties = typed_keys(steps, f"properties of {type_}", match, "r")
    else:
        properties = [(key, property_type(value_type)) for key, value_type in found]
    add_properties(steps, type_, match, "r", properties)


# Reads sample values of properties: all distinct values that are found if there are few, otherwise some of them.


LOOKED_AT = 1000
MOST_CATEGORIES = 20
FEW = 5
LONG_TEXT = frozenset({"description", "provenance", "eid"})


def sample_values(engine: Engine, schema: PropertyGraphSchema, seconds: float) -> dict[tuple[str, str], list[Any]]:
    """Return distinct values of each property of a known schema: all if there are at most 20, otherwise a few.

    They come from the first nodes or relationships that have the property. Of labels, the properties `description`,
    `provenance` and `eid` are left out; after `seconds`, further properties are left out too.
    """
    steps = Steps(engine, Findings(), step_timeout=seconds, total_timeout=seconds)
    found: dict[tuple[str, str], list[Any]] = {}

    def sample(owner: str, key: str, match: str) -> None:
        value = property_of("n", key)
        rows = steps.rows(
            f"samples of {owner}.{key}",
            f"{match} WHERE {value} IS NOT NULL WITH {value} AS v "
            f"LIMIT {LOOKED_AT} RETURN DISTINCT v LIMIT {MOST_CATEGORIES + 1}",
        )
        values = [row[0] for row in rows or () if row[0] not in ("", [])]
        if values:
            found[owner, key] = values if len(values) <= MOST_CATEGORIES else values[:FEW]

    steps.each(
        [
            partial(sample, label.name, key, nodes(label.name).match())
            for label in schema.labels.values()
            for key in label.properties
            if key not in LONG_TEXT
        ]
        + [
            partial(sample, type_, key, relationships(type_, variable="n").match())
            for type_, properties in schema.relationship_properties.items()
            for key in properties
        ]
    )
    return found


# Neo4j's exact metadata: the property procedures, which read all data, and the count store.
#
# `db.schema.nodeTypeProperties` and `db.schema.relTypeProperties` read every node and relationship inside the database,
# so they include rare properties and mixed types, and their column `mandatory` states whether every node or
# relationship has the property. `db.schema.visualization` is not exact, because it pairs every start label of a type
# with every end label. Its patterns are therefore only candidates. The count store gives the number of relationships
# of a type that start at a label, and of those that end at a label. If the count of every start label of a type, or
# the count of every end label, equals the number of all relationships of the type, the type's patterns are certain.
# The patterns of any other type are read by scanning its relationships.


UNIONS = 100


def read_neo4j(steps: Steps) -> None:
    """Read the whole schema from procedures and counts."""
    read_types = partial(read_properties, steps, "rel", "relType", unquoted)
    steps.each((partial(read_label_sets, steps), read_types, partial(patterns, steps)))


def read_label_sets(steps: Steps) -> None:
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


def patterns(steps: Steps) -> None:
    """Read the start and end labels of each type: from counts alone if they suffice, else from all relationships."""
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
        if not decided_by_counts(steps, type_, counts[type_, "", ""], leaving, arriving):
            read_relationships(steps, type_)


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
