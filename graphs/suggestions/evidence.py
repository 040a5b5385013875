"""How much each word of a question says about each element of a schema, by spelling, by meaning and by concept.

>>> evidence = Evidence(question, vocabulary_of(schema), ())  # doctest: +SKIP
>>> evidence.says("type", "castMember")  # one figure from 0 to 1 for each content word  # doctest: +SKIP
array([0. , 0.62, 0.11])
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from graphground.cypher.names.lexicon import NAME_STOP_WORDS
from graphground.cypher.names.words import root, split
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.vectors.building import encoder
from graphground.graphs.question.kept import PerSchema
from graphground.graphs.question.model import Meaning, Question, Word
from graphground.graphs.question.read import CLASSING

Array = npt.NDArray[np.float32]
UNRELATED, SAME = 0.25, 0.85
"""Similarities of vectors at which two words count as unrelated, and as the same."""
PARTLY, COMMON = 0.25, 0.35
"""What an element loses if the question says none of its other words, and a word if all names contain it."""
SURE, CLASSED = 0.87, 0.6
"""From what strength a common word of questions says a label or a property, and one such as `kind` a class."""


class Vocabulary:
    """The labels, relationship types and properties of a schema as words and vectors."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.schema = schema
        names = [("label", name) for name in schema.labels] + [("type", name) for name in schema.relationship_types]
        keys = {key for label in schema.labels.values() for key in label.properties}
        keys |= {key for by in schema.relationship_properties.values() for key in by}
        names += [("property", key) for key in sorted(keys)]
        self.number = {name: place for place, name in enumerate(names)}
        self.words = [_words(name) for _, name in names]
        self.roots = [frozenset(map(root, words)) for words in self.words]
        self.phrases: Array = encoder().encode([" ".join(words) for words in self.words])
        distinct = sorted({word for words in self.words for word in words})
        self.word_number = {word: place for place, word in enumerate(distinct)}
        self.word_vectors: Array = encoder().encode(distinct)
        self.word_roots = [root(word) for word in distinct]
        counts = Counter(word for words in self.words for word in set(words))
        most = np.log(max(len(self.words), 2))
        # `film` in ten names tells them apart less than `editor` in one.
        rarity: Array = np.array([1 - COMMON * np.log(counts[word]) / most for word in distinct], dtype=np.float32)
        # The words of all names one after the other, so that one pass compares all of them.
        self.named = [number for number, words in enumerate(self.words) if words]
        lengths = np.array([len(self.words[number]) for number in self.named], dtype=np.intp)
        self.columns = np.array([self.word_number[word] for words in self.words for word in words], dtype=np.intp)
        self.firsts, self.lengths = np.cumsum(lengths) - lengths, lengths
        self.weights: Array = np.where(np.repeat(lengths, lengths) > 1, rarity[self.columns], np.float32(1.0))


def _words(name: str) -> list[str]:
    words = [word.lower() for word in split(name)]
    return [word for word in words if word not in NAME_STOP_WORDS] or words


vocabulary_of = PerSchema(Vocabulary)
"""Return the vocabulary of a schema."""


class Evidence:
    """The content words of a question, and what each of them says about the elements of a schema."""

    def __init__(self, question: Question, vocabulary: Vocabulary) -> None:
        self.question, self.vocabulary = question, vocabulary
        self.indices = [
            number
            for number, word in enumerate(question.words)
            if word.content or any(_is_said(its, word, vocabulary.schema) for its in question.meanings.get(number, ()))
        ]
        """The indices of the content words, and of words such as `kind` where a property has that very name."""
        self.place = {number: place for place, number in enumerate(self.indices)}
        words = question.words
        texts = [words[number].folded for number in self.indices]
        self._roots = [root(text) for text in texts]
        pairs: list[tuple[int, str]] = []
        for place, number in enumerate(self.indices):
            if number + 1 < len(words) and words[number + 1].start - words[number].end == 1:
                pairs.append((place, f"{words[number].folded} {words[number + 1].folded}"))
                if number + 1 in self.place:
                    pairs.append((self.place[number + 1], pairs[-1][1]))
        self._pair_places = [place for place, _ in pairs]
        vectors: Array = encoder().encode([*texts, *(text for _, text in pairs)])
        self._vectors, self._pair_vectors = vectors[: len(texts)], vectors[len(texts) :]
        self.matrix = self._compare()
        """For each content word and each element of the vocabulary, how much the word says about it, from 0 to 1."""

    def _compare(self) -> Array:
        vocabulary, count = self.vocabulary, len(self.indices)
        if not count:
            return np.zeros((0, len(vocabulary.words)), dtype=np.float32)
        by_word = self._vectors @ vocabulary.word_vectors.T
        for place, own in enumerate(self._roots):
            for number, other in enumerate(vocabulary.word_roots):
                if own == other:
                    by_word[place, number] = 1.0
        self.by_word = _scaled(by_word)
        phrases = _scaled(self._vectors @ vocabulary.phrases.T)
        for place, row in zip(self._pair_places, _scaled(self._pair_vectors @ vocabulary.phrases.T), strict=True):
            phrases[place] = np.maximum(phrases[place], row)
        matrix = phrases
        if vocabulary.named:
            columns = self.by_word[:, vocabulary.columns]
            whole = np.add.reduceat(columns.max(axis=0), vocabulary.firsts) / vocabulary.lengths
            best = np.maximum.reduceat(columns * vocabulary.weights, vocabulary.firsts, axis=1)
            named = vocabulary.named
            matrix[:, named] = np.maximum(matrix[:, named], best * (1 - PARTLY + PARTLY * whole))
        for (kind, _, name), by in self.question.strengths.items():
            number_of = vocabulary.number.get((kind if kind != "type_property" else "property", name))
            if number_of is None:
                continue
            for word, strength in by.items():
                if word in self.place:
                    row = self.place[word]
                    matrix[row, number_of] = max(matrix[row, number_of], strength)
        return np.asarray(matrix, dtype=np.float32)

    def says(self, kind: str, name: str) -> Array:
        """Return what each content word says about a label, type or property."""
        number = self.vocabulary.number.get((kind, name))
        return self.matrix[:, number] if number is not None else np.zeros(len(self.indices), dtype=np.float32)


def _is_said(meaning: Meaning, word: Word, schema: PropertyGraphSchema) -> bool:
    """Whether a word says a class, or is the name of a label or a property other than the one that names nodes."""
    if word.folded in CLASSING and meaning.kind in ("label", "type") and meaning.strength >= CLASSED:
        return True
    if meaning.kind not in ("label", "property") or meaning.strength < SURE:
        return False
    owner = schema.labels.get(meaning.owner)
    return owner is None or (meaning.name != owner.name_property and meaning.name not in owner.reserved)


def _scaled(similarity: Array) -> Array:
    return np.asarray(np.clip((similarity - UNRELATED) / (SAME - UNRELATED), 0.0, 1.0), dtype=np.float32)
