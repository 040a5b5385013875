"""The files of an entity index, memory-mapped: their content is read only where it is needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from graphground.graphs.entities.build import FORMAT, previous_folder
from graphground.graphs.entities.record import IndexInfo, IndexMissing

Array = npt.NDArray[Any]


class Texts:
    """A packed column of texts: `texts[3]` decodes the fourth text."""

    __slots__ = ("_bytes", "starts")

    def __init__(self, pieces: Array, starts: Array):
        self._bytes, self.starts = pieces.data, starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> str:
        return str(self._bytes[int(self.starts[number]) : int(self.starts[number + 1])], "utf-8")

    def many(self, numbers: Array) -> list[str]:
        """Decode several texts, in the given order."""
        pieces = self._bytes
        return [
            str(pieces[low:high], "utf-8")
            for low, high in zip(self.starts[numbers].tolist(), self.starts[numbers + 1].tolist(), strict=True)
        ]


class Files:
    """The memory-mapped arrays of an index, as `IndexBuilder` has written them.

    Raises:
        IndexMissing: there is no index in the folder, or one of another version.
    """

    def __init__(self, folder: Path):
        self.folder = Path(folder)
        if not self.folder.exists() and previous_folder(self.folder).exists():
            self.folder = previous_folder(self.folder)
        try:
            meta = json.loads((self.folder / "meta.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise IndexMissing(
                f"there is no entity index in {self.folder}; build it with `graphground entities build`"
            ) from None
        if meta.get("format") != FORMAT:
            raise IndexMissing(
                f"the entity index in {self.folder} has a different version; rebuild it with "
                "`graphground entities build`"
            )
        self.info = IndexInfo(**meta["info"])
        self.partitions = [tuple(partition) for partition in meta["partitions"]]
        """For each range of rows: the label, the property, the kind, the first row, and the row after the last."""
        self.bits: int = meta["bits"]
        self.text, self.word = self._texts("text"), self._texts("word")
        self.key, self.description = self._texts("key"), self._texts("description")
        self.row_entity, self.row_weight = self._array("row_entity"), self._array("row_weight")
        self.entity_row, self.entity_label = self._array("entity_row"), self._array("entity_label")
        self.value_counts = self._array("value_counts")
        self.word_number, self.word_length = self._array("word_number"), self._array("word_length")
        self.word_first = self._array("word_first")
        self.token, self.token_starts = self._array("token"), self._array("token_starts")
        self.posting, self.posting_starts = self._array("posting"), self._array("posting_starts")
        self.name_number, self.name_row = self._array("name_number"), self._array("name_row")
        self.deletion_word, self.deletion_starts = self._array("deletion_word"), self._array("deletion_starts")

    @property
    def rows(self) -> int:
        return len(self.row_entity)

    def _array(self, name: str) -> Array:
        mapped = np.load(self.folder / f"{name}.npy", mmap_mode="r")
        return np.asarray(mapped)

    def _texts(self, name: str) -> Texts:
        return Texts(self._array(f"{name}_bytes"), self._array(f"{name}_starts"))
