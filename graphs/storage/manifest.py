"""Sizes and digests of a graph's files, recorded when it is loaded, so that damage is noticed when it is opened.

    graphs/ID/manifest.json   {"files": {"Film_0.1.65536.v0.bucket": 65536, …}, "digests": {"schema.json": "9f…"}}

The engine never writes to a graph's files: it opens them read-only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from graphground.graphs.storage.atomic import replacing

NAME = "manifest.json"
KEPT = (".bucket", ".dict", "idx")
"""Name endings of the engine files that hold the graph; the engine may rewrite its other files."""
DIGESTED = ("schema.json",)


def write_manifest(database: Path, graph: Path) -> None:
    """Write the sizes of a database's files, and the digests of small files, to the manifest of the graph."""
    found = {
        "files": {file.name: file.stat().st_size for file in sorted(database.iterdir()) if file.name.endswith(KEPT)},
        "digests": {name: _digest(database / name) for name in DIGESTED if (database / name).exists()}
        | {f"graph/{name}": _digest(graph / name) for name in DIGESTED if (graph / name).exists()},
    }
    with replacing(graph / NAME) as file:
        file.write(json.dumps(found, indent=1).encode())


def damage(database: Path, graph: Path) -> str | None:
    """Describe the first difference between a graph's files and its manifest; None if they agree or there is no
    manifest.

    >>> damage(home.databases / entry.id, home.graphs / entry.id)
    'Film_0.1.65536.v0.bucket has 1,000 bytes, not 65,536'
    """
    try:
        noted = json.loads((graph / NAME).read_bytes())
        files, digests = dict(noted["files"]), dict(noted["digests"])
    except FileNotFoundError:
        return None  # loaded by a version that wrote no manifest
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"{graph / NAME} cannot be read ({error})"
    return next(_differences(database, graph, files, digests), None)


def _differences(database: Path, graph: Path, files: dict[str, int], digests: dict[str, str]) -> Iterator[str]:
    for name, size in files.items():
        try:
            there = (database / name).stat().st_size
        except OSError:
            yield f"{name} is missing"
            continue
        if there != size:
            yield f"{name} has {there:,} bytes, not {size:,}"
    for name, digest in digests.items():
        file = graph / name.removeprefix("graph/") if name.startswith("graph/") else database / name
        try:
            if _digest(file) != digest:
                yield f"{file.name} has been changed"
        except OSError:
            yield f"{file.name} is missing"


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
