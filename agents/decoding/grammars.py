"""Writes a finite set of queries as a grammar for other programs: GBNF for llama.cpp and xgrammar, Lark for llguidance.

Each rule is a state of the minimal automaton, so the next character always determines the alternative, however many
queries there are. (llguidance refuses a single rule with 10,000 alternatives.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from graphground.agents.decoding.automaton import Automaton, Bools
from graphground.agents.decoding.vocabulary import Vocabulary

ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def gbnf(queries: Iterable[str]) -> str:
    """Return a GBNF grammar that matches exactly these queries: `root ::= "RETURN " s1`, `s1 ::= "1" | "2"`."""
    return "\n".join(f"{name} ::= {body}" for name, body in _rules(queries, "root"))


def lark(queries: Iterable[str]) -> str:
    """Return a Lark grammar for llguidance that matches exactly these queries: `start: "RETURN " s1`, `s1: "1" |
    "2"`."""
    return "\n".join(f"{name}: {body}" for name, body in _rules(queries, "start"))


def llguidance_matcher(queries: Iterable[str], vocabulary: Vocabulary) -> Any:
    """Return an `llguidance.LLMatcher` that accepts exactly the queries; requires the package `llguidance`.

    Of the maintained libraries, llguidance compiles 10,000 queries fastest (`benchmarks/agents/decoding.py`). The
    matcher allows all tokens that spell a query, as `Constraint.of_queries(…, any_tokens=True)` does.

    Raises:
        ValueError: the tokenizer is WordPiece, or llguidance refuses the grammar.
    """
    import llguidance  # loaded on first use: it belongs to the extra `decoding`

    if vocabulary.family == "words":
        raise ValueError("llguidance works on bytes, which a WordPiece tokenizer does not preserve.")
    if vocabulary.family == "pieces":  # a space may stand before the first word
        queries = [spaced for query in queries for spaced in (query, f" {query}")]
    tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Tokens(vocabulary)))
    matcher = llguidance.LLMatcher(tokenizer, llguidance.LLMatcher.grammar_from_lark(lark(queries)))
    if matcher.is_error():
        raise ValueError(f"llguidance refuses the grammar: {matcher.get_error()[:300]}")
    return matcher


class _Tokens:
    """A vocabulary in the form that llguidance expects."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.eos_token_id, self.bos_token_id = min(vocabulary.ends), None
        self.special_token_ids = [number for number, token in enumerate(vocabulary.tokens) if token is None]
        self.tokens = [token or b"<special %d>" % number for number, token in enumerate(vocabulary.tokens)]
        self._encode = vocabulary.encode

    def __call__(self, text: str | bytes) -> list[int]:
        return list(self._encode(text if isinstance(text, str) else text.decode("utf-8", "replace")))


def _rules(queries: Iterable[str], root: str) -> Iterator[tuple[str, str]]:
    automaton = Automaton.of(tuple(map(ord, query)) for query in queries)
    degrees = np.diff(automaton.offsets)
    incoming = np.bincount(automaton.targets, minlength=len(automaton))
    named = (degrees > 1) | (automaton.final & (degrees > 0)) | ((incoming > 1) & (degrees > 0))
    named[automaton.start] = True

    def name(state: int) -> str:
        return root if state == automaton.start else f"s{state}"

    for state in (automaton.start, *(int(state) for state in np.flatnonzero(named) if state != automaton.start)):
        parts = [
            f'"{text}"' + (f" {name(after)}" if named[after] else "") for text, after in _texts(automaton, state, named)
        ]
        yield name(state), " | ".join([*parts, '""'] if automaton.final[state] else parts)


def _texts(automaton: Automaton, state: int, named: Bools) -> Iterator[tuple[str, int]]:
    """Yield each text that leads from a state to the next state with a rule (or to the end), and the state reached."""
    for symbol, target in zip(*(part.tolist() for part in automaton.edges(state)), strict=True):
        letters, here = [symbol], target
        while not named[here] and automaton.offsets[here] < automaton.offsets[here + 1]:
            edge = int(automaton.offsets[here])
            letters.append(int(automaton.symbols[edge]))
            here = int(automaton.targets[edge])
        yield "".join(_escaped(chr(letter)) for letter in letters), here


def _escaped(letter: str) -> str:
    if letter in ESCAPES:
        return ESCAPES[letter]
    return f"\\x{ord(letter):02X}" if ord(letter) < 32 or ord(letter) == 127 else letter
