"""The vectors of an index's names: eight bits a dimension, and one bit a dimension to search them by.

A search compares the sign bits of every name (32 bytes each, a population count) and then the nearest few
hundred in eight bits. There is no graph to build, and a label is a range here too. The files lie in the
index's folder and are written a piece at a time, so that a build can be stopped and continued.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphground.graphs.entities.build import NAME
from graphground.graphs.entities.files import Array, Files
from graphground.graphs.entities.record import Progress
from graphground.graphs.entities.vectors.encoders import Encoder, Vectors

FOLDER = "vectors"
_AT_ONCE = 8_192
_SAMPLE = 512
_NEAREST = 400


class VectorsMissing(LookupError):
    """An index has no vectors; the message says how to build them."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What building will take: `Cost(459_393, 12.5, 132_000_000)` names, seconds, bytes; `done` are there already."""

    names: int
    seconds: float
    bytes: int
    done: int = 0


def estimate(files: Files, encoder: Encoder, labels: Collection[str] | None = None) -> Cost:
    """What vectors for the names of some labels (all, when None) will cost, from a sample of them."""
    rows = _name_rows(files, labels)
    sample = rows[:: max(1, len(rows) // _SAMPLE)][:_SAMPLE]
    encoder.encode(["a first text loads the model"])
    started = time.perf_counter()
    dimensions = encoder.encode(_texts(files, sample, encoder)).shape[1] if len(sample) else encoder.dimensions
    seconds = (time.perf_counter() - started) / max(len(sample), 1) * len(rows)
    return Cost(len(rows), seconds, len(rows) * (dimensions + dimensions // 8 + 6), _done(files, encoder, labels))


def build_vectors(files: Files, encoder: Encoder, labels: Collection[str] | None = None, *,
                  progress: Callable[[Progress], None] | None = None,
                  stop: Callable[[], bool] = lambda: False) -> bool:
    """Make the vectors; a build that was stopped goes on where it was. Answers whether it is complete.

    `stop` is asked after each few thousand names.
    """
    rows = _name_rows(files, labels)
    folder = files.folder / FOLDER
    done = _done(files, encoder, labels)
    dimensions = encoder.encode(["one"]).shape[1]
    mode = "r+" if done else "w+"
    if not done:
        folder.mkdir(exist_ok=True)
        np.save(folder / "row.npy", rows)
    shape = max(len(rows), 1)
    whole: Any = np.lib.format.open_memmap(folder / "eight.npy", mode, np.int8, (shape, dimensions))
    bits: Any = np.lib.format.open_memmap(folder / "sign.npy", mode, np.uint64, (dimensions // 64, shape))
    scale: Any = np.lib.format.open_memmap(folder / "scale.npy", mode, np.float16, (shape,))
    while done < len(rows):
        if stop():
            return False
        high = min(done + _AT_ONCE, len(rows))
        vectors = encoder.encode(_texts(files, rows[done:high], encoder))
        whole[done:high], scale[done:high] = _eight_bits(vectors)
        bits[:, done:high] = _signs(vectors).T
        done = high
        for mapped in (whole, bits, scale):
            mapped.flush()
        _write_meta(files, encoder, labels, done, len(rows))
        if progress is not None:
            progress(Progress("vectors", done, len(rows)))
    _write_meta(files, encoder, labels, done, len(rows))
    return True


class VectorStore:
    """The opened vectors: `nearest(vector, 0, 10_000, 5)` gives rows with their cosines, best first."""

    def __init__(self, files: Files):
        meta = _meta(files.folder)
        if meta is None or meta["done"] < meta["names"] or meta["built_at"] != files.info.built_at:
            raise VectorsMissing("this graph's entity index has no vectors; build them with "
                                 "`graphground entities build --vectors`, or use mode 'fuzzy'")
        folder = files.folder / FOLDER
        self.model: str = meta["model"]
        self.names: int = meta["names"]
        self._row, self._scale = _mapped(folder / "row.npy"), _mapped(folder / "scale.npy")
        self._eight, self._sign = _mapped(folder / "eight.npy"), _mapped(folder / "sign.npy")

    def nearest(self, vector: Vectors, low: int, high: int, wanted: int) -> list[tuple[int, float]]:
        """The rows between `low` and `high` whose names are most like a vector."""
        first, last = np.searchsorted(self._row[:self.names], (low, high)).tolist()
        if first >= last or not vector.any():
            return []
        places: Array = np.arange(first, last)
        if last - first > _NEAREST:
            differing = np.zeros(last - first, dtype=np.uint16)
            for column, signs in zip(self._sign, _signs(vector[None])[0], strict=True):
                differing += np.bitwise_count(column[first:last] ^ signs)
            places = first + np.argpartition(differing, _NEAREST)[:_NEAREST]
        cosines = (self._eight[places].astype(np.float32) @ vector) * self._scale[places].astype(np.float32)
        best = np.argsort(-cosines, kind="stable")[:wanted]
        return list(zip(self._row[places[best]].tolist(), cosines[best].tolist(), strict=True))


def _name_rows(files: Files, labels: Collection[str] | None) -> npt.NDArray[np.uint32]:
    ranges = [np.arange(low, high, dtype=np.uint32) for label, _, kind, low, high in files.partitions
              if kind == NAME and (labels is None or label in labels)]
    return np.concatenate(ranges) if ranges else np.zeros(0, dtype=np.uint32)


def _texts(files: Files, rows: Array, encoder: Encoder) -> list[str]:
    names = files.text.many(rows)
    if not encoder.with_descriptions:
        return names
    described = files.description.many(files.row_entity[rows])
    return [f"{name}: {description}" if description else name
            for name, description in zip(names, described, strict=True)]


def _eight_bits(vectors: Vectors) -> tuple[Array, Array]:
    scale = np.abs(vectors).max(axis=1) / 127 + 1e-9
    return np.round(vectors / scale[:, None]).astype(np.int8), scale.astype(np.float16)


def _signs(vectors: Vectors) -> Array:
    return np.packbits(vectors > 0, axis=1).view(np.uint64)


def _mapped(file: Path) -> Array:
    return np.asarray(np.load(file, mmap_mode="r"))


def _meta(folder: Path) -> dict[str, Any] | None:
    try:
        meta: dict[str, Any] = json.loads((folder / FOLDER / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return meta


def _done(files: Files, encoder: Encoder, labels: Collection[str] | None) -> int:
    """How many names have their vector already, from a build of the same kind that was stopped."""
    meta = _meta(files.folder)
    same = meta is not None and (meta["model"], meta["labels"], meta["built_at"]) == (
        encoder.name, sorted(labels) if labels is not None else None, files.info.built_at)
    return int(meta["done"]) if same and meta is not None else 0


def _write_meta(files: Files, encoder: Encoder, labels: Collection[str] | None, done: int, names: int) -> None:
    meta = {"model": encoder.name, "labels": sorted(labels) if labels is not None else None, "done": done,
            "names": names, "built_at": files.info.built_at}
    new = files.folder / FOLDER / "meta.json.new"
    new.write_text(json.dumps(meta), encoding="utf-8")
    new.replace(files.folder / FOLDER / "meta.json")
