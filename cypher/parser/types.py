"""Parses type names after `::` and IS TYPED: `INTEGER NOT NULL`, `LIST<STRING | BOOLEAN>`, `LOCAL DATETIME`."""

from __future__ import annotations

from graphground.cypher.parser.cursor import Cursor

_WORDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "LOCAL": (("TIME",), ("DATETIME",)),
    "ZONED": (("TIME",), ("DATETIME",)),
    "SIGNED": (("INTEGER",),),
    "TIME": (("WITHOUT", "TIME", "ZONE"), ("WITH", "TIME", "ZONE"), ("WITHOUT", "TIMEZONE"), ("WITH", "TIMEZONE")),
    "TIMESTAMP": (("WITHOUT", "TIME", "ZONE"), ("WITH", "TIME", "ZONE"), ("WITHOUT", "TIMEZONE"), ("WITH", "TIMEZONE")),
    "PROPERTY": (("VALUE",),),
}
_SINGLE = frozenset(
    (
        "NOTHING",
        "NULL",
        "BOOL",
        "BOOLEAN",
        "VARCHAR",
        "STRING",
        "INT",
        "INTEGER",
        "FLOAT",
        "DATE",
        "DURATION",
        "POINT",
        "NODE",
        "VERTEX",
        "RELATIONSHIP",
        "EDGE",
        "MAP",
        "PATH",
        "PATHS",
        "ANY",
    )
)
_ANY_OF = frozenset(("NODE", "VERTEX", "RELATIONSHIP", "EDGE", "MAP", "VALUE"))

COORDINATES = frozenset(
    (
        "INT",
        "INTEGER",
        "INT8",
        "INT16",
        "INT32",
        "INT64",
        "INTEGER8",
        "INTEGER16",
        "INTEGER32",
        "INTEGER64",
        "FLOAT",
        "FLOAT32",
        "FLOAT64",
    )
)
"""The types that the coordinates of a vector may have."""


def type_name(c: Cursor) -> str:
    """Parse a type; return it as written, in upper case with single spaces."""
    begin = c.i
    _part(c)
    while c.kinds[c.i] == "|" and c.i != c.stop_bar:
        # In a comprehension the bar may belong to the comprehension, as with labels.
        c.bars.append(c.i)
        c.i += 1
        _part(c)
    return " ".join(
        c.text[c.starts[k] : c.ends[k]] if c.kinds[k] == "integer" else c.kinds[k] for k in range(begin, c.i)
    )


def _part(c: Cursor) -> None:
    kind = c.kinds[c.i]
    if kind == "LIST" or kind == "ARRAY":
        c.i += 1
        _inner(c)
    elif kind == "ANY":
        c.i += 1
        if c.kinds[c.i] in _ANY_OF:
            value = c.kinds[c.i] == "VALUE"
            c.i += 1
            if value and c.kinds[c.i] == "<":
                _inner(c)
        elif c.kinds[c.i] == "PROPERTY":
            c.i += 1
            c.expect("VALUE")
        elif c.kinds[c.i] == "<":
            _inner(c)
    elif kind in _WORDS:
        for words in _WORDS[kind]:
            if tuple(c.kinds[c.i + 1 : c.i + 1 + len(words)]) == words:
                c.i += 1 + len(words)
                break
        else:
            c.i += 1
            raise c.fail(" or ".join(" ".join(words) for words in _WORDS[kind]))
    elif kind in _SINGLE or (kind == "UUID" and c.cypher25):
        c.i += 1
    elif kind == "VECTOR" and c.cypher25:
        c.i += 1
        if c.kinds[c.i] == "<":
            coordinate_type(c)
        if c.accept("("):
            c.integer()
            c.expect(")")
    else:
        raise c.fail("a type such as INTEGER, STRING or LIST<FLOAT>")
    _not_null(c)
    while c.kinds[c.i] in ("LIST", "ARRAY"):
        c.i += 1
        _not_null(c)


def coordinate_type(c: Cursor) -> None:
    """Parse `<FLOAT32 NOT NULL>`."""
    c.expect("<")
    if c.kinds[c.i] == "SIGNED" and c.kinds[c.i + 1] == "INTEGER":
        c.i += 1
    if c.kinds[c.i] not in COORDINATES:
        raise c.fail("a number type such as INTEGER or FLOAT32")
    c.i += 1
    _not_null(c)
    c.expect(">")


def _inner(c: Cursor) -> None:
    c.deeper()
    c.expect("<")
    type_name(c)
    c.expect(">")
    c.depth -= 1


def _not_null(c: Cursor) -> None:
    if c.kinds[c.i] == "!":
        c.i += 1
    elif c.kinds[c.i] == "NOT" and c.kinds[c.i + 1] == "NULL":
        c.i += 2
