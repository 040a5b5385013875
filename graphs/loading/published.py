"""The graphs and questions of CypherBench, as its authors published them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from graphground.graphs.definitions.read import DOMAINS, read_definition
from graphground.graphs.loading.download import DownloadError, Progress, fetch
from graphground.graphs.storage.home import Home

PUBLISHED = "https://huggingface.co/datasets/megagonlabs/cypherbench/resolve/main"
MIRRORS = "GRAPHGROUND_MIRROR"
TASKS = ("train.json", "test.json")


def mirrors(given: Sequence[str] = ()) -> list[str]:
    """Return the servers to download from: `given`, else those in GRAPHGROUND_MIRROR, else the authors' server."""
    named = list(given) or os.environ.get(MIRRORS, "").split()
    return [address.rstrip("/") for address in named] or [PUBLISHED]


def pull_graph(
    name: str, home: Home, given: Sequence[str] = (), progress: Progress | None = None, *, offline: bool = False
) -> tuple[Path, str]:
    """Return the path and the SHA-256 of a domain's SimpleKG file, downloaded if it is missing.

    Raises:
        DownloadError: CypherBench has no domain `name`, or the download failed; the message gives the reason.
    """
    if name not in DOMAINS:
        from rapidfuzz import process

        nearest = process.extractOne(name, DOMAINS, score_cutoff=60)
        raise DownloadError(
            f"CypherBench has no graph {name!r}."
            + (f" Did you mean {nearest[0]!r}?" if nearest else "")
            + f" It has {', '.join(DOMAINS)}."
        )
    path = home.downloads / f"{name}_simplekg.json"
    addresses = [f"{mirror}/graphs/simplekg/{path.name}" for mirror in mirrors(given)]
    return path, fetch(addresses, path, progress, offline=offline)


def pull_tasks(
    home: Home, given: Sequence[str] = (), progress: Progress | None = None, *, offline: bool = False
) -> list[Path]:
    """Return the paths of the files with CypherBench's questions and gold Cypher, downloaded if missing."""
    paths = [home.downloads / name for name in TASKS]
    for path in paths:
        fetch([f"{mirror}/{path.name}" for mirror in mirrors(given)], path, progress, offline=offline)
    return paths


def description_of(name: str) -> str:
    """Return the one-line description of a domain."""
    return read_definition(name).description
