"""Measures the time to compile 10,000 queries for a vocabulary and to compute token masks, compared with libraries.

    pip install llguidance xgrammar outlines-core numba
    python -m benchmarks.agents.decoding [--queries 10000] [--libraries llguidance xgrammar outlines]

The vocabulary is Qwen's (151,643 tokens), from a wheel that is installed into .tools; the queries are gold queries of
four graphs and queries made of them. Masks are computed along 300 random queries with graphground's automaton, and
along 50 with each library. The output is the processor time for compiling, and the wall and processor time for masks,
in milliseconds. Needs ../shared/data; libraries that are not installed are left out.
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
    """Return `count` distinct queries: gold queries, then gold queries with a LIMIT added."""
    found = [query for graph in TRAIN for query in gold_queries(graph)]
    found += [f"{query} LIMIT {limit}" for limit in (1, 10) for query in found]
    return list(dict.fromkeys(found))[:count]


def timed(name: str, compile_: Callable[[], Any]) -> Any:
    begun = time.process_time()
    made = compile_()
    print(f"{name}: compiled in {time.process_time() - begun:.2f} s", end="", flush=True)
    return made


def shown(times: Sequence[float]) -> None:
    found = np.array(times) * 1000
    print(
        f"; {len(found)} masks: mean {found.mean():.3f}, p50 {np.median(found):.3f}, p99 {np.quantile(found, 0.99):.3f}, "
        f"longest {found.max():.1f} ms",
        flush=True,
    )


def prepared(constraint: Constraint) -> Constraint:
    """Return the constraint with the allowed tokens of its branching states computed; others are cheap when first met."""
    constraint.prepare()
    return constraint


def own(constraint: Constraint) -> None:
    """Time our masks along random queries."""
    rng, times, processor = random.Random(1), [], []
    collections = _Collections()
    for _ in range(WALKS):
        state = constraint.start
        while True:
            begun, ran = time.perf_counter(), time.thread_time()
            constraint.mask(state)
            processor.append(time.thread_time() - ran)
            times.append(time.perf_counter() - begun)
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
    """Counts garbage collections until `close`, and keeps the processor time of the longest."""

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
    """Time a library's masks along `LIBRARY_WALKS` random queries."""
    times = []
    for query in random.Random(1).sample(queries, min(LIBRARY_WALKS, len(queries))):
        begin()
        for token in vocabulary.encode(query):
            begun = time.perf_counter()
            mask()
            times.append(time.perf_counter() - begun)
            step(token)
    shown(times)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--queries", type=int, default=10_000)
    arguments.add_argument("--libraries", nargs="*", default=["llguidance", "xgrammar"])
    given = arguments.parse_args()
    real_tokenizers.install()
    vocabulary, queries = real_tokenizers.qwen(), some_queries(given.queries)
    print(f"{len(queries)} queries, {len(vocabulary):,} tokens")
    timed("automaton over bytes", lambda: Automaton.of(query.encode("utf-8") for query in queries))
    print()
    own(timed("any tokens", lambda: prepared(Constraint.of_queries(queries, vocabulary, any_tokens=True))))
    own(timed("one spelling", lambda: prepared(Constraint.of_queries(queries, vocabulary))))
    if "llguidance" in given.libraries and find_spec("llguidance"):
        matcher = timed("llguidance, tokenizer included", lambda: llguidance_matcher(queries, vocabulary))
        library(queries, vocabulary, matcher.compute_bitmask, matcher.consume_token, matcher.reset)
    if "xgrammar" in given.libraries and find_spec("xgrammar"):
        import xgrammar

        info = xgrammar.TokenizerInfo([*list(vocabulary.tokens[:-1]), b"<end>"], stop_token_ids=[len(vocabulary) - 1])
        compiled = timed(
            "xgrammar",
            lambda: xgrammar.GrammarCompiler(info).compile_grammar(xgrammar.Grammar.from_ebnf(gbnf(queries))),
        )
        other, bits = xgrammar.GrammarMatcher(compiled), xgrammar.allocate_token_bitmask(1, info.vocab_size)
        library(queries, vocabulary, lambda: other.fill_next_token_bitmask(bits), other.accept_token, other.reset)
    if "outlines" in given.libraries and find_spec("outlines_core"):
        import outlines_core

        ids: dict[bytes, list[int]] = {}
        for number, token in enumerate(vocabulary.tokens):
            if token:
                ids.setdefault(token, []).append(number)
        known = outlines_core.Vocabulary(len(vocabulary) - 1, ids)
        timed("outlines-core", lambda: outlines_core.Index("|".join(map(re.escape, queries)), known))
        print()


if __name__ == "__main__":
    main()
