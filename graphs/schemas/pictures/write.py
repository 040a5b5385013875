"""Writes a drawing as SVG, or as a Mermaid flowchart, which GitHub, many editors and chat clients show as a picture.

>>> from graphground.graphs.schemas.pictures.drawing import Arrow, Box, Drawing
>>> print(mermaid(Drawing((Box("m", "Movie", ("name: str",)), Box("p", "Person")), (Arrow("m", "p", "directedBy"),))))
flowchart LR
  n0["Movie<br/>name: str"]
  n1["Person"]
  n0 -->|"directedBy"| n1

The syntax follows the flowchart page of Mermaid's documentation. Names are quoted, and characters with a meaning in
Mermaid, Markdown or HTML are written as entity codes.
"""

from __future__ import annotations

import re
from typing import Literal

from graphground.graphs.schemas.pictures.drawing import MAX_LINE_LETTERS, Drawing, readable
from graphground.graphs.schemas.pictures.svg import svg

_SPECIAL = re.compile(r"[^\w \-.,:;()\[\]+/…�]|(?<=\d)\.(?= )|^[\-+](?= )")


def mermaid(drawing: Drawing) -> str:
    """Return the text of the flowchart, with a comment about boxes that are left out."""
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
PICTURE_FORMS: tuple[PictureForm, ...] = ("mermaid", "svg")


def write_picture(drawing: Drawing, form: PictureForm) -> str:
    """Return the picture as text: `write_picture(schema_drawing(schema), "mermaid")` begins with `flowchart LR`."""
    return mermaid(drawing) if form == "mermaid" else svg(drawing)
