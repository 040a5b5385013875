"""Collects statistics while a file is loaded, at a cost of a few dozen nanoseconds and eight bytes per value."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.schemas.statistics.model import (
    Degrees,
    LabelStatistics,
    PatternStatistics,
    PropertyStatistics,
    Statistics,
    TypeStatistics,
)
from graphground.graphs.schemas.statistics.values import LEFT_OUT, Values

if TYPE_CHECKING:
    import numpy

Ends = tuple[str, str, str]


class Collected:
    """The statistics of a graph, collected while the graph is loaded.

    Call `nodes("Movie", rows)` and `relationships("directedBy", rows)` for each block of rows, then `statistics()`.
    Nodes are numbered from 0 in the order of reading; relationships refer to their ends by these numbers.
    """

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self._schema = schema
        self._counts = dict.fromkeys(schema.labels, 0)
        self._values = {
            label.name: {
                key: Values(type_)
                for key, type_ in label.properties.items()
                if key not in LEFT_OUT or key not in label.reserved
            }
            for label in schema.labels.values()
        }
        self._type_counts = dict.fromkeys(schema.relationship_types, 0)
        self._type_values = {
            type_: {key: Values(property_type) for key, property_type in properties.items()}
            for type_, properties in schema.relationship_properties.items()
        }
        self.ends: Mapping[Ends, tuple[array[int], array[int]]] = {
            (pattern.type, pattern.start, pattern.end): (array("I"), array("I")) for pattern in schema.patterns
        }
        """For each pattern, the arrays to which a loader appends the numbers of start nodes and of end nodes."""

    def nodes(self, label: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Count a block of nodes, given as the rows that are stored."""
        self._counts[label] += len(rows)
        for key, values in self._values[label].items():
            values.add([row[key] for row in rows if key in row])

    def relationships(self, type_: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Count a block of relationships, given as the rows of properties that are stored."""
        self._type_counts[type_] += len(rows)
        for key, values in self._type_values[type_].items():
            values.add([row[key] for row in rows if key in row])

    def statistics(self, seconds: float = 0.0) -> Statistics:
        """Return the collected statistics; `seconds` is the time that reading took."""
        return Statistics(
            {
                label: LabelStatistics(
                    label, count, _of(self._values[label], count), self._schema.labels[label].name_property
                )
                for label, count in self._counts.items()
            },
            {
                type_: TypeStatistics(type_, count, _of(self._type_values[type_], count))
                for type_, count in self._type_counts.items()
            },
            tuple(self._pattern(*ends) for ends in self.ends),
            seconds=seconds,
        )

    def _pattern(self, type_: str, start: str, end: str) -> PatternStatistics:
        import numpy

        starts, ends = (
            numpy.frombuffer(numbers, dtype=numpy.uint32) if numbers else numpy.empty(0, numpy.uint32)
            for numbers in self.ends[type_, start, end]
        )
        both_ways = loops = None
        if start == end and len(starts):
            loop = starts == ends
            loops = int(loop.sum())
            there = (starts[~loop].astype(numpy.uint64) << numpy.uint64(32)) | ends[~loop]
            back = (ends[~loop].astype(numpy.uint64) << numpy.uint64(32)) | starts[~loop]
            both_ways = round(float(numpy.isin(there, back).mean()), 4) if len(there) else 0.0
        return PatternStatistics(
            type_,
            start,
            end,
            len(starts),
            both_ways,
            loops,
            degrees(starts, self._counts[start]),
            degrees(ends, self._counts[end]),
        )


def degrees(numbers: numpy.ndarray, nodes: int) -> Degrees:
    """Return the degrees of a label's nodes.

    `numbers` holds one node number for each relationship; `nodes` is the number of all nodes of the label.
    """
    import numpy

    _, counts = numpy.unique(numbers, return_counts=True)
    most = int(counts.max()) if len(counts) else 0
    return Degrees(nodes, len(counts), round(len(numbers) / nodes, 4) if nodes else 0.0, most)


def _of(values: Mapping[str, Values], count: int) -> dict[str, PropertyStatistics]:
    return {key: found.statistics(count) for key, found in values.items()}
