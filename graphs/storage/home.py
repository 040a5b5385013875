"""The data folder: loaded graphs, their indexes and the engine's own files.

$GRAPHGROUND_HOME, or the user's data folder if it is not set
├── catalog.json      the list of loaded graphs
├── databases/ID/     the engine's files of one graph
├── graphs/ID/        the schema, statistics, entity index, fingerprints and manifest of the graph
├── loading/          graphs that are being loaded
├── schemas/          schemas and statistics of your own databases
├── entities/         entity indexes of your own databases
├── downloads/        downloaded files, kept for reuse
├── engine/           the state, log and locks of the engine process
└── apart/            the same for a second engine process, for queries that the first might not be able to terminate
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
        """Return the folder that the environment variable `GRAPHGROUND_HOME` names, or the user's data folder."""
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
        """The folder of the schemas and statistics of your own databases."""
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
        """Return the same data folder, with the folder of the second engine process as its `engine`.

        The second process runs queries that the first process might not be able to terminate.
        """
        return replace(self, engine_folder=APART)

    def make(self) -> Home:
        """Create the folders of loaded graphs and of the engine if they are missing, and return this data folder.

        Only their owner can read the folders.
        """
        for path in (self.folder, self.databases, self.graphs, self.loading, self.engine):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self
