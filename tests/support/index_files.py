"""The files of an entity index as comparable values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from graphground.graphs.entities.refresh import FINGERPRINTS


def contents(folder: Path) -> dict[str, Any]:
    """Return the files of an index, without its build time, size and source, and without the fingerprints of a refresh."""
    meta = json.loads((folder / "meta.json").read_text("utf-8"))
    for name in ("built_at", "seconds", "bytes", "source"):
        del meta["info"][name]
    arrays = {file.name: np.load(file).tolist() for file in folder.glob("*.npy") if file.stem != FINGERPRINTS}
    return {"meta": meta, **arrays}


def assert_same_index(folder: Path, expected: Path) -> None:
    """Assert that two indexes have the same contents in every file."""
    mine, others = contents(folder), contents(expected)
    assert mine.keys() == others.keys()
    for name, values in others.items():
        assert mine[name] == values, name
