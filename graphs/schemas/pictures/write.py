"""Writes a drawing as Mermaid text or as SVG."""

from __future__ import annotations

from typing import Literal

from graphground.graphs.schemas.pictures.drawing import Drawing
from graphground.graphs.schemas.pictures.mermaid import mermaid
from graphground.graphs.schemas.pictures.svg import svg

PictureForm = Literal["mermaid", "svg"]
PICTURE_FORMS: tuple[PictureForm, ...] = ("mermaid", "svg")


def write_picture(drawing: Drawing, form: PictureForm) -> str:
    """Return the picture as text: `write_picture(schema_drawing(schema), "mermaid")` begins with `flowchart LR`."""
    return mermaid(drawing) if form == "mermaid" else svg(drawing)
