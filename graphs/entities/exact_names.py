"""Looks exactly written names up in the database itself: until there is an entity index, and while it is outdated.

One query is run for each label and naming property, and all queries of a call share one time limit. The database finds
the names through its own indexes if it has any, and otherwise reads the label's nodes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from graphground.cypher.quoting import nodes, property_of
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.entities.candidate import Candidate, EntityLookup, Mode, UnknownName
from graphground.graphs.entities.folding import clean, fold
from graphground.graphs.entities.paging import NAME_PROPERTIES, name_property

if TYPE_CHECKING:
    from graphground.graphs.entities.spans import Span
    from graphground.graphs.entities.vectors.in_database import DatabaseVectors

SECONDS = 4.0
"""The maximum time, in seconds, for all queries of one call together."""
MAX_NAMESAKES = 5
"""The maximum number of nodes of a label that are returned for one name."""
Place = tuple[str, str, str]
"""A name in the database: the label and the property that have it, and the name itself."""


class ExactNames(EntityLookup):
    """The names that a database has now: `ExactNames("films", engine, lambda: schema).find("Heat")[0].label`.

    `schema` returns the current schema. Misspelt names, aliases and other values are not found.
    """

    info = None

    def __init__(
        self,
        name: str,
        engine: Engine,
        schema: Callable[[], PropertyGraphSchema],
        vectors: DatabaseVectors | None = None,
    ) -> None:
        self._name, self._engine, self._schema, self._vectors = name, engine, schema, vectors

    def find_all(
        self,
        mentions: Sequence[str],
        *,
        label: str | None = None,
        property: str | None = None,
        mode: Mode = "auto",
        limit: int = 5,
    ) -> list[Sequence[Candidate]]:
        """Return the nodes whose name is exactly the mention, or in mode `vector` those that the database finds.

        Raises:
            LookupError: the mode is `vector` and the database has no usable vector index; the message says why.
        """
        if mode == "vector":
            if self._vectors is None:
                raise LookupError(
                    f"the graph {self._name!r} has no entity index, so no vectors; build both with "
                    f"`graphground entities build {self._name} --vectors`"
                )
            return list(self._vectors.nearest_of_all(mentions, label=label, limit=limit))
        named = self.compare((), list(filter(None, mentions)), label, property)[1]
        return [named.get(mention, [])[:limit] for mention in mentions]

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether a node of the label has the value in the property; True if the query fails or takes too long.

        If `label` is None, any label is meant; if `property` is None, the property that names the nodes is meant.
        """
        for known in self._schema().labels.values():
            key = property or name_property(known)
            if label in (None, known.name) and key is not None and key in known.properties:
                place = known.name, key, value
                if place not in self.compare([place])[0]:
                    return True
        return False

    def spans(self, question: str) -> list[Span]:
        """Return all names that occur in a question as they are stored, with their labels; they may overlap.

        Every sequence of words is looked up, with and without the ending of its last word.
        """
        from graphground.graphs.entities.spans import MOST_WORDS, find_spans, words_of

        words = words_of(question)
        texts = {
            question[first.start : end]
            for number, first in enumerate(words)
            for last in words[number : number + MOST_WORDS]
            for end in (last.end, *(end for _, end in last.endings))
        }
        return find_spans(question, FoundNames(self.compare((), sorted(texts))[1]))

    def same_name(self, name: str, *, label: str | None = None, aliases: bool = True) -> int:
        """Return the number of nodes with exactly this name, at most `MAX_NAMESAKES` for each label."""
        return len({candidate.key for candidate in self.compare((), [name], label)[1].get(name, ())})

    @property
    def texts(self) -> int:
        """The number of nodes whose label has a naming property, which have about as many names."""
        return sum(label.count or 0 for label in self._schema().labels.values() if name_property(label))

    def word_counts(self, words: Sequence[str]) -> list[int]:
        """Return 1 for each word: how many names contain it is unknown until there is an index."""
        return [1] * len(words)

    def check_names(self, label: str | None, property: str | None) -> None:
        """Raise an error if the nodes of a label have no names, or if no nodes are named by a property.

        Raises:
            UnknownName: the message gives the nearest label or property with names.
        """
        named = {known.name: key for known in self._schema().labels.values() if (key := name_property(known))}
        for kind, name, known in (("label", label, list(named)), ("property", property, list({*named.values()}))):
            if name is not None and name not in known:
                from graphground.cypher.names.nearest import closest

                raise UnknownName(kind, name, closest(name, known) or known[:10])

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
                if name in mentions:
                    found.setdefault(name, []).extend(
                        Candidate(name, *place, 1.0, "exact", str(key), description, name_property=place[1])
                        for key in keys
                    )
        return removed, found

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
        if properties.get(key) == "int":
            text = f"toString({text})"
        if properties.get(key, "").startswith("list["):
            return (
                f"{nodes(label).match()} UNWIND {text} AS v WITH v WHERE v IN $names "
                "RETURN DISTINCT v, [] AS keys, null AS d"
            )
        own_id = self._engine.capabilities().dialect.own_id
        own_key = f"coalesce(n.eid, {own_id})" if "eid" in properties else own_id
        description = "n.description" if "description" in properties else "null"
        return (
            f"{nodes(label).match()} WHERE {text} IN $names RETURN {text} AS name, "
            f"collect({own_key})[..{MAX_NAMESAKES}] AS keys, head(collect({description})) AS description"
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


class FoundNames:
    """The labels of names that were found in a database, by folded name: the names that `find_spans` looks for."""

    def __init__(self, found: dict[str, list[Candidate]]) -> None:
        self._labels: dict[str, set[str]] = {}
        for name, candidates in found.items():
            self._labels.setdefault(fold(clean(name)), set()).update(candidate.label for candidate in candidates)

    def labels_named(self, folded: Sequence[str]) -> list[tuple[str, ...]]:
        """Return for each folded text the labels that have it as a name."""
        return [tuple(sorted(self._labels.get(text, ()))) for text in folded]
