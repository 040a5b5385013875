"""Retrieval metrics for ranked answers: Hit@k, Recall@k and MRR, which STaRK reports.

STaRK (arXiv 2404.13207, §4.1) uses Hit@1, Hit@5, Recall@20 and MRR; GraphRAFT (arXiv 2504.05478) reports the same four.
`ranked` is best first. A repeated item counts only at its first position, and later positions move up: repeating an
answer has no effect. Without relevant items no score is defined, so each metric raises `ValueError`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence


def hit_at(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Return 1.0 if one of the first `k` items is relevant, else 0.0.

        >>> hit_at(["Ronin", "Heat"], {"Heat"}, 1), hit_at(["Ronin", "Heat"], {"Heat"}, 5)
        (0.0, 1.0)

    Raises:
        ValueError: nothing is relevant, or `k` is below 1.
    """
    relevant_items = _check_relevant(relevant, k)
    return float(any(item in relevant_items for item in _drop_repeats(ranked)[:k]))


def recall_at(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Return the share of the relevant items that are among the first `k`, from 0.0 to 1.0.

        >>> recall_at(["Ronin", "Heat", "Thief"], {"Heat", "Thief", "Ali"}, 2)
        0.3333333333333333

    With more than `k` relevant items the result is below 1.0, as in STaRK.

    Raises:
        ValueError: nothing is relevant, or `k` is below 1.
    """
    relevant_items = _check_relevant(relevant, k)
    return len(relevant_items.intersection(_drop_repeats(ranked)[:k])) / len(relevant_items)


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable]) -> float:
    """Return 1 divided by the position of the first relevant item; 0.0 if the list has no relevant item.

        >>> reciprocal_rank(["Ronin", "Heat"], {"Heat"})
        0.5

    Raises:
        ValueError: nothing is relevant.
    """
    relevant_items = _check_relevant(relevant, 1)
    return next((1 / place for place, item in enumerate(_drop_repeats(ranked), start=1) if item in relevant_items), 0.0)


def mean_reciprocal_rank(answers: Iterable[tuple[Sequence[Hashable], Collection[Hashable]]]) -> float:
    """Return the mean of `reciprocal_rank` over pairs of a ranked list and its relevant items (MRR).

        >>> mean_reciprocal_rank([(["Heat"], {"Heat"}), (["Ronin", "Heat"], {"Heat"})])
        0.75

    Raises:
        ValueError: there are no pairs, or a pair has no relevant item.
    """
    ranks = [reciprocal_rank(ranked, relevant) for ranked, relevant in answers]
    if not ranks:
        raise ValueError("there are no answers to take the mean of")
    return sum(ranks) / len(ranks)


def _check_relevant(relevant: Collection[Hashable], k: int) -> set[Hashable]:
    if not relevant:
        raise ValueError("no item is relevant, so the metric is undefined")
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    return set(relevant)


def _drop_repeats(ranked: Sequence[Hashable]) -> list[Hashable]:
    return list(dict.fromkeys(ranked))
