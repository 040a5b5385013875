"""The catalog of loaded graphs: a small file that is replaced atomically, so that readers never see a partial list."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import orjson
from filelock import FileLock, Timeout

from graphground.cypher.schema import PropertyGraphSchema
from graphground.cypher.text_values import texts_of
from graphground.graphs.storage.home import Home, replacing

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


def write_text_formats(folder: Path, schema: PropertyGraphSchema) -> None:
    """Write the formats of a schema's text properties to the folder of a graph, if there are any."""
    labels = {label.name: dict(label.texts) for label in schema.labels.values() if label.texts}
    types = {pattern.type: dict(pattern.texts) for pattern in schema.patterns if pattern.texts}
    if labels or types:
        (folder / TEXT_FORMATS).write_bytes(orjson.dumps([labels, types]))


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
    """Return the small files whose digests are compared, by their names in the manifest."""
    return {"schema.json": database / "schema.json", "graph/schema.json": graph / "schema.json"}


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
