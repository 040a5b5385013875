r"""Detects texts that databases parse differently; such a text is refused for every database.

    >>> [(place.start, place.end) for place in two_readings(r"RETURN '\u0027 AS a'")]
    [(8, 14)]
    >>> two_readings(r"RETURN 'O\'Brien' AS name, 'caf\u00e9' AS place")
    []

Neo4j decodes `\u0027` before it looks for quotes, in strings, names, comments and keywords; ArcadeDB and Memgraph
decode it inside strings only. Control and other invisible characters are whitespace for one parser and part of a word
for another. A query that hides a clause behind such a difference is read-only for one parser and a write for another.
The characters that all parsers treat alike were determined one by one on Neo4j 5.26, Neo4j 2026.08 (both languages) and
ArcadeDB 26.10; `benchmarks/security/readings.py` repeats the measurement.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from graphground.cypher.tokens import Tokens, tokenize

CODE = "two_readings"
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
_UNICODE = re.compile(r"\\(?:\\|u([0-9A-Fa-f]{4})?)")
_IN_NAME = re.compile(r"\\[uU`]")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_BY_HAND = "Write the character itself, or pass the text as a parameter"


class TwoReadings(NamedTuple):
    """A position at which parsers differ: `TwoReadings(8, 14, "…")`, its offsets and a message."""

    start: int
    end: int
    message: str


def two_readings(text: str) -> list[TwoReadings]:
    """Return the positions of a text that databases parse differently; empty if all databases parse it alike."""
    if UNDISPUTED.match(text) and not _WORD_THEN_DOLLAR.search(text):
        return []
    surrogate = _SURROGATE.search(text)
    if surrogate:
        return [
            TwoReadings(
                surrogate.start(),
                surrogate.end(),
                "half of a character (a lone surrogate) cannot be sent to a database. Delete it",
            )
        ]
    return sorted(_found(text, tokenize(text)))


def _found(text: str, tokens: Tokens) -> list[TwoReadings]:
    found: list[TwoReadings] = []
    place = 0
    for number, start in enumerate(tokens.starts):
        kind, end = tokens.kinds[number], tokens.ends[number]
        if place < start:
            _between(text, place, start, found)
        piece = text[start:end]
        if kind == "string":
            _string(piece, start, found)
        elif kind == "name":
            _name(piece, start, found)
        elif kind in ("bad_string", "bad_name", "bad_comment"):
            _anywhere(piece, start, found)
        elif kind in ("bad", "dash", "left_head", "right_head"):
            _character(piece, start, found)
        elif not piece.isascii():
            _word(piece, kind, start, found)
        if (
            kind == "$"
            and start == place
            and number
            and tokens.names[number - 1] is not None
            and tokens.kinds[number - 1] != "name"
        ):
            found.append(
                TwoReadings(
                    tokens.starts[number - 1],
                    end,
                    "`$` directly after a word is part of the word in some databases. Put a space before it",
                )
            )
        place = end
    return found


def _between(text: str, start: int, end: int, found: list[TwoReadings]) -> None:
    """Check whitespace and comments between two tokens."""
    place = start
    for comment in COMMENT.finditer(text, start, end):
        _blanks(text, place, comment.start(), found)
        _anywhere(comment[0], comment.start(), found)
        for hidden in _APART.finditer(comment[0]):
            if all(map(_invisible, hidden[1])):
                at = comment.start() + hidden.start()
                found.append(
                    TwoReadings(
                        at,
                        at + len(hidden[0]),
                        "an invisible character hides the end of a comment from some databases. Delete it",
                    )
                )
        line_end = _LINE_END.search(comment[0]) if comment[0].startswith("//") else None
        if line_end:
            at = comment.start() + line_end.start()
            found.append(
                TwoReadings(
                    at,
                    at + 1,
                    f"U+{ord(line_end[0]):04X} ends a line, and so the comment, in some databases. Delete it",
                )
            )
        place = comment.end()
    _blanks(text, place, end, found)


def _blanks(text: str, start: int, end: int, found: list[TwoReadings]) -> None:
    for place in range(start, end):
        if text[place] not in AGREED_WHITESPACE:
            _character(text[place], place, found)


def _character(piece: str, start: int, found: list[TwoReadings]) -> None:
    """Check a character outside quotes; a character that no parser accepts is left for our parser to refuse."""
    if piece == "\\":
        found.append(
            TwoReadings(start, start + 1, "some databases read a backslash outside quotes as an escape. Delete it")
        )
    elif _invisible(piece):
        name = unicodedata.name(piece[0], "a control character")
        found.append(
            TwoReadings(
                start,
                start + 1,
                f"U+{ord(piece[0]):04X} ({name}) is whitespace in some databases and part of a word in others. "
                "Delete it, or put it between quotes",
            )
        )


@lru_cache(maxsize=1024)
def _invisible(letter: str) -> bool:
    return unicodedata.category(letter[0]) in ("Cc", "Cf")


def _word(piece: str, kind: str, start: int, found: list[TwoReadings]) -> None:
    """Check a word or number with non-ASCII letters: some databases may read it as an ASCII keyword or number."""
    if kind in ("integer", "float") or all(map(_becomes_ascii, piece)):
        found.append(
            TwoReadings(
                start,
                start + len(piece),
                f"{piece!r} is read as another word or number by some "
                "databases. Write it in ASCII, or in backticks if it is a name",
            )
        )


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


def _string(piece: str, start: int, found: list[TwoReadings]) -> None:
    if "\\" not in piece:
        return
    for escape in _ESCAPE.finditer(piece, 1, len(piece) - 1):
        decoded, letter = escape[1], escape[2]
        if decoded is not None and _harmless(chr(int(decoded, 16))):
            continue
        if decoded is not None or letter in ("u", "U", "0") or (_invisible(letter) and letter not in "\n\r\t"):
            found.append(
                TwoReadings(
                    start + escape.start(),
                    start + escape.end(),
                    f"{escape[0]!s} is decoded at different stages, or never, depending on the database. "
                    f"{_instead_of(decoded, piece[0])}",
                )
            )


def _instead_of(decoded: str | None, quote: str) -> str:
    r"""Return what to write for a character of a string: `\'` if it would end the string, otherwise the character."""
    letter = chr(int(decoded, 16)) if decoded is not None else ""
    return f"Write \\{letter}, or pass the text as a parameter" if letter in (quote, "\\") else _BY_HAND


def _harmless(letter: str) -> bool:
    """Return whether a decoded character can neither end a string nor begin an escape.

    If so, the result is the same whether a database decodes the escape before or after tokenizing.
    """
    return letter.isprintable() and letter not in "'\"`\\"


def _name(piece: str, start: int, found: list[TwoReadings]) -> None:
    if "\\" not in piece:
        return
    escape = _IN_NAME.search(piece)
    if escape:
        found.append(
            TwoReadings(
                start + escape.start(),
                start + escape.end(),
                f"{escape[0]} in a name is an escape for some databases and literal for others. "
                "Write the name differently",
            )
        )


def _anywhere(piece: str, start: int, found: list[TwoReadings]) -> None:
    r"""Check a comment or an unclosed literal: only Neo4j decodes a `\u` there, except after an escaped backslash."""
    for escape in _UNICODE.finditer(piece):
        if escape[0] != "\\\\":
            found.append(
                TwoReadings(
                    start + escape.start(),
                    start + escape.end(),
                    f"{escape[0]} is decoded by some databases and literal for others. {_BY_HAND}",
                )
            )
