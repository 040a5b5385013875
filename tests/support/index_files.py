"""Entity indexes of a few records, and their files as comparable values."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import EntityIndex, open_index


def indexed(folder: Path, records: Iterable[Record]) -> EntityIndex:
    """Build an index of records in a folder, and open it."""
    build_index(folder, records)
    return open_index(folder)


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
