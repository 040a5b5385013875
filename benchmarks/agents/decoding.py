"""Measures the time to compile 10,000 queries for a vocabulary and to compute token masks, compared with libraries.

    pip install llguidance xgrammar outlines-core numba
    python -m benchmarks.agents.decoding [--queries 10000] [--libraries llguidance xgrammar outlines]

The vocabulary is Qwen's (151,643 tokens), from a wheel that is installed into .tools; the queries are gold queries of
four graphs, as they are and with a LIMIT added. A mask is computed for each token of 300 random queries with
graphground's automaton, and of 50 random queries with llguidance and xgrammar. Of outlines, only compiling is measured.
The output is the processor time for compiling in seconds, and the time for a mask in milliseconds: wall time and, for
graphground, also processor time. Needs ../shared/data; libraries that are not installed are left out.
"""

from __future__ import annotations

import argparse
import gc
import random
import re
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.engines.graphs_for_queries import TRAIN, gold_queries
from graphground.agents.decoding.automaton import Automaton
from graphground.agents.decoding.constraint import Constraint
from graphground.agents.decoding.grammars import gbnf, llguidance_matcher
from graphground.agents.decoding.vocabulary import Vocabulary
from tests.support import real_tokenizers

WALKS, LIBRARY_WALKS = 300, 50


def some_queries(count: int) -> list[str]:
    """Return at most `count` distinct queries: gold queries, then gold queries with a LIMIT added."""
    found = [query for graph in TRAIN for query in gold_queries(graph)]
    found += [f"{query} LIMIT {limit}" for limit in (1, 10) for query in found]
    return list(dict.fromkeys(found))[:count]


def timed(name: str, compile_: Callable[[], Any]) -> Any:
    start = time.process_time()
    compiled = compile_()
    print(f"{name}: compiled in {time.process_time() - start:.2f} s", end="", flush=True)
    return compiled


def shown(times: Sequence[float]) -> None:
    milliseconds = np.array(times) * 1000
    print(
        f"; {len(milliseconds)} masks: mean {milliseconds.mean():.3f}, p50 {np.median(milliseconds):.3f}, "
        f"p99 {np.quantile(milliseconds, 0.99):.3f}, longest {milliseconds.max():.1f} ms",
        flush=True,
    )


def prepared(constraint: Constraint) -> Constraint:
    """Compute the allowed tokens of all states with several continuations; return the constraint."""
    constraint.prepare()
    return constraint


def own(constraint: Constraint) -> None:
    """Print how long graphground takes to mask the tokens that cannot come next, along `WALKS` random queries."""
    rng, times, processor = random.Random(1), [], []
    collections = _Collections()
    for _ in range(WALKS):
        state = constraint.start
        while True:
            start, processor_start = time.perf_counter(), time.thread_time()
            constraint.mask(state)
            processor.append(time.thread_time() - processor_start)
            times.append(time.perf_counter() - start)
            token = rng.choice(constraint.allowed(state).tolist())
            if token in constraint.vocabulary.ends:
                break
            state = constraint.after(state, token)
    print(f" ({len(constraint):,} states)", end="")
    shown(times)
    collections.close()
    print("  processor time", end="")
    shown(processor)
    print(
        f"  {collections.count} garbage collections, the longest {1000 * collections.longest:.1f} ms of processor time"
    )


class _Collections:
    """The number of garbage collections until `close` is called, and the processor time of the longest in seconds."""

    def __init__(self) -> None:
        self.count, self.longest, self._begun = 0, 0.0, 0.0
        gc.callbacks.append(self._note)

    def _note(self, phase: str, _: object) -> None:
        if phase == "start":
            self._begun = time.thread_time()
        else:
            self.count += 1
            self.longest = max(self.longest, time.thread_time() - self._begun)

    def close(self) -> None:
        gc.callbacks.remove(self._note)


def library(queries: Sequence[str], vocabulary: Vocabulary, mask: Callable[[], object], step: Callable[[int], object],
            begin: Callable[[], object]) -> None:  # fmt: skip
    """Print how long another library takes to mask the tokens that cannot come next, per token of a query.

    The library follows up to `LIBRARY_WALKS` random queries: `begin` starts a query, `mask` computes the mask, and
    `step` appends the query's next token.
    """
    times = []
    for query in random.Random(1).sample(queries, min(LIBRARY_WALKS, len(queries))):
        begin()
        for token in vocabulary.encode(query):
            start = time.perf_counter()
            mask()
            times.append(time.perf_counter() - start)
            step(token)
    shown(times)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--queries", type=int, default=10_000)
    arguments.add_argument("--libraries", nargs="*", default=["llguidance", "xgrammar"])
    options = arguments.parse_args()
    real_tokenizers.install()
    vocabulary, queries = real_tokenizers.qwen(), some_queries(options.queries)
    print(f"{len(queries)} queries, {len(vocabulary):,} tokens")
    timed("automaton over bytes", lambda: Automaton.of(query.encode("utf-8") for query in queries))
    print()
    own(timed("any tokens", lambda: prepared(Constraint.of_queries(queries, vocabulary, any_tokens=True))))
    own(timed("one spelling", lambda: prepared(Constraint.of_queries(queries, vocabulary))))
    if "llguidance" in options.libraries and find_spec("llguidance"):
        matcher = timed("llguidance, tokenizer included", lambda: llguidance_matcher(queries, vocabulary))
        library(queries, vocabulary, matcher.compute_bitmask, matcher.consume_token, matcher.reset)
    if "xgrammar" in options.libraries and find_spec("xgrammar"):
        import xgrammar

        info = xgrammar.TokenizerInfo([*list(vocabulary.tokens[:-1]), b"<end>"], stop_token_ids=[len(vocabulary) - 1])
        compiled = timed(
            "xgrammar",
            lambda: xgrammar.GrammarCompiler(info).compile_grammar(xgrammar.Grammar.from_ebnf(gbnf(queries))),
        )
        masker, bits = xgrammar.GrammarMatcher(compiled), xgrammar.allocate_token_bitmask(1, info.vocab_size)
        library(queries, vocabulary, lambda: masker.fill_next_token_bitmask(bits), masker.accept_token, masker.reset)
    if "outlines" in options.libraries and find_spec("outlines_core"):
        import outlines_core

        ids: dict[bytes, list[int]] = {}
        for number, token in enumerate(vocabulary.tokens):
            if token:
                ids.setdefault(token, []).append(number)
        tokens = outlines_core.Vocabulary(len(vocabulary) - 1, ids)
        timed("outlines-core", lambda: outlines_core.Index("|".join(map(re.escape, queries)), tokens))
        print()


if __name__ == "__main__":
    main()
