"""The tokens of a tokenizer as bytes, and how each family of tokenizers spells a text.

| family | a token | a text is spelled |
|---|---|---|
| `bytes` | byte-level BPE, as in GPT-2, Llama 3, Qwen and SmolLM2; tiktoken | as its UTF-8 bytes |
| `pieces` | SentencePiece: `▁` is a space, `<0xE2>` a byte | as its UTF-8 bytes, perhaps after a space |
| `words` | WordPiece: `##er` continues a word, `play` begins one | normalised, a space before each word or sign |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Family = Literal["bytes", "pieces", "words"]
Encode = Callable[[str], Sequence[int]]
_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>\Z")


@dataclass(frozen=True)
class Vocabulary:
    """Tokens by number: `Vocabulary("bytes", (b"MATCH", b" (", None), frozenset((2,)), encode)`.

    `tokens` has None for control tokens and others without text; `ends` are the tokens that end a text. `spell` returns
    the text that the tokens of a WordPiece tokenizer really spell (`match ( n : movie )`).
    """

    family: Family
    tokens: tuple[bytes | None, ...]
    ends: frozenset[int]
    encode: Encode = field(compare=False)
    spell: Callable[[str], str] = field(default=str, compare=False)

    def __len__(self) -> int:
        return len(self.tokens)

    def spelled(self, text: str) -> bytes:
        """Return the UTF-8 bytes that the tokens of a text should spell."""
        return self.spell(text).encode("utf-8")

    def bytes_of(self, tokens: Iterable[int]) -> bytes:
        """Return the bytes that a sequence of tokens spells, leaving out tokens that end a text."""
        return b"".join(self.tokens[token] or b"" for token in tokens if token not in self.ends)

    def encoded(self, text: str) -> tuple[int, ...] | None:
        """Return the tokens of a text; None if the tokens spell a different text.

        The tokens spell a different text if, for example, a character is unknown or the tokenizer drops double spaces.
        """
        tokens = tuple(token for token in self.encode(text) if self.tokens[token] is not None)
        spelled = self.bytes_of(tokens), self.spelled(text)
        if self.family == "pieces":
            spelled = spelled[0].removeprefix(b" "), spelled[1].removeprefix(b" ")
        return tokens if spelled[0] == spelled[1] else None


def byte_level(tokens: Iterable[str], special: Iterable[int], ends: Iterable[int], encode: Encode) -> Vocabulary:
    """Return the vocabulary of a byte-level BPE tokenizer from its stored tokens: `ĠMATCH` is ` MATCH`.

    `special` holds the numbers of control tokens.
    """
    letters, left = _byte_letters(), frozenset(special)
    found: list[bytes | None] = []
    for number, token in enumerate(tokens):
        known = token and number not in left and all(letter in letters for letter in token)
        found.append(bytes(letters[letter] for letter in token) if known else None)
    return Vocabulary("bytes", tuple(found), frozenset(ends), encode)


def _byte_letters() -> dict[str, int]:
    """Return the byte that each character of byte-level BPE represents.

    A printable Latin-1 character represents its own byte; characters from U+0100 on represent the other bytes.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    return {chr(byte): byte for byte in printable} | {chr(256 + at): byte for at, byte in enumerate(others)}


def ranked(ranks: Mapping[bytes, int], ends: Iterable[int], encode: Encode) -> Vocabulary:
    """Return the vocabulary of a tiktoken file, whose `ranks` map the bytes of a token to its number."""
    last = frozenset(ends)
    found: list[bytes | None] = [None] * (1 + max((*ranks.values(), *last)))
    for token, number in ranks.items():
        found[number] = token
    return Vocabulary("bytes", tuple(found), last, encode)


def sentence_pieces(pieces: Iterable[str], special: Iterable[int], ends: Iterable[int], encode: Encode) -> Vocabulary:
    """Return the vocabulary of a SentencePiece model; `special` holds the numbers of control and unknown pieces."""
    left = frozenset(special)
    found: list[bytes | None] = []
    for number, piece in enumerate(pieces):
        byte = _BYTE_PIECE.match(piece)
        text = bytes((int(byte[1], 16),)) if byte else piece.replace("▁", " ").encode("utf-8")
        found.append(None if number in left or not piece else text)
    return Vocabulary("pieces", tuple(found), frozenset(ends), encode)


def word_pieces(
    tokens: Iterable[str],
    special: Iterable[int],
    ends: Iterable[int],
    encode: Encode,
    words: Callable[[str], Iterable[str]],
    prefix: str = "##",
) -> Vocabulary:
    """Return the vocabulary of a WordPiece model; `words` normalises and splits a text as the tokenizer does.

    A WordPiece tokenizer loses spaces and often case, so the tokens of a query spell a changed text; `Constraint` maps
    the changed text back to the query.
    """
    left = frozenset(special)
    found: list[bytes | None] = []
    for number, token in enumerate(tokens):
        inner = token.startswith(prefix) and len(token) > len(prefix)
        text = token[len(prefix) :] if inner else f" {token}"
        found.append(None if number in left else text.encode("utf-8"))
    return Vocabulary(
        "words", tuple(found), frozenset(ends), encode, lambda text: "".join(f" {word}" for word in words(text))
    )
