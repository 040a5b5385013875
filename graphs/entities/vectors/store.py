"""The vectors of an index: a mention is compared with names and descriptions, and the better match counts."""

from __future__ import annotations

from graphground.graphs.entities.files import Files
from graphground.graphs.entities.vectors.building import DESCRIPTIONS, FOLDER, NAMES, Column, read_meta
from graphground.graphs.entities.vectors.encoders import Vectors

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
