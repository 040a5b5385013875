"""Greedy and beam search among valid queries.

A run of tokens without alternatives is evaluated with one call of the model, instead of one call for each token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from graphground.agents.decoding.constraint import Constraint
from graphground.agents.decoding.prefix_tree import Ints

Floats = npt.NDArray[np.floating]


class Model(Protocol):
    """A language model that has read a prompt."""

    def log_probabilities(self, written: Sequence[int], last: int) -> Floats:
        """Return the log-probabilities of the next token at the last positions of the prompt followed by `written`.

        The array has `last` rows and a column per token. Row -1 is for the token after all of `written`, row -2 for the
        token after all of `written` but its last token, and so on.
        """
        ...


@dataclass(frozen=True, slots=True)
class Decoded:
    """A query with its tokens and its log-probability: `Decoded("MATCH (n:Movie) RETURN n.name", (…), -4.2)`."""

    query: str
    tokens: tuple[int, ...]
    log_probability: float


def greedy(model: Model, constraint: Constraint) -> Decoded:
    """Decode one query by always choosing the likeliest allowed token."""
    evaluations = _Evaluations(model, constraint)
    tokens: tuple[int, ...] = ()
    state, total = constraint.start, 0.0
    while True:
        ids, scores = evaluations.of(tokens, state)
        best = int(np.argmax(scores))
        total += float(scores[best])
        if ids[best] in constraint.vocabulary.ends:
            return Decoded(constraint.text_of(tokens), tokens, total)
        tokens, state = (*tokens, int(ids[best])), constraint.after(state, int(ids[best]))


def beam(model: Model, constraint: Constraint, width: int, most_tokens: int = 512) -> list[Decoded]:
    """Decode at most `width` queries by beam search, and return them, the likeliest first.

    Complete queries stay in the beam; queries of `most_tokens` tokens or more are not returned. If each of M queries
    has exactly one sequence of tokens, there are at most M prefixes of any length, so a width of M drops no query.

    Raises:
        ValueError: `width` is below 1.
    """
    if width < 1:
        raise ValueError(f"the width of a beam must be at least 1, not {width}")
    evaluations = _Evaluations(model, constraint)
    alive: list[tuple[float, tuple[int, ...], int]] = [(0.0, (), constraint.start)]
    complete: list[tuple[float, tuple[int, ...], int]] = []
    for _ in range(most_tokens):
        found = list(complete)
        for total, tokens, state in alive:
            ids, scores = evaluations.of(tokens, state)
            for token, score in zip(ids.tolist(), scores.tolist(), strict=True):
                end = token in constraint.vocabulary.ends
                found.append(
                    (total + score, tokens if end else (*tokens, token), -1 if end else constraint.after(state, token))
                )
        found.sort(key=lambda item: -item[0])
        complete = [item for item in found[:width] if item[2] < 0]
        alive = [item for item in found[:width] if item[2] >= 0]
        if not alive:
            break
    return [Decoded(constraint.text_of(tokens), tokens, total) for total, tokens, _ in complete]


class _Evaluations:
    """The model's log-probabilities of allowed tokens; tokens without an alternative are evaluated in batches."""

    def __init__(self, model: Model, constraint: Constraint) -> None:
        self._model, self._constraint = model, constraint
        self._known: dict[tuple[int, ...], tuple[Ints, Floats]] = {}

    def of(self, tokens: tuple[int, ...], state: int) -> tuple[Ints, Floats]:
        if tokens not in self._known:
            written, places = list(tokens), [self._constraint.allowed(state)]
            while len(places[-1]) == 1 and not self._constraint.complete(state):
                written.append(int(places[-1][0]))
                state = self._constraint.after(state, written[-1])
                places.append(self._constraint.allowed(state))
            rows = self._model.log_probabilities(written, len(places))
            for number, (ids, row) in enumerate(zip(places, rows, strict=True)):
                self._known[tuple(written[: len(tokens) + number])] = (ids, row[ids])
        return self._known[tokens]
