"""Asks a database about a few names directly, while the index of its names is outdated.

Each question is one query for each label, for all names together, and all questions of a call have one limit of time.
The database finds the names through its own indexes if it has any, and otherwise reads the label's nodes: a tenth of a
second for 200,000 nodes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from graphground.cypher.matching import nodes, property_of
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.entities.candidate import Candidate
from graphground.graphs.entities.names_in_database import entries_of
from graphground.graphs.entities.paging import NAME_PROPERTIES, name_property

SECONDS = 1.0
"""The longest time that the queries of one call may take together."""
MOST_NODES = 50
"""The largest number of nodes of a label that are returned for the names of one call."""
Place = tuple[str, str, str]
"""A name, as its label, its property and the name itself."""


class CurrentNames:
    """The names that a database has now: `CurrentNames(engine, lambda: schema).named(["Heat"])`."""

    def __init__(self, engine: Engine, schema: Callable[[], PropertyGraphSchema]) -> None:
        self._engine, self._schema = engine, schema

    def gone(self, places: Iterable[Place]) -> set[Place]:
        """Return the names that no node of their label has any more; a name that cannot be checked is not returned."""
        asked: dict[tuple[str, str], set[str]] = {}
        for label, key, name in places:
            asked.setdefault((label, key), set()).add(name)
        labels, deadline = self._schema().labels, time.monotonic() + SECONDS
        gone: set[Place] = set()
        for (label, key), names in asked.items():
            known = labels.get(label)
            if known is None or key not in known.properties:
                continue
            text, several = property_of("n", key), known.properties[key].startswith("list[")
            held = f"UNWIND {text} AS v WITH v WHERE v" if several else f"WHERE {text}"
            returned = "v" if several else f"{text} AS v"
            query = f"{nodes(label).match()} {held} IN $names RETURN DISTINCT {returned}"
            rows = self._rows(query, sorted(names), deadline)
            if rows is not None:
                gone |= {(label, key, name) for name in names - {row[0] for row in rows if isinstance(row[0], str)}}
        return gone

    def denied(self, value: str, label: str | None, property: str | None) -> bool:
        """Whether the database confirms that no node of the label has the value; False if it does not respond."""
        labels = self._schema().labels.values()
        places = [
            (known.name, key, value)
            for known in labels
            if label in (None, known.name)
            and (key := property or known.name_property) is not None
            and key in known.properties
        ]
        return all(self.gone([place]) for place in places)

    def named(
        self, names: Sequence[str], label: str | None = None, property: str | None = None
    ) -> dict[str, list[Candidate]]:
        """Return the nodes that have exactly one of these names, by name: also nodes of labels that the schema lacks."""
        found: dict[str, list[Candidate]] = {}
        deadline = time.monotonic() + SECONDS
        for its_label, key in self._places(label, deadline):
            if property not in (None, key):
                continue
            known = self._schema().labels.get(its_label)
            properties = known.properties if known is not None else {}
            own_id = self._engine.capabilities().dialect.own_id
            own_key = f"coalesce(n.eid, {own_id})" if "eid" in properties else own_id
            description = "n.description" if "description" in properties else "null"
            text = property_of("n", key)
            rows = self._rows(
                f"{nodes(its_label).match()} WHERE {text} IN $names "
                f"RETURN {text} AS name, {own_key} AS key, {description} AS description LIMIT {MOST_NODES}",
                sorted(names),
                deadline,
            )
            for name, node_key, about in rows or ():
                found.setdefault(name, []).extend(
                    candidate for _, candidate in entries_of(its_label, key, name, None, node_key, about)
                )
        return found

    def _places(self, label: str | None, deadline: float) -> Iterator[tuple[str, str]]:
        """Yield the labels with the properties that name their nodes; for a label that is new, the usual properties."""
        schema = self._schema()
        for known in schema.labels.values():
            key = name_property(known)
            if key is not None and label in (None, known.name):
                yield known.name, key
        listed = self._rows(self._engine.capabilities().dialect.labels, [], deadline) or ()
        for name in [str(row[0]) for row in listed]:
            if name not in schema.labels and label in (None, name):
                usual = {key for known in schema.labels.values() if (key := name_property(known)) is not None}
                yield from ((name, key) for key in sorted(usual | {*NAME_PROPERTIES[:2]}))

    def _rows(self, query: str, names: list[str], deadline: float) -> list[list[Any]] | None:
        """Return the rows of a query; None if the time is over or the database does not respond."""
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        try:
            return self._engine.run(query, {"names": names}, timeout=left).rows
        except EngineError:
            return None
