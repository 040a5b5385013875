"""Normalizes names for comparison: without case, accents or punctuation, split into words, in any script.

    >>> fold("Beyoncé Knowles-Carter"), fold("O'Neill, Łukasz"), fold("東京 Tower")
    ('beyonce knowles carter', 'oneill lukasz', '東 京 tower')

Chinese characters and Japanese kana are split into single characters, so that a name is found by a part of it. A
name that consists only of punctuation or symbols keeps them: `!!!`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from graphground.cypher.names.words import decomposed

# Letters that have no canonical decomposition but are commonly typed without their stroke or ligature.
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t", "ŋ": "n"}
)
_DROPPED = "'`\u2018\u2019\u02bc\u02bb\u00b4"
_ASCII = {number: (" " if not chr(number).isalnum() else chr(number).lower()) for number in range(128)}
_ASCII[ord("\n")] = "\n"
_ASCII[ord("'")] = _ASCII[ord("`")] = ""
_ASCII_TABLE = str.maketrans(_ASCII)


def fold(text: str) -> str:
    """Return the folded words of a text, joined by single spaces; line breaks count as spaces."""
    folded = " ".join(fold_lines(text.replace("\n", " ")).split())
    return folded or " ".join(text.casefold().split())


def fold_lines(text: str) -> str:
    """Fold many names at once, one per line, which is much cheaper than folding each name separately.

    Line breaks are kept. A line of punctuation alone becomes blank; the caller must fold such a line with `fold`.
    """
    if text.isascii():
        return text.translate(_ASCII_TABLE)
    dropped, marks, separators, single = _classes()
    text = decomposed(dropped.sub("", text)).casefold()
    text = marks.sub("", text).translate(_PLAIN)
    return single.sub(r" \g<0> ", separators.sub(" ", text))


@lru_cache(maxsize=1)
def _classes() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return patterns of apostrophes to delete, combining marks, separators except line breaks, and word characters.

    A word character is a word by itself, such as a Chinese character.
    """
    marks: list[int] = []
    separators: list[int] = []
    category, combining = unicodedata.category, unicodedata.combining
    for number in range(0x10000):
        kind = category(chr(number))
        if kind[0] in "PSZ" or kind in ("Cc", "Cf"):
            separators.append(number)
        elif kind[0] == "M" and combining(chr(number)):
            marks.append(number)
    separators.remove(ord("\n"))
    return (
        re.compile(f"[{_DROPPED}]"),
        re.compile(_class(marks)),
        re.compile(_class(separators)),
        re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    )


def _class(numbers: list[int]) -> str:
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return "[" + "".join(f"{re.escape(chr(low))}-{re.escape(chr(high))}" for low, high in ranges) + "]"


def doctrine_of(word: str) -> str | None:
    """Return the doctrine of a folded word for its followers: `atheism` for `atheists`; None for any other word."""
    bare = word.removesuffix("s").removesuffix("ist")
    return bare + "ism" if len(bare) > 2 and word.removesuffix("s") != bare else None


def clean(text: str, longest: int = 300) -> str:
    """Return a mention that is safe to process: without control characters and lone surrogates, and of limited length.

    >>> clean("  Le\x00Bron\tJames ")
    'Le Bron James'
    """
    cut = text[: 4 * longest]
    if not cut.isprintable():
        cut = "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") else c for c in cut)
    return " ".join(cut.split())[:longest]
