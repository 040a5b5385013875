"""The files of an entity index as comparable values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np


def contents(folder: Path) -> dict[str, Any]:
    """Return the content of an index by file, without its build time, size and source."""
    meta = json.loads((folder / "meta.json").read_text("utf-8"))
    for name in ("built_at", "seconds", "bytes", "source"):
        del meta["info"][name]
    arrays = {file.name: np.load(file).tolist() for file in folder.glob("*.npy")}
    return {"meta": meta, **arrays}


def assert_same_index(folder: Path, expected: Path) -> None:
    """Assert that `contents` returns the same for two indexes."""
    actual, expected_files = contents(folder), contents(expected)
    assert actual.keys() == expected_files.keys()
    for name, values in expected_files.items():
        assert actual[name] == values, name
