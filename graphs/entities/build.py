"""Builds an entity index from a stream of records, into files that are memory-mapped.

A few hundred thousand texts at a time are folded, split into words, and written to temporary files. These are sorted at
the end. The rows, one for each indexed text, are ordered by label, by kind (name, alias or value) and by property. The
rows of a label are therefore a range, and two binary searches find that range in any sorted list of rows.

"""

from __future__ import annotations

import json
import os
import shutil
import time
from array import array
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from graphground.graphs.entities.candidate import IndexInfo, Progress, Record
from graphground.graphs.entities.files import (
    ALIAS,
    FORMAT,
    LONGEST_TEXT,
    LONGEST_VALUE,
    NAME,
    PREFIX,
    VALUE,
    deletion_pairs,
    distinct,
    name_numbers,
    replace_folder,
    typing_errors,
    word_numbers,
    word_weights,
)
from graphground.graphs.entities.spans import fold, fold_lines

# Temporary files of a build, in which arrays grow on disk instead of in memory.


class Spool:
    """Named columns of numbers and texts in a folder: `spool.numbers("entity", array)`, then `spool.read(…)`."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._files: dict[str, BinaryIO] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def numbers(self, column: str, values: npt.NDArray[Any]) -> None:
        """Append an array; all arrays of a column have the same type."""
        self._file(column).write(np.ascontiguousarray(values).tobytes())

    def texts(self, column: str, texts: Sequence[str]) -> None:
        """Append texts as UTF-8 with their lengths in bytes."""
        encoded = [text.encode("utf-8", "replace") for text in texts]
        self._file(column + ".bytes").write(b"".join(encoded))
        self.numbers(column + ".lengths", np.fromiter(map(len, encoded), dtype=np.uint32, count=len(encoded)))

    def read(self, column: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Read a whole column into memory."""
        self._file(column).flush()
        return np.fromfile(self._folder / column, dtype=dtype)

    def mapped(self, column: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Memory-map a whole column."""
        file = self._file(column)
        file.flush()
        if not file.tell():
            return np.zeros(0, dtype=dtype)
        return np.asarray(np.memmap(self._folder / column, dtype=dtype, mode="r"))

    def close(self) -> None:
        for file in self._files.values():
            file.close()

    def _file(self, column: str) -> BinaryIO:
        if column not in self._files:
            self._files[column] = (self._folder / column).open("wb")
        return self._files[column]


def offsets(lengths: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the offset of each piece and the end of the last piece: `[0, 3, 5]` for the lengths `[3, 2]`.

    The array has 32-bit integers if they suffice, otherwise 64-bit integers.
    """
    total = int(lengths.sum(dtype=np.int64))
    starts = np.zeros(len(lengths) + 1, dtype=np.uint32 if total < 1 << 32 else np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def gather(
    pieces: npt.NDArray[Any],
    starts: npt.NDArray[Any],
    lengths: npt.NDArray[Any],
    order: npt.NDArray[Any],
    into: npt.NDArray[Any],
) -> None:
    """Write the pieces of a packed column into the array `into`, in the order `order`; half a million at a time."""
    written = 0
    for low in range(0, len(order), 500_000):
        chosen = order[low : low + 500_000]
        sizes = lengths[chosen].astype(np.int64)
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        place = np.arange(total, dtype=np.int64) + np.repeat(starts[chosen].astype(np.int64) - (ends - sizes), sizes)
        into[written : written + total] = pieces[place]
        written += total


# The deletion table of an index, which finds the words within two typing errors of a typed word (see `hashing`).


WORDS_AT_ONCE = 200_000
_LOW = np.uint64(0xFFFFFFFF)


def write_deletions(folder: Path, spool: Spool, count: int, progress: Progress) -> int:
    """Write the deletion table of the words of an index in `folder`; return the number of bits of its buckets."""
    starts = np.load(folder / "word_starts.npy")
    pieces = memoryview(np.load(folder / "word_bytes.npy", mmap_mode="r"))
    for low in range(0, count, WORDS_AT_ONCE):
        progress("typing errors", low, count)
        numbers = np.arange(low, min(low + WORDS_AT_ONCE, count))
        edges = zip(starts[numbers].tolist(), starts[numbers + 1].tolist(), strict=True)
        words = [str(pieces[start:end], "utf-8") for start, end in edges]
        heads = "".join([word[:PREFIX].ljust(PREFIX, "\0") for word in words])
        prefixes = np.frombuffer(heads.encode("utf-32-le"), dtype=np.uint32).reshape(-1, PREFIX)
        lengths = np.fromiter((min(len(word), PREFIX) for word in words), dtype=np.uint8, count=len(words))
        errors = np.fromiter(map(typing_errors, words), dtype=np.uint8, count=len(words))
        spool.numbers("deletions", deletion_pairs(prefixes, lengths, errors, numbers.astype(np.uint64), 32))
    progress("typing errors", count, count)
    pairs = spool.read("deletions", np.uint64)  # `bucket << 32 | word`, with 32 bits for the bucket
    bits = max(8, min(26, (len(pairs) // 2).bit_length()))
    # The buckets are shortened from 32 to `bits` bits.
    pairs = distinct(pairs >> np.uint64(64 - bits) << np.uint64(32) | pairs & _LOW)
    buckets = (pairs >> np.uint64(32)).astype(np.int64)
    np.save(folder / "deletion_word.npy", pairs.astype(np.uint32))
    np.save(folder / "deletion_starts.npy", offsets(np.bincount(buckets, minlength=1 << bits)))
    return bits


TEXTS_AT_ONCE = 300_000
DISTINCT_VALUES = 2_000_000

Partition = tuple[str, str, int]


def build_index(
    folder: Path,
    records: Iterable[Record],
    *,
    source: str = "",
    total: int | None = None,
    progress: Progress | None = None,
) -> IndexInfo:
    """Build the index of one graph in `folder`; return a description of the index.

        build_index(Path("nba.entities"), [Record("Q36159", "Player", "LeBron James", ("King James",))])

    An older index in `folder` is replaced only when the new one is complete.

    `source` is the origin of the records. `total` is their number, if known; it is used only for `progress`.
    """
    builder = IndexBuilder(Path(folder), source, total, progress or (lambda step, done, total: None))
    try:
        for record in records:
            builder.add(record)
        return builder.finish()
    finally:
        builder.discard()


class IndexBuilder:
    """A builder of an index: call `add` for each record, then `finish`, and in any case `discard`."""

    def __init__(self, folder: Path, source: str, total: int | None, progress: Progress) -> None:
        self._folder, self._source, self._total, self._progress = folder, source, total, progress
        self._started = time.monotonic()
        self._new = self._folder.with_name(f"{self._folder.name}.building-{os.getpid()}")
        shutil.rmtree(self._new, ignore_errors=True)
        self._spool = Spool(self._new / "spool")
        self._nodes = 0
        self._labels: dict[str, int] = {}
        self._label_nodes: dict[str, int] = {}
        self._partitions: dict[Partition, int] = {}
        self._values: dict[tuple[int, str], int] = {}
        self._rows = 0
        self._value_counts: dict[int, int] = {}
        self._texts: list[str] = []
        self._text_partition, self._text_entity = array("H"), array("I")
        self._keys: list[str] = []
        self._descriptions: list[str] = []
        self._entity_label, self._key_hash = array("H"), array("q")
        self._known: npt.NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)

    def discard(self) -> None:
        """Delete what is left of an index that has not been finished."""
        self._spool.close()
        shutil.rmtree(self._new, ignore_errors=True)

    def add(self, record: Record) -> None:
        """Add one record.

        Empty texts are left out, and so are values of more than `LONGEST_VALUE` letters. Only the first `LONGEST_TEXT`
        letters of a name or an alias are searched.
        """
        entity = self._nodes
        self._nodes += 1
        self._key_hash.append(hash(record.key))
        self._entity_label.append(self._labels.setdefault(record.label, len(self._labels)))
        self._label_nodes[record.label] = self._label_nodes.get(record.label, 0) + 1
        self._keys.append(record.key)
        self._descriptions.append(record.description or "")
        if record.name:
            self._text(record.name, self._partition(record.label, record.name_property, NAME), entity)
        for alias in record.aliases:
            if alias and alias != record.name:
                self._text(alias, self._partition(record.label, record.alias_property, ALIAS), entity)
        for property, value in record.values.items():
            partition = self._partition(record.label, property, VALUE)
            for text in (value,) if isinstance(value, str) else value:
                if isinstance(text, str) and text and len(text) <= LONGEST_VALUE:
                    self._value(text, partition, entity)
        if len(self._texts) >= TEXTS_AT_ONCE or len(self._keys) >= TEXTS_AT_ONCE:
            self._flush()

    def finish(self) -> IndexInfo:
        """Sort all data, write the files and replace the old index; return a description of the new index."""
        self._flush()
        everything = np.arange(self._nodes)
        for column in ("key", "description"):
            self._save_texts(column, everything)
        self._save("entity_label", self._spool.read("entity_label", np.uint16))
        self._distinct = len(distinct(np.frombuffer(self._key_hash, dtype=np.uint64).copy()))
        order, partitions = self._write_rows()
        words, spooled = self._write_names(order)
        self._save("word_number", self._spool.read("word_number", np.uint64)[spooled])
        self._save("word_length", self._spool.read("word_length", np.uint8)[spooled])
        self._save("word_first", self._spool.read("word_first", np.uint32)[spooled])
        self._save_texts("word", spooled)
        bits = write_deletions(self._new, self._spool, len(spooled), self._progress)
        self._spool.close()
        shutil.rmtree(self._new / "spool")
        counted: dict[str, int] = {}
        for _, property, _, low, high in partitions:
            counted[property] = counted.get(property, 0) + high - low
        info = IndexInfo(
            built_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            nodes=self._distinct,
            texts=len(order),
            words=words,
            labels=self._label_nodes,
            properties=counted,
            seconds=round(time.monotonic() - self._started, 3),
            bytes=sum(file.stat().st_size for file in self._new.iterdir()),
            source=self._source,
        )
        meta = {
            "format": FORMAT,
            "partitions": partitions,
            "bits": bits,
            "info": {name: getattr(info, name) for name in IndexInfo.__slots__},
        }
        (self._new / "meta.json").write_text(json.dumps(meta, ensure_ascii=False), encoding="utf-8")
        replace_folder(self._folder, self._new)
        return info

    def _partition(self, label: str, property: str, kind: int) -> int:
        return self._partitions.setdefault((label, property, kind), len(self._partitions))

    def _value(self, text: str, partition: int, entity: int) -> None:
        row = self._values.get((partition, text))
        if row is not None:
            self._value_counts[row] = self._value_counts.get(row, 1) + 1
            return
        if len(self._values) < DISTINCT_VALUES:
            self._values[partition, text] = self._rows
        self._text(text, partition, entity)

    def _text(self, text: str, partition: int, entity: int) -> None:
        self._texts.append(text)
        self._text_partition.append(partition)
        self._text_entity.append(entity)
        self._rows += 1

    def _flush(self) -> None:
        """Write to disk what was added since the last call, with the texts folded and split into words."""
        spool = self._spool
        spool.texts("key", self._keys)
        spool.texts("description", self._descriptions)
        spool.numbers("entity_label", np.frombuffer(self._entity_label, dtype=np.uint16))
        spool.texts("text", self._texts)
        spool.numbers("partition", np.frombuffer(self._text_partition, dtype=np.uint16))
        spool.numbers("entity", np.frombuffer(self._text_entity, dtype=np.uint32))
        if self._texts:
            self._cut_into_words()
        self._keys, self._descriptions, self._texts = [], [], []
        self._entity_label, self._text_partition, self._text_entity = array("H"), array("H"), array("I")
        self._progress("reading", self._nodes, self._total)

    def _cut_into_words(self) -> None:
        lines = fold_lines("\n".join([text[:LONGEST_TEXT].replace("\n", " ") for text in self._texts])).split("\n")
        counts = np.fromiter((len(line.split()) for line in lines), dtype=np.int64, count=len(lines))
        for bare in np.flatnonzero(counts == 0):
            lines[bare] = fold(self._texts[bare][:LONGEST_TEXT]) or "\ufffd"
            counts[bare] = len(lines[bare].split())
        words = " ".join(lines).split()
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        letters = np.frombuffer("".join(words).encode("utf-32-le", "replace"), dtype=np.uint32)
        numbers = word_numbers(letters, np.cumsum(lengths) - lengths, lengths)
        distinct, first = np.unique(numbers, return_index=True)
        fresh = ~np.isin(distinct, self._known, assume_unique=True)
        self._known = np.sort(np.concatenate((self._known, distinct[fresh])))
        self._spool.texts("word", [words[place] for place in first[fresh]])
        self._spool.numbers("word_number", distinct[fresh])
        self._spool.numbers("word_first", letters[(np.cumsum(lengths) - lengths)[first[fresh]]])
        self._spool.numbers("word_length", np.minimum(lengths[first[fresh]], 255).astype(np.uint8))
        self._spool.numbers("token", numbers)
        self._spool.numbers("token_count", np.minimum(counts, 65535).astype(np.uint16))
        self._spool.numbers("name_number", name_numbers(numbers, np.cumsum(counts) - counts, counts))

    def _save(self, name: str, values: npt.NDArray[Any]) -> None:
        np.save(self._new / f"{name}.npy", values)

    def _save_texts(self, name: str, order: npt.NDArray[Any]) -> None:
        """Write a column of texts from the spool in the given order: the bytes, and the offset of each text."""
        lengths = self._spool.read(f"{name}.lengths", np.uint32)
        pieces = self._spool.mapped(f"{name}.bytes", np.uint8)
        starts = offsets(lengths[order])
        into = np.lib.format.open_memmap(
            self._new / f"{name}_bytes.npy", mode="w+", dtype=np.uint8, shape=(max(int(starts[-1]), 1),)
        )
        gather(pieces, offsets(lengths), lengths, order, into)
        into.flush()
        self._save(f"{name}_starts", starts)

    def _write_rows(self) -> tuple[npt.NDArray[Any], list[list[Any]]]:
        """Write the entity of each row; return the position of each row in the spool, and the partitions.

        A partition consists of the rows of one label, property and kind, ordered by their entities.
        """
        self._progress("sorting names", 0, self._rows)
        labels = list(self._labels)
        by_name = sorted(self._partitions, key=lambda entry: (labels.index(entry[0]), entry[2], entry[1]))
        rank = np.zeros(max(len(by_name), 1), dtype=np.int64)
        for position, partition in enumerate(by_name):
            rank[self._partitions[partition]] = position
        owner = self._spool.read("entity", np.uint32).astype(np.int64)
        ranked = rank[self._spool.read("partition", np.uint16)] << 32 | owner
        order = np.argsort(ranked, kind="stable").astype(np.uint32)
        bounds = np.searchsorted(ranked[order] >> 32, np.arange(len(by_name) + 1)).tolist()
        partitions = [
            [*partition, low, high] for partition, low, high in zip(by_name, bounds, bounds[1:], strict=False)
        ]
        entity = owner[order].astype(np.uint32)
        self._save("row_entity", entity)
        named = np.full(self._nodes, 0xFFFFFFFF, dtype=np.uint32)
        for _, _, kind, low, high in reversed(partitions):
            if kind == NAME:
                named[entity[low:high]] = np.arange(low, high, dtype=np.uint32)
        self._save("entity_row", named)
        place_of = np.zeros(self._rows, dtype=np.uint32)
        place_of[order] = np.arange(len(order), dtype=np.uint32)
        counted = np.array(
            [(place_of[row], count) for row, count in self._value_counts.items()], dtype=np.uint32
        ).reshape(-1, 2)
        self._save("value_counts", counted[np.argsort(counted[:, 0])])
        self._save_texts("text", order)
        return order, partitions

    def _write_names(self, order: npt.NDArray[Any]) -> tuple[int, npt.NDArray[Any]]:
        """Write the words of each row, the rows of each word, and the rows sorted by the hashes of their names.

        `order` holds the position of each row in the spool. Returns the number of distinct words, and the position of
        each word in the spool.
        """
        counts = self._spool.read("token_count", np.uint16)
        numbers = self._spool.read("word_number", np.uint64)
        by_number = np.argsort(numbers)
        self._progress("sorting words", 0, int(counts.sum(dtype=np.int64)))
        tokens = np.zeros(int(counts[order].sum(dtype=np.int64)), dtype=np.uint32)
        ranks = np.searchsorted(numbers[by_number], self._spool.read("token", np.uint64)).astype(np.uint32)
        gather(ranks, offsets(counts), counts, order, tokens)
        words = len(numbers)
        counts = counts[order]
        self._save("token", tokens)
        self._save("token_starts", offsets(counts))
        self._progress("sorting words", len(tokens), len(tokens))
        rows = np.repeat(np.arange(len(counts), dtype=np.uint64), counts)
        pairs = distinct((tokens.astype(np.uint64) << np.uint64(32)) | rows)
        del rows
        frequency = np.bincount((pairs >> np.uint64(32)).astype(np.int64), minlength=words)
        self._save("posting", pairs.astype(np.uint32))
        del pairs
        self._save("posting_starts", offsets(frequency))
        weight = word_weights(frequency, len(order))
        starts = offsets(counts)[:-1].astype(np.int64)
        weights = np.add.reduceat(weight[tokens], starts) if len(starts) else np.zeros(0, dtype=np.float32)
        self._save("row_weight", weights.astype(np.float16))
        names = self._spool.read("name_number", np.uint64)[order]
        by_name = np.argsort(names, kind="stable").astype(np.uint32)
        self._save("name_number", names[by_name])
        self._save("name_row", by_name)
        return words, by_number
