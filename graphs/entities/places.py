"""The folder of a graph's entity index in the data folder."""

from __future__ import annotations

import re
from pathlib import Path

from graphground.graphs.entities.index import EntityIndex, open_index
from graphground.graphs.entities.record import IndexMissing
from graphground.graphs.entities.vectors.in_database import DatabaseVectors
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home

FROM_DATABASE = "database"
"""The prefix of an index's `source` if the index was read from a database, which may have changed since."""


def index_folder(home: Home, name: str) -> Path:
    """Return the folder of a graph's index: inside a loaded graph's folder, or named after your own database."""
    catalog = Catalog(home)
    entry = catalog.find(name)
    if entry is not None:
        return catalog.folder(entry) / "entities"
    return home.folder / "entities" / re.sub(r"[^\w.-]", "_", name)


def index_of(home: Home, name: str, vectors: DatabaseVectors | None = None) -> EntityIndex | None:
    """Open the index of a graph; None if there is no index, or only one of another version."""
    try:
        return open_index(index_folder(home, name), vectors)
    except IndexMissing:
        return None
