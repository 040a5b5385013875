"""Places the boxes of a drawing by stress majorization, then moves overlapping boxes apart.

Boxes without links are placed in rows below the others.

Stress majorization (Gansner, Koren and North, *Graph Drawing by Stress Majorization*, Graph Drawing 2004, §2) finds
positions whose distances are close to the lengths of the shortest paths. It starts from a circle, so the layout is
deterministic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
ROUNDS = 80
LEAST_SQUARE = 1e-18
"""The minimum squared distance used as a divisor, because boxes may be at the same position."""
PUSHES = 600
ROUNDS_BETWEEN_GROWTH, GROWTH = 8, 1.06
WIDER = np.array([1.25, 0.8])
"""The horizontal and vertical stretch: the picture is wider than high, like a screen."""
ROW_GAP = 24.0
"""Pixels between boxes without links; no arrow runs between them."""
SCREEN = 1.6
"""The proportion of width to height of the area that boxes without links fill."""


def places(
    sizes: Sequence[tuple[float, float]], links: Sequence[tuple[int, int]], gap: float = 100.0
) -> list[tuple[float, float]]:
    """Return the centre of each box, in pixels; the upper left corner of the picture is (0, 0).

    `sizes` are the widths and heights of the boxes, and `links` are pairs of numbers of boxes. Boxes with links are at
    least `gap` pixels apart horizontally, or 60 pixels vertically; boxes without links are closer together.

    >>> places([(80, 30)], [])
    [(40.0, 15.0)]
    """
    if not sizes:
        return []
    size = np.array(sizes, dtype=float)
    placed = np.zeros_like(size)
    linked = np.unique([box for link in links if link[0] != link[1] for box in link]).astype(np.intp)
    width = top = 0.0
    if len(linked):
        place_of = {int(box): place for place, box in enumerate(linked)}
        inner = [(place_of[start], place_of[end]) for start, end in links if start != end]
        placed[linked] = _linked(size[linked], inner, gap)
        width, bottom = (placed[linked] + size[linked] / 2).max(axis=0).tolist()
        top = bottom + gap / 2
    single = np.setdiff1d(np.arange(len(size)), linked)
    gaps = np.where(np.isin(single, [start for start, end in links if start == end]), gap, ROW_GAP)
    placed[single] = _in_rows(size[single], gaps, width, top)
    return [(round(float(x), 1), round(float(y), 1)) for x, y in placed]


def _linked(size: Floats, links: Sequence[tuple[int, int]], gap: float) -> Floats:
    """Return the centres of boxes that have links; the upper left corner of their area is (0, 0)."""
    step = float(np.median(np.hypot(size[:, 0], size[:, 1]))) + gap
    placed: Floats = _majorized(_distances(len(size), links) * step) * WIDER
    _push_apart(placed, size, np.array([gap, 60.0]))
    placed -= (placed - size / 2).min(axis=0)
    return placed


def _in_rows(size: Floats, gaps: Floats, width: float, top: float) -> Floats:
    """Return the centres of boxes in rows; the first row begins at the height `top`.

    The rows are `width` wide, or wider if the area of all boxes would otherwise be too high for a screen. `gaps` are
    the distances to the right of each box and below it.
    """
    widest = max(width, float(np.sqrt(np.prod(size + gaps[:, None], axis=1).sum() * SCREEN)))
    placed = np.zeros_like(size)
    left = height = 0.0
    for box, ((box_width, box_height), gap) in enumerate(zip(size, gaps, strict=True)):
        if left and left + box_width > widest:
            left, top, height = 0.0, top + height, 0.0
        placed[box] = left + box_width / 2, top + box_height / 2
        left, height = left + box_width + gap, max(height, box_height + gap)
    return placed


def _distances(count: int, links: Sequence[tuple[int, int]]) -> Floats:
    """Return the lengths of shortest paths, in links.

    Between unconnected boxes, the length is one more than the longest path, but at most four.
    """
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for start, end in links:
        neighbours[start].add(end)
        neighbours[end].add(start)
    distances = np.array([_steps_from(box, neighbours) for box in range(count)])
    unreached = distances < 0
    distances[unreached] = min(distances.max() + 1, 4.0)
    return distances


def _steps_from(box: int, neighbours: Sequence[set[int]]) -> list[float]:
    """Return the length in links of the shortest path to each box; -1 if there is no path."""
    steps = [-1.0] * len(neighbours)
    steps[box] = 0.0
    reached, length = [box], 0.0
    while reached:
        length += 1.0
        following = []
        for here in reached:
            for other in neighbours[here]:
                if steps[other] < 0:
                    steps[other] = length
                    following.append(other)
        reached = following
    return steps


def _majorized(distances: Floats) -> Floats:
    """Return positions whose distances are close to the given distances; each round moves every box."""
    count = len(distances)
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    placed = np.stack([1.4 * np.cos(angle), np.sin(angle)], axis=1) * max(float(distances.max()), 1.0) / 2
    if count == 1:
        return placed * 0
    weights = np.divide(1.0, distances**2, out=np.zeros_like(distances), where=distances > 0)
    total, pulling = weights.sum(axis=1), weights * distances
    for _ in range(ROUNDS):
        across, down = (np.subtract.outer(line, line) for line in placed.T)
        across *= across
        down *= down
        across += down
        np.maximum(across, LEAST_SQUARE, out=across)
        pull = np.divide(pulling, np.sqrt(across, out=across), out=across)
        placed = (weights @ placed + pull.sum(axis=1)[:, None] * placed - pull @ placed) / total[:, None]
    return placed


def _push_apart(placed: Floats, size: Floats, gap: Floats) -> None:
    """Separate boxes that are too close to each other, each pair in the direction in which it overlaps less.

    If many boxes are close, separating pairs would only shuffle the boxes, so the whole picture grows every few rounds.
    """
    room = size + gap
    for number in range(1, PUSHES + 1):
        first, second = _too_close(placed, room)
        if not len(first):
            return
        if number % ROUNDS_BETWEEN_GROWTH == 0:
            placed *= GROWTH
            continue
        apart = placed[second] - placed[first]
        overlap = (room[first] + room[second]) / 2 - np.abs(apart)
        sideways = overlap[:, 0] < overlap[:, 1]
        push = np.where(sideways, overlap[:, 0], overlap[:, 1]) / 2 + 0.01
        push *= np.where(np.where(sideways, apart[:, 0], apart[:, 1]) >= 0, 1.0, -1.0)
        for axis, chosen in ((0, sideways), (1, ~sideways)):
            for boxes, way in ((second, 1.0), (first, -1.0)):
                placed[:, axis] += way * np.bincount(boxes[chosen], weights=push[chosen], minlength=len(placed))


def _too_close(placed: Floats, room: Floats) -> tuple[Integers, Integers]:
    """Return the pairs of boxes that are too close to each other.

    Boxes are sorted by their left sides, so a box can be too close only to boxes that begin before its right side.
    """
    left = placed[:, 0] - room[:, 0] / 2
    order = np.argsort(left, kind="stable")
    ends = np.searchsorted(left[order], left[order] + room[order, 0])
    following = np.maximum(ends - np.arange(1, len(order) + 1), 0)
    first = np.repeat(np.arange(len(order)), following)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(following) - following, following)
    pairs = np.sort(np.stack([order[first], order[second]]), axis=0)
    is_close = (np.abs(placed[pairs[0]] - placed[pairs[1]]) < (room[pairs[0]] + room[pairs[1]]) / 2 - 1e-6).all(axis=1)
    return pairs[0][is_close], pairs[1][is_close]
