"""Measures the layout of large pictures: processor time, overlapping boxes, link lengths and crossings.

    python -m benchmarks.schemas.layout

The pictures have 12 to 500 boxes and are generated with fixed seeds:
trees, stars, grids, preferential-attachment graphs and boxes without links.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from graphground.graphs.schemas.pictures.svg import places

Links = list[tuple[int, int]]
Floats = NDArray[np.float64]
COUNTS = (12, 60, 150, 500)


def shapes(count: int) -> Iterator[tuple[str, Links]]:
    """Yield the name and the links of each kind of picture with `count` boxes."""
    draws = random.Random(3)
    yield "tree", [(box, draws.randrange(box)) for box in range(1, count)]
    links: Links = []
    ends = [0]
    for box in range(1, count):
        for _ in range(2 if box % 3 == 0 else 1):
            other = draws.choice(ends)
            if other != box:
                links.append((box, other))
                ends += [box, other]
    yield "hubs", links
    yield "stars of 25", [(box, box // 25 * 25) for box in range(count) if box % 25]
    width = int(count**0.5)
    across = [(box, box + 1) for box in range(count - 1) if (box + 1) % width]
    yield "grid", [*across, *((box, box + width) for box in range(count - width))]
    yield "no links", []


def side(first: Floats, second: Floats, third: Floats) -> Floats:
    """Return on which side of the line through `first` and `second` the point `third` lies: 1, -1, or 0 on the line."""
    along, across = second - first, third - first
    return np.asarray(np.sign(along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0]))


def crossings(positions: Floats, links: Links) -> int:
    """Return the number of pairs of links that cross."""
    if len(links) < 2:
        return 0
    starts, ends = (positions[[link[place] for link in links]] for place in (0, 1))
    a, b, c, d = starts[:, None], ends[:, None], starts[None], ends[None]
    crossed = (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
    return int(np.triu(crossed, 1).sum())


def main() -> None:
    print("boxes  shape        processor s  overlaps  link length median, 95 %  crossings  size")
    for count in COUNTS:
        draws = random.Random(count)
        sizes = [(70 + draws.random() * 200, 46.0) for _ in range(count)]
        for name, links in shapes(count):
            begin = time.process_time()
            positions = np.array(places(sizes, links))
            seconds = time.process_time() - begin
            size = np.array(sizes)
            distances, least_distances = np.abs(positions[:, None] - positions[None]), (size[:, None] + size[None]) / 2
            overlaps = int(np.triu((distances < least_distances - 1e-3).all(axis=2), 1).sum())
            lengths = [float(np.hypot(*(positions[start] - positions[end]))) for start, end in links] or [0.0]
            width, height = (positions + size / 2).max(axis=0)
            print(
                f"{count:5}  {name:12} {seconds:11.2f} {overlaps:9} {np.median(lengths):14.0f}, "
                f"{np.percentile(lengths, 95):6.0f} {crossings(positions, links):14}  {width:.0f} × {height:.0f}"
            )


if __name__ == "__main__":
    main()
