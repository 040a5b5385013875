"""One list out of two: what spelling found and what meaning found."""

from __future__ import annotations

from collections.abc import Sequence

from graphground.graphs.entities.candidate import Candidate

UNSURE = 0.8
"""Below this the best spelling may be of another entity altogether, and meaning is asked too."""
_RANK = 10
_SPELLING, _MEANING = 1.0, 1.0


def merged(spelled: Sequence[Candidate], meant: Sequence[Candidate], limit: int) -> list[Candidate]:
    """By reciprocal rank; an entity that both found keeps its higher score, and the way that gave it.

        >>> merged([], [], 5)
        []
    """
    gains: dict[tuple[str, str, str], float] = {}
    kept: dict[tuple[str, str, str], Candidate] = {}
    for weight, candidates in ((_SPELLING, spelled), (_MEANING, meant)):
        for rank, one in enumerate(candidates):
            identity = (one.key, one.label, one.name)
            gains[identity] = gains.get(identity, 0.0) + weight / (_RANK + rank)
            if identity not in kept or one.score > kept[identity].score:
                kept[identity] = one
    return [kept[identity] for identity in sorted(kept, key=lambda one: (-gains[one], -kept[one].score))][:limit]
