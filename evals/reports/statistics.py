"""Confidence intervals of scores, and the significance of a difference between two runs."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, erfc, sqrt
from typing import NamedTuple

Z = 1.959963984540054
"""The quantile of the normal distribution for a 95 % interval."""


class Interval(NamedTuple):
    """A mean with its 95 % confidence interval: `Interval(0.8, 0.49, 0.94, 10)`; `cases` is the sample size."""

    mean: float
    low: float
    high: float
    cases: int


def proportion(successes: int, count: int) -> Interval:
    """Return the share of successes with Wilson's interval, which stays within 0 and 1 even for few cases.

        >>> [round(value, 3) for value in proportion(8, 10)]
        [0.8, 0.49, 0.943, 10]

    Raises:
        ValueError: there are no cases.
    """
    if count < 1:
        raise ValueError("a share of no cases is not defined")
    share = successes / count
    centre = (share + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z / (1 + Z * Z / count) * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half), count)


def mean(values: Sequence[float]) -> Interval:
    """Return the mean of values from 0 to 1 with its normal interval, clipped to that range.

        >>> [round(value, 2) for value in mean([0.0, 1.0, 0.5, 0.5])]
        [0.5, 0.1, 0.9, 4]

    Raises:
        ValueError: there are no values.
    """
    count = len(values)
    if not count:
        raise ValueError("a mean of no values is not defined")
    middle = sum(values) / count
    spread = sqrt(sum((value - middle) ** 2 for value in values) / (count - 1)) if count > 1 else 0.0
    half = Z * spread / sqrt(count)
    return Interval(middle, max(0.0, middle - half), min(1.0, middle + half), count)


def mcnemar(won: int, lost: int) -> float:
    """Return the two-sided p-value of the exact McNemar test for tasks won and lost between two runs.

        >>> round(mcnemar(10, 2), 4), mcnemar(0, 0)
        (0.0386, 1.0)

    The p-value is the probability that chance splits the differing tasks at least as unevenly. Tasks on which both runs
    are right, or both are wrong, do not count. Above 1,000 differing tasks the normal approximation is used.
    """
    count, fewer = won + lost, min(won, lost)
    # The exact sum needs long integers; the corrected normal approximation differs only in the fifth digit.
    if count > 1_000:
        return erfc(max(0.0, abs(won - lost) - 1) / sqrt(count) / sqrt(2))
    return min(1.0, 2 * sum(comb(count, wins) for wins in range(fewer + 1)) / (1 << count))
