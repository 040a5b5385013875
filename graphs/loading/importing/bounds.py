"""Limits on the size of single parts of a file, so that a small hostile file cannot exhaust memory or take hours.

Without them, a gzipped file of 4 MB may expand to a line of 4 GB, and an XML entity of twelve lines to a petabyte.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, AnyStr
from xml.parsers import expat

from graphground.graphs.loading.importing.problems import ImportRefused

LONGEST_LINE = 1 << 26
"""The maximum number of bytes or characters in one line of JSON Lines or CSV."""
LONGEST_PIECE = 1 << 24
"""The maximum number of bytes in one XML tag, and of characters in one XML text."""
LONGEST_NAME = 200
"""The maximum number of characters in the name of a label, a type, a property or a column."""
LONGEST_ENTITY = 200
"""The maximum number of characters in an XML entity; RDF/XML uses entities for the beginnings of IRIs."""


def bounded_lines(file: IO[AnyStr], name: str) -> Iterator[AnyStr]:
    """Yield the lines of a file; errors call the file `name`.

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
    """Refuse an XML document whose entities could expand without limit: nested, long or external entities.

    Only the part before the first element is checked. Other errors are left to the parser that reads the document.

    Raises:
        ImportRefused: the document declares a nested, long or external entity, or a parameter entity.
    """
    refused: list[str] = []
    parser = expat.ParserCreate()

    def declared(entity: str, is_parameter: bool, value: str | None, *_: str | None) -> None:
        if is_parameter or value is None or "&" in value or len(value) > LONGEST_ENTITY:
            refused.append(
                f"{name}, line {parser.CurrentLineNumber}: the entity {entity!r} is not allowed: an entity must be a "
                f"text of at most {LONGEST_ENTITY} characters without other entities"
            )

    def root_begins(*_: object) -> None:
        raise _RootReached

    parser.EntityDeclHandler = declared
    parser.StartElementHandler = root_begins
    try:
        read = 0
        while not refused and read < LONGEST_PIECE and (chunk := document.read(1 << 16)):
            read += len(chunk)
            parser.Parse(chunk, False)
    except (_RootReached, expat.ExpatError, LookupError, ValueError):
        pass
    if refused:
        raise ImportRefused(refused[:1], 1)


class _RootReached(Exception):
    """The signal that ends the check at the first element, because entities are declared before it."""
