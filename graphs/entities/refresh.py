"""Builds the index of a database from pages of its nodes, and copies the rows of unchanged nodes from the older index.

All nodes are read, because a database reports that it has changed, but not which nodes; reading takes little of the
time. Each node has a fingerprint of its key, its label and its texts. If the older index contains the same fingerprint,
the node's rows are copied, and its texts are not folded and split into words again. Apart from times, the result is
byte for byte the same as an index that is built from the start. An unfinished refresh leaves the older index unchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphground.graphs.entities.build import (
    DISTINCT_VALUES,
    LONGEST_VALUE,
    VALUE,
    IndexBuilder,
    Partition,
    build_index,
)
from graphground.graphs.entities.deletions import KnownDeletions
from graphground.graphs.entities.files import Files
from graphground.graphs.entities.fingerprints import fingerprints
from graphground.graphs.entities.paging import Page, is_text
from graphground.graphs.entities.record import IndexInfo, IndexMissing, Progress

FINGERPRINTS = "fingerprint"


class TooManyValues(Exception):
    """The database has more than `DISTINCT_VALUES` distinct values, so a refresh cannot count them."""


def refresh_index(
    folder: Path,
    pages: Callable[[], Iterable[Page]],
    *,
    source: str | Callable[[], str] = "",
    total: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> IndexInfo:
    """Index the nodes of `pages` in `folder`, reusing an older index there; return a description of the new index.

        refresh_index(Path("films.entities"), lambda: database_pages(engine, schema))

    The older index is replaced when the new one is complete. `source` is the origin of the nodes, or a function that
    returns it when all nodes have been read. `total` is the number of nodes, if known; it is used only for `progress`.
    """
    try:
        with IndexRefresher(folder, source=source, progress=progress, total=total) as refresher:
            for page in pages():
                refresher.add_page(page)
            return refresher.finish()
    except TooManyValues:
        records = (record for page in pages() for record in page.records())
        return build_index(folder, records, source=source, total=total, progress=progress)


class IndexRefresher(IndexBuilder):
    """An `IndexBuilder` that adds pages; its spool begins with the older index and continues with changed nodes.

    An entity's number is its position among the nodes that are read. Rows of removed nodes stay in the spool, and are
    left out when the files are written.
    """

    def __init__(self, folder: Path, **options: Any) -> None:
        super().__init__(folder, **options)
        self._old = refreshable(folder)
        self._old_nodes = self._old_rows = 0
        self._sorted = np.zeros(0, dtype=np.uint64)
        if self._old is not None:
            self._take_over(self._old)
        self._added = 0
        self._fingerprints: list[npt.NDArray[np.uint64]] = []
        self._spooled: list[npt.NDArray[np.int64]] = []
        self._label_numbers: list[npt.NDArray[np.uint16]] = []
        self._found: dict[Partition, dict[str, tuple[int, int]]] = {}
        self._distinct_values = 0

    def add_page(self, page: Page) -> None:
        """Add the nodes of a page.

        Raises:
            TooManyValues: there are more than `DISTINCT_VALUES` distinct values.
        """
        first, count = self._nodes, len(page.keys)
        if not count:
            return
        self._nodes += count
        self._key_hash.extend(map(hash, page.keys))
        number = self._labels.setdefault(page.label, len(self._labels))
        self._label_nodes[page.label] = self._label_nodes.get(page.label, 0) + count
        self._label_numbers.append(np.full(count, number, dtype=np.uint16))
        prints = fingerprints(page)
        self._fingerprints.append(prints)
        spooled = np.full(count, -1, dtype=np.int64)
        if len(self._sorted):
            ascending = np.argsort(prints)  # a search in ascending order is several times as fast
            in_order = prints[ascending]
            places = np.minimum(np.searchsorted(self._sorted, in_order), len(self._sorted) - 1)
            known = self._sorted[places] == in_order
            spooled[ascending[known]] = self._order[places[known]]
        fresh = np.flatnonzero(spooled < 0)
        spooled[fresh] = np.arange(len(fresh)) + self._old_nodes + self._added
        self._added += len(fresh)
        self._spooled.append(spooled)
        for place, record in zip(fresh.tolist(), page.records(fresh.tolist()), strict=True):
            self._node(record, first + place)
        for property, column in page.values.items():
            self._count(page.label, property, column, first)
        self._flush_if_full()

    def finish(self) -> IndexInfo:
        """Write the files and replace the older index; return a description of the new index."""
        rows_of_values = self._choose_values()
        self._flush()
        empty = np.zeros(0, dtype=np.int64)
        spooled = np.concatenate([empty, *self._spooled])
        np.save(self._new / f"{FINGERPRINTS}.npy", np.concatenate([self._sorted[:0], *self._fingerprints]))
        self._write_entities(spooled, np.concatenate([empty.astype(np.uint16), *self._label_numbers]))
        owner = self._spool.read("entity", np.uint32).astype(np.int64)
        if self._old is not None:
            reused = np.flatnonzero(spooled < self._old_nodes)
            now = np.full(self._old_nodes, -1, dtype=np.int64)
            now[spooled[reused]] = reused
            owner[: self._old_rows] = now[self._old.row_entity]
            for *_, kind, low, high in self._old.partitions:
                if kind == VALUE:
                    owner[low:high] = -1
        place = owner.copy()
        for row, entity, ordinal in rows_of_values:
            owner[row], place[row] = entity, ordinal
        names = np.flatnonzero(np.bincount(self._spool.read("partition", np.uint16)[owner >= 0])).tolist()
        numbers = {number: partition for partition, number in self._partitions.items()}
        used = {numbers[number] for number in names} | self._found.keys()
        return self._finish(owner, place, [partition for partition in self._partitions if partition in used])

    def _take_over(self, old: Files) -> None:
        """Begin the spool with the columns of the older index."""
        spool = self._spool
        self._old_nodes, self._old_rows, self._rows = len(old.entity_label), old.rows, old.rows
        prints = np.load(old.folder / f"{FINGERPRINTS}.npy")
        self._order = np.argsort(prints)
        self._sorted = prints[self._order]
        for name, texts in (("key", old.key), ("description", old.description), ("text", old.text), ("word", old.word)):
            spool.packed(name, np.load(old.folder / f"{name}_bytes.npy", mmap_mode="r"), texts.starts)
        spool.numbers("entity", old.row_entity)
        partition = np.zeros(old.rows, dtype=np.uint16)
        for label, property, kind, low, high in old.partitions:
            partition[low:high] = self._partition(label, property, kind)
        spool.numbers("partition", partition)
        spool.numbers("word_number", old.word_number)
        spool.numbers("word_length", old.word_length)
        spool.numbers("word_first", old.word_first)
        spool.numbers("token", old.word_number[old.token])
        spool.numbers("token_count", np.diff(old.token_starts).astype(np.uint16))
        names = np.zeros(old.rows, dtype=np.uint64)
        names[old.name_row] = old.name_number
        spool.numbers("name_number", names)
        self._known = np.asarray(old.word_number)
        counts = np.load(old.folder / "word_deletions.npy")
        self._known_deletions = KnownDeletions(counts, old.bits, old.deletion_word, old.deletion_starts)

    def _ranks(self, words: npt.NDArray[np.uint64], order: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return for each token (an occurrence of a word) the rank of its word; only new tokens need a search."""
        if self._old is None:
            return super()._ranks(words, order)
        rank = np.empty(len(words), dtype=np.uint32)
        rank[order] = np.arange(len(words), dtype=np.uint32)
        fresh = self._spool.read("token", np.uint64)[len(self._old.token) :]
        return np.concatenate([rank[self._old.token], np.searchsorted(words[order], fresh).astype(np.uint32)])

    def _count(self, label: str, property: str, column: Sequence[Any], first: int) -> None:
        """Count the values of a page's column, and store for each value the first entity that has it."""
        texts: Sequence[str] = column
        places: Sequence[int] = range(first, first + len(column))
        if set(map(type, column)) != {str}:
            pairs = [
                (text, first + place)
                for place, value in enumerate(column)
                for text in (value if isinstance(value, list) else [value])
                if isinstance(text, str)
            ]
            texts, places = [text for text, _ in pairs], [place for _, place in pairs]
        if not any(map(is_text, column)):
            return
        self._partition(label, property, VALUE)
        found = self._found.setdefault((label, property, VALUE), {})
        before = len(found)
        earliest = dict(zip(reversed(texts), reversed(places), strict=True))
        for text, count in Counter(texts).items():
            if text and len(text) <= LONGEST_VALUE:
                entity, earlier = found.get(text, (earliest[text], 0))
                found[text] = entity, earlier + count
        self._distinct_values += len(found) - before
        if self._distinct_values > DISTINCT_VALUES:
            raise TooManyValues

    def _choose_values(self) -> list[tuple[int, int, int]]:
        """Add new values to the spool; return for each value its row, first entity and position in its partition."""
        chosen: list[tuple[int, int, int]] = []
        for partition, found in self._found.items():
            rows = self._old_values(partition)
            for ordinal, (text, (entity, count)) in enumerate(found.items()):
                row = rows.get(text)
                if row is None:
                    row = self._rows
                    self._text(text, self._partitions[partition], entity)
                    self._flush_if_full()
                chosen.append((row, entity, ordinal))
                if count > 1:
                    self._value_counts[row] = count
        return chosen

    def _old_values(self, partition: Partition) -> dict[str, int]:
        for *known, low, high in self._old.partitions if self._old is not None else ():
            if tuple(known) == partition and self._old is not None:
                return dict(zip(self._old.text.many(np.arange(low, high)), range(low, high), strict=True))
        return {}


def refreshable(folder: Path) -> Files | None:
    """Return the index in a folder; None if there is no index, or if it was stored without the data for a refresh."""
    try:
        old = Files(folder)
    except IndexMissing:
        return None
    needed = (old.folder / f"{name}.npy" for name in (FINGERPRINTS, "word_deletions"))
    return old if all(file.exists() for file in needed) else None
