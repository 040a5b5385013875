"""The calibrated model: boosted trees, applied with NumPy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

SIZES = (4.0, 4.9, 5.9)
"""The sizes of graphs, as decimal logarithms of the number of names, for which minimum probabilities were fitted."""
WEIGHTS = Path(__file__).parent / "trees.npz"


class Trees:
    """Boosted trees of the same depth, as arrays: `Trees(feature, threshold, leaf, base, least).chances(rows)`.

    `least` holds the minimum probability for each of `SIZES`.
    """

    def __init__(
        self,
        feature: npt.NDArray[np.int64],
        threshold: npt.NDArray[np.float64],
        leaf: npt.NDArray[np.float64],
        base: float,
        least: Sequence[float],
    ) -> None:
        self._least = least
        self._feature, self._threshold, self._leaf, self._base = feature, threshold, leaf, base
        self._tree = np.arange(len(feature))[:, None]
        self._depth = leaf.shape[1].bit_length() - 1

    def least(self, texts: int) -> float:
        """Return the minimum probability of a likely candidate for a graph of `texts` names, by interpolation."""
        return float(np.interp(math.log10(texts + 10), SIZES, self._least))

    def chances(self, rows: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return for each row of features the probability, from 0 to 1, that the mention is a spelling of the name."""
        values = np.asarray(rows, dtype=np.float64).T
        node = np.zeros((len(self._feature), values.shape[1]), dtype=np.int64)
        row = np.arange(values.shape[1])[None, :]
        for _ in range(self._depth):
            node = 2 * node + 1 + (values[self._feature[self._tree, node], row] > self._threshold[self._tree, node])
        logits = self._base + self._leaf[self._tree, node - len(self._feature[0])].sum(axis=0)
        chances: npt.NDArray[np.float64] = 1 / (1 + np.exp(-logits))
        return chances


@lru_cache(maxsize=1)
def trees() -> Trees:
    """Load the trees that `benchmarks/entities/calibration.py` has fitted."""
    with np.load(WEIGHTS) as stored:
        return Trees(
            stored["feature"].astype(np.int64),
            stored["threshold"].astype(np.float64),
            stored["leaf"].astype(np.float64),
            float(stored["base"]),
            stored["least"].tolist(),
        )
