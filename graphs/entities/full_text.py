"""Entity lookup through the full-text indexes of your own database, if they cover the properties that name nodes.

This lookup is used until the entity index is built, and for databases that are too large for an entity index. The
database finds the nodes whose names have a word of the mention, or a word spelt similarly; their names are then
compared with the mention as in the entity index. The names of labels without a full-text index are read directly. If
the database refuses the search (no permission, an index that is still being filled, a query that takes too long), all
names are read directly.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from graphground.cypher.matching import property_of
from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.entities.base_lookup import BaseLookup
from graphground.graphs.entities.candidate import Candidate, Mode
from graphground.graphs.entities.folding import clean, fold
from graphground.graphs.entities.names_in_database import Names, NamesInDatabase, entries_of
from graphground.graphs.entities.paging import count_nodes, name_property
from graphground.graphs.entities.spans import COMMON, LONGEST_QUESTION

if TYPE_CHECKING:
    from graphground.graphs.entities.spans import Span
    from graphground.graphs.entities.vectors.in_database import DatabaseVectors

SECONDS = 2.0
"""The longest time in seconds that one search may take."""
AGAIN_SECONDS = 60.0
"""Seconds after a failure during which the full-text indexes are not searched."""
MOST_NODES, MOST_OF_QUESTION, MOST_COUNTED = 100, 300, 1000
"""The maximum number of nodes returned for a mention, returned for a whole question, and counted for a word."""
MOST_WORDS = 60
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FullTextIndex:
    """A full-text index, with the naming property of each label: `FullTextIndex("film_names", {"Movie": "title"})`."""

    name: str
    labels: Mapping[str, str]


def usable_indexes(schema: PropertyGraphSchema) -> list[FullTextIndex]:
    """Return the full-text indexes of properties that name nodes; each label is listed in only one index.

    If a label has aliases, the index must include the aliases; otherwise a search would not find them.
    """
    found: dict[str, dict[str, str]] = {}
    covered: set[str] = set()
    for index in schema.indexes:
        label = schema.labels.get(index.owner)
        if index.kind != "fulltext" or index.relationship or label is None or label.name in covered:
            continue
        key = name_property(label)
        if key in index.properties and ("aliases" not in label.properties or "aliases" in index.properties):
            found.setdefault(index.name, {})[label.name] = key or ""
            covered.add(label.name)
    return [FullTextIndex(name, labels) for name, labels in found.items()]


class FullTextNames(BaseLookup):
    """A lookup in the database's full-text indexes: `FullTextNames("films", engine, lambda: schema, whole)`.

    `whole` looks up the same names without full-text indexes. It is used for searches by meaning, and if the database
    refuses a full-text search.
    """

    info = None

    def __init__(
        self,
        name: str,
        engine: Engine,
        schema: Callable[[], PropertyGraphSchema],
        whole: NamesInDatabase,
        vectors: DatabaseVectors | None = None,
    ) -> None:
        self._engine, self._schema, self._whole = engine, schema, whole
        self._rest = NamesInDatabase(name, engine, self._uncovered, vectors)
        self._failed_at: float | None = None
        self._counts: tuple[float, int] | None = None

    @property
    def usable(self) -> bool:
        """Whether there is a usable full-text index and no search has failed in the last `AGAIN_SECONDS`."""
        failed = self._failed_at is not None and time.monotonic() - self._failed_at < AGAIN_SECONDS
        return not failed and bool(usable_indexes(self._schema()))

    def find_all(
        self,
        mentions: Sequence[str],
        *,
        label: str | None = None,
        property: str | None = None,
        mode: Mode = "auto",
        limit: int = 5,
    ) -> list[Sequence[Candidate]]:
        """Return the candidates of each mention, best first.

        Raises:
            LookupError: the mode is `vector` and the graph has no usable vectors; the message says why.
        """
        if mode == "vector":
            return self._whole.find_all(mentions, label=label, property=property, mode=mode, limit=limit)
        try:
            found = [
                list(
                    next(iter(self._alike(mention, label).by_spelling([mention], label, property, limit)))
                    if fold(clean(mention))
                    else ()
                )
                for mention in mentions
            ]
        except EngineError as error:
            self._fail(error)
            return self._whole.find_all(mentions, label=label, property=property, mode=mode, limit=limit)
        uncovered = self._uncovered().labels
        if uncovered and (label is None or label in uncovered):
            others = self._rest.find_all(mentions, label=label, property=property, mode=mode, limit=limit)
            found = [
                sorted([*indexed, *read], key=lambda candidate: (candidate.match != "exact", -candidate.score))[:limit]
                for indexed, read in zip(found, others, strict=True)
            ]
        return [*found]

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether a node of the label has exactly this name or alias; True for a property that does not name nodes."""
        if property is not None and property not in {key for key in map(name_property, self._labels()) if key}:
            return True
        found = self.find_all([value], label=label, property=property, mode="fuzzy", limit=MOST_NODES)[0]
        return any(value in (candidate.name, candidate.matched) for candidate in found)

    def spans(self, question: str, *, unknown: bool = False) -> list[Span]:
        """Return the names that occur in a question, the longest if names overlap, with the labels that have them."""
        from graphground.graphs.entities.spans import find_spans

        words = [word for word in fold(clean(question[:LONGEST_QUESTION])).split() if word not in COMMON]
        try:
            names = self._searched(" ".join(_terms(words, exact=True)), None, MOST_OF_QUESTION)
        except EngineError as error:
            self._fail(error)
            return self._whole.spans(question, unknown=unknown)
        rest = self._rest.names() if self._uncovered().labels else None
        return find_spans(question, _Both(names, rest), unknown=unknown)

    def same_name(self, name: str, *, label: str | None = None, aliases: bool = True) -> int:
        """Return the number of nodes with this name; if `aliases`, also those with this alias.

        Case and accents are ignored. At most `MOST_NODES` nodes are counted.
        """
        folded = fold(clean(name))
        found = self.find_all([name], label=label, mode="fuzzy", limit=MOST_NODES)[0]
        return sum(
            fold(clean(candidate.matched or candidate.name)) == folded and (aliases or candidate.match != "alias")
            for candidate in found
        )

    @property
    def texts(self) -> int:
        """The number of nodes of labels with a naming property, counted at most once in `AGAIN_SECONDS`."""
        now = time.monotonic()
        if self._counts is None or now - self._counts[0] > AGAIN_SECONDS:
            schema = self._schema()
            self._counts = now, count_nodes(self._engine, schema, [label.name for label in self._labels()])
        return self._counts[1]

    def word_counts(self, words: Sequence[str]) -> list[int]:
        """Return for each folded word the number of names that contain it, up to `MOST_COUNTED` in each index."""
        counted = dict.fromkeys(words, 0)
        plain_words = [word for word in counted if re.fullmatch(r"\w+", word)]
        try:
            for index in usable_indexes(self._schema()):
                rows = self._engine.run(
                    "UNWIND $words AS word CALL db.index.fulltext.queryNodes($index, word, {limit: $most}) YIELD node "
                    "RETURN word, count(node) AS names",
                    {"words": plain_words, "index": index.name, "most": MOST_COUNTED},
                    timeout=SECONDS,
                ).rows
                for word, names in rows:
                    counted[word] += int(names)
        except EngineError as error:
            self._fail(error)
            return self._whole.word_counts(words)
        if self._uncovered().labels:
            for word, names in zip(words, self._rest.word_counts(words), strict=True):
                counted[word] += names
        return [counted[word] for word in words]

    def check_names(self, label: str | None, property: str | None) -> None:
        """Raise an `UnknownName` error if a label or a property has no names."""
        self._whole.check_names(label, property)

    def _labels(self) -> list[Label]:
        """Return the labels whose nodes have names."""
        return [label for label in self._schema().labels.values() if name_property(label)]

    def _uncovered(self) -> PropertyGraphSchema:
        """Return the schema reduced to the labels whose names no full-text index covers."""
        schema = self._schema()
        covered = set(chain.from_iterable(index.labels for index in usable_indexes(schema)))
        return replace(
            schema,
            labels={
                label.name: label
                for label in schema.labels.values()
                if label.name not in covered and name_property(label)
            },
            patterns=(),
        )

    def _alike(self, mention: str, label: str | None) -> Names:
        """Return the names in the database that contain a word of the mention, or a word spelt similarly."""
        words = list(dict.fromkeys([*fold(clean(mention)).split(), *re.findall(r"\w+", mention.lower())]))
        return self._searched(" ".join(_terms(words)), label, MOST_NODES)

    def _searched(self, text: str, label: str | None, most: int) -> Names:
        """Return the names and aliases of the nodes that a Lucene query finds.

        The nodes have the label `label`, or any indexed label if it is None. `most` is the approximate maximum number
        of nodes.

        Raises:
            EngineError: the database refused the query, or took longer than `SECONDS`.
        """
        schema = self._schema()
        entries: list[tuple[str, Candidate]] = []
        for index in usable_indexes(schema) if text else ():
            if label is not None and label not in index.labels:
                continue
            keys = list(dict.fromkeys(index.labels.values()))
            names = ", ".join(property_of("n", key) for key in keys)
            condition = "WHERE $label IN labels(n) " if label is not None else ""
            rows = self._engine.run(
                "CALL db.index.fulltext.queryNodes($index, $text, {limit: $most}) YIELD node AS n "
                f"{condition}RETURN labels(n) AS labels, [{names}] AS names, n.aliases AS aliases, n.eid AS eid, "
                "elementId(n) AS id, n.description AS description",
                {"index": index.name, "text": text, "most": most if label is None else 4 * most, "label": label},
                limit=4 * most,
                timeout=SECONDS,
            ).rows
            for labels, values, aliases, eid, own_id, description in rows:
                for its_label in labels:
                    key = index.labels.get(its_label)
                    name = values[keys.index(key)] if key is not None else None
                    if key is None or name is None:
                        continue
                    own_key = eid if "eid" in schema.labels[its_label].properties else own_id
                    entries += entries_of(its_label, key, name, aliases, own_key, description)
        return Names(entries)

    def _fail(self, error: EngineError) -> None:
        self._failed_at = time.monotonic()
        logger.warning("the database's full-text indexes are not used for names: %s", error)


@dataclass(frozen=True, slots=True)
class _Both:
    """The names that full-text indexes found, together with the names that were read directly, if any."""

    found: Names
    read: Names | None

    def labels_named(self, folded: Sequence[str]) -> list[tuple[str, ...]]:
        its = self.found.labels_named(folded)
        if self.read is None:
            return its
        return [
            tuple(sorted({*indexed, *others}))
            for indexed, others in zip(its, self.read.labels_named(folded), strict=True)
        ]


def _terms(words: Iterable[str], *, exact: bool = False) -> list[str]:
    """Return terms of a Lucene query that find each word; without `exact`, also misspelt: `matrix^2`, `matrix~2`."""
    terms = []
    for word in list(dict.fromkeys(words))[:MOST_WORDS]:
        if not re.fullmatch(r"\w+", word):
            continue
        errors = 0 if exact or word.isdecimal() or len(word) < 3 else 1 if len(word) < 5 else 2
        terms += [f"{word}^2", f"{word}~{errors}"] if errors else [word]
    return terms
