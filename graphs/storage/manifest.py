"""Sizes and digests of a graph's files, recorded when it is loaded, so that damage is noticed when it is opened.

    graphs/ID/manifest.json   {"files": {"Film_0.1.65536.v0.bucket": 65536, …}, "digests": {"schema.json": "9f…"}}

The files listed never change after loading: the engine opens a graph's database read-only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from graphground.graphs.storage.atomic import replacing

NAME = "manifest.json"
KEPT = (".bucket", ".dict", "idx")
"""The endings of the names of the engine's files that contain the graph; only the sizes of these files are compared."""
DIGESTED = ("schema.json",)


def write_manifest(database: Path, graph: Path) -> None:
    """Write the sizes of a database's files, and the digests of small files, to the manifest of the graph."""
    manifest = {
        "files": {file.name: file.stat().st_size for file in sorted(database.iterdir()) if file.name.endswith(KEPT)},
        "digests": {name: _digest(database / name) for name in DIGESTED if (database / name).exists()}
        | {f"graph/{name}": _digest(graph / name) for name in DIGESTED if (graph / name).exists()},
    }
    with replacing(graph / NAME) as file:
        file.write(json.dumps(manifest, indent=1).encode())


def damage(database: Path, graph: Path) -> str | None:
    """Describe the first difference between a graph's files and its manifest.

    Return None if there is no difference, or no manifest.

    >>> damage(home.databases / entry.id, home.graphs / entry.id)
    'Film_0.1.65536.v0.bucket has 1,000 bytes, not 65,536'
    """
    try:
        manifest = json.loads((graph / NAME).read_bytes())
        files, digests = dict(manifest["files"]), dict(manifest["digests"])
    except FileNotFoundError:
        return None  # loaded by a version that wrote no manifest
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"{graph / NAME} cannot be read ({error})"
    return next(_differences(database, graph, files, digests), None)


def _differences(database: Path, graph: Path, files: dict[str, int], digests: dict[str, str]) -> Iterator[str]:
    for name, size in files.items():
        try:
            actual_size = (database / name).stat().st_size
        except OSError:
            yield f"{name} is missing"
            continue
        if actual_size != size:
            yield f"{name} has {actual_size:,} bytes, not {size:,}"
    for name, digest in digests.items():
        file = graph / name.removeprefix("graph/") if name.startswith("graph/") else database / name
        try:
            if _digest(file) != digest:
                yield f"{file.name} has been changed"
        except OSError:
            yield f"{file.name} is missing"


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
