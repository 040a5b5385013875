"""Looks a few names up in the database itself, while the entity index is outdated.

`compare` runs one query for each label and property, and all these queries share one time limit. The database finds the
names through its own indexes if it has any, and otherwise reads the label's nodes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from graphground.cypher.matching import nodes, property_of
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.entities.candidate import Candidate
from graphground.graphs.entities.names_in_database import entries_of
from graphground.graphs.entities.paging import NAME_PROPERTIES, name_property

SECONDS = 4.0
"""The maximum time, in seconds, for all queries of one call of `compare` together."""
MOST_NAMESAKES = 5
"""The maximum number of nodes of a label that are returned for one name."""
Place = tuple[str, str, str]
"""A name in the database: the label and the property that have it, and the name itself."""


class CurrentNames:
    """The names that a database has now: `CurrentNames(engine, lambda: schema).holds("Heat")`."""

    def __init__(self, engine: Engine, schema: Callable[[], PropertyGraphSchema]) -> None:
        self._engine, self._schema = engine, schema

    def compare(
        self,
        places: Iterable[Place],
        mentions: Sequence[str] = (),
        label: str | None = None,
        property: str | None = None,
    ) -> tuple[set[Place], dict[str, list[Candidate]]]:
        """Return the places whose name no node has, and for each mention the nodes with that name.

        The places are those in `places`, and those where a mention was looked up. `label` and `property` restrict the
        second result, which also includes nodes of labels that the schema does not contain yet. The labels with the
        most nodes are read last. Those in `places` whose label or property is not in the schema are skipped. A name
        that cannot be read in time is missing from both results.
        """
        deadline = time.monotonic() + SECONDS
        labels = self._schema().labels
        names_at: dict[tuple[str, str], set[str]] = {}
        for its_label, key, name in places:
            if its_label in labels and key in labels[its_label].properties:
                names_at.setdefault((its_label, key), set()).add(name)
        naming = [place for place in self._naming(label, deadline) if property in (None, place[1])] if mentions else []
        for place in naming:
            names_at.setdefault(place, set()).update(mentions)
        removed: set[Place] = set()
        found: dict[str, list[Candidate]] = {}
        for place in sorted(names_at, key=lambda place: labels[place[0]].count or 0 if place[0] in labels else -1):
            rows = self._rows(self._query(*place), sorted(names_at[place]), deadline)
            if rows is None:
                continue
            present = {name for name, *_ in rows if isinstance(name, str)}
            removed |= {(*place, name) for name in names_at[place] - present}
            for name, keys, description in rows if place in naming else ():
                for node_key in keys if name in mentions else ():
                    found.setdefault(name, []).extend(
                        candidate for _, candidate in entries_of(*place, name, None, node_key, description)
                    )
        return removed, found

    def holds(self, value: str, label: str | None = None, property: str | None = None) -> bool:
        """Whether a node of the label has the value in the property; True if the query fails or takes too long.

        If `label` is None, any label is meant; if `property` is None, the property that names the nodes is meant.
        """
        for known in self._schema().labels.values():
            key = property or known.name_property
            if label in (None, known.name) and key is not None and key in known.properties:
                place = known.name, key, value
                if place not in self.compare([place])[0]:
                    return True
        return False

    def _naming(self, label: str | None, deadline: float) -> list[tuple[str, str]]:
        """Return pairs of a label and a property that names its nodes.

        A label that the schema does not contain yet is paired with each of the usual naming properties.
        """
        labels = self._schema().labels
        named = {name: key for name, known in labels.items() if (key := name_property(known)) is not None}
        listed = self._rows(self._engine.capabilities().dialect.labels, [], deadline) or ()
        usual = sorted({*named.values(), *NAME_PROPERTIES[:2]})
        fresh = [(name, key) for name in (str(row[0]) for row in listed) if name not in labels for key in usual]
        return [place for place in (*fresh, *named.items()) if label in (None, place[0])]

    def _query(self, label: str, key: str) -> str:
        """Return the query that looks `$names` up; its rows hold a name, keys of nodes with it, and a description."""
        known = self._schema().labels.get(label)
        properties = known.properties if known is not None else {}
        text = property_of("n", key)
        if properties.get(key, "").startswith("list["):
            return f"{nodes(label).match()} UNWIND {text} AS v WITH v WHERE v IN $names RETURN DISTINCT v, [] AS keys, null AS d"
        own_id = self._engine.capabilities().dialect.own_id
        own_key = f"coalesce(n.eid, {own_id})" if "eid" in properties else own_id
        description = "n.description" if "description" in properties else "null"
        return (
            f"{nodes(label).match()} WHERE {text} IN $names RETURN {text} AS name, "
            f"collect({own_key})[..{MOST_NAMESAKES}] AS keys, head(collect({description})) AS description"
        )

    def _rows(self, query: str, names: list[str], deadline: float) -> list[list[Any]] | None:
        """Return the rows of a query; None if the deadline has passed or the query fails."""
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        try:
            return self._engine.run(query, {"names": names}, timeout=left).rows
        except EngineError:
            return None
