"""Local models whose next token can be constrained: models of `transformers`, and GGUF models of `llama-cpp-python`.

Each library is imported on first use. A model keeps the state that it computed for the previous request. The prefix
that two consecutive requests share is not evaluated again, except for positions whose probabilities are requested.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


class TransformersModel:
    """A causal model of `transformers` that has read a prompt:
    `TransformersModel(model, tokenizer(text).input_ids)`."""

    def __init__(self, model: Any, prompt: Sequence[int]) -> None:
        from transformers import DynamicCache  # loaded on first use: it imports PyTorch

        self._model, self._prompt = model, list(prompt)
        self._cache, self._read = DynamicCache(), list[int]()

    def log_probabilities(self, written: Sequence[int], last: int) -> npt.NDArray[np.float32]:
        """Return log-probabilities for the tokens that follow the last positions; see `search.Model`."""
        import torch

        tokens = [*self._prompt, *written]
        shared = min(_shared(self._read, tokens), len(tokens) - last)
        if shared < len(self._read):
            self._cache.crop(shared - len(self._read))
        with torch.inference_mode():
            ids = torch.tensor([tokens[shared:]], device=self._model.device)
            logits = self._model(ids, past_key_values=self._cache, use_cache=True, logits_to_keep=last).logits[0]
            rows: npt.NDArray[np.float32] = torch.log_softmax(logits.float(), -1).cpu().numpy()
        self._read = tokens
        return rows


class LlamaModel:
    """A GGUF model of `llama_cpp.Llama`, opened with `logits_all=True`, that has read a prompt."""

    def __init__(self, llama: Any, prompt: Sequence[int]) -> None:
        self._llama, self._prompt, self._read = llama, list(prompt), list[int]()

    def log_probabilities(self, written: Sequence[int], last: int) -> npt.NDArray[np.float32]:
        """Return log-probabilities for the tokens that follow the last positions; see `search.Model`."""
        tokens = [*self._prompt, *written]
        shared = min(_shared(self._read, tokens), len(tokens) - last)
        self._llama.n_tokens = shared
        self._llama.eval(tokens[shared:])
        self._read = tokens
        logits = np.asarray(self._llama.scores[len(tokens) - last : len(tokens)], np.float32)
        peak = logits.max(axis=1, keepdims=True)
        rows: npt.NDArray[np.float32] = logits - peak - np.log(np.exp(logits - peak).sum(axis=1, keepdims=True))
        return rows


def _shared(read: Sequence[int], tokens: Sequence[int]) -> int:
    """Return the length of the common prefix of two sequences."""
    return next(
        (place for place, pair in enumerate(zip(read, tokens, strict=False)) if pair[0] != pair[1]),
        min(len(read), len(tokens)),
    )
