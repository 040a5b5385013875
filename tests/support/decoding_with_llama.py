"""A script that decodes queries with a real model; it runs in the environment that contains llama.cpp, and prints JSON.

python -m tests.support.decoding_with_llama GGUF
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from llama_cpp import Llama, LlamaGrammar, LogitsProcessorList

from graphground.agents.decoding.constraint import Constraint
from graphground.agents.decoding.grammars import gbnf
from graphground.agents.decoding.logits_processor import ConstrainedLogits
from graphground.agents.decoding.models import LlamaModel
from graphground.agents.decoding.search import beam, greedy
from graphground.agents.decoding.tokenizers import of_llama
from tests.agents.decoding.inputs import QUERIES

CHAT = "<|im_start|>user\nWrite a Cypher query: who directed the film Heat?<|im_end|>\n<|im_start|>assistant\n"
WIDTH = 12


def main(file: str) -> None:
    """Decode in every way that tests/agents/decoding/test_real_models.py compares, and print the results as JSON."""
    llama = Llama(file, n_ctx=2048, logits_all=True, n_threads=1, verbose=False)
    vocabulary = of_llama(llama)
    constraint = Constraint.of_queries(QUERIES, vocabulary)
    prompt = list(llama.tokenize(CHAT.encode(), add_bos=False, special=True))
    some = QUERIES[:: len(QUERIES) // WIDTH][:WIDTH]
    found: dict[str, Any] = {
        "family": vocabulary.family,
        "unspellable": constraint.unspellable,
        "spelled": all(vocabulary.bytes_of(vocabulary.encoded(query) or ()) == query.encode() for query in QUERIES),
        "greedy": greedy(LlamaModel(llama, prompt), constraint).query,
        "some": some,
        "beam": [
            decoded.query for decoded in beam(LlamaModel(llama, prompt), Constraint.of_queries(some, vocabulary), WIDTH)
        ],
    }
    # The model caches evaluated tokens; after going back in the text, the scores must equal those of a new model.
    written = list(vocabulary.encoded(QUERIES[0]) or ())
    model = LlamaModel(llama, prompt)
    model.log_probabilities(written, 3)
    model.log_probabilities(written[:4], 1)
    again = model.log_probabilities(written, 3)
    fresh = LlamaModel(llama, prompt).log_probabilities(written, 3)
    found["difference"] = float(np.abs(again - fresh).max())
    settings: dict[str, Any] = {"max_tokens": 120, "temperature": 0.0, "repeat_penalty": 1.0}
    processors = LogitsProcessorList([ConstrainedLogits(constraint)])
    found["processed"] = llama(prompt, logits_processor=processors, **settings)["choices"][0]["text"]
    found["sampled"] = [
        llama(
            prompt,
            max_tokens=120,
            temperature=1.5,
            seed=seed,
            logits_processor=LogitsProcessorList([ConstrainedLogits(constraint)]),
        )["choices"][0]["text"]
        for seed in range(3)
    ]
    grammar = LlamaGrammar.from_string(gbnf(QUERIES), verbose=False)
    found["grammar"] = llama(prompt, grammar=grammar, **settings)["choices"][0]["text"]
    found["free"] = llama(prompt, **{**settings, "max_tokens": 40})["choices"][0]["text"]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
