"""Restricts a model's next token: follows the automaton of valid queries token by token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from graphground.agents.decoding.automaton import Automaton, Bools
from graphground.agents.decoding.prefix_tree import Ints
from graphground.agents.decoding.regular_expression import automaton_of
from graphground.agents.decoding.token_trie import TokenTrie
from graphground.agents.decoding.vocabulary import Vocabulary


class NotSpellable(ValueError):
    """Queries or expressions that cannot be written with the tokens of a vocabulary."""


class Constraint:
    """The token automaton of a set of queries for one vocabulary.

    `Constraint.of_queries(queries, vocabulary)` allows only the tokens into which the vocabulary's tokenizer splits
    each query. `of_queries(…, any_tokens=True)` and `of_expression` allow every sequence of tokens that spells a valid
    text. A state is an integer. The tokens allowed in a state are computed and kept when the state is first reached.
    """

    def __init__(
        self,
        automaton: Automaton,
        vocabulary: Vocabulary,
        trie: TokenTrie | None,
        texts: Mapping[bytes, str] | None = None,
        unspellable: Sequence[str] = (),
    ) -> None:
        self.vocabulary, self.start = vocabulary, automaton.start
        self.unspellable = tuple(unspellable)
        """Queries that are left out because they cannot be written with the tokens of the vocabulary."""
        self._automaton, self._trie, self._texts = automaton, trie, texts
        self._ends = np.array(sorted(vocabulary.ends), np.int64)
        self._followed: dict[int, tuple[Ints, Ints]] = {}

    @staticmethod
    def of_queries(queries: Iterable[str], vocabulary: Vocabulary, *, any_tokens: bool = False) -> Constraint:
        """Return the constraint that allows only these queries.

        Without `any_tokens`, queries that cannot be written with the tokens of the vocabulary are left out.

        Raises:
            NotSpellable: no query can be written with the tokens of the vocabulary. With `any_tokens`: a byte of a
                query has no token of its own, or the tokenizer is WordPiece.
        """
        texts: dict[bytes, str] = {}
        for query in queries:
            texts.setdefault(vocabulary.spelled(query), query)
        if any_tokens:
            return _by_bytes(texts, vocabulary)
        found = {query: vocabulary.encoded(query) for query in texts.values()}
        sequences = [tokens for tokens in found.values() if tokens is not None]
        left = [query for query, tokens in found.items() if tokens is None]
        if not sequences:
            raise NotSpellable(
                f"No given query can be written with the tokens of the vocabulary; the first is {left[0]!r}."
                if left
                else "No query was given."
            )
        return Constraint(Automaton.of(sequences), vocabulary, None, texts, left)

    @staticmethod
    def of_expression(expression: str, vocabulary: Vocabulary) -> Constraint:
        """Return the constraint that allows all texts matched by a regular expression.

        `suggest_queries` returns such an expression with `grammar=regex`.

        Raises:
            RegularExpressionError: the expression cannot be parsed.
            NotSpellable: the tokenizer is WordPiece, which changes texts; use `of_queries` with a set of queries.
        """
        if vocabulary.family == "words":
            raise NotSpellable(
                "A WordPiece tokenizer changes spaces and case, so a regular expression cannot be followed; pass the "
                "queries to `of_queries`."
            )
        optional = "(?: )?" if vocabulary.family == "pieces" else ""
        return Constraint(automaton_of(f"{optional}(?:{expression})"), vocabulary, TokenTrie(vocabulary.tokens))

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self._automaton)

    def allowed(self, state: int) -> Ints:
        """Return the tokens allowed next, in ascending order; if the text may end, the tokens that end it follow."""
        tokens, _ = self._follow(state)
        return np.concatenate((tokens, self._ends)) if self.complete(state) else tokens

    def after(self, state: int, token: int) -> int:
        """Return the state after a token that does not end the text; -1 if the token is not allowed."""
        tokens, targets = self._follow(state)
        place = int(np.searchsorted(tokens, token))
        return int(targets[place]) if place < len(tokens) and tokens[place] == token else -1

    def complete(self, state: int) -> bool:
        """Whether the text written so far is a complete query."""
        return bool(self._automaton.final[state])

    def state_of(self, tokens: Iterable[int]) -> int:
        """Return the state after a sequence of tokens; -1 if no query begins with the sequence."""
        state = self.start
        for token in tokens:
            state = self.after(state, token)
            if state < 0:
                break
        return state

    def mask(self, state: int) -> Bools:
        """Return, for each token of the vocabulary, whether it may come next."""
        mask = np.zeros(len(self.vocabulary), np.bool_)
        mask[self.allowed(state)] = True
        return mask

    def text_of(self, tokens: Iterable[int]) -> str:
        """Return the query that a complete sequence of tokens spells, with its original spaces and case."""
        spelled = self.vocabulary.bytes_of(tokens)
        if self._texts is None:
            return spelled.decode("utf-8").removeprefix(" " if self.vocabulary.family == "pieces" else "")
        return self._texts[spelled] if spelled in self._texts else self._texts[spelled.removeprefix(b" ")]

    def prepare(self) -> None:
        """Compute now, instead of during decoding, the allowed tokens of each state that several edges leave."""
        for state in np.flatnonzero(np.diff(self._automaton.offsets) > 1).tolist():
            self._follow(state)

    def _follow(self, state: int) -> tuple[Ints, Ints]:
        known = self._followed.get(state)
        if known is None:
            automaton = self._automaton
            known = automaton.edges(state) if self._trie is None else self._trie.follow(automaton, state)
            self._followed[state] = known
        return known


def _by_bytes(texts: Mapping[bytes, str], vocabulary: Vocabulary) -> Constraint:
    if vocabulary.family == "words":
        raise NotSpellable("A WordPiece tokenizer spells each text in only one way: leave out `any_tokens`.")
    spaced = [b" " + text for text in texts] if vocabulary.family == "pieces" else []
    automaton = Automaton.of([*texts, *spaced])
    known = {text for text in vocabulary.tokens if text is not None and len(text) == 1}
    unknown = {bytes((symbol,)) for symbol in np.unique(automaton.symbols).tolist()} - known
    if unknown:
        raise NotSpellable(
            f"The vocabulary has no token for the byte {min(unknown)!r} alone; without `any_tokens`, "
            "queries that cannot be written are left out."
        )
    return Constraint(automaton, vocabulary, TokenTrie(vocabulary.tokens), texts)
