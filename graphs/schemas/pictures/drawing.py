"""The content of a picture: boxes with a title and lines of text, and arrows between them; and that of a schema.

>>> drawing = Drawing((Box("m", "Movie"), Box("p", "Person")), (Arrow("m", "p", "directedBy"),))
>>> [box.title for box in drawing.boxes]
['Movie', 'Person']
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from graphground.cypher.schema import Label, PropertyGraphSchema

MAX_TEXT_LETTERS = 40
MAX_LINE_LETTERS = 48


@dataclass(frozen=True, slots=True)
class Box:
    """A box of a picture: `Box("m", "Movie", ("name: str",), kind="Movie", empty=False)`.

    Boxes of the same `kind` have the same colour; an `empty` box is drawn with a dashed border.
    """

    id: str
    title: str
    lines: tuple[str, ...] = ()
    kind: str = ""
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow between two boxes: `Arrow("m", "p", "directedBy")`.

    A `symmetric` arrow is drawn without a head; an `empty` arrow is drawn with a dashed line.
    """

    start: str
    end: str
    text: str
    symmetric: bool = False
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes and arrows with a title; `left_out` is the number of boxes that did not fit."""

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    title: str = ""
    left_out: int = 0


def readable(text: str, longest: int = MAX_TEXT_LETTERS) -> str:
    r"""Return text from a graph in a form that is safe to draw: one line of at most `longest` characters.

    Control characters and invisible characters are replaced.

    >>> readable("Heat\n\u202e1995"), readable("x" * 100, 5)
    ('Heat �1995', 'xxxx…')
    """
    shown = []
    for character in text[: 4 * longest]:
        if character.isspace():
            shown.append(" ")
        else:
            shown.append("\N{REPLACEMENT CHARACTER}" if unicodedata.category(character) in _UNSEEN else character)
    joined = " ".join("".join(shown).split())
    return joined if len(joined) <= longest else joined[: longest - 1] + "…"


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Unicode categories that are not drawn: control, format (bidirectional overrides), surrogate, private, unassigned."""


MAX_PROPERTIES = 8
MAX_LABELS = 60


def schema_drawing(schema: PropertyGraphSchema, *, properties: bool = True) -> Drawing:
    """Return a drawing of the labels with their properties and counts, and of the patterns; empty labels are marked.

        schema_drawing(films).arrows[0]  # Arrow("Movie", "Person", "directedBy")

    If a schema has more than 60 labels, only those with the most patterns are drawn.
    """
    degree = dict.fromkeys(schema.labels, 0)
    for pattern in schema.patterns:
        for label in {pattern.start, pattern.end} & degree.keys():
            degree[label] += 1
    drawn = sorted(degree, key=lambda label: -degree[label])[:MAX_LABELS]
    boxes = tuple(_box(schema.labels[name], properties) for name in schema.labels if name in drawn)
    arrows = tuple(
        Arrow(
            pattern.start,
            pattern.end,
            pattern.type if pattern.count is None else f"{pattern.type} ({pattern.count:,})",
            symmetric=pattern.symmetric,
            empty=pattern.count == 0,
        )
        for pattern in schema.patterns
        if pattern.start in drawn and pattern.end in drawn
    )
    return Drawing(boxes, arrows, f"Schema of {schema.name}", len(schema.labels) - len(boxes))


def _box(label: Label, properties: bool) -> Box:
    title = label.name if label.count is None else f"{label.name} ({label.count:,})"
    lines: list[str] = []
    if properties:
        shown = [f"{key}: {type_}" for key, type_ in label.properties.items() if key not in label.reserved]
        lines = shown[:MAX_PROPERTIES]
        if len(shown) > MAX_PROPERTIES:
            lines.append(f"and {len(shown) - MAX_PROPERTIES} more")
    return Box(label.name, title, tuple(lines), kind=label.name, empty=label.count == 0)
