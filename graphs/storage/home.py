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

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import orjson
from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from graphground.cypher.schema import PropertyGraphSchema


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
        if named := os.environ.get("GRAPHGROUND_HOME"):
            return cls(Path(named).expanduser().absolute())
        import platformdirs

        return cls(platformdirs.user_data_path("graphground"))

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


SCRATCH = "scratch-"
"""The prefix of the names of databases that engine processes create for their own use; they contain no graph."""
TEXT_FORMATS = "text_formats.json"
"""The name of the file, in a graph's folder, with the formats of text properties that hold numbers or dates."""
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One loaded graph: `Entry("nba", "nba-5f0c21aa", "Players, teams, …", 4327, 18991, "2026-11-21T09:00:00Z", …)`.

    `id` is the name of the graph's folders; each load creates a new one. `loaded` is the time of the load. `source` is
    the name of the loaded file. `digest` is the SHA-256 of the file, or the `content_hash` of a bundled graph; it may
    be empty.
    """

    name: str
    id: str
    description: str
    nodes: int
    relationships: int
    loaded: str
    source: str
    digest: str = ""


class CatalogError(ValueError):
    """A catalog that cannot be read, a graph that is not in the catalog, or an invalid name."""


class Catalog:
    """The list of a data folder's graphs; its file is reread at each use, because other processes may change it."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def entries(self) -> list[Entry]:
        """Return all graphs, in the order in which they were first loaded."""
        try:
            text = self.home.catalog.read_bytes()
            return [Entry(**entry) for entry in json.loads(text)["graphs"]]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise CatalogError(
                f"{self.home.catalog} cannot be read ({reason}). Repair it, or move it away and load the graphs again."
            ) from None

    def find(self, name: str) -> Entry | None:
        """Return the entry of the graph called `name`; None if no loaded graph has that name."""
        return next((entry for entry in self.entries() if entry.name == name), None)

    def get(self, name: str) -> Entry:
        """Return the entry of the graph called `name`.

        Raises:
            CatalogError: no loaded graph has that name; the message lists the existing names.
        """
        entry = self.find(name)
        if entry is None:
            names = ", ".join(other.name for other in self.entries())
            known = f"there are: {names}" if names else "none is loaded"
            raise CatalogError(f"there is no loaded graph {name!r} ({known})")
        return entry

    def put(self, entry: Entry) -> None:
        """Add a graph, or replace the graph of the same name; call it inside `changing`."""
        by_name = {listed.name: listed for listed in self.entries()} | {entry.name: entry}
        self._write(list(by_name.values()))

    def remove(self, name: str) -> Entry:
        """Remove a graph from the catalog, and return its entry; `sweep` deletes the files of the graph.

        Raises:
            CatalogError: no loaded graph has that name.
        """
        with self.changing():
            entry = self.get(name)
            self._write([other for other in self.entries() if other.name != name])
        return entry

    def schema(self, entry: Entry) -> PropertyGraphSchema:
        """Read the schema of a loaded graph, with the formats of its text properties."""
        from graphground.cypher.schema import PropertyGraphSchema  # imported here: the engine's start does without
        from graphground.cypher.text_values import texts_of

        schema = PropertyGraphSchema.from_cypherbench((self.folder(entry) / "schema.json").read_bytes())
        formats = self.folder(entry) / TEXT_FORMATS
        if not formats.exists():  # the graph was loaded by a version that did not write the file
            return schema
        labels, types = orjson.loads(formats.read_bytes())
        return replace(
            schema,
            labels={
                name: replace(label, texts=texts_of(labels[name])) if name in labels else label
                for name, label in schema.labels.items()
            },
            patterns=tuple(
                replace(pattern, texts=texts_of(types[pattern.type])) if pattern.type in types else pattern
                for pattern in schema.patterns
            ),
        )

    def folder(self, entry: Entry) -> Path:
        """Return the folder that holds a graph's schema and entity index."""
        return self.home.graphs / entry.id

    def stamp(self) -> tuple[int, int] | None:
        """Return a value that changes whenever the catalog changes; None without a catalog. Costs one `stat` call."""
        try:
            status = self.home.catalog.stat()
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_ino

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Lock the catalog: inside the block no other process can change it, move a graph into place or run `sweep`."""
        self.home.make()
        with FileLock(self.home.folder / "catalog.lock", timeout=30):
            yield

    def sweep(self, in_use: Collection[str] = ()) -> None:
        """Delete the files of failed loads and of removed graphs; call it inside `changing`.

        The files of graphs whose ids are `in_use` are kept. While an engine process is running, only that process may
        call this, after it has closed the databases of the removed graphs. Otherwise any process may call it.
        """
        kept_ids = {entry.id for entry in self.entries()} | set(in_use)
        for parent in (self.home.databases, self.home.graphs):
            for folder in parent.iterdir():
                if folder.name not in kept_ids and not folder.name.startswith(SCRATCH):
                    shutil.rmtree(folder, ignore_errors=True)
        for folder in self.home.loading.iterdir():
            if folder.is_dir() and _abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)

    def _write(self, entries: list[Entry]) -> None:
        self.home.make()
        document = {"version": 1, "graphs": [asdict(entry) for entry in entries]}
        with replacing(self.home.catalog, private=True, durable=True) as file:
            file.write(json.dumps(document, indent=1).encode())


def check_name(name: str) -> str:
    """Return `name` if a graph can have it, else raise a `CatalogError` that describes valid names."""
    if not NAME.fullmatch(name):
        raise CatalogError(invalid_name(name))
    return name


def invalid_name(name: str) -> str:
    """Return the message for a name that a graph cannot have, with a description of valid names."""
    return (
        f"{name!r} cannot be a graph's name: a name begins with a letter, continues with letters, digits, '_', '-' or "
        "'.', and has at most 64 characters"
    )


def new_id(name: str) -> str:
    """Return a new, unused name for a graph's folders: `nba-5f0c21aa`."""
    return f"{re.sub(r'[^A-Za-z0-9]', '_', name)}-{secrets.token_hex(4)}"


def loading_lock(folder: Path) -> FileLock:
    """Return the lock that a loader holds on its folder `loading/ID` while it runs."""
    return FileLock(folder / ".lock", timeout=0)


def _abandoned(folder: Path) -> bool:
    try:
        with loading_lock(folder):
            return True
    except Timeout:
        return False


# Sizes and digests of a graph's files, recorded when it is loaded, so that damage is noticed when it is opened.
#
#     graphs/ID/manifest.json   {"files": {"Film_0.1.65536.v0.bucket": 65536, …}, "digests": {"schema.json": "9f…"}}
#
# The files listed never change after loading: the engine opens a graph's database read-only.


MANIFEST = "manifest.json"
KEPT = (".bucket", ".dict", "idx")
"""The endings of the names of the engine's files that contain the graph; only the sizes of these files are compared."""


def write_manifest(database: Path, graph: Path) -> None:
    """Write the sizes of a database's files, and the digests of small files, to the manifest of the graph."""
    manifest = {
        "files": {file.name: file.stat().st_size for file in sorted(database.iterdir()) if file.name.endswith(KEPT)},
        "digests": {name: _digest(file) for name, file in _digested(database, graph).items() if file.exists()},
    }
    with replacing(graph / MANIFEST) as file:
        file.write(json.dumps(manifest, indent=1).encode())


def damage(database: Path, graph: Path) -> str | None:
    """Describe the first difference between a graph's files and its manifest.

    Return None if there is no difference, or no manifest.

    >>> damage(home.databases / entry.id, home.graphs / entry.id)
    'Film_0.1.65536.v0.bucket has 1,000 bytes, not 65,536'
    """
    try:
        manifest = json.loads((graph / MANIFEST).read_bytes())
        files, digests = dict(manifest["files"]), dict(manifest["digests"])
    except FileNotFoundError:
        return None  # loaded by a version that wrote no manifest
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"{graph / MANIFEST} cannot be read ({error})"
    name = ""
    try:
        for name, size in files.items():
            if (actual_size := (database / name).stat().st_size) != size:
                return f"{name} has {actual_size:,} bytes, not {size:,}"
        for name, file in _digested(database, graph).items():
            if name in digests and _digest(file) != digests[name]:
                return f"{file.name} has been changed"
    except OSError:
        return f"{Path(name).name} is missing"
    return None


def _digested(database: Path, graph: Path) -> dict[str, Path]:
    return {"schema.json": database / "schema.json", "graph/schema.json": graph / "schema.json"}


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
