"""The data folder: loaded graphs, their indexes and the engine's own files.

$GRAPHGROUND_HOME, or the user's data folder if it is not set
├── catalog.json      the list of loaded graphs
├── databases/ID/     the engine's files of one graph
├── graphs/ID/        the schema, statistics, entity index and manifest of the graph
├── loading/          graphs that are being loaded
├── schemas/          schemas and statistics of your own databases
├── entities/         entity indexes of your own databases
├── downloads/        downloaded files, kept for reuse
└── engine/           the state, log and locks of the engine process
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import platformdirs
from filelock import FileLock


class Home:
    """The paths of a data folder: `Home.default().databases` is the folder of the engine's files."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.catalog = folder, folder / "catalog.json"
        self.databases, self.graphs, self.loading = folder / "databases", folder / "graphs", folder / "loading"
        self.schemas = folder / "schemas"
        """The folder of the schemas and statistics of your own databases."""
        self.downloads = folder / "downloads"
        """The folder of downloaded files."""
        self.engine = folder / "engine"

    @classmethod
    def default(cls) -> Home:
        """Return the folder that the environment variable `GRAPHGROUND_HOME` names, or the user's data folder."""
        named = os.environ.get("GRAPHGROUND_HOME")
        return cls(Path(named).expanduser().absolute() if named else platformdirs.user_data_path("graphground"))

    def make(self) -> Home:
        """Create the folders of loaded graphs and of the engine if they are missing, and return this data folder.

        Only their owner can read the folders.
        """
        for path in (self.folder, self.databases, self.graphs, self.loading, self.engine):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock, the file `PATH.lock`, that lets only one process at a time make the file `path`.

    The operating system releases the lock if the process is killed.

    Raises:
        filelock.Timeout: another process holds the lock.
        OSError: the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(f"{path}.lock", timeout=0)
    with lock:
        try:
            yield
        finally:
            # Deleted while locked: later the file may be the lock of another process. A process that has opened the
            # file meanwhile notices that it was deleted, and opens another (filelock compares the number of links).
            with suppress(PermissionError):  # Windows cannot delete an open file
                Path(lock.lock_file).unlink(missing_ok=True)


# Writes a file atomically: a concurrent reader sees the old file or the new file, never a partial file.


@contextmanager
def replacing(path: Path, *, private: bool = False, durable: bool = False) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` when the block ends and is deleted if the block raises.

        with replacing(home.catalog, durable=True) as file:
            file.write(b"{}")

    `private=True` lets only the owner read the file; `durable=True` flushes it to disk before it replaces the old file.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    number = os.open(
        part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600 if private else 0o666
    )
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
