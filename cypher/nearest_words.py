"""How far apart two words are."""

from __future__ import annotations


def distance(a: str, b: str) -> int:
    """How many letters must be changed, added or removed to make one of the other (Levenshtein)."""
    from rapidfuzz.distance import Levenshtein  # loaded on first use: only mistakes need it

    return Levenshtein.distance(a, b)
