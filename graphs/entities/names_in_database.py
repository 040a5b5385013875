"""Entity lookup without an index: the names in a database are read into memory when they are first needed."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from graphground.cypher.matching import nodes, property_of
from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.graphs.engines.engine import Engine
from graphground.graphs.entities.base_lookup import BaseLookup
from graphground.graphs.entities.candidate import Candidate, Mode
from graphground.graphs.entities.folding import clean, fold
from graphground.graphs.entities.paging import name_property
from graphground.graphs.entities.record import UnknownName

if TYPE_CHECKING:
    from graphground.graphs.entities.spans import Span
    from graphground.graphs.entities.vectors.in_database import DatabaseVectors

MOST_NAMES = 1_000_000
KEPT_SECONDS = 900.0
"""Seconds after which the names are read again; changes in the database are not noticed earlier."""
WORST_SCORE = 60.0
RESCORED = 50
"""The number of names per mention, the most similar ones by rapidfuzz, whose scores are then computed as in an index.

If more than 16 candidates are requested, it is three times their number. Fewer names are scored if few are similar.
"""
MENTIONS_AT_ONCE = 8
"""The number of mentions compared together; each pair of a mention and a name takes four bytes of memory."""


class NamesInDatabase(BaseLookup):
    """A lookup in memory, among the names and the aliases of all nodes.

    `NamesInDatabase("nba", engine, lambda: schema).find("Lebron James")[0].name` is `LeBron James`; `schema` returns
    the current schema.
    """

    info = None

    def __init__(
        self,
        name: str,
        engine: Engine,
        schema: Callable[[], PropertyGraphSchema],
        vectors: DatabaseVectors | None = None,
    ):
        self._name, self._engine, self._schema, self._vectors = name, engine, schema, vectors
        self._lock = threading.Lock()
        self._known: Names | None = None

    def find_all(
        self,
        mentions: Sequence[str],
        *,
        label: str | None = None,
        property: str | None = None,
        mode: Mode = "auto",
        limit: int = 5,
    ) -> list[Sequence[Candidate]]:
        """Return the candidates of each mention, best first; names are compared on all cores.

        Raises:
            LookupError: the mode is `vector` and the graph has no usable vectors; the message says why.
        """
        vectors = self._vectors
        if mode == "vector":
            if vectors is None:
                raise LookupError(
                    f"the graph {self._name!r} has no entity index, so no vectors; build both with "
                    f"`graphground entities build {self._name} --vectors`"
                )
            return list(vectors.nearest_of_all(mentions, label=label, limit=limit))
        answers: list[Sequence[Candidate]] = list(self.names().by_spelling(mentions, label, property, limit))
        if mode != "auto" or vectors is None:
            return answers
        from graphground.graphs.entities.vectors.in_database import in_database
        from graphground.graphs.entities.vectors.merging import UNSURE, merged

        unsure = [place for place, best in enumerate(answers) if not best or best[0].score < UNSURE]
        similar = in_database(vectors, [mentions[place] for place in unsure], label, limit)
        for place, nearest in zip(unsure, similar, strict=True):
            spelled = {(answer.label, answer.name) for answer in answers[place]}
            answers[place] = merged(
                answers[place],
                [candidate for candidate in nearest if (candidate.label, candidate.name) not in spelled],
                limit,
            )
        return answers

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether a node of the label has exactly this name or alias; True for a property without names or aliases."""
        if property is not None and property not in self._properties():
            return True
        return any(
            label in (None, its_label) and property in (None, its_property)
            for its_label, its_property in self.names().holders.get(value, ())
        )

    def spans(self, question: str, *, unknown: bool = False) -> list[Span]:
        """Return the names that occur in a question, the longest if names overlap, with the labels that have them."""
        from graphground.graphs.entities.spans import find_spans

        return find_spans(question, self.names(), unknown=unknown)

    def same_name(self, name: str, *, label: str | None = None, aliases: bool = True) -> int:
        """Return the number of distinct nodes with this name; if `aliases`, also those with this alias.

        Case and accents are ignored.
        """
        return len(
            {
                key
                for its_label, key, is_alias in self.names().bearers.get(fold(clean(name)), ())
                if label in (None, its_label) and (aliases or not is_alias)
            }
        )

    @property
    def texts(self) -> int:
        """The number of names and aliases."""
        return len(self.names().words_of_all)

    def word_counts(self, words: Sequence[str]) -> list[int]:
        """Return for each folded word the number of names and aliases that contain it."""
        counted = self.names().counted
        return [counted[word] for word in words]

    def check_names(self, label: str | None, property: str | None) -> None:
        """Raise an error if the nodes of a label have no names, or if a property holds neither names nor aliases.

        Raises:
            UnknownName: the label or property has no names; the message gives the nearest label or property with
            names.
        """
        labels = [other_label.name for other_label in self._schema().labels.values() if name_property(other_label)]
        for kind, name, known in (("label", label, labels), ("property", property, self._properties())):
            if name is not None and name not in known:
                from graphground.cypher.names.nearest import closest

                raise UnknownName(kind, name, closest(name, known) or known[:10])

    def names(self) -> Names:
        """Return all names, read from the database again if they are older than `KEPT_SECONDS`."""
        with self._lock:
            if self._known is None or time.monotonic() - self._known.read_at > KEPT_SECONDS:
                self._known = Names(
                    [
                        entry
                        for label in self._schema().labels.values()
                        if (key := name_property(label))
                        for entry in self._names_of(label, key)
                    ]
                )
            return self._known

    def _properties(self) -> list[str]:
        """Return the properties that hold names and aliases."""
        return list(
            dict.fromkeys(
                [*(key for label in self._schema().labels.values() if (key := name_property(label))), "aliases"]
            )
        )

    def _names_of(self, label: Label, key: str) -> Iterator[tuple[str, Candidate]]:
        properties, named = label.properties, property_of("n", key)
        parts = [
            named,
            "n.aliases" if "aliases" in properties else "[]",
            "n.eid" if "eid" in properties else self._engine.capabilities().dialect.own_id if key != "name" else named,
            "n.description" if "description" in properties else "null",
        ]
        table = self._engine.run(
            f"{nodes(label.name).match()} WHERE {named} IS NOT NULL RETURN "
            + ", ".join(f"{part} AS c{number}" for number, part in enumerate(parts)),
            limit=MOST_NAMES,
        )
        for name, other_names, own_key, text in table.rows:
            yield from entries_of(label.name, key, name, other_names, own_key, text)


def entries_of(
    label: str, key: str, name: Any, aliases: Iterable[Any] | None, own_key: Any, description: str | None
) -> Iterator[tuple[str, Candidate]]:
    """Yield the name and the aliases of one node, each with its candidate."""
    found = Candidate(str(name), label, key, 1.0, "exact", str(own_key), description, name_property=key)
    yield str(name), found
    for alias in aliases or ():
        yield str(alias), replace(found, property="aliases", match="alias", matched=str(alias))


class Names:
    """The names of a database at one point in time: texts, each with its candidate."""

    def __init__(self, entries: Sequence[tuple[str, Candidate]]) -> None:
        self.read_at = time.monotonic()
        self._texts = [text for text, _ in entries]
        self._candidates = [candidate for _, candidate in entries]

    @cached_property
    def holders(self) -> dict[str, set[tuple[str, str]]]:
        """For each text, the pairs of a label and a property that contain it exactly."""
        found: dict[str, set[tuple[str, str]]] = {}
        for text, candidate in zip(self._texts, self._candidates, strict=True):
            found.setdefault(text, set()).add((candidate.label, candidate.property))
        return found

    @cached_property
    def bearers(self) -> dict[str, set[tuple[str, str, bool]]]:
        """For each folded text, the nodes with this name or alias: label, key, and whether the text is an alias."""
        found: dict[str, set[tuple[str, str, bool]]] = {}
        for text, candidate in zip(self.words_of_all, self._candidates, strict=True):
            found.setdefault(text, set()).add((candidate.label, candidate.key, candidate.match == "alias"))
        return found

    @cached_property
    def words_of_all(self) -> list[str]:
        """The folded texts, in the order of the texts."""
        return [fold(clean(text)) for text in self._texts]

    @cached_property
    def counted(self) -> Counter[str]:
        """For each word, the number of texts that contain it."""
        return Counter(word for text in self.words_of_all for word in set(text.split()))

    def labels_named(self, folded: Sequence[str]) -> list[tuple[str, ...]]:
        """Return for each folded text the labels that have it as a name or an alias."""
        return [tuple(sorted({label for label, *_ in self.bearers.get(text, ())})) for text in folded]

    def by_spelling(
        self, mentions: Sequence[str], label: str | None, property: str | None, limit: int
    ) -> Iterator[list[Candidate]]:
        """Yield for each mention its candidates, best first."""
        import numpy as np  # NumPy and rapidfuzz are loaded on first use
        from rapidfuzz import fuzz, process

        from graphground.graphs.entities.scoring import (
            FOLDED,
            raise_contained,
            scores_without_articles,
            without_article,
        )

        places = [
            place
            for place, candidate in enumerate(self._candidates)
            if label in (None, candidate.label) and property in (None, candidate.property)
        ]
        texts = [self.words_of_all[place] for place in places]
        folded = [fold(clean(mention)) for mention in mentions]
        for first in range(0, len(folded), MENTIONS_AT_ONCE):
            chunk = folded[first : first + MENTIONS_AT_ONCE]
            likeness = process.cdist(
                chunk, texts, scorer=fuzz.WRatio, score_cutoff=WORST_SCORE, dtype=np.float32, workers=-1
            )
            for text, scores in zip(chunk, likeness, strict=True):
                best = np.argsort(-scores, kind="stable")[: max(RESCORED, 3 * limit)]
                best = best[scores[best] > 0].tolist() if text else []
                nearest = [texts[place] for place in best]
                known = all(self.counted[word] for word in text.split())
                found = scores_without_articles(text, nearest, known)
                if known and nearest:
                    weights = np.array([self._weight(its) for its in nearest], dtype=np.float32)
                    raise_contained(found, without_article(text), nearest, self._weight(without_article(text)), weights)
                yield _entities_of(
                    [
                        (self._candidates[places[place]], its == text, min(score, FOLDED))
                        for place, its, score in zip(best, nearest, found.tolist(), strict=True)
                    ],
                    limit,
                )

    def _weight(self, text: str) -> float:
        """Return the combined specificity of the words of a folded text; rare words count most."""
        return sum(math.log((len(self._texts) + 2) / (self.counted[word] + 1)) for word in text.split()) or 1e-6


def _entities_of(found: Iterable[tuple[Candidate, bool, float]], limit: int) -> list[Candidate]:
    """Return the best candidate of each entity, best first.

    `found` holds each candidate, whether its text equals the mention when both are folded, and its score.
    """
    best: dict[tuple[str, str], Candidate] = {}
    for entry, same, score in found:
        candidate = entry if same else replace(entry, match="fuzzy", score=float(score))
        known = best.get((entry.label, entry.key))
        if known is None or candidate.score > known.score:
            best[entry.label, entry.key] = candidate
    order = {"exact": 0, "alias": 1}
    return sorted(best.values(), key=lambda candidate: (order.get(candidate.match, 2), -candidate.score))[:limit]
