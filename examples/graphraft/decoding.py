"""The beam search of GraphRAFT (arXiv 2504.05478, §4.2): a model ranks queries of which it can write no other.

    rank([[5, 9], [5, 7, 2]], logits, width=2)     # [1, 0]: the places of the sequences, the likeliest first

At each step only the tokens with which some sequence continues are allowed. Their probabilities are renormalised, so
that a sequence is not punished for what the model would rather have written; the published code (`logits_processor.py`
of AlfredClemedtson/graphraft) masks the other tokens without renormalising, which `renormalise=False` reproduces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, fsum, log
from pathlib import Path
from typing import Any

Logits = Callable[[Sequence[int]], Sequence[float]]
"""A function from the tokens written so far to the logit of each token of the vocabulary as the next one."""
CONTEXT_TOKENS = 4_096


def rank(
    sequences: Sequence[Sequence[int]], logits: Logits, width: int, *, renormalise: bool = True, end: int | None = None
) -> list[int]:
    """Return the places of at most `width` sequences by their probability, found by a beam of that width.

    `end` is the token that ends a sequence; it must be given if one sequence is the beginning of another.
    """
    complete = [tuple(sequence) + (() if end is None else (end,)) for sequence in sequences]
    beam: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    done: list[tuple[float, tuple[int, ...]]] = []
    while beam:
        steps: list[tuple[float, tuple[int, ...]]] = []
        for score, written in beam:
            place = len(written)
            allowed = sorted({full[place] for full in complete if full[:place] == written and len(full) > place})
            values = logits(written)
            weights = [values[token] for token in allowed] if renormalise else values
            top = max(weights)
            total = top + log(fsum(exp(value - top) for value in weights))
            steps += [(score + values[token] - total, (*written, token)) for token in allowed]
        # A stable order: of sequences that are equally likely, the one whose tokens come first.
        best = sorted(steps + done, key=lambda step: (-step[0], step[1]))[:width]
        done = [step for step in best if step[1] in complete]
        beam = [step for step in best if step[1] not in complete]
    return [complete.index(written) for _, written in done]


def rank_with_llama(file: Path, prompt: str, queries: Sequence[str], width: int) -> list[str]:
    """Return the likeliest queries by a local model in GGUF, through `llama-cpp-python`.

    Raises:
        SystemExit: the library is missing, or the file is no model.
    """
    try:
        from llama_cpp import Llama  # built from source
    except ModuleNotFoundError:
        raise SystemExit("a GGUF model needs llama-cpp-python: pip install llama-cpp-python") from None
    try:
        llama: Any = Llama(str(file), n_ctx=CONTEXT_TOKENS, verbose=False)
    except ValueError as error:
        raise SystemExit(f"{file} cannot be opened as a model: {error}") from None
    start = llama.tokenize(prompt.encode())

    def logits(written: Sequence[int]) -> Sequence[float]:
        llama.reset()
        llama.eval([*start, *written])
        return list(llama.eval_logits[-1])

    tokens = [llama.tokenize(query.encode(), add_bos=False) for query in queries]
    return [queries[place] for place in rank(tokens, logits, width, end=llama.token_eos())]
