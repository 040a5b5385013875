"""Splits text into the word pieces of an uncased BERT vocabulary: `knowles-carter` into `knowles`, `-`, `carter`.

This is our own code because the `tokenizers` library installs a client for downloading models. When a model is made,
`distil.py` compares the vectors of sample texts that are split by this code and by the library.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

_LONGEST_WORD = 100
_MOST_CACHED = 200_000


class WordPiece:
    """A splitter of text into the numbers of its word pieces: `WordPiece(vocabulary).numbers("Beyoncé")`."""

    def __init__(self, vocabulary: Mapping[str, int]):
        self._vocabulary = vocabulary
        self._known: dict[str, tuple[int, ...]] = {}

    def numbers(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text."""
        numbers: list[int] = []
        for word in _words(text):
            pieces = self._known.get(word)
            if pieces is None:
                pieces = self._pieces(word)
                if len(self._known) < _MOST_CACHED:
                    self._known[word] = pieces
            numbers += pieces
        return numbers

    def _pieces(self, word: str) -> tuple[int, ...]:
        """Return the numbers of a word's pieces, each the longest known piece; empty if the word cannot be split."""
        if len(word) > _LONGEST_WORD:
            return ()
        pieces: list[int] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._vocabulary.get(word[start:end] if not start else "##" + word[start:end])
                if number is not None:
                    pieces.append(number)
                    start = end
                    break
            else:
                return ()
        return tuple(pieces)


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case and without accents; punctuation and Chinese characters are words."""
    if text.isascii():
        lowered = text.lower()
        if lowered.replace(" ", "").isalnum():
            return lowered.split()
    else:
        lowered = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn").lower()
    return "".join(_spaced(c) for c in lowered).split()


def _spaced(character: str) -> str:
    number = ord(character)
    if character.isalnum():
        return f" {character} " if _is_chinese(number) else character
    kind = unicodedata.category(character)
    if kind[0] == "Z" or character in "\t\n\r":
        return " "
    if kind[0] == "C" or number == 0xFFFD:
        return ""
    if kind[0] == "P" or (number < 128 and kind[0] == "S"):
        return f" {character} "
    return character


def _is_chinese(number: int) -> bool:
    return (
        0x4E00 <= number <= 0x9FFF
        or 0x3400 <= number <= 0x4DBF
        or 0xF900 <= number <= 0xFAFF
        or 0x20000 <= number <= 0x2CEAF
        or 0x2F800 <= number <= 0x2FA1F
    )
