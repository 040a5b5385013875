"""Merges the candidates found by spelling with those found by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from graphground.graphs.entities.candidate import Candidate

UNSURE = 0.9
"""The score of the best match by spelling below which entities are also searched by meaning."""
_RANK, _POWER = 10, 4
"""The constant of reciprocal rank fusion, and the exponent of scores: 0.6 counts an eighth of a certain match."""


def merged(spelled: Sequence[Candidate], meant: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Merge candidates by reciprocal rank, weighted by score.

    An entity in both lists keeps its higher score and the kind of match that has this score.

    >>> merged([], [], 5)
    []
    """
    gains: dict[tuple[str, str, str], float] = {}
    kept: dict[tuple[str, str, str], Candidate] = {}
    for candidates in (spelled, meant):
        for rank, candidate in enumerate(candidates):
            identity = (candidate.key, candidate.label, candidate.name)
            gains[identity] = gains.get(identity, 0.0) + max(candidate.score, 0.0) ** _POWER / (_RANK + rank)
            if identity not in kept or candidate.score > kept[identity].score:
                kept[identity] = candidate
    return [
        kept[identity] for identity in sorted(kept, key=lambda candidate: (-gains[candidate], -kept[candidate].score))
    ][:limit]
