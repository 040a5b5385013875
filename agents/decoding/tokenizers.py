"""Reads the vocabulary of a tokenizer from the library `tokenizers`, from `sentencepiece`, or from a llama.cpp model.

This module imports none of these libraries: its callers pass in the libraries' objects.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from graphground.agents.decoding.vocabulary import Vocabulary, byte_level, sentence_pieces, word_pieces


class UnknownTokenizer(ValueError):
    """A tokenizer that belongs to none of the supported families."""


def of_tokenizers(tokenizer: Any, ends: Iterable[str | int]) -> Vocabulary:
    """Return the vocabulary of a `tokenizers.Tokenizer`, which `transformers` calls `tokenizer.backend_tokenizer`.

    `ends` are the tokens that end a text: `["<|im_end|>"]`, or `[tokenizer.eos_token_id]`.

    Raises:
        UnknownTokenizer: the tokenizer belongs to no supported family, or a token in `ends` is unknown to the
            tokenizer.
    """
    described = json.loads(tokenizer.to_str())
    last = [_number(tokenizer, end) for end in ends]
    texts = [tokenizer.id_to_token(number) or "" for number in range(tokenizer.get_vocab_size())]
    special = [added["id"] for added in described["added_tokens"] if added["special"]]
    unknown = described["model"].get("unk_token")
    special += [number for number, text in enumerate(texts) if text == unknown and unknown]

    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False).ids)

    parts = _types(described.get("decoder")) | _types(described.get("pre_tokenizer"))
    if described["model"]["type"] == "WordPiece":
        prefix = described["model"]["continuing_subword_prefix"]
        return word_pieces(texts, special, last, encode, lambda text: _words(tokenizer, text), prefix)
    if "ByteLevel" in parts:
        return byte_level(texts, special, last, encode)
    if "Metaspace" in parts or "ByteFallback" in parts:
        return sentence_pieces(texts, special, last, encode)
    raise UnknownTokenizer(
        f"A tokenizer with {', '.join(sorted(parts)) or 'no decoder'} is neither byte-level BPE, SentencePiece nor WordPiece."
    )


def of_sentencepiece(processor: Any) -> Vocabulary:
    """Return the vocabulary of a `sentencepiece.SentencePieceProcessor`."""
    numbers = range(processor.get_piece_size())
    special = [number for number in numbers if processor.is_control(number) or processor.is_unknown(number)]
    pieces = [processor.id_to_piece(number) for number in numbers]
    return sentence_pieces(pieces, special, [processor.eos_id()], lambda text: list(processor.encode(text)))


def of_llama(llama: Any) -> Vocabulary:
    """Return the vocabulary of a `llama_cpp.Llama`, for GGUF models with byte-level BPE or SentencePiece.

    Raises:
        UnknownTokenizer: the model has another kind of tokenizer.
    """
    found = tuple(llama.detokenize([number]) or None for number in range(llama.n_vocab()))
    kind = llama.metadata.get("tokenizer.ggml.model", "gpt2")
    if kind not in ("gpt2", "llama"):
        raise UnknownTokenizer(f"The tokenizer {kind!r} of the GGUF model is neither byte-level BPE nor SentencePiece.")

    def encode(text: str) -> list[int]:
        return list(llama.tokenize(text.encode("utf-8"), add_bos=False, special=False))

    return Vocabulary("bytes" if kind == "gpt2" else "pieces", found, frozenset((llama.token_eos(),)), encode)


def _number(tokenizer: Any, end: str | int) -> int:
    number = end if isinstance(end, int) else tokenizer.token_to_id(end)
    if number is None:
        raise UnknownTokenizer(f"The tokenizer has no token {end!r} to end a text with.")
    return int(number)


def _types(part: Any) -> set[str]:
    """Return the types of a part of a tokenizer and of the parts inside it."""
    if isinstance(part, list):
        return set().union(*map(_types, part))
    if not isinstance(part, dict):
        return set()
    inner = set().union(*(_types(value) for value in part.values()))
    return inner | ({part["type"]} if isinstance(part.get("type"), str) else set())


def _words(tokenizer: Any, text: str) -> list[str]:
    normalised = tokenizer.normalizer.normalize_str(text) if tokenizer.normalizer else text
    return [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normalised)]
