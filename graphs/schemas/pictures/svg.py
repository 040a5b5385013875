"""Writes a drawing as SVG, without scripts and readable on light and dark backgrounds, or as a Mermaid flowchart.

>>> from graphground.graphs.schemas.pictures.drawing import Arrow, Box, Drawing
>>> svg(Drawing((Box("m", "Movie"), Box("p", "Person")), (Arrow("m", "p", "directedBy"),)))[:32]
'<svg xmlns="http://www.w3.org/20'
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from graphground.graphs.schemas.pictures.drawing import MAX_LINE_LETTERS, Arrow, Box, Drawing, readable

LETTER, BOLD_LETTER, LINE, MARGIN = 6.6, 8.0, 17.0, 24.0
"""Sizes in pixels: the widths of a letter and of a bold letter, the height of a line, the margin around the picture."""

COLOURS = ("#2b5fa8", "#2f7d5b", "#94600f", "#6b5ca5", "#b3402f", "#2a7780", "#7a6a4f", "#a3487c")
STYLE = """
svg { color-scheme: light dark; font: 12px ui-sans-serif, system-ui, sans-serif; }
.page { fill: #ffffff; } .box rect { fill: #f7f9fc; } .box .title { font-weight: 600; }
text { fill: #1b2430; } .arrow path { stroke: #5c6a7c; fill: none; } .arrow text { fill: #46525f; }
.halo { stroke: #ffffff; stroke-width: 4px; paint-order: stroke; } .head { fill: #5c6a7c; }
@media (prefers-color-scheme: dark) {
  .page { fill: #12161c; } .box rect { fill: #1c232d; } text { fill: #e8edf3; } .arrow text { fill: #b9c4d1; }
  .arrow path { stroke: #93a1b3; } .halo { stroke: #12161c; } .head { fill: #93a1b3; }
}
"""


def svg(drawing: Drawing, *, style: bool = True) -> str:
    """Return the picture as one SVG element; without `style` the surrounding page must include `STYLE`."""
    sizes = [_size(box) for box in drawing.boxes]
    number = {box.id: place for place, box in enumerate(drawing.boxes)}
    longest = max((len(readable(arrow.text, MAX_LINE_LETTERS)) for arrow in drawing.arrows), default=0)
    links = [(number[arrow.start], number[arrow.end]) for arrow in drawing.arrows]
    centres = places(sizes, links, gap=longest * LETTER + 40)
    centres = [(x + MARGIN, y + MARGIN) for x, y in centres]
    kinds = sorted({box.kind for box in drawing.boxes})
    width = max((x + size[0] / 2 for (x, _), size in zip(centres, sizes, strict=True)), default=MARGIN) + 2 * MARGIN
    height = max((y + size[1] / 2 for (_, y), size in zip(centres, sizes, strict=True)), default=MARGIN) + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img">',
        f"<title>{_text(drawing.title or 'Graph', 200)}</title>",
        f"<style>{STYLE}</style>" if style else "",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto-start-reverse"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>',
        f'<rect class="page" width="{width:.0f}" height="{height:.0f}"/>' if style else "",
    ]
    for (start, end), arrows in _between(drawing.arrows).items():
        parts += (
            _arrows(arrows, start, number, centres, sizes)
            if start != end
            else _loops(arrows, centres[number[start]], sizes[number[start]])
        )
    for box, centre, size in zip(drawing.boxes, centres, sizes, strict=True):
        parts.append(_box(number[box.id], box, centre, size, COLOURS[kinds.index(box.kind) % len(COLOURS)]))
    if drawing.left_out:
        parts.append(f'<text x="{MARGIN}" y="{height - 8:.0f}">… and {drawing.left_out:,} more, not drawn</text>')
    return "".join([*parts, "</svg>"])


def _text(text: str, longest: int = MAX_LINE_LETTERS) -> str:
    return escape(readable(text, longest))


def _size(box: Box) -> tuple[float, float]:
    title, *lines = (len(readable(line, MAX_LINE_LETTERS)) for line in (box.title, *box.lines))
    return (max(70.0, title * BOLD_LETTER + 24, max(lines, default=0) * LETTER + 24), LINE * (1 + len(box.lines)) + 14)


def _box(number: int, box: Box, centre: tuple[float, float], size: tuple[float, float], colour: str) -> str:
    (x, y), (width, height) = centre, size
    left, top = x - width / 2, y - height / 2
    dashed = ' stroke-dasharray="4 3"' if box.empty else ""
    lines = [
        f'<text class="{"line" if row else "title"}" x="{left + 12:.1f}" y="{top + LINE * (row + 1) + 1:.1f}">'
        f"{_text(line)}</text>"
        for row, line in enumerate((box.title, *box.lines))
    ]
    return (
        f'<g class="box" data-box="{number}" tabindex="0" role="listitem"><rect x="{left:.1f}" y="{top:.1f}" '
        f'width="{width:.1f}" height="{height:.1f}" rx="8" stroke="{colour}" stroke-width="2"{dashed}/>'
        f"{''.join(lines)}</g>"
    )


def _between(arrows: Sequence[Arrow]) -> dict[tuple[str, str], list[Arrow]]:
    """Return the arrows between each pair of boxes, in either direction."""
    found: defaultdict[tuple[str, str], list[Arrow]] = defaultdict(list)
    for arrow in arrows:
        found[min(arrow.start, arrow.end), max(arrow.start, arrow.end)].append(arrow)
    return found


def _arrows(
    arrows: Sequence[Arrow],
    start: str,
    number: Mapping[str, int],
    centres: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
) -> list[str]:
    """Return one curve per direction, with the texts of its arrows; curves in opposite directions are bent apart."""
    ways = [[arrow for arrow in arrows if arrow.start == start], [arrow for arrow in arrows if arrow.start != start]]
    drawn = []
    for way in filter(None, ways):
        first, last = number[way[0].start], number[way[0].end]
        (x1, y1), (x2, y2) = centres[first], centres[last]
        bend = 0.0 if not all(ways) else 0.16
        middle = ((x1 + x2) / 2 - (y2 - y1) * bend, (y1 + y2) / 2 + (x2 - x1) * bend)
        begin = _border(centres[first], sizes[first], middle)
        end = _border(centres[last], sizes[last], middle)
        if not bend:
            middle = ((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
        place = ((begin[0] + 2 * middle[0] + end[0]) / 4, (begin[1] + 2 * middle[1] + end[1]) / 4)
        path = f"M{begin[0]:.1f} {begin[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
        drawn.append(_path(way, path, place))
    return drawn


def _loops(arrows: Sequence[Arrow], centre: tuple[float, float], size: tuple[float, float]) -> list[str]:
    """Return one curve from the upper border of a box back to the same box, with the texts of its arrows."""
    (x, _), top = centre, centre[1] - size[1] / 2
    path = f"M{x - 14:.1f} {top:.1f}C{x - 30:.1f} {top - 38:.1f} {x + 30:.1f} {top - 38:.1f} {x + 14:.1f} {top:.1f}"
    return [_path(arrows, path, (x, top - 33 - (len(arrows) - 1) * LINE / 2))]


def _path(arrows: Sequence[Arrow], path: str, place: tuple[float, float]) -> str:
    heads = "" if all(arrow.symmetric for arrow in arrows) else ' marker-end="url(#head)"'
    dashed = ' stroke-dasharray="4 3"' if all(arrow.empty for arrow in arrows) else ""
    top = place[1] - (len(arrows) - 1) * LINE / 2
    texts = [
        f'<text class="halo" x="{place[0]:.1f}" y="{top + row * LINE + 4:.1f}" text-anchor="middle">'
        f"{_text(arrow.text)}</text>"
        for row, arrow in enumerate(arrows)
    ]
    return f'<g class="arrow"><path d="{path}"{heads}{dashed}/>{"".join(texts)}</g>'


def _border(
    centre: tuple[float, float], size: tuple[float, float], towards: tuple[float, float]
) -> tuple[float, float]:
    """Return the point where the line from the centre of a box to another point crosses the box's border."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    if math.hypot(dx, dy) < 1e-9:
        return centre
    scale = min(size[0] / 2 / abs(dx) if dx else math.inf, size[1] / 2 / abs(dy) if dy else math.inf)
    return (centre[0] + dx * min(scale, 1.0), centre[1] + dy * min(scale, 1.0))


Floats = NDArray[np.float64]
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
    distances = np.full((count, count), np.inf)
    np.fill_diagonal(distances, 0.0)
    for start, end in links:
        distances[start, end] = distances[end, start] = 1.0
    for via in range(count):
        np.minimum(distances, distances[:, [via]] + distances[[via]], out=distances)
    unreached = np.isinf(distances)
    distances[unreached] = min(distances[~unreached].max() + 1, 4.0)
    return distances


def _majorized(distances: Floats) -> Floats:
    """Return positions whose distances are close to the given distances; each round moves every box."""
    count = len(distances)
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    placed = np.stack([1.4 * np.cos(angle), np.sin(angle)], axis=1) * max(float(distances.max()), 1.0) / 2
    weights = np.divide(1.0, distances**2, out=np.zeros_like(distances), where=distances > 0)
    total = weights.sum(axis=1)[:, None]
    for _ in range(ROUNDS):
        squares = sum(np.subtract.outer(line, line) ** 2 for line in placed.T)
        pull = weights * distances / np.sqrt(np.maximum(squares, LEAST_SQUARE))
        placed = (weights @ placed + pull.sum(axis=1)[:, None] * placed - pull @ placed) / total
    return placed


def _push_apart(placed: Floats, size: Floats, gap: Floats) -> None:
    """Separate boxes that are too close to each other, each pair in the direction in which it overlaps less.

    If many boxes are close, separating pairs would only shuffle the boxes, so the whole picture grows every few rounds.
    """
    pairs = np.triu_indices(len(size), 1)
    needed = (size[pairs[0]] + size[pairs[1]]) / 2 + gap
    for number in range(1, PUSHES + 1):
        apart = placed[pairs[1]] - placed[pairs[0]]
        close = (np.abs(apart) < needed - 1e-6).all(axis=1)
        if not close.any():
            return
        if number % ROUNDS_BETWEEN_GROWTH == 0:
            placed *= GROWTH
            continue
        first, second, apart = pairs[0][close], pairs[1][close], apart[close]
        overlap = needed[close] - np.abs(apart)
        sideways = overlap[:, 0] < overlap[:, 1]
        push = np.where(sideways, overlap[:, 0], overlap[:, 1]) / 2 + 0.01
        push *= np.where(np.where(sideways, apart[:, 0], apart[:, 1]) >= 0, 1.0, -1.0)
        for axis, chosen in ((0, sideways), (1, ~sideways)):
            for boxes, way in ((second, 1.0), (first, -1.0)):
                placed[:, axis] += way * np.bincount(boxes[chosen], weights=push[chosen], minlength=len(placed))


_SPECIAL = re.compile(r"[^\w \-.,:;()\[\]+/…�]|(?<=\d)\.(?= )|^[\-+](?= )")


def mermaid(drawing: Drawing) -> str:
    """Return the text of a Mermaid flowchart, which GitHub and many editors draw; a comment says what is left out."""
    names = {box.id: f"n{number}" for number, box in enumerate(drawing.boxes)}
    lines = ["flowchart LR"]
    for box in drawing.boxes:
        text = "<br/>".join(quoted(line) for line in (box.title, *box.lines))
        lines.append(f'  {names[box.id]}["{text}"]')
    for arrow in drawing.arrows:
        line = ("-.-" if arrow.empty else "---") if arrow.symmetric else ("-.->" if arrow.empty else "-->")
        lines.append(f'  {names[arrow.start]} {line}|"{quoted(arrow.text)}"| {names[arrow.end]}')
    if any(box.empty for box in drawing.boxes):
        lines.append("  classDef empty stroke-dasharray: 4 3")
        lines.append(f"  class {','.join(names[box.id] for box in drawing.boxes if box.empty)} empty")
    if drawing.left_out:
        lines.append(f"  %% … and {drawing.left_out:,} more, not drawn")
    return "\n".join(lines)


def quoted(text: str) -> str:
    """Escape a text so that it can be written between the quotation marks of a Mermaid label.

    >>> quoted('a "b" <i>')
    'a #34;b#34; #60;i#62;'
    """
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", readable(text, MAX_LINE_LETTERS))


PictureForm = Literal["mermaid", "svg"]


def write_picture(drawing: Drawing, form: PictureForm) -> str:
    """Return the picture as text: `write_picture(schema_drawing(schema), "mermaid")` begins with `flowchart LR`."""
    return mermaid(drawing) if form == "mermaid" else svg(drawing)
