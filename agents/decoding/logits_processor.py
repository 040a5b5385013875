"""The constraint as a logits processor, for `transformers` (PyTorch) and for `llama-cpp-python` (NumPy)."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphground.agents.decoding.constraint import Constraint


class ConstrainedLogits:
    """A logits processor that sets the logits of all disallowed tokens to minus infinity.

    For `transformers`, with sampling, greedy or beam search: `model.generate(**prompt,
    logits_processor=LogitsProcessorList([ConstrainedLogits(constraint)]))`. For llama.cpp: `llama(prompt,
    logits_processor=[ConstrainedLogits(constraint)])`. Use a new object for each generation, because an object takes
    the length of the prompt from its first call.
    """

    def __init__(self, constraint: Constraint) -> None:
        self._constraint = constraint
        self._prompt = -1
        self._states: dict[tuple[int, ...], int] = {(): constraint.start}

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Return `scores`, a row per beam, with minus infinity for disallowed tokens; type and shape stay the same."""
        tokens = np.atleast_2d(np.asarray(input_ids.cpu() if hasattr(input_ids, "cpu") else input_ids))
        if self._prompt < 0:
            self._prompt = tokens.shape[1]
        allowed = [self._allowed(tuple(row)) for row in tokens[:, self._prompt :].tolist()]
        if isinstance(scores, np.ndarray):
            masked = np.full_like(scores, -np.inf)
            for row, row_scores, ids in zip(np.atleast_2d(masked), np.atleast_2d(scores), allowed, strict=True):
                row[ids] = row_scores[ids]
            return masked
        masked = scores.new_full(scores.shape, -float("inf"))
        for number, ids in enumerate(allowed):
            places = input_ids.new_tensor(ids.tolist())
            masked[number, places] = scores[number, places]
        return masked

    def _allowed(self, written: tuple[int, ...]) -> Any:
        state = self._states.get(written)
        if state is None:
            before = self._states.get(written[:-1], -1)
            state = self._constraint.after(before, written[-1]) if before >= 0 else self._constraint.state_of(written)
            self._states[written] = state
        # A row that has ended stays in the batch until all rows have ended: only end tokens are allowed in it.
        return self._constraint.allowed(state) if state >= 0 else np.array(sorted(self._constraint.vocabulary.ends))
