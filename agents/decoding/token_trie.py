"""The trie of a vocabulary's tokens, walked together with an automaton over bytes to find the allowed tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphground.agents.decoding.automaton import Automaton
from graphground.agents.decoding.prefix_tree import Ints, PrefixTree

WIDE = 12
"""The number of edges above which a state is walked with NumPy, one depth of the trie at a time, not edge by edge."""


class TokenTrie:
    """The trie of a vocabulary: `TokenTrie([b"RE", b"RETURN", None])` has three tokens, the last without text."""

    def __init__(self, tokens: Sequence[bytes | None]) -> None:
        known = sorted((token, number) for number, token in enumerate(tokens) if token)
        self._tree = tree = PrefixTree.of([token for token, _ in known])
        by_end = np.argsort(tree.ends, kind="stable")
        self._by_end = np.array([number for _, number in known], np.int64)[by_end]
        self._ends = np.searchsorted(tree.ends[by_end], np.arange(len(tree) + 1)).astype(np.int64)
        """The ranges of `_by_end`: the tokens `_by_end[_ends[n]:_ends[n + 1]]` all end at node `n`,
        with the same bytes."""
        keys = ((tree.parents << 8) | tree.symbols).tolist()
        self._children = dict(zip(keys, range(1, len(tree)), strict=True))

    def follow(self, automaton: Automaton, state: int) -> tuple[Ints, Ints]:
        """Return the tokens whose bytes are allowed in a state, in ascending order, and the state after each token."""
        tokens: list[int] = []
        targets: list[int] = []
        wide: list[tuple[int, int]] = []
        waiting = [(state, 0)]
        while waiting:
            here, node = waiting.pop()
            symbols, reached = automaton.edges(here)
            if len(symbols) > WIDE:
                wide.append((here, node))
                continue
            for symbol, target in zip(symbols.tolist(), reached.tolist(), strict=True):
                child = self._children.get(node << 8 | symbol)
                if child is not None:
                    waiting.append((target, child))
                    for token in self._by_end[self._ends[child] : self._ends[child + 1]].tolist():
                        tokens.append(token)
                        targets.append(target)
        found = [np.array(tokens, np.int64)], [np.array(targets, np.int64)]
        states, nodes = np.array(wide, np.int64).reshape(-1, 2).T
        while len(nodes):
            edges, origin = _spread(self._tree.offsets, nodes)
            after = automaton.steps(states[origin], self._tree.symbols[edges])
            states, nodes = after[after >= 0], edges[after >= 0] + 1
            ending, origin = _spread(self._ends, nodes)
            found[0].append(self._by_end[ending])
            found[1].append(states[origin])
        all_tokens, all_targets = np.concatenate(found[0]), np.concatenate(found[1])
        order = np.argsort(all_tokens)
        return all_tokens[order], all_targets[order]


def _spread(offsets: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return the positions of all entries in the given rows, and for each entry the index of its row in `rows`.

    Row `r` has the entries from position `offsets[r]` up to `offsets[r + 1]`.
    """
    counts = offsets[rows + 1] - offsets[rows]
    origin = np.repeat(np.arange(len(rows)), counts)
    begins = np.concatenate(([0], np.cumsum(counts)))[:-1]
    return offsets[rows][origin] + np.arange(len(origin)) - begins[origin], origin
