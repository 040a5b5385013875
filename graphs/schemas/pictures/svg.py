"""Writes a drawing as SVG: one file without scripts or external resources, readable on light and dark backgrounds.

>>> from graphground.graphs.schemas.pictures.drawing import Arrow, Box, Drawing
>>> svg(Drawing((Box("m", "Movie"), Box("p", "Person")), (Arrow("m", "p", "directedBy"),)))[:32]
'<svg xmlns="http://www.w3.org/20'
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape

from graphground.graphs.schemas.pictures.drawing import LONGEST_LINE, Arrow, Box, Drawing, readable
from graphground.graphs.schemas.pictures.layout import places

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
    longest = max((len(readable(arrow.text, LONGEST_LINE)) for arrow in drawing.arrows), default=0)
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


def _text(text: str, longest: int = LONGEST_LINE) -> str:
    return escape(readable(text, longest))


def _size(box: Box) -> tuple[float, float]:
    title, *lines = (len(readable(line, LONGEST_LINE)) for line in (box.title, *box.lines))
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
