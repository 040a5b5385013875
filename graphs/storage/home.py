"""The data folder: loaded graphs, their indexes and the engine's own files.

$GRAPHGROUND_HOME, else the user's data folder of this machine
├── catalog.json      the list of loaded graphs
├── databases/ID/     the engine's files of one graph
├── graphs/ID/        its schema, statistics, entity index and fingerprints
├── loading/          graphs that are being loaded
├── downloads/        downloaded graph files, kept for reuse
├── engine/           the state, log and locks of the engine process
└── apart/            a second engine process, for queries that the first may not be able to terminate
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs

APART = "apart"


@dataclass(frozen=True, slots=True)
class Home:
    """The paths of a data folder: `Home.default().databases` is the folder of the engine's files."""

    folder: Path
    engine_folder: str = "engine"

    @classmethod
    def default(cls) -> Home:
        """Return the folder that `GRAPHGROUND_HOME` names, else the user's data folder."""
        named = os.environ.get("GRAPHGROUND_HOME")
        return cls(Path(named).expanduser().absolute() if named else platformdirs.user_data_path("graphground"))

    @property
    def catalog(self) -> Path:
        return self.folder / "catalog.json"

    @property
    def databases(self) -> Path:
        return self.folder / "databases"

    @property
    def schemas(self) -> Path:
        """The folder of schemas read from your own databases."""
        return self.folder / "schemas"

    @property
    def graphs(self) -> Path:
        return self.folder / "graphs"

    @property
    def loading(self) -> Path:
        return self.folder / "loading"

    @property
    def downloads(self) -> Path:
        """The folder of downloaded files."""
        return self.folder / "downloads"

    @property
    def engine(self) -> Path:
        return self.folder / self.engine_folder

    def apart(self) -> Home:
        """Return the same data folder with the second engine process, for queries that may not be terminable."""
        return replace(self, engine_folder=APART)

    def make(self) -> Home:
        """Create the missing folders, readable only by their owner, and return this data folder."""
        for path in (self.folder, self.databases, self.graphs, self.loading, self.engine):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self
