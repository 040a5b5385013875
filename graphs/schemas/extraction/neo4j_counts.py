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
from functools import partial

from graphground.cypher.matching import relationships
from graphground.graphs.schemas.extraction.steps import Steps, counting
from graphground.graphs.schemas.extraction.value_types import merged, property_type

UNIONS = 100


def read_neo4j(steps: Steps) -> None:
    """Read the whole schema from procedures and counts."""
    steps.each(
        [
            ("properties of nodes", partial(node_properties, steps)),
            ("properties of relationships", partial(relationship_properties, steps)),
            ("relationship patterns", partial(patterns, steps)),
        ]
    )


def node_properties(steps: Steps) -> None:
    """Read the sets of labels with their properties and numbers of nodes.

    The numbers come from the count store if no node has several labels; otherwise all nodes are counted.
    """
    rows = steps.rows(
        "properties of nodes",
        "CALL db.schema.nodeTypeProperties() "
        "YIELD nodeLabels, propertyName, propertyTypes, mandatory "
        "RETURN nodeLabels, propertyName, propertyTypes, mandatory",
    )
    combinations: set[frozenset[str]] = set()
    for labels, key, types, filled in rows or ():
        combinations.add(frozenset(labels))
        if key is not None:
            steps.findings.add_property(labels, key, merged(map(property_type, types)))
            if filled:
                steps.findings.add_filled(labels, key)
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
    rows = steps.rows(
        "properties of relationships",
        "CALL db.schema.relTypeProperties() "
        "YIELD relType, propertyName, propertyTypes, mandatory RETURN relType, propertyName, propertyTypes, mandatory",
    )
    for name, key, types, filled in rows or ():
        if key is not None:
            steps.findings.add_type_property(unquoted(name), key, merged(map(property_type, types)))
            if filled:
                steps.findings.add_filled(unquoted(name), key)


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
        leaving = {start: count for start in starts[type_] if (count := counts[type_, start, ""])}
        arriving = {end: count for end in ends[type_] if (count := counts[type_, "", end])}
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
    steps: Steps, type_: str, total: int, leaving: Mapping[str, int], arriving: Mapping[str, int]
) -> bool:
    """Add the patterns of a type if counts determine them; return whether they do.

    Counts suffice if every relationship of the type starts at a node with all the start labels, or ends at a node
    with all the end labels.
    """
    if not all(count == total for count in leaving.values()) and not all(count == total for count in arriving.values()):
        return False
    for start, from_start in leaving.items():
        for end, to_end in arriving.items():
            steps.findings.add_pattern(type_, start, end, min(from_start, to_end))
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


def count_all(steps: Steps, step: str, queries: list[str]) -> list[int]:
    """Return the results of counting queries, sent many at a time; 0 for a query that failed."""
    counts: list[int] = []
    for first in range(0, len(queries), UNIONS):
        part = queries[first : first + UNIONS]
        # The number is returned outside: beside another column, count() would group rows and not use the count store.
        numbered = [f"CALL {{ {query} }} RETURN {number} AS q, c" for number, query in enumerate(part)]
        found = {row[0]: row[1] for row in steps.rows(step, " UNION ALL ".join(numbered)) or ()}
        counts += [found.get(number, 0) for number in range(len(part))]
    return counts


def unquoted(name: str) -> str:
    """Return a name without the colon and the backticks that Neo4j's procedures add."""
    return name.removeprefix(":").removeprefix("`").removesuffix("`").replace("``", "`")
