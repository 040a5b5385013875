"""Merges the candidates found by spelling with those found by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from graphground.graphs.entities.candidate import Candidate

UNSURE = 0.9
"""The score of the best match by spelling below which entities are also searched by meaning."""
_RANK, _POWER = 10, 4
"""The constant of reciprocal rank fusion, and the exponent of scores: a score of 0.6 counts an eighth of 1.0."""


def merged(spelled: Sequence[Candidate], meant: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Merge two lists, each best first, into one: by reciprocal rank weighted by score.

    An entity in both lists is returned once, as the candidate with the higher score.

    >>> merged([], [], 5)
    []
    """
    gains: dict[tuple[str, str, str], float] = {}
    best: dict[tuple[str, str, str], Candidate] = {}
    for candidates in (spelled, meant):
        for rank, candidate in enumerate(candidates):
            identity = (candidate.key, candidate.label, candidate.name)
            gains[identity] = gains.get(identity, 0.0) + max(candidate.score, 0.0) ** _POWER / (_RANK + rank)
            if identity not in best or candidate.score > best[identity].score:
                best[identity] = candidate
    return [
        best[identity] for identity in sorted(best, key=lambda candidate: (-gains[candidate], -best[candidate].score))
    ][:limit]
