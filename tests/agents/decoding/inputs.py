"""Generated vocabularies, queries and models for the tests of decoding."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphground.agents.decoding.vocabulary import Vocabulary

NAMES = (
    "Heat",
    "Heat (film)",
    "O\\'Brien",
    "C:\\\\temp\\\\new",
    'the "real" one',
    "Ærø",
    "東京タワー",
    "naïve 🎬 cut",
    "عمر",
    "Z\u0301alg\u0336o",
    "back`tick",
    "line\\nbreak",
)
"""Names, escaped as they are inside a Cypher string."""
QUERIES = tuple(
    f"MATCH (n:Film)-[r0:{relation}]->(m0:Person {{name: '{name}'}}) WITH DISTINCT n RETURN {returned}"
    for name in NAMES
    for relation in ("directedBy", "writtenBy")
    for returned in ("n.name", "count(DISTINCT n)", "n.name, n.runtime_minute")
)


def byte_vocabulary(texts: Sequence[str], size: int = 600, seed: int = 3) -> Vocabulary:
    """Build a vocabulary of all single bytes and of random pieces of the texts (two to eight bytes).

    The vocabulary encodes a text by taking the longest matching token first."""
    rng = random.Random(seed)
    pieces = {
        text[start : start + rng.randint(2, 8)]
        for text in rng.choices([text.encode("utf-8") for text in texts], k=size)
        for start in [rng.randrange(len(text))]
    }
    tokens = [bytes((byte,)) for byte in range(256)] + sorted(piece for piece in pieces if len(piece) > 1)
    numbers = {token: number for number, token in enumerate(tokens)}

    def encode(text: str) -> list[int]:
        left, found = text.encode("utf-8"), []
        while left:
            token = next(left[:length] for length in range(8, 0, -1) if left[:length] in numbers)
            found.append(numbers[token])
            left = left[len(token) :]
        return found

    return Vocabulary("bytes", (*tokens, None), frozenset((len(tokens),)), encode)


class RandomModel:
    """A model whose log-probabilities depend on all tokens written so far, and are the same in every run."""

    def __init__(self, vocabulary: int, seed: int = 0) -> None:
        self._vocabulary, self._seed, self.asked = vocabulary, seed, 0

    def log_probabilities(self, written: Sequence[int], last: int) -> npt.NDArray[np.float64]:
        self.asked += 1
        return np.stack([self._row(written[: len(written) - back]) for back in reversed(range(last))])

    def _row(self, written: Sequence[int]) -> npt.NDArray[np.float64]:
        logits = np.random.default_rng([self._seed, *written]).normal(0.0, 3.0, self._vocabulary)
        row: npt.NDArray[np.float64] = logits - np.logaddexp.reduce(logits)
        return row
