"""The prefix tree (trie) of sorted sequences, built one depth at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PrefixTree:
    """A prefix tree: `PrefixTree.of([b"ab", b"ac"])` has the root 0, node 1 for `a`, and nodes 2 and 3.

    The edge to node `k` has number `k - 1` and the symbol `symbols[k - 1]`; the edges that leave node `n` are those
    from `offsets[n]` up to `offsets[n + 1]`, sorted by symbol; `ends[i]` is the node at which sequence `i` ends.
    """

    offsets: Ints
    symbols: Ints
    parents: Ints
    ends: Ints
    depths: tuple[int, ...]
    """The first node of each depth, then the number of nodes."""

    @staticmethod
    def of(sequences: Sequence[Sequence[int]]) -> PrefixTree:
        """Build the tree of sequences of integers, which must be sorted, so that equal prefixes are adjacent."""
        lengths = np.array([len(sequence) for sequence in sequences], np.int64)
        begins = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        flat = np.fromiter((symbol for sequence in sequences for symbol in sequence), np.int64, int(begins[-1]))
        place = np.zeros(len(sequences), np.int64)  # the node that each sequence has reached
        parents, symbols, depths = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [0, 1]
        for depth in range(int(lengths.max(initial=0))):
            active = np.flatnonzero(lengths > depth)
            parent, symbol = place[active], flat[begins[active] + depth]
            fresh = np.ones(len(active), np.bool_)
            fresh[1:] = (parent[1:] != parent[:-1]) | (symbol[1:] != symbol[:-1])
            place[active] = depths[-1] + np.cumsum(fresh) - 1
            parents.append(parent[fresh])
            symbols.append(symbol[fresh])
            depths.append(depths[-1] + int(fresh.sum()))
        parent = np.concatenate(parents)
        offsets = np.searchsorted(parent, np.arange(depths[-1] + 1)).astype(np.int64)
        return PrefixTree(offsets, np.concatenate(symbols), parent, place, tuple(depths))

    def __len__(self) -> int:
        return len(self.offsets) - 1
