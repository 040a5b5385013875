"""The tokens of a tokenizer as bytes, and how its family spells a text: the part of decoding that knows tokenizers.

| family | a token | a text is spelled |
|---|---|---|
| `bytes` | byte-level BPE, as GPT-2, Llama 3, Qwen and SmolLM2 have it; tiktoken | as its UTF-8 bytes |
| `pieces` | SentencePiece: `▁` is a space, `<0xE2>` a byte | the same; a space may stand before the first word |
| `words` | WordPiece: `##er` goes on, `play` begins a word | normalised, a space before each word or sign |
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

    `tokens` has None for control tokens and others that stand for no text; `ends` are the tokens that end a text.
    `spell` gives the text that a tokenizer of words really spells (`match ( n : movie )`).
    """

    family: Family
    tokens: tuple[bytes | None, ...]
    ends: frozenset[int]
    encode: Encode = field(compare=False)
    spell: Callable[[str], str] = field(default=str, compare=False)

    def __len__(self) -> int:
        return len(self.tokens)

    def spelled(self, text: str) -> bytes:
        """The bytes that the tokens of a text are made of."""
        return self.spell(text).encode("utf-8")

    def bytes_of(self, tokens: Iterable[int]) -> bytes:
        """The bytes of a sequence of tokens, without those that end it."""
        return b"".join(self.tokens[token] or b"" for token in tokens if token not in self.ends)

    def encoded(self, text: str) -> tuple[int, ...] | None:
        """The tokens that the tokenizer gives to a text; None where they spell another one.

        An unknown character does that, and a tokenizer that drops double spaces.
        """
        tokens = tuple(token for token in self.encode(text) if self.tokens[token] is not None)
        spelled = self.bytes_of(tokens), self.spelled(text)
        if self.family == "pieces":
            spelled = spelled[0].removeprefix(b" "), spelled[1].removeprefix(b" ")
        return tokens if spelled[0] == spelled[1] else None


def byte_level(tokens: Iterable[str], special: Iterable[int], ends: Iterable[int], encode: Encode) -> Vocabulary:
    """The vocabulary of a byte-level BPE from its tokens as they are stored: `ĠMATCH` is ` MATCH`.

    `special` are the numbers of control tokens.
    """
    letters, left = _byte_letters(), frozenset(special)
    found: list[bytes | None] = []
    for number, token in enumerate(tokens):
        known = token and number not in left and all(letter in letters for letter in token)
        found.append(bytes(letters[letter] for letter in token) if known else None)
    return Vocabulary("bytes", tuple(found), frozenset(ends), encode)


def _byte_letters() -> dict[str, int]:
    """The letters that byte-level BPE writes bytes with: printable Latin-1 as it is, the rest from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    return {chr(byte): byte for byte in printable} | {chr(256 + at): byte for at, byte in enumerate(others)}


def ranked(ranks: Mapping[bytes, int], ends: Iterable[int], encode: Encode) -> Vocabulary:
    """The vocabulary of a tiktoken file, which maps bytes to numbers."""
    last = frozenset(ends)
    found: list[bytes | None] = [None] * (1 + max((*ranks.values(), *last)))
    for token, number in ranks.items():
        found[number] = token
    return Vocabulary("bytes", tuple(found), last, encode)


def sentence_pieces(pieces: Iterable[str], special: Iterable[int], ends: Iterable[int], encode: Encode) -> Vocabulary:
    """The vocabulary of a SentencePiece model; `special` are its control and unknown pieces."""
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
    """The vocabulary of a WordPiece model; `words` normalises a text and splits it, as the tokenizer does.

    Such a tokenizer loses spaces and often case, so its tokens spell another text than was asked for; the constraint
    knows which query each spelled text stands for.
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
