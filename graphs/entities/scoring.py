"""How alike a mention and a name are: one number between 0 and 1, whatever found the name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from graphground.graphs.entities.files import Array

EXACT, FOLDED = 1.0, 0.98


def scores(mention: str, names: Sequence[str]) -> Array:
    """The likeness of a folded mention to folded names.

        >>> scores("lebron jmes", ["lebron james", "jim james"]).round(2).tolist()
        [0.94, 0.67]
    """
    if not names:
        return np.zeros(0, dtype=np.float32)
    straight = cdist([mention], names, scorer=OSA.normalized_similarity, dtype=np.float32)[0]
    ordered = " ".join(sorted(mention.split()))
    sorted_names = [" ".join(sorted(name.split())) for name in names]
    swapped = cdist([ordered], sorted_names, scorer=OSA.normalized_similarity, dtype=np.float32)[0]
    shared = cdist([mention], names, scorer=fuzz.token_set_ratio, dtype=np.float32)[0] / 100
    best = np.maximum(straight, 0.97 * swapped)
    mixed: Array = np.minimum(FOLDED, 0.7 * best + 0.3 * shared)
    return mixed
