"""The opened entity index of a graph."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from graphground.cypher.diagnostics import counted
from graphground.cypher.names.nearest import closest
from graphground.graphs.entities.candidate import (
    EVERYWHERE,
    Candidate,
    EntityLookup,
    IndexInfo,
    Match,
    Search,
    UnknownName,
)
from graphground.graphs.entities.files import (
    ALIAS,
    LONGEST_TEXT,
    LONGEST_VALUE,
    NAME,
    VALUE,
    Array,
    Files,
    Fuzzy,
    Words,
    name_number,
    word_number,
)
from graphground.graphs.entities.spans import Span, clean, find_spans, fold
from graphground.graphs.entities.vectors.building import (
    EncoderMissing,
    Vectors,
    VectorsMissing,
    VectorStore,
    begin_loading,
    encoder,
)
from graphground.graphs.entities.vectors.in_database import DatabaseVectors, in_database
from graphground.graphs.entities.verdicts.judging import (
    ARTICLE,
    EXACT,
    FOLDED,
    UNSURE,
    merged,
    raise_contained,
    scores_without_articles,
    without_article,
)
from graphground.graphs.storage.home import Catalog, Home

_RESCORED = 100
_BESIDE_EXACT = 20
"""The maximum number of rows that are scored: in general, and beside an exact name."""
_SURE = 0.86
_WORST = 0.4
_MOST_WORDS = 24
_KIND_FACTOR = {NAME: 1.0, ALIAS: 0.99, VALUE: 0.97}


def open_index(folder: Path, database: DatabaseVectors | None = None) -> EntityIndex:
    """Open the index in a folder; this takes milliseconds for any size.

    If the index has vectors, their model starts to load in the background. If `database` is given, the database's own
    vector index is used instead of these vectors.

    Raises:
        IndexMissing: there is no index, or only one of another version; the message says how to build it.
    """
    index = EntityIndex(Files(folder), database)
    with suppress(VectorsMissing, EncoderMissing):
        index.vectors()
    return index


class EntityIndex(EntityLookup):
    """A lookup in an index: `open_index(folder).find("Lebron Jmes")[0].name` is `LeBron James`."""

    def __init__(self, files: Files, database: DatabaseVectors | None = None):
        self._files = files
        self._words = Words(files)
        self._fuzzy = Fuzzy(files, self._words)
        self._store: VectorStore | None = None
        self._database = database
        self._scopes: dict[tuple[str | None, str | None], tuple[int, int, frozenset[int] | None]] = {}
        self._first_of = [low for *_, low, _ in files.partitions]
        self._first_rows = np.array(self._first_of, dtype=np.int64)

    @property
    def info(self) -> IndexInfo:
        """A description of the index, with its build time and source."""
        return self._files.info

    def find_all(self, mentions: Sequence[str], search: Search = EVERYWHERE) -> list[Sequence[Candidate]]:
        """Return the candidates of each mention, best first; all vectors are computed in one batch.

        Raises:
            VectorsMissing: the mode is `vector` and the index has no vectors; the message says how to build them.
            EncoderMissing: the mode is `vector` and the model of the vectors cannot be used.
        """
        label, limit = search.label, search.limit
        low, high, allowed = self._scope(label, search.property)
        answers: list[Sequence[Candidate]] = [[] for _ in mentions]
        if limit < 1 or low == high:
            return answers
        texts_at = {
            place: (cleaned, folded) for place, cleaned in enumerate(map(clean, mentions)) if (folded := fold(cleaned))
        }
        if search.mode == "vector":
            nearest = self._by_meaning([cleaned for cleaned, _ in texts_at.values()], label, low, high, allowed, limit)
            for place, found in zip(texts_at, nearest, strict=True):
                answers[place] = found
            return answers
        unsure: list[int] = []
        for place, (cleaned, folded) in texts_at.items():  # threads do not make this faster: docs/figures.md
            best = self._by_spelling(cleaned, folded, low, high, allowed)
            if search.mode == "auto" and (not best or best[0][0] < UNSURE) and self._has_vectors_at_hand():
                unsure.append(place)
            answers[place] = self._candidates(best, 2 * limit if place in unsure else limit)
        if unsure:
            texts = [texts_at[place][0] for place in unsure]
            similar = (
                in_database(self._database, texts, label, 2 * limit)
                if self._database is not None
                else self._by_meaning(texts, label, low, high, allowed, 2 * limit)
            )
            for place, found in zip(unsure, similar, strict=True):
                answers[place] = merged(answers[place], found, limit)
        return answers

    def vectors(self) -> VectorStore:
        """Return the vectors of this index's names.

        Raises:
            VectorsMissing: the index has no vectors; the message says how to build them.
            EncoderMissing: the model of the vectors needs a library that is not installed.
        """
        if self._store is None:
            self._store = VectorStore(self._files)
            begin_loading(self._store.model)
        return self._store

    def _has_vectors_at_hand(self) -> bool:
        """Whether vectors can be searched: those of the database, or those of this index if their model is loaded."""
        if self._database is not None:
            return True
        try:
            return bool(getattr(encoder(self.vectors().model), "ready", True))
        except (VectorsMissing, EncoderMissing):
            return False

    def _by_meaning(
        self,
        mentions: Sequence[str],
        label: str | None,
        low: int,
        high: int,
        allowed: frozenset[int] | None,
        count: int,
    ) -> Sequence[Sequence[Candidate]]:
        if self._database is not None:
            return self._database.nearest_of_all(mentions, label=label, limit=count)
        store = self.vectors()
        return [
            self._candidates(self._nearest(store, vector, low, high, allowed, count), count, "vector")
            for vector in encoder(store.model).encode(mentions)
        ]

    def _nearest(
        self, store: VectorStore, vector: Vectors, low: int, high: int, allowed: frozenset[int] | None, count: int
    ) -> list[tuple[float, int]]:
        found = store.nearest(vector, low, high, count if allowed is None else 10 * count)
        allowed_rows = set(
            self._within(np.sort(np.array([row for row, _ in found], dtype=np.int64)), low, high, allowed).tolist()
        )
        return [(min(max(cosine, 0.0), FOLDED), row) for row, cosine in found if row in allowed_rows]

    def _by_spelling(
        self, mention: str, folded: str, low: int, high: int, allowed: frozenset[int] | None
    ) -> list[tuple[float, int]]:
        typed = folded.split()[:_MOST_WORDS]
        exact = self._within(self._same(folded), low, high, allowed)
        # Beside an exact name only longer names count (`containing`), so its words need no misspelt variants.
        near = self._near(typed, exact, low, high, allowed, errors=0 if len(exact) else 1)
        best = self._score(mention, folded, near)
        if (not best or best[0][0] < _SURE) and not len(exact):
            more = self._near(self._recut(typed), exact, low, high, allowed, errors=2)
            best = self._score(mention, folded, np.union1d(more, np.array([row for _, row in best], dtype=np.int64)))
        return best

    def check_names(self, label: str | None, property: str | None) -> None:
        """Raise an error if a label or a property is not indexed.

        Raises:
            UnknownName: the label or property is not indexed; the message gives the nearest indexed label or property.
        """
        if label is not None and label not in self.info.labels:
            raise UnknownName("label", label, closest(label, self.info.labels))
        if property is not None and property not in self.info.properties:
            raise UnknownName("property", property, closest(property, self.info.properties))

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether exactly this value is indexed; True if this index cannot tell.

        The index cannot tell if the property is not indexed, or if the property has indexed values and this value is
        too long to be one of them.
        """
        if property is not None and property not in self.info.properties:
            return True
        low, high, allowed = self._scope(label, property)
        rows = self._within(self._same(fold(value[:LONGEST_TEXT])), low, high, allowed)
        if any(self._files.text[row] == value for row in rows.tolist()):
            return True
        return len(value) > LONGEST_VALUE and property in {
            key for _, key, kind, *_ in self._files.partitions if kind == VALUE
        }

    def spans(self, question: str) -> list[Span]:
        """Return all names that occur in a question, with the labels that have them; they may overlap."""
        return find_spans(question, self.labels_named)

    def same_name(self, name: str, *, label: str | None = None, aliases: bool = True) -> int:
        """Return the number of distinct entities with this name; if `aliases`, also those with this alias.

        Case and accents are ignored.
        """
        low, high, _ = self._scope(label, None)
        rows = self._within(self._same(fold(name)), low, high, None)
        kinds = (NAME, ALIAS) if aliases else (NAME,)
        rows = rows[[self._kind(row) in kinds for row in rows.tolist()]] if len(rows) else rows
        if len(rows) > 10_000:
            return len(np.unique(self._files.row_entity[rows]))
        return len({self._files.key[int(entity)] for entity in np.unique(self._files.row_entity[rows])})

    @property
    def texts(self) -> int:
        """The number of indexed names, aliases and values."""
        return self._files.rows

    def word_counts(self, words: Sequence[str]) -> list[int]:
        """Return for each folded word the number of texts that contain it."""
        numbers = self._words.numbers(words)
        known = np.array([number for number in numbers if number is not None], dtype=np.int64)
        counts = iter(self._words.frequencies(known).tolist())
        return [0 if number is None else next(counts) for number in numbers]

    def labels_named(self, folded: Sequence[str]) -> list[tuple[str, ...]]:
        """Return for each folded text the labels that have it as a name, alias or value, most frequent first."""
        if not len(self._files.name_number):
            return [() for _ in folded]
        texts = [text.split() for text in folded]
        numbers = {word: word_number(word) for words in texts for word in set(words)}
        hashes = np.array([name_number([numbers[word] for word in words]) for words in texts], dtype=np.uint64)
        lows = np.searchsorted(self._files.name_number, hashes, side="left")
        highs = np.searchsorted(self._files.name_number, hashes, side="right")
        return [
            self._labels_of(self._files.name_row[low:high][:10_000]) if high > low else ()
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
        ]

    def _labels_of(self, rows: Array) -> tuple[str, ...]:
        counted: Counter[str] = Counter()
        numbers, counts = np.unique(self._partition(rows), return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            counted[self._files.partitions[number][0]] += count
        return tuple(label for label, _ in counted.most_common())

    def _scope(self, label: str | None, property: str | None) -> tuple[int, int, frozenset[int] | None]:
        """Return the first row of a label and a property, the row after the last, and the partitions of these rows.

        The partitions are None if they are all the partitions in the range of rows.
        """
        known = self._scopes.get((label, property))
        if known is not None:
            return known
        partitions = self._files.partitions
        chosen = [
            number
            for number, (its_label, its_property, *_) in enumerate(partitions)
            if label in (None, its_label) and property in (None, its_property)
        ]
        if not chosen:
            return 0, 0, None  # not kept: there is no end of names that the index does not have
        whole = len(chosen) == chosen[-1] - chosen[0] + 1
        scope = partitions[chosen[0]][3], partitions[chosen[-1]][4], None if whole else frozenset(chosen)
        self._scopes[label, property] = scope
        return scope

    def _within(self, rows: Array, low: int, high: int, allowed: frozenset[int] | None) -> Array:
        if low > 0 or high < self._files.rows:
            first, last = np.searchsorted(rows, (low, high))
            rows = rows[first:last]
        if allowed is not None and len(rows):
            rows = rows[np.isin(self._partition(rows), list(allowed))]
        return rows

    def _partition(self, rows: Array) -> Array:
        return np.searchsorted(self._first_rows, rows, side="right") - 1

    def _holder(self, row: int) -> tuple[Any, ...]:
        """Return the partition of one row; NumPy would give the interpreter away for each row."""
        return self._files.partitions[bisect_right(self._first_of, row) - 1]

    def _kind(self, row: int) -> int:
        return int(self._holder(row)[2])

    def _same(self, folded: str) -> Array:
        number = np.uint64(name_number([word_number(word) for word in folded.split()]))
        numbers = self._files.name_number
        low, high = np.searchsorted(numbers, number, side="left"), np.searchsorted(numbers, number, side="right")
        return self._files.name_row[low:high]

    def _near(
        self, typed: Sequence[str], exact: Array, low: int, high: int, allowed: frozenset[int] | None, errors: int
    ) -> Array:
        count = _RESCORED if errors else _BESIDE_EXACT
        count = count if allowed is None else 4 * count
        rows = self._fuzzy.rows(typed, low, high, count, errors)
        return np.union1d(exact[:_RESCORED], self._within(np.sort(rows), low, high, allowed)).astype(np.int64)

    def _recut(self, typed: Sequence[str]) -> list[str]:
        """Return the words of a mention and words made by joining or splitting them: `lebron` for `le bron`.

        Two neighbouring words are joined if the joined word is in the index. An unknown word is split if a part of at
        least three letters is in the index (`lebron`, `james` for `lebronjames`); a letter between the two parts may be
        left out. Splits with the longest known parts are preferred.
        """
        joined = [first + second for first, second in pairwise(typed)]
        unknown = [word for word, number in zip(typed, self._words.numbers(typed), strict=True) if number is None]
        cuts = [
            (word[:place], word[place + gap :])
            for word in unknown[:4]
            for place in range(2, min(len(word), 40) - 1)
            for gap in (0, 1)
            if len(word) - place - gap > 1
        ]
        possible = [*joined, *(left for left, _ in cuts), *(right for _, right in cuts)]
        known = [number is not None for number in self._words.numbers(possible)] if possible else []
        words = [*typed, *(word for word, found in zip(joined, known, strict=False) if found)]
        lefts, rights = known[len(joined) : len(joined) + len(cuts)], known[len(joined) + len(cuts) :]
        likely = sorted(
            (
                (len(left) * has_left + len(right) * has_right, left, right)
                for (left, right), has_left, has_right in zip(cuts, lefts, rights, strict=True)
                if (has_left and len(left) > 2) or (has_right and len(right) > 2)
            ),
            reverse=True,
        )
        for _, left, right in likely[:6]:
            words += [left, right]
        return list(dict.fromkeys(words))[: 2 * _MOST_WORDS]

    def _score(self, mention: str, folded: str, rows: Array) -> list[tuple[float, int]]:
        """Return pairs of a score and a row, best first, without the rows whose similarity is less than `_WORST`."""
        texts = self._files.text.many(rows)
        names = [fold(text) for text in texts]
        weight = self._words.weight(folded.split())
        found = scores_without_articles(folded, names, known=weight is not None)
        weights = self._files.row_weight[rows].astype(np.float32)
        if weight is not None:
            raise_contained(found, folded, names, weight, weights)
        bare = without_article(folded)
        if bare != folded and (weight := self._words.weight(bare.split())) is not None:
            raised = found.copy()
            raise_contained(raised, bare, names, weight, weights)
            found = np.maximum(found, ARTICLE * raised)
        scored: list[tuple[float, int]] = []
        for row, partition, text, score in zip(
            rows.tolist(), self._partition(rows).tolist(), texts, found.tolist(), strict=True
        ):
            value = EXACT if text == mention else min(score, FOLDED)
            if value < _WORST:
                continue
            scored.append((value * _KIND_FACTOR[self._files.partitions[partition][2]], row))
        scored.sort(key=lambda pair: (-pair[0], pair[1]))
        return scored

    def _candidates(self, best: Sequence[tuple[float, int]], limit: int, match: Match | None = None) -> list[Candidate]:
        """Return up to `limit` candidates of the best rows, with each entity only once."""
        answers: list[Candidate] = []
        seen: set[Any] = set()
        for score, row in best:
            candidate = self._candidate(row, score, match)
            identity = (candidate.key, candidate.label) if self._kind(row) != VALUE else row
            if identity in seen:
                continue
            seen.add(identity)
            answers.append(candidate)
            if len(answers) == limit:
                break
        return answers

    def _candidate(self, row: int, score: float, match: Match | None = None) -> Candidate:
        files = self._files
        label, property, kind, *_ = self._holder(row)
        entity = int(files.row_entity[row])
        text, named = files.text[row], int(files.entity_row[entity])
        description: str | None = files.description[entity] or None
        match = match or ("exact" if score >= FOLDED * _KIND_FACTOR[kind] - 1e-6 else "fuzzy")
        if kind == VALUE:
            place = int(np.searchsorted(files.value_counts[:, 0], row))
            known = place < len(files.value_counts) and int(files.value_counts[place, 0]) == row
            count = int(files.value_counts[place, 1]) if known else 1
            description = f"{property} of {counted(count, f'{label} node')}"
        elif kind == ALIAS and match == "exact":
            match = "alias"
        name, holder = text, property
        if kind == ALIAS and named != 0xFFFFFFFF:
            name, holder = files.text[named], self._holder(named)[1]
        return Candidate(
            name=name,
            label=label,
            property=property,
            score=round(score, 4),
            match=match,
            key=files.key[entity],
            description=description,
            matched=text,
            name_property=holder,
            is_value=kind == VALUE,
        )


# The folder of a graph's entity index in the data folder.


FROM_DATABASE = "database"
"""The prefix of an index's `source` if the index was read from a database, which may have changed since."""


def index_folder(home: Home, name: str) -> Path:
    """Return the folder of a graph's index: inside a loaded graph's folder, or named after your own database."""
    catalog = Catalog(home)
    entry = catalog.find(name)
    if entry is not None:
        return catalog.folder(entry) / "entities"
    return home.folder / "entities" / re.sub(r"[^\w.-]", "_", name)
