r"""Decides whether databases read a text alike, and writes it so that every parser finds the same tokens.

    >>> [(place.start, place.end) for place in two_readings(r"RETURN '\u0027 AS a'")]
    [(8, 14)]
    >>> two_readings(r"RETURN 'O\'Brien' AS name, 'caf\u00e9' AS place")
    []
    >>> canonical("MATCH (set:Film) // all of them\nRETURN set.title").text
    'MATCH (`set`:Film)               \nRETURN `set`.title'
    >>> canonical(r"RETURN 'C:\\users' AS x").text
    "RETURN ('C:\\\\' + 'users') AS x"

Neo4j decodes `\u0027` before it looks for quotes, in strings, names, comments and keywords; ArcadeDB and Memgraph
decode it inside strings only. Control and other invisible characters are whitespace for one parser and part of a word
for another. A query that hides a clause behind such a difference is read-only for one parser and a write for another,
so it is refused for every database. The characters that all parsers treat alike were determined one by one on Neo4j
5.26, Neo4j 2026.08 (both languages) and ArcadeDB 26.10; `benchmarks/security/readings.py` repeats the measurement.

What may be sent is sent in its canonical form. Comments and unusual whitespace become spaces of the same length, which
moves no other token. Strings are escaped again and contain no `\u`; names with non-ASCII letters are put in backticks.
So are words that begin a writing, loading or administrative clause: in a query classified as read-only they can only be
names, and no parser takes a quoted name for a clause. A write that the checks missed thus reaches the database as a
syntax error.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from graphground.cypher.diagnostics import LineIndex, Problem
from graphground.cypher.tokens import ESCAPE, UNICODE_ESCAPE, Tokens, tokenize, unescape_string, words

TWO_READINGS = "two_readings"
UNDISPUTED = re.compile(r"[\t\n\r\x20-\x5b\x5d-\x7e]*\Z")
"""Printable ASCII without a backslash, with tabs and line breaks.

Every parser finds the same tokens in such a text, except for `$` directly after a word.
"""
_WORD_THEN_DOLLAR = re.compile(r"\w\$")
AGREED_WHITESPACE = frozenset(
    " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""Characters that every parser takes for whitespace.

Line feed and carriage return end a comment for every parser; the other characters do so for some parsers or none.
"""
COMMENT = re.compile(r"//[^\n\r]*|/\*.*?\*/", re.DOTALL)
_LINE_END = re.compile("[\x00\x0b\x0c\x1a\x1c-\x1e\x85\u2028\u2029]")
_APART = re.compile(r"(?<=[*/])([^\x20-\x7e]+)(?=[*/])")
_IN_NAME = re.compile(r"\\[uU`]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BY_HAND = "Write the character itself, or pass the text as a parameter"


def two_readings(text: str) -> list[Problem]:
    """Return the positions of a text that databases parse differently; empty if all databases parse it alike."""
    if UNDISPUTED.match(text) and not _WORD_THEN_DOLLAR.search(text):
        return []
    surrogate = _SURROGATE.search(text)
    if surrogate:
        message = "half of a character (a lone surrogate) cannot be sent to a database. Delete it"
        return [_differs(*surrogate.span(), message)]
    return sorted(_differences(text, tokenize(text)))


def _differs(start: int, end: int, message: str) -> Problem:
    return Problem(TWO_READINGS, start, end, message)


def _differences(text: str, tokens: Tokens) -> Iterator[Problem]:
    place, before, after_word = 0, 0, False
    for kind, name, start, end in zip(tokens.kinds, tokens.names, tokens.starts, tokens.ends, strict=True):
        yield from _between(text, place, start)
        piece = text[start:end]
        if kind == "string":
            yield from _in_string(piece, start)
        elif kind == "name":
            if escape := _IN_NAME.search(piece):
                message = "in a name is an escape for some databases and literal for others. Write the name differently"
                yield _differs(start + escape.start(), start + escape.end(), f"{escape[0]} {message}")
        elif kind in ("bad_string", "bad_name", "bad_comment"):
            yield from _escapes(piece, start)
        elif kind in ("bad", "dash", "left_head", "right_head"):
            yield from _characters(piece, start)
        elif not piece.isascii() and (kind in ("integer", "float") or all(map(_becomes_ascii, piece))):
            # Some databases may read a word or number with such letters as an ASCII keyword or number.
            message = (
                "is read as another word or number by some databases. Write it in ASCII, or in backticks if it is a"
            )
            yield _differs(start, end, f"{piece!r} {message} name")
        if kind == "$" and start == place and after_word:
            message = "`$` directly after a word is part of the word in some databases. Put a space before it"
            yield _differs(before, end, message)
        place, before, after_word = end, start, name is not None and kind != "name"


def _between(text: str, start: int, end: int) -> Iterator[Problem]:
    for comment in COMMENT.finditer(text, start, end):
        at, inside = comment.start(), comment[0]
        yield from _characters(text[start:at], start, AGREED_WHITESPACE)
        yield from _escapes(inside, at)
        for hidden in _APART.finditer(inside):
            if all(map(_invisible, hidden[1])):
                message = "an invisible character hides the end of a comment from some databases. Delete it"
                yield _differs(at + hidden.start(), at + hidden.end(), message)
        line_end = _LINE_END.search(inside) if inside.startswith("//") else None
        if line_end:
            message = f"U+{ord(line_end[0]):04X} ends a line, and so the comment, in some databases. Delete it"
            yield _differs(at + line_end.start(), at + line_end.end(), message)
        start = comment.end()
    yield from _characters(text[start:end], start, AGREED_WHITESPACE)


def _characters(piece: str, start: int, agreed: frozenset[str] = frozenset()) -> Iterator[Problem]:
    """Check the characters outside quotes; one that no parser accepts is left for our parser to refuse."""
    for place, letter in enumerate(piece, start):
        if letter == "\\":
            message = "some databases read a backslash outside quotes as an escape. Delete it"
            yield _differs(place, place + 1, message)
        elif letter not in agreed and _invisible(letter):
            shown = f"U+{ord(letter):04X} ({unicodedata.name(letter, 'a control character')})"
            message = f"{shown} is whitespace in some databases and part of a word in others"
            yield _differs(place, place + 1, f"{message}. Delete it, or put it between quotes")


@lru_cache(maxsize=1024)
def _invisible(letter: str) -> bool:
    return unicodedata.category(letter[0]) in ("Cc", "Cf")


@lru_cache(maxsize=1024)
def _becomes_ascii(letter: str) -> bool:
    r"""Return whether a letter is ASCII or becomes ASCII in another case or form:
    `\u017f` (long s), `\u212a` (Kelvin)."""
    return letter.isascii() or any(
        form.isascii() and len(form) == 1
        for form in (
            "".join(part for part in changed if not unicodedata.combining(part))
            for changed in (letter.upper(), letter.lower(), unicodedata.normalize("NFKC", letter))
        )
    )


def _in_string(piece: str, start: int) -> Iterator[Problem]:
    for escape in ESCAPE.finditer(piece, 1, len(piece) - 1):
        decoded, letter = escape[1], escape[2]
        # A character that can neither end a string nor begin an escape is the same, whenever a database decodes it.
        meant = chr(int(decoded, 16)) if decoded is not None else ""
        if meant and meant.isprintable() and meant not in "'\"`\\":
            continue
        if decoded is not None or letter in ("u", "U", "0") or (_invisible(letter) and letter not in "\n\r\t"):
            message = f"{escape[0]!s} is decoded at different stages, or never, depending on the database"
            instead = f"Write \\{meant}, or pass the text as a parameter" if meant in (piece[0], "\\") else _BY_HAND
            yield _differs(start + escape.start(), start + escape.end(), f"{message}. {instead}")


def _escapes(piece: str, start: int) -> Iterator[Problem]:
    r"""Check a comment or an unclosed literal: only Neo4j decodes a `\u` there, except after an escaped backslash."""
    for escape in UNICODE_ESCAPE.finditer(piece):
        if escape[0] != "\\\\":
            message = f"{escape[0]} is decoded by some databases and literal for others. {_BY_HAND}"
            yield _differs(start + escape.start(), start + escape.end(), message)


# The canonical text


WRITING_WORDS = words(
    "ALTER CREATE DELETE DENY DETACH DROP ENABLE FOREACH GRANT INSERT LOAD MERGE NODETACH REMOVE RENAME REVOKE SET "
    "START STOP TERMINATE USE"
)
"""The words with which writing, loading and administrative clauses and commands begin."""
_REWRITTEN = re.compile(rf"\b(?:{'|'.join(sorted(WRITING_WORDS))})\b|\d_\d", re.IGNORECASE)
_ODD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\\]")
_REWRITTEN_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


class Ambiguous(ValueError):
    """The error for a text that databases parse differently, so that it must not be sent;
    `places` holds the positions."""

    def __init__(self, text: str, places: list[Problem]) -> None:
        first = places[0]
        line, column = LineIndex(text).of(first.start)
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
        starts = LineIndex(self.text).starts
        offset = starts[min(line, len(starts)) - 1] + column - 1
        after = bisect_right(self.places, (offset, len(self.given))) - 1
        there, here = self.places[max(after, 0)]
        most = self.places[after + 1][1] if after + 1 < len(self.places) else len(self.given)
        return LineIndex(self.given).of(min(here + offset - there, most))


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
            # Comments and unusual whitespace become spaces of the same length.
            between = "".join(
                letter if letter in "\n\r\t" else " "
                for letter in COMMENT.sub(lambda comment: re.sub(r"[^\n\r]", " ", comment[0]), text[place:start])
            )
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
    quote, value = piece[0], unescape_string(piece)
    parts = re.split(r"(?<=\\)(?=[uU])", value)
    written = [
        quote
        + "".join("\\" + quote if letter == quote else _REWRITTEN_ESCAPES.get(letter, letter) for letter in part)
        + quote
        for part in parts
    ]
    return written[0] if len(written) == 1 else f"({' + '.join(written)})"
