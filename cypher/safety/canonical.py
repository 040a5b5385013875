r"""The canonical text that is sent to a database: the checked tokens,
written so that every parser finds the same tokens.

    >>> canonical("MATCH (set:Film) // all of them\nRETURN set.title").text
    'MATCH (`set`:Film)               \nRETURN `set`.title'
    >>> canonical(r"RETURN 'C:\\users' AS x").text
    "RETURN ('C:\\\\' + 'users') AS x"

Comments and unusual whitespace become spaces of the same length, which moves no other token. Strings are escaped
again and contain no `\u`; names with non-ASCII letters are put in backticks. So are words that begin a writing, loading
or administrative clause: in a query classified as read-only they can only be names, and no parser takes a quoted name
for a clause. A write that the checks missed thus reaches the database as a syntax error.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from graphground.cypher.safety.parser_differences import COMMENT, UNDISPUTED, TwoReadings, two_readings
from graphground.cypher.tokens import tokenize, unescape_string, words
from graphground.cypher.tree import line_starts

WRITING_WORDS = words(
    "ALTER CREATE DELETE DENY DETACH DROP ENABLE FOREACH GRANT INSERT LOAD MERGE NODETACH REMOVE RENAME REVOKE SET "
    "START STOP TERMINATE USE"
)
"""The words with which writing, loading and administrative clauses and commands begin."""
_REWRITTEN = re.compile(rf"\b(?:{'|'.join(sorted(WRITING_WORDS))})\b|\d_\d", re.IGNORECASE)
_ODD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\\]")
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


class Ambiguous(ValueError):
    """The error for a text that databases parse differently, so that it must not be sent;
    `places` holds the positions."""

    def __init__(self, text: str, places: list[TwoReadings]) -> None:
        first = places[0]
        line, column = _line_and_column(text, first.start)
        super().__init__(f"line {line}, column {column}: {first.message}")
        self.places = places


@dataclass(frozen=True, slots=True)
class Sent:
    """A text to send to a database, with a mapping of its positions to the original text, `given`."""

    text: str
    given: str
    places: tuple[tuple[int, int], ...] = ()
    """The offsets in `text` and in `given` at which each token begins; empty if the two texts are equal."""

    def place(self, line: int, column: int) -> tuple[int, int]:
        """Return the original line and column for a line and column of the sent text; all count from 1."""
        if not self.places:
            return line, column
        starts = line_starts(self.text)
        offset = starts[min(line, len(starts)) - 1] + column - 1
        after = bisect_right(self.places, (offset, len(self.given))) - 1
        there, here = self.places[max(after, 0)]
        most = self.places[after + 1][1] if after + 1 < len(self.places) else len(self.given)
        return _line_and_column(self.given, min(here + offset - there, most))


def canonical(text: str) -> Sent:
    """Return the text to send for a query classified as read-only.

    Raises:
        Ambiguous: databases parse the text differently.
    """
    places = two_readings(text)
    if places:
        raise Ambiguous(text, places)
    if "//" not in text and "/*" not in text and UNDISPUTED.match(text) and not _REWRITTEN.search(text):
        return Sent(text, text)
    pieces, spans = _pieces(text)
    sent = "".join(pieces)
    return Sent(sent, text, tuple(spans)) if sent != text else Sent(text, text)


def _pieces(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    tokens = tokenize(text)
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    place = length = 0
    before, named = "", False
    for kind, name, start, end in zip(tokens.kinds, tokens.names, tokens.starts, tokens.ends, strict=True):
        if place < start:
            between = _as_spaces(text[place:start])
            pieces.append(between)
            length += len(between)
        piece = _token(text[start:end], kind, name, named)
        spans.append((length, start))
        pieces.append(piece)
        length += len(piece)
        # Every parser takes a word after a dot for a name, and ArcadeDB finds functions only by names
        # without backticks.
        named = kind == "." and before not in ("integer", "float")
        place, before = end, kind
    return pieces, spans


def _as_spaces(between: str) -> str:
    """Replace comments and unusual whitespace by spaces of the same length; line breaks and tabs stay."""
    return "".join(
        letter if letter in "\n\r\t" else " "
        for letter in COMMENT.sub(lambda comment: re.sub(r"[^\n\r]", " ", comment[0]), between)
    )


def _token(piece: str, kind: str, name: str | None, named: bool) -> str:
    if kind == "string":
        return _string(piece) if _ODD.search(piece) else piece
    if kind in ("dash", "left_head", "right_head"):
        return {"dash": "-", "left_head": "<", "right_head": ">"}[kind]
    if kind in ("integer", "float"):
        return piece.replace("_", "")
    if name is not None and kind != "name" and (not piece.isascii() or (kind in WRITING_WORDS and not named)):
        return f"`{piece}`"
    return piece


def _string(piece: str) -> str:
    r"""Escape a string literal again, splitting it where `u` follows a backslash,
    so that no parser finds `\u` in it."""
    quote, value = piece[0], unescape_string(piece)[0]
    parts = re.split(r"(?<=\\)(?=[uU])", value)
    written = [
        quote + "".join("\\" + quote if letter == quote else _ESCAPES.get(letter, letter) for letter in part) + quote
        for part in parts
    ]
    return written[0] if len(written) == 1 else f"({' + '.join(written)})"


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    starts = line_starts(text)
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1
