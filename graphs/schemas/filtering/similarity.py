"""Finds names that are near in meaning to a question's words, with an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from graphground.graphs.schemas.filtering.pruned_forms import phrases
from graphground.graphs.schemas.filtering.vocabulary import Element, Vocabulary
from graphground.graphs.schemas.filtering.words import split_name

THRESHOLD = 0.5
"""The least cosine similarity at which a name counts as near; chosen on two of the training graphs."""


class Embedder(Protocol):
    """An embedding model: returns one vector for each text."""

    def encode(self, texts: Sequence[str]) -> Any: ...


class SimilarNames:
    """The vectors of the names in one schema."""

    def __init__(self, vocabulary: Vocabulary, embedder: Embedder) -> None:
        self.embedder = embedder
        self._elements = vocabulary.elements()
        texts = list(dict.fromkeys(" ".join(split_name(element.name)) for element in self._elements))
        number = {text: place for place, text in enumerate(texts)}
        self._text_of = [number[" ".join(split_name(element.name))] for element in self._elements]
        self._vectors = _unit(embedder.encode(texts)) if texts else None

    def near(self, question: str, threshold: float = THRESHOLD) -> dict[Element, float]:
        """Return the elements whose names are near a word or phrase of the question, with the cosine similarity."""
        texts = phrases(question)
        if not texts or self._vectors is None:
            return {}
        closeness = (_unit(self.embedder.encode(texts)) @ self._vectors.T).max(axis=0).tolist()
        return {
            element: closeness[place]
            for element, place in zip(self._elements, self._text_of, strict=True)
            if closeness[place] >= threshold
        }


def _unit(vectors: Any) -> Any:
    import numpy as np  # loaded on first use: filtering without a model does not need NumPy

    matrix = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths == 0, 1, lengths)
