r"""Splits a query's text into tokens.

    >>> tokens = tokenize("MATCH (n:`a b`) // all of them")
    >>> list(zip(tokens.kinds, tokens.starts, tokens.ends))
    [('MATCH', 0, 5), ('(', 6, 7), ('N', 7, 8), (':', 8, 9), ('name', 9, 14), (')', 14, 15), ('end', 30, 30)]
    >>> tokens.names[2], tokens.names[4], tokens.names[1]
    ('n', 'a b', None)

The kind of an ASCII word is the word in upper case; any other word is its own kind, since no keyword contains other
letters. The kind of a symbol is the symbol itself. The other kinds are in lower case: `name` (in backticks), `string`,
`integer`, `float`, `end`, and for Unicode dashes and arrow heads `dash`, `left_head` and `right_head`. Invalid text has
the kind `bad_string`, `bad_name`, `bad_comment` or `bad`. Keywords are not reserved in Cypher, so the parser decides
whether a word is a keyword.
"""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"""
    \s+ | //[^\n\r]* | /\*(?:.*?\*/|.*)
    | [^\W\d][\w\u00a2-\u00a5\u20ac]*
    | '(?:[^'\\]++|\\.)*+(?:'|\\?) | "(?:[^"\\]++|\\.)*+(?:"|\\?) | `(?:[^`]++|``)*+`?
    | (?:\d(?:_?\d)*)?\.\d(?:_?\d)*(?:[eE][-+]?\d(?:_?\d)*)?\w* | \d(?:_?\d)*[eE][-+]?\d(?:_?\d)*\w* | \d\w*
    | <> | <= | >= | != | =~ | \+= | \.\. | :: | \|\| | .
    """,
    re.VERBOSE | re.DOTALL,
)
# A quote, backtick or comment that is never closed is one token up to the end of the text. Otherwise every later
# quote would start another search to the end of the text, which takes quadratic time.
_CLOSED = re.compile(
    r"""'(?:[^'\\]++|\\.)*+' | "(?:[^"\\]++|\\.)*+" | `(?:[^`]++|``)*+` | /\*.*?\*/""", re.VERBOSE | re.DOTALL
)

_SYMBOLS = frozenset((*"()[]{}<>=+-*/%^|&!:;,.$", "<>", "<=", ">=", "!=", "=~", "+=", "..", "::", "||"))
_DASHES = "\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\ufe58\ufe63\uff0d"
_LEFT_HEADS = "\u27e8\u3008\ufe64\uff1c"
_RIGHT_HEADS = "\u27e9\u3009\ufe65\uff1e"
# Unicode dashes and arrow heads may draw relationships, but are not minus signs or comparison operators.
_KINDS: dict[str, str] = {
    **{symbol: symbol for symbol in _SYMBOLS},
    **dict.fromkeys(_DASHES, "dash"),
    **dict.fromkeys(_LEFT_HEADS, "left_head"),
    **dict.fromkeys(_RIGHT_HEADS, "right_head"),
}
# Whitespace for Neo4j, but not for Python's \s.
_BLANKS = frozenset("\x1c\x1d\x1e\x1f\u180e\u200b\ufeff\x00")


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set, for tables of keywords: `words("AND OR XOR")`."""
    return frozenset(text.split())


LISTED = words("INDEX INDEXES CONSTRAINT CONSTRAINTS FUNCTION FUNCTIONS PROCEDURE PROCEDURES")
"""The things that SHOW lists and that a query may read."""


class Tokens:
    """Parallel lists with one entry per token; the last token has the kind `end`."""

    __slots__ = ("ends", "kinds", "names", "starts")

    def __init__(self, kinds: list[str], names: list[str | None], starts: list[int], ends: list[int]) -> None:
        self.kinds = kinds
        self.names = names
        self.starts = starts
        self.ends = ends


def tokenize(text: str) -> Tokens:
    """Return all tokens of a text, without whitespace and comments; never raises an error, see the `bad_…` kinds."""
    kinds: list[str] = []
    names: list[str | None] = []
    starts: list[int] = []
    ends: list[int] = []
    end = 0
    size = len(text)
    known = _KINDS
    for piece in _PIECE.findall(text):
        start = end
        end += len(piece)
        kind = known.get(piece)
        name: str | None = None
        if kind is None:
            first = piece[0]
            if first.isalpha() or first == "_":
                name = piece
                kind = piece.upper() if piece.isascii() else piece
            elif first.isspace():
                continue
            elif first in "'\"":
                kind = "string" if end < size or _CLOSED.fullmatch(piece) else "bad_string"
            elif first.isdigit() or first == ".":
                kind = _number_kind(piece)
            elif first == "`":
                if end < size or _CLOSED.fullmatch(piece):
                    kind = "name"
                    name = piece[1:-1].replace("``", "`")
                else:
                    kind = "bad_name"
            elif first == "/":
                if piece[1] == "*" and end == size and not _CLOSED.fullmatch(piece):
                    kind = "bad_comment"
                else:
                    continue
            elif first in _BLANKS:
                continue
            elif piece.isidentifier() or len(piece) > 1:
                name = piece
                kind = piece.upper() if piece.isascii() else piece
            else:
                kind = "bad"
        kinds.append(kind)
        names.append(name)
        starts.append(start)
        ends.append(end)
    kinds.append("end")
    names.append(None)
    starts.append(end)
    ends.append(end)
    return Tokens(kinds, names, starts, ends)


def _number_kind(piece: str) -> str:
    if piece[:2] in ("0x", "0X", "0o", "0O"):
        return "integer"
    if "." in piece or (("e" in piece or "E" in piece) and _EXPONENT.match(piece)):
        return "float"
    return "integer"


_EXPONENT = re.compile(r"\d(?:_?\d)*[eE][-+]?\d")
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
UNICODE_ESCAPE = re.compile(r"\\(?:\\|u([0-9A-Fa-f]{4})?)")
"""Matches `\\u0041`, an incomplete `\\u`, and an escaped backslash, after which a `u` has no meaning."""


def unescape_string(quoted: str) -> str:
    r"""Return the value of a quoted string; an unknown escape stays as it is.

    >>> unescape_string(r"'it\'s'"), unescape_string(r"'a\qb'")
    ("it's", 'a\\qb')
    """
    inner = quoted[1:-1]
    if "\\" not in inner:
        return inner
    return ESCAPE.sub(
        lambda match: chr(int(match[1], 16)) if match[1] is not None else _ESCAPES.get(match[2], match[0]), inner
    )


def decode_unicode_escapes(text: str) -> tuple[str, list[int]] | None:
    r"""Return the text with `\u0041` replaced by `A`, and the original offset of each character.

    Neo4j decodes these escapes anywhere in a query, even in keywords, in Cypher 5 and in Cypher 25. Return None if the
    text contains no escape.
    """
    parts: list[str] = []
    offsets: list[int] = []
    place = 0
    for match in UNICODE_ESCAPE.finditer(text):
        if match[1] is not None:
            parts += (text[place : match.start()], chr(int(match[1], 16)))
            offsets += range(place, match.start() + 1)
            place = match.end()
    if not parts:
        return None
    offsets += range(place, len(text) + 1)
    return "".join((*parts, text[place:])), offsets
