"""Gradient boosted trees for two classes, written with NumPy so that nothing else has to be installed.

The boosting uses first and second derivatives of the logistic loss. Each feature is cut into bins at its quantiles. All
trees have the same depth, so a tree consists of arrays: the feature and the threshold that each inner node tests, and
the amount that each leaf adds to the logit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Boosted:
    """A fitted model: the `feature` and `threshold` of inner nodes, the `leaf` values, and the initial logit."""

    feature: npt.NDArray[np.int64]
    threshold: Array
    leaf: Array
    base: float


def fit(
    features: Array,
    right: Array,
    weights: Array,
    *,
    trees: int = 150,
    depth: int = 4,
    rate: float = 0.1,
    smoothing: float = 5.0,
    bins: int = 48,
) -> Boosted:
    """Fit trees to `right` (0 or 1 for each row of `features`) by maximum likelihood; `weights` weights the rows."""
    edges = [np.unique(np.quantile(column, np.linspace(0, 1, bins + 1)[1:-1])) for column in features.T]
    binned = np.stack(
        [np.searchsorted(cuts, column, side="left") for cuts, column in zip(edges, features.T, strict=True)]
    )
    share = float((right * weights).sum() / weights.sum())
    base = float(np.log(share / (1 - share)))
    logit = np.full(len(right), base)
    chosen, thresholds, leaves = [], [], []
    for _ in range(trees):
        chance = 1 / (1 + np.exp(-logit))
        slope, curve = weights * (chance - right), weights * chance * (1 - chance)
        feature, threshold = np.zeros(2**depth - 1, dtype=np.int64), np.full(2**depth - 1, np.inf)
        node = np.zeros(len(right), dtype=np.int64)
        for level in range(depth):
            first, count = 2**level - 1, 2**level
            best = np.zeros(count)
            split = np.zeros((count, 2), dtype=np.int64) - 1
            for number, values in enumerate(binned):
                width = len(edges[number]) + 1
                place = (node - first) * width + values
                sums = [
                    np.bincount(place, value, minlength=count * width).reshape(count, width).cumsum(axis=1)
                    for value in (slope, curve)
                ]
                left, whole = [part[:, :-1] for part in sums], [part[:, -1:] for part in sums]
                gain = (
                    left[0] ** 2 / (left[1] + smoothing)
                    + (whole[0] - left[0]) ** 2 / (whole[1] - left[1] + smoothing)
                    - whole[0] ** 2 / (whole[1] + smoothing)
                )
                if not gain.shape[1]:
                    continue
                top = gain.argmax(axis=1)
                better = gain[np.arange(count), top] > best
                best = np.where(better, gain[np.arange(count), top], best)
                split[better] = np.stack([np.full(count, number), top], axis=1)[better]
            for inner in range(count):
                if split[inner, 0] >= 0:
                    feature[first + inner] = split[inner, 0]
                    threshold[first + inner] = edges[split[inner, 0]][split[inner, 1]]
            goes_right = binned[split[node - first, 0], np.arange(len(node))] > split[node - first, 1]
            goes_right &= split[node - first, 0] >= 0
            node = 2 * node + 1 + goes_right
        place = node - (2**depth - 1)
        value = -np.bincount(place, slope, minlength=2**depth) / (
            np.bincount(place, curve, minlength=2**depth) + smoothing
        )
        logit += rate * value[place]
        chosen.append(feature)
        thresholds.append(threshold)
        leaves.append(rate * value)
    return Boosted(np.stack(chosen), np.stack(thresholds), np.stack(leaves), base)
