"""A script that decodes queries with `transformers`; it runs in the environment that contains PyTorch, and prints JSON.

    python -m tests.support.decoding_with_transformers FOLDER FILE.gguf

The tokenizer is SmolLM2's, from its GGUF file; the model has SmolLM2's architecture with two small random layers.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, LogitsProcessorList

from graphground.agents.decoding.constraint import Constraint
from graphground.agents.decoding.logits_processor import ConstrainedLogits
from graphground.agents.decoding.models import TransformersModel
from graphground.agents.decoding.search import beam, greedy
from graphground.agents.decoding.tokenizers import of_tokenizers
from tests.agents.decoding.inputs import QUERIES


def main(folder: str, file: str) -> None:
    """Decode in every way that tests/agents/decoding/test_real_models.py compares, and print the results as JSON."""
    torch.manual_seed(3)
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
    vocabulary = of_tokenizers(tokenizer.backend_tokenizer, ["<|im_end|>"])
    (end,) = vocabulary.ends
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        eos_token_id=end,
        pad_token_id=end,
        bos_token_id=None,
    )
    model = LlamaForCausalLM(config).eval()
    constraint = Constraint.of_queries(QUERIES, vocabulary)
    prompt = tokenizer("Who directed Heat?", return_tensors="pt")
    ids = prompt.input_ids[0].tolist()

    def generated(**settings: Any) -> list[str]:
        options = {
            "max_new_tokens": 160,
            "logits_processor": LogitsProcessorList([ConstrainedLogits(constraint)]),
            **settings,
        }
        written = model.generate(**prompt, **options)[:, len(ids) :].tolist()
        return [constraint.text_of(row) for row in written]

    some = QUERIES[::7]
    found: dict[str, Any] = {
        "spelled": all(vocabulary.bytes_of(vocabulary.encoded(query) or ()) == query.encode() for query in QUERIES),
        "own greedy": greedy(TransformersModel(model, ids), constraint).query,
        "greedy": generated(do_sample=False),
        "beams": generated(do_sample=False, num_beams=4, num_return_sequences=4),
        "sampled": generated(do_sample=True, temperature=2.0, num_return_sequences=4),
        "some": some,
        "own beam": [
            decoded.query
            for decoded in beam(TransformersModel(model, ids), Constraint.of_queries(some, vocabulary), len(some))
        ],
        "free": tokenizer.decode(model.generate(**prompt, max_new_tokens=20, do_sample=False)[0, len(ids) :]),
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
