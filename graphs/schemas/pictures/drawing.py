"""The content of a picture: boxes with a title and lines of text, and arrows between them.

>>> drawing = Drawing((Box("m", "Movie"), Box("p", "Person")), (Arrow("m", "p", "directedBy"),))
>>> [box.title for box in drawing.boxes]
['Movie', 'Person']
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

LONGEST_TEXT = 40
LONGEST_LINE = 48


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


def readable(text: str, longest: int = LONGEST_TEXT) -> str:
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
