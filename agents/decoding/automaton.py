"""Deterministic finite automata as arrays, such as the minimal automaton of a finite set of byte sequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphground.agents.decoding.prefix_tree import Ints, PrefixTree

Bools = npt.NDArray[np.bool_]
SYMBOL_BITS = 24
"""The number of bits of a symbol: a byte, a character, or a token number below 16 million."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """A deterministic automaton: `Automaton.of([b"RETURN 1", b"RETURN 2"])` has 9 states, one of them final.

    The edges that leave state `s` are those from `offsets[s]` up to `offsets[s + 1]`, sorted by symbol.
    """

    offsets: Ints
    symbols: Ints
    targets: Ints
    final: Bools
    start: int = 0
    _keys: Ints = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        owners = np.repeat(np.arange(len(self.final)), np.diff(self.offsets))
        object.__setattr__(self, "_keys", (owners << SYMBOL_BITS) | self.symbols)

    @staticmethod
    def of(sequences: Iterable[Sequence[int]]) -> Automaton:
        """Return the minimal automaton that accepts exactly these sequences.

        Sequences are `bytes` or tuples of non-negative integers. Equivalent states of the prefix tree are merged, one
        height at a time, from the leaves to the root (Revuz 1992, "Minimisation of acyclic deterministic automata in
        linear time").
        """
        tree = PrefixTree.of(sorted({tuple(sequence) for sequence in sequences}))
        final = np.zeros(len(tree), np.bool_)
        final[tree.ends] = True
        return _minimal(tree, final)

    @staticmethod
    def of_edges(edges: Sequence[tuple[int, int, int]], final: Sequence[bool], start: int = 0) -> Automaton:
        """Return an automaton with edges `(state, symbol, target)`, in any order;
        `final` has an entry for each state."""
        table = np.array(sorted(edges), np.int64).reshape(-1, 3)
        offsets = np.searchsorted(table[:, 0], np.arange(len(final) + 1)).astype(np.int64)
        return Automaton(offsets, table[:, 1].copy(), table[:, 2].copy(), np.array(final, np.bool_), start)

    def __len__(self) -> int:
        return len(self.final)

    def edges(self, state: int) -> tuple[Ints, Ints]:
        """Return the symbols on the edges that leave a state, and the target of each edge."""
        first, last = self.offsets[state], self.offsets[state + 1]
        return self.symbols[first:last], self.targets[first:last]

    def step(self, state: int, symbol: int) -> int:
        """Return the state to which the edge with `symbol` leads; -1 if `state` has no such edge."""
        first, last = int(self.offsets[state]), int(self.offsets[state + 1])
        place = first + int(np.searchsorted(self.symbols[first:last], symbol))
        return int(self.targets[place]) if place < last and self.symbols[place] == symbol else -1

    def steps(self, states: Ints, symbols: Ints) -> Ints:
        """Return the state reached from each `states[i]` by `symbols[i]`; -1 if there is no such edge."""
        keys = (states << SYMBOL_BITS) | symbols
        place = np.searchsorted(self._keys, keys)
        found = np.flatnonzero(place < len(self._keys))
        found = found[self._keys[place[found]] == keys[found]]
        reached = np.full(len(keys), -1, np.int64)
        reached[found] = self.targets[place[found]]
        return reached

    def accepts(self, sequence: Iterable[int]) -> bool:
        """Whether the automaton accepts the sequence."""
        state = self.start
        for symbol in sequence:
            state = self.step(state, symbol)
            if state < 0:
                return False
        return bool(self.final[state])


def _minimal(tree: PrefixTree, final: Bools) -> Automaton:
    count = len(tree)
    height = np.zeros(count, np.int64)
    for first, last in reversed(list(zip(tree.depths[1:], tree.depths[2:], strict=False))):
        np.maximum.at(height, tree.parents[first - 1 : last - 1], height[first:last] + 1)
    degrees = np.diff(tree.offsets)
    merged, known = np.zeros(count, np.int64), 0  # the state that each node becomes
    shown: list[Ints] = []  # a node of each state
    by_height = np.argsort(height, kind="stable")
    ends = np.cumsum(np.bincount(height))
    for level, end in enumerate(ends):
        nodes = by_height[ends[level - 1] if level else 0 : end]
        signature = 2 * degrees[nodes] + final[nodes]
        for number in range(int(degrees[nodes].max())):
            has = np.flatnonzero(degrees[nodes] > number)
            edge = tree.offsets[nodes[has]] + number
            _, alike = np.unique(tree.symbols[edge] * known + merged[edge + 1], return_inverse=True)
            # Both factors are below the number of nodes, so the product stays within 64 bits.
            _, signed = np.unique(signature[has] * (int(alike.max()) + 1) + alike, return_inverse=True)
            signature[has] = signed + int(signature.max()) + 1
        _, example, signed = np.unique(signature, return_index=True, return_inverse=True)
        merged[nodes] = known + signed
        shown.append(nodes[example])
        known += len(example)
    node = np.concatenate(shown)
    counts = degrees[node]
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    edges = np.repeat(tree.offsets[node] - offsets[:-1], counts) + np.arange(offsets[-1])
    return Automaton(offsets, tree.symbols[edges], merged[edges + 1], final[node], int(merged[0]))
