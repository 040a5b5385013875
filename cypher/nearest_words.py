"""How far apart two words are."""

from __future__ import annotations


def distance(a: str, b: str) -> int:
    """How many letters must be changed, added or removed to make one of the other (Levenshtein)."""
    if a == b:
        return 0
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (left != right))
    return row[-1]
