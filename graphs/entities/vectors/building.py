"""Builds the vectors of names and descriptions; estimates the cost of a build, which can be stopped and resumed.

    entities/vectors/            the vectors that are searched: complete, and made for this index
        meta.json                the model, the labels, the build time of the index
        names/  descriptions/    one column each, possibly with HNSW indexes
    entities/vectors.building/   an unfinished build, which the next build resumes

A build fills `vectors.building` and renames it to `vectors` when all vectors are complete. HNSW indexes are built
afterwards; while an index is incomplete, its vectors are compared one by one.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from graphground.graphs.entities.build import NAME
from graphground.graphs.entities.files import Array, Files
from graphground.graphs.entities.record import Progress
from graphground.graphs.entities.vectors import approximate
from graphground.graphs.entities.vectors.column import Column, ColumnWriter
from graphground.graphs.entities.vectors.encoders import Encoder

FOLDER, BUILDING = "vectors", "vectors.building"
FORMAT = 2
NAMES, DESCRIPTIONS = "names", "descriptions"
MOST_SHARED = 10
"""The maximum number of entities of a label that may share a description; a more common description gets no vector."""
_AT_ONCE = 8_192
_SAMPLE = 512


class BuildRunning(Exception):
    """Another process is building these vectors."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimated cost of a build, in names, seconds and bytes: `Cost(459_393, 12.5, 132_000_000)`.

    `done` is the number of vectors that already exist, and `descriptions` is the number of descriptions that get
    vectors. `approximate` is the number of vectors in labels that are large enough for an HNSW index;
    `approximate_seconds` is the part of `seconds` in which these indexes are built.
    """

    names: int
    seconds: float
    bytes: int
    done: int = 0
    descriptions: int = 0
    approximate: int = 0
    approximate_seconds: float = 0.0


def estimate(
    files: Files,
    encoder: Encoder,
    labels: Collection[str] | None = None,
    *,
    descriptions: bool = True,
    ann: int | None = None,
) -> Cost:
    """Estimate the cost of `build_vectors` with these arguments from a sample of the texts."""
    columns = _columns(files, labels, descriptions)
    least = _least(ann)
    encoder.encode(["a first text loads the model"])
    seconds, size, indexed, index_seconds, dimensions = 0.0, 0, 0, 0.0, encoder.dimensions
    for kind, rows in columns.items():
        sample = rows[:: max(1, len(rows) // _SAMPLE)][:_SAMPLE]
        if not len(sample):
            continue
        started = time.perf_counter()
        vectors = encoder.encode(_texts(files, sample, kind))
        seconds += (time.perf_counter() - started) / len(sample) * len(rows)
        dimensions = vectors.shape[1]
        size += len(rows) * (dimensions + dimensions // 8 + 6)
        large = sum(last - first for first, last in large_labels(files, rows, least))
        if large:
            eight = np.round(encoder.encode(_texts(files, _spread(rows, 4_096), kind)) * 127).astype(np.int8)
            index_seconds += approximate.seconds_for(eight, large)
            size += approximate.bytes_for(dimensions, large)
            indexed += large
    return Cost(
        len(columns[NAMES]),
        seconds + index_seconds,
        size,
        done_already(files, encoder, labels, descriptions),
        len(columns.get(DESCRIPTIONS, ())),
        indexed,
        index_seconds,
    )


def build_vectors(
    files: Files,
    encoder: Encoder,
    labels: Collection[str] | None = None,
    *,
    descriptions: bool = True,
    ann: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Build the vectors, or resume a stopped build; return whether the build is complete.

    The names of `labels` (all labels if None) get vectors. With `descriptions`, each description that at most
    `MOST_SHARED` entities of a label share gets a vector too. Labels with `ann` or more vectors get an HNSW index
    (None: a million, if the library is installed; 0: never). `stop` is called before each batch of a few thousand
    vectors; the build stops if it returns True.

    Raises:
        BuildRunning: another process is building these vectors.
        LibraryMissing: a label needs an HNSW index because of `ann`, and the library is not installed.
    """
    least, report = _least(ann), progress or (lambda _: None)
    try:
        with FileLock(files.folder / "vectors.lock", timeout=0):
            identity = _identity(files, encoder, labels, descriptions)
            columns = _columns(files, labels, descriptions)
            if not _served(files, identity) and not _encode(files, encoder, identity, columns, report, stop):
                return False
            return all(_neighbours(files, kind, rows, least, report, stop) for kind, rows in columns.items())
    except Timeout:
        raise BuildRunning(f"another process is building the vectors in {files.folder}") from None


def done_already(files: Files, encoder: Encoder, labels: Collection[str] | None, descriptions: bool = True) -> int:
    """Return the number of vectors that a finished or stopped build with the same parameters has stored."""
    identity = _identity(files, encoder, labels, descriptions)
    for folder in (FOLDER, BUILDING):
        meta = read_meta(files.folder / folder)
        if meta is not None and meta["identity"] == identity:
            return int(meta["done"])
    return 0


def read_meta(folder: Path) -> dict[str, Any] | None:
    """Read the description of a folder of vectors; None if the folder holds no vectors of this version."""
    try:
        meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return meta if meta.get("format") == FORMAT else None


def large_labels(files: Files, rows: Array, least: int) -> Iterable[tuple[int, int]]:
    """Yield the range of positions of each label with at least `least` vectors; nothing if `least` is 0."""
    for _, _, kind, low, high in files.partitions:
        first, last = np.searchsorted(rows, (low, high)).tolist()
        if kind == NAME and least and last - first >= least:
            yield first, last


def _encode(
    files: Files,
    encoder: Encoder,
    identity: list[Any],
    columns: dict[str, npt.NDArray[np.uint32]],
    report: Callable[[Progress], None],
    stop: Callable[[], bool],
) -> bool:
    folder = files.folder / BUILDING
    meta = read_meta(folder)
    done = int(meta["done"]) if meta is not None and meta["identity"] == identity else 0
    if not done:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    dimensions = encoder.encode(["one"]).shape[1]
    total, before = sum(map(len, columns.values())), 0
    for kind, rows in columns.items():
        if before + len(rows) <= done and done and len(rows):
            before += len(rows)
            continue
        at = max(0, done - before)
        writer = ColumnWriter(folder / kind, rows, dimensions, continued=at > 0)
        while at < len(rows):
            if stop():
                return False
            batch = rows[at : at + _AT_ONCE]
            writer.write(at, encoder.encode(_texts(files, batch, kind)))
            writer.flush()
            at += len(batch)
            _write_meta(folder, identity, encoder, before + at, len(columns[NAMES]))
            report(Progress("vectors", before + at, total))
        before += len(rows)
    _write_meta(folder, identity, encoder, total, len(columns[NAMES]))
    _swap(files.folder)
    return True


def _swap(folder: Path) -> None:
    """Replace the old vectors with the complete new vectors; processes that opened the old files still read those."""
    old = folder / "vectors.old"
    shutil.rmtree(old, ignore_errors=True)
    if (folder / FOLDER).exists():
        (folder / FOLDER).rename(old)
    (folder / BUILDING).rename(folder / FOLDER)
    shutil.rmtree(old, ignore_errors=True)


def _neighbours(
    files: Files, kind: str, rows: Array, least: int, report: Callable[[Progress], None], stop: Callable[[], bool]
) -> bool:
    folder = files.folder / FOLDER / kind
    for first, last in large_labels(files, rows, least):

        def indexed(count: int, total: int = last - first) -> None:
            report(Progress(f"neighbours of {kind}", count, total))

        if not approximate.build_neighbours(folder, Column(folder).eight, first, last, report=indexed, stop=stop):
            return False
    return True


def _served(files: Files, identity: list[Any]) -> bool:
    meta = read_meta(files.folder / FOLDER)
    return meta is not None and meta["identity"] == identity


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
    """Return the positions in `rows` whose description is shared by at most `MOST_SHARED` of these entities."""
    entity = files.row_entity[rows]
    described = np.flatnonzero(files.description.starts[entity.astype(np.int64) + 1] > files.description.starts[entity])
    if not len(described):
        return described
    texts = np.fromiter(map(hash, files.description.many(entity[described])), dtype=np.int64, count=len(described))
    _, place, counts = np.unique(texts, return_inverse=True, return_counts=True)
    return described[counts[place] <= MOST_SHARED]


def _texts(files: Files, rows: Array, kind: str) -> list[str]:
    return files.text.many(rows) if kind == NAMES else files.description.many(files.row_entity[rows])


def _spread(rows: Array, count: int) -> Array:
    return rows[:: max(1, len(rows) // count)][:count]


def _least(ann: int | None) -> int:
    if ann is None:
        return approximate.FROM if approximate.installed() else 0
    return ann


def _identity(files: Files, encoder: Encoder, labels: Collection[str] | None, descriptions: bool) -> list[Any]:
    """Return the parameters of a build; a build reuses stored vectors only if their parameters are the same."""
    return [
        encoder.name,
        sorted(labels) if labels is not None else None,
        descriptions,
        files.info.built_at,
        files.info.nodes,
        files.info.texts,
    ]


def _write_meta(folder: Path, identity: list[Any], encoder: Encoder, done: int, names: int) -> None:
    new = folder / "meta.json.new"
    new.write_text(
        json.dumps(
            {
                "format": FORMAT,
                "identity": identity,
                "model": encoder.name,
                "done": done,
                "names": names,
                "index": identity[3:],
            }
        ),
        encoding="utf-8",
    )
    new.replace(folder / "meta.json")
