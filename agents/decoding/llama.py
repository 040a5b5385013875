"""Decodes queries with a model in GGUF, through `llama-cpp-python`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graphground.agents.decoding.constraint import Constraint
from graphground.agents.decoding.models import LlamaModel
from graphground.agents.decoding.search import Decoded, beam, greedy
from graphground.agents.decoding.tokenizers import of_llama
from graphground.agents.failures import ModelFailure

CONTEXT = 4_096


def decoded(file: Path, prompt: str, queries: Sequence[str], width: int = 1) -> list[Decoded]:
    """Decode a query greedily (`width` 1), or at most `width` queries by beam search, the likeliest first.

    `queries` are the allowed queries. The prompt is sent as the user's message in the ChatML format.

    Raises:
        ModelFailure: the library is missing, the file holds no model, or the prompt is too long.
        NotSpellable: no query can be written with the model's tokens.
    """
    try:
        from llama_cpp import Llama  # loaded on first use: it is built from source
    except ModuleNotFoundError:
        raise ModelFailure(
            "not_installed", "a GGUF model needs llama-cpp-python: pip install llama-cpp-python"
        ) from None
    try:
        llama = Llama(str(file), n_ctx=CONTEXT, logits_all=True, verbose=False)
    except ValueError as error:
        raise ModelFailure("model_not_found", f"{file} cannot be opened as a model: {error}") from None
    chat = f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n"
    ids = list(llama.tokenize(chat.encode("utf-8"), add_bos=False, special=True))
    constraint = Constraint.of_queries(queries, of_llama(llama))
    longest = max(len(llama.tokenize(query.encode("utf-8"), add_bos=False)) for query in queries)
    if len(ids) + longest >= CONTEXT:
        raise ModelFailure(
            "too_long", f"the prompt has {len(ids)} tokens; prompt and query may have at most {CONTEXT - 1} together"
        )
    model = LlamaModel(llama, ids)
    return [greedy(model, constraint)] if width == 1 else beam(model, constraint, width)
