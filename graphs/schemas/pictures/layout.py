"""Places the boxes of a drawing: stress majorization, then overlapping boxes are pushed apart.

Stress majorization (Gansner, Koren and North, *Graph Drawing by Stress Majorization*, Graph Drawing 2004, §2) finds
positions whose distances are close to the lengths of the shortest paths. It starts from a circle, so the layout is
deterministic.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ROUNDS = 80
PUSHES = 300
WIDER = np.array([1.25, 0.8])
"""The horizontal stretch, because screens are wide."""


def places(
    sizes: Sequence[tuple[float, float]], links: Sequence[tuple[int, int]], gap: float = 100.0
) -> list[tuple[float, float]]:
    """The centre of each box in pixels, from (0, 0) on; `sizes` are widths and heights, `links` pairs of boxes.

    Boxes side by side are `gap` pixels apart.

    >>> places([(80, 30)], [])
    [(40.0, 15.0)]
    """
    if not sizes:
        return []
    size = np.array(sizes, dtype=float)
    step = float(np.median(np.hypot(size[:, 0], size[:, 1]))) + gap
    placed = _majorized(_distances(len(sizes), links) * step) * WIDER
    _push_apart(placed, size, np.array([gap, 60.0]))
    placed -= (placed - size / 2).min(axis=0)
    return [(round(float(x), 1), round(float(y), 1)) for x, y in placed]


def _distances(count: int, links: Sequence[tuple[int, int]]) -> Floats:
    """Shortest paths in links; boxes that are not connected are a little farther apart than the longest of them."""
    near: Mapping[int, set[int]] = {box: set() for box in range(count)}
    for start, end in links:
        near[start].add(end)
        near[end].add(start)
    distances = np.full((count, count), np.inf)
    for box in range(count):
        distances[box, box] = 0
        waiting = deque([box])
        while waiting:
            here = waiting.popleft()
            for other in near[here]:
                if distances[box, other] == np.inf:
                    distances[box, other] = distances[box, here] + 1
                    waiting.append(other)
    reached = distances[np.isfinite(distances)]
    distances[~np.isfinite(distances)] = min(float(reached.max()) + 1, 4.0)
    return distances


def _majorized(wanted: Floats) -> Floats:
    """Positions whose distances are close to the targets: each round moves every box to where the others pull it."""
    count = len(wanted)
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    placed = np.stack([1.4 * np.cos(angle), np.sin(angle)], axis=1) * max(float(wanted.max()), 1.0) / 2
    if count == 1:
        return placed * 0
    weights = np.divide(1.0, wanted**2, out=np.zeros_like(wanted), where=wanted > 0)
    total = weights.sum(axis=1)
    for _ in range(ROUNDS):
        apart = placed[:, None, :] - placed[None, :, :]
        length = np.sqrt((apart**2).sum(axis=2))
        pull = np.divide(wanted, length, out=np.zeros_like(wanted), where=length > 1e-9)
        placed = (weights @ placed + ((weights * pull)[:, :, None] * apart).sum(axis=1)) / total[:, None]
    return placed


def _push_apart(placed: Floats, size: Floats, gap: Floats) -> None:
    """Move overlapping boxes apart, each pair along the shorter direction, until none overlap."""
    for _ in range(PUSHES):
        moved = False
        for first in range(len(placed)):
            apart = placed[first + 1 :] - placed[first]
            room = (size[first + 1 :] + size[first]) / 2 + gap
            lacking = room - np.abs(apart)
            overlapping = np.flatnonzero((lacking > 1e-6).all(axis=1))
            for offset in overlapping:
                other = first + 1 + int(offset)
                axis = 0 if lacking[offset, 0] < lacking[offset, 1] else 1
                way = 1.0 if placed[other, axis] >= placed[first, axis] else -1.0
                push = (room[offset, axis] - abs(placed[other, axis] - placed[first, axis])) / 2 + 0.01
                if push > 0:
                    placed[other, axis] += way * push
                    placed[first, axis] -= way * push
                    moved = True
        if not moved:
            return
