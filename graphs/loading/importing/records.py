"""Nodes and relationships in the form in which a file or a database provides them, without a schema.

>>> NodeRecord("p1", ("Person",), {"name": "Michael Mann", "born": 1943}, 3).properties["born"]
1943
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from graphground.graphs.loading.importing.problems import Problems


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """A node; property values are Python's `str`, `int`, `float`, `bool`, `date` and `datetime`, and lists of these.

    Other values, such as maps, become text when they are imported.
    `place` is the node's line in its file, or None if the source has no lines.
    """

    id: str
    labels: tuple[str, ...]
    properties: Mapping[str, Any] = field(default_factory=dict)
    place: int | None = None


@dataclass(frozen=True, slots=True)
class RelationshipRecord:
    """A relationship between the nodes with the ids `start` and `end`."""

    type: str
    start: str
    end: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    place: int | None = None


class RecordSource(Protocol):
    """A source of records that can be read repeatedly; problems are reported under its `name`."""

    name: str

    def nodes(self, problems: Problems) -> Iterator[NodeRecord]:
        """Yield every node; nodes that cannot be read are added to `problems` and skipped."""
        ...

    def relationships(self, problems: Problems) -> Iterator[RelationshipRecord]:
        """Yield every relationship; relationships that cannot be read are added to `problems` and skipped."""
        ...
