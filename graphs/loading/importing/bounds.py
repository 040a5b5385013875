"""Bounds on what a file may hold in one piece, so that a small hostile file cannot take all memory or hours.

A gzipped file of 4 MB may expand to a line of 4 GB; an XML entity of twelve lines to a petabyte.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, AnyStr
from xml.parsers import expat

from graphground.graphs.loading.importing.problems import ImportRefused

LONGEST_LINE = 1 << 26
"""Bytes or characters of one line of JSON Lines or CSV."""
LONGEST_PIECE = 1 << 24
"""Bytes of one XML tag or one XML text."""
LONGEST_NAME = 200
"""Characters of a label, a type, a property or a column."""
LONGEST_ENTITY = 200
"""Characters of an XML entity: RDF/XML uses entities for the beginnings of addresses."""


def bounded_lines(file: IO[AnyStr], name: str) -> Iterator[AnyStr]:
    """The lines of a file.

    Raises:
        ImportRefused: a line is longer than `LONGEST_LINE`.
    """
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise ImportRefused([f"{name}, line {number:,}: longer than {LONGEST_LINE >> 20} MiB"], 1)
        yield line


def check_entities(document: IO[bytes], name: str) -> None:
    """Refuse an XML document whose entities could expand: nested, long, or external ones.

    Only the part before the first element is read; the parser of the document reports other errors.

    Raises:
        ImportRefused: there is such an entity.
    """
    refused: list[str] = []
    parser = expat.ParserCreate()

    def declared(entity: str, is_parameter: bool, value: str | None, *_: str | None) -> None:
        if is_parameter or value is None or "&" in value or len(value) > LONGEST_ENTITY:
            refused.append(
                f"{name}, line {parser.CurrentLineNumber}: the entity {entity!r} is not allowed: an entity must be a "
                f"text of at most {LONGEST_ENTITY} characters without other entities"
            )

    def begun(*_: object) -> None:
        raise _Begun

    parser.EntityDeclHandler = declared
    parser.StartElementHandler = begun
    try:
        read = 0
        while not refused and read < LONGEST_PIECE and (chunk := document.read(1 << 16)):
            read += len(chunk)
            parser.Parse(chunk, False)
    except (_Begun, expat.ExpatError, LookupError, ValueError):
        pass
    if refused:
        raise ImportRefused(refused[:1], 1)


class _Begun(Exception):
    """The first element was reached."""
