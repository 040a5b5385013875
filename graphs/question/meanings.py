"""What the words of a question may mean in a schema: by spelling, stem, general concepts, and static word vectors.

>>> names = schema_names(schema)  # doctest: +SKIP
>>> names.explain(["actors", "born"])[0][0]  # doctest: +SKIP
Said(element=Element(kind='type', owner='', name='castMember'), strength=0.66, words=(0,))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from graphground.cypher.names.lexicon import NAME_STOP_WORDS, concepts_by_root, concepts_of
from graphground.cypher.names.words import lemma, root, split_name, word_lists
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.vectors.building import STATIC, encoder
from graphground.graphs.entities.verdicts.judging import word_ranks
from graphground.graphs.question.kept import PerSchema
from graphground.graphs.question.model import MeaningKind

Floats = npt.NDArray[np.float32]
LEMMA, ROOT, MISSPELT, CONCEPT, VECTOR = 1.0, 0.92, 0.85, 0.72, 0.9
"""The strength of a word with the same lemma, the same stem, a typing error, the same concept, and the same vector."""
LEAST_COSINE, MOST_COSINE = 0.25, 0.8
"""Cosines from which a vector says something, and at which it says as much as it can."""
MODIFIER, GENERIC = 0.7, 0.5
"""The weight of a word that only qualifies a label (`Film` in `FilmGenre`), or that most names could contain."""
PARTLY = 0.25
"""The share of its strength that a name loses if the question says none of its other words."""
LEAST_STRENGTH = 0.2
MAX_MEANINGS, MAX_PROPERTIES = 16, 100
"""The maximum numbers of labels, of types, and of names of properties that are kept for a word."""
_GENERIC = frozenset(("name", "number", "type", "id", "value", "code", "of", "work", "has", "is"))


class Element(NamedTuple):
    """A named element of a schema: `Element("property", "Movie", "runtime_minute")`; labels and types have no owner."""

    kind: MeaningKind
    owner: str
    name: str


@dataclass(frozen=True, slots=True)
class Said:
    """An element that words of the question say: their indices among the given words, and how strongly."""

    element: Element
    strength: float
    words: tuple[int, ...]


def elements_of(schema: PropertyGraphSchema) -> list[Element]:
    """Return all labels, relationship types and properties of a schema."""
    return [
        *(Element("label", "", label) for label in schema.labels),
        *(Element("type", "", type_) for type_ in schema.relationship_types),
        *(Element("property", label.name, key) for label in schema.labels.values() for key in label.properties),
        *(
            Element("type_property", type_, key)
            for type_, properties in schema.relationship_properties.items()
            for key in properties
        ),
    ]


class SchemaNames:
    """The words of one schema's names, with their stems, concepts and vectors; create one object per schema."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.schema = schema
        self.elements = elements_of(schema)
        numbers: dict[str, int] = {}
        phrases: dict[str, int] = {}
        self._words_of: dict[str, list[tuple[int, float]]] = {}
        """For each name, the numbers of its words, with their weights."""
        self._phrase_of: dict[str, int] = {}
        for element in self.elements:
            if element.name not in self._phrase_of:
                words = split_name(element.name) or [element.name.lower()]
                self._phrase_of[element.name] = phrases.setdefault(" ".join(words), len(phrases))
                weights = weigh_words(words, label=element.kind == "label")
                self._words_of[element.name] = [
                    (numbers.setdefault(word, len(numbers)), weight) for word, weight in weights
                ]
        self.words = list(numbers)
        self._concepts = [concepts_of(word) for word in self.words]
        self._of_lemma: dict[str, list[int]] = {}
        self._of_root: dict[str, list[int]] = {}
        self._of_concept: dict[str, list[int]] = {}
        for number, word in enumerate(self.words):
            self._of_lemma.setdefault(lemma(word), []).append(number)
            self._of_root.setdefault(root(word), []).append(number)
            for concept in self._concepts[number]:
                self._of_concept.setdefault(concept, []).append(number)
        static = encoder(STATIC)
        self._vectors: Floats = static.encode(self.words)
        self._phrase_vectors: Floats = static.encode(list(phrases))
        self._importance: Floats = np.zeros(len(self.words), dtype=np.float32)
        for its in self._words_of.values():
            for number, weight in its:
                # A word that only qualifies labels is explained less by them: `Paris` of `ArrondissementOfParis`.
                its_weight = weight if weight > MODIFIER else MODIFIER / 2
                self._importance[number] = max(self._importance[number], its_weight)
        counts = np.zeros(len(self.words), dtype=np.float32)
        for its in self._words_of.values():
            for number, _ in its:
                counts[number] += 1
        # `film` in ten names tells them apart less than `editor` in one.
        self._rarity: Floats = 1 - 0.35 * np.log(np.maximum(counts, 1)) / np.log(max(len(self._words_of), 2))
        self._names = list(self._words_of)
        longest = max(map(len, self._words_of.values()), default=1)
        self._parts = np.full((len(self._names), longest), len(self.words), dtype=np.int64)
        self._part_weights: Floats = np.zeros((len(self._names), longest), dtype=np.float32)
        for row, its in enumerate(self._words_of.values()):
            for column, (number, weight) in enumerate(its):
                self._parts[row, column], self._part_weights[row, column] = number, weight
        self._part_rarity: Floats = np.append(self._rarity, np.float32(0))[self._parts]
        self._phrases = np.array([self._phrase_of[name] for name in self._names], dtype=np.int64)
        self._kinds: dict[str, list[Element]] = {}
        for element in self.elements:
            self._kinds.setdefault(element.name, []).append(element)

    def spell(self, words: Sequence[str]) -> Floats:
        """Return for each folded word and each word of the names how alike they are by stem, concept and spelling."""
        found = np.zeros((len(words), len(self.words)), dtype=np.float32)
        if not words or not self.words:
            return found
        known = np.array([word in word_ranks() for word in words])[:, None]
        spelling = cdist(list(words), self.words, scorer=OSA.normalized_similarity, dtype=np.float32)
        long = np.array([len(word) > 4 for word in words])[:, None] & np.array([len(word) > 4 for word in self.words])
        found = np.where((spelling >= 0.8) & long & ~known, MISSPELT * spelling, 0.0).astype(np.float32)
        for number, word in enumerate(words):
            if not word:
                continue
            for concept in concepts_of(word):
                places = self._of_concept.get(concept, [])
                found[number, places] = np.maximum(found[number, places], CONCEPT)
            found[number, self._of_root.get(root(word), [])] = ROOT
            found[number, self._of_lemma.get(lemma(word), [])] = LEMMA
        return found

    def compare(self, words: Sequence[str]) -> Floats:
        """Return for each folded word and each word of the names how alike they are by their vectors, from 0 to 1."""
        if not words or not self.words:
            return np.zeros((len(words), len(self.words)), dtype=np.float32)
        alike: Floats = VECTOR * _scaled(encoder(STATIC).encode(words) @ self._vectors.T)
        return alike

    def explain(self, words: Sequence[str]) -> tuple[list[list[Said]], list[float], list[float]]:
        """Return for each folded word what it may say, the strongest first; an empty text says nothing.

        Also return how well any word of the schema's names explains it: by stem, concept or spelling, and by vectors.

        Two neighbouring words may say a name together: `signed to`, `take place`, `box office`.
        """
        if not any(words) or not self._names:
            return [[] for _ in words], [0.0 for _ in words], [0.0 for _ in words]
        spelt, near = self.spell(words), self.compare(words)
        alike = np.maximum(spelt, near)
        pairs = [f"{first} {second}" if first and second else "" for first, second in pairwise(words)]
        phrases = VECTOR * _scaled(encoder(STATIC).encode([*words, *pairs]) @ self._phrase_vectors.T)
        by_concept = [
            concepts_by_root().get(f"{root(first)} {root(second)}", frozenset()) for first, second in pairwise(words)
        ]
        # All names at once: their words, padded with a word that nothing resembles.
        filled = np.flatnonzero([bool(word) for word in words])
        padded = np.concatenate([alike[filled], np.zeros((len(filled), 1), dtype=np.float32)], axis=1)[:, self._parts]
        padded *= self._part_weights
        whole = padded.max(axis=0).sum(axis=1) / np.maximum(self._part_weights.sum(axis=1), 1e-6)
        single = np.zeros((len(words), len(self._names)), dtype=np.float32)
        single[filled] = np.maximum((padded * self._part_rarity).max(axis=2), phrases[filled][:, self._phrases])
        # A name of which the question says all words is meant before a name of which it says one.
        strengths = single * (1 - PARTLY + PARTLY * np.minimum(whole, 1.0))
        together = phrases[len(words) :][:, self._phrases]
        by_spelling, by_vectors = ((its * self._importance).max(axis=1, initial=0.0).tolist() for its in (spelt, near))
        for number, concepts in enumerate(by_concept):
            for concept in concepts:
                places = np.isin(self._parts, self._of_concept.get(concept, [])).any(axis=1)
                together[number, places] = np.maximum(together[number, places], CONCEPT)
                if places.any():  # `passed away` says more of a death than `passed` and `away`
                    by_spelling[number : number + 2] = [max(its, ROOT) for its in by_spelling[number : number + 2]]
        said: list[list[Said]] = [[] for _ in words]
        for number, word in enumerate(words):
            if word:
                for place in np.flatnonzero(strengths[number] >= LEAST_STRENGTH).tolist():
                    strength = float(strengths[number, place])
                    said[number] += [Said(its, strength, (number,)) for its in self._kinds[self._names[place]]]
        for number, pair in enumerate(pairs):
            least = np.maximum(strengths[number : number + 2].max(axis=0), LEAST_STRENGTH)
            for place in np.flatnonzero(together[number] > least).tolist() if pair else ():
                strength = float(together[number, place])
                both = [Said(its, strength, (number, number + 1)) for its in self._kinds[self._names[place]]]
                said[number] += both
                said[number + 1] += both
        return [_strongest(found) for found in said], by_spelling, by_vectors


def _strongest(found: list[Said]) -> list[Said]:
    found.sort(key=lambda said: -said.strength)
    names: dict[str, set[str]] = {}
    kept = []
    for said in found:
        known = names.setdefault(said.element.kind, set())
        most = MAX_MEANINGS if said.element.kind in ("label", "type") else MAX_PROPERTIES
        if len(known) < most or said.element.name in known:
            known.add(said.element.name)
            kept.append(said)
    return kept


def weigh_words(words: Sequence[str], *, label: bool) -> list[tuple[str, float]]:
    """Return the content words of a name with their weights: `film` in `FilmGenre` only qualifies `genre`.

    >>> weigh_words(["area", "of", "london"], label=True)
    [('area', 1.0), ('london', 0.7)]
    """
    content = [word for word in words if word not in NAME_STOP_WORDS] or list(words)
    if not label and len(content) > 1 and content[-1] in word_lists()["units"]:
        content = content[:-1]
    if label:
        after = next((place for place, word in enumerate(words) if word in ("of", "in") and place), len(words))
        head = next((word for word in reversed(words[:after]) if word in content), content[-1])
        return [(word, 1.0 if word == head else MODIFIER) for word in dict.fromkeys(content)]
    return [(word, GENERIC if word in _GENERIC and len(content) > 1 else 1.0) for word in dict.fromkeys(content)]


def _scaled(cosines: Any) -> Floats:
    scaled: Floats = np.clip((cosines - LEAST_COSINE) / (MOST_COSINE - LEAST_COSINE), 0.0, 1.0).astype(np.float32)
    return scaled


schema_names = PerSchema(SchemaNames)
"""Return the words of a schema's names."""
