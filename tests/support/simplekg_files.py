"""SimpleKG files that were written by the code under test."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from graphground.graphs.loading.into_database import checked_labels
from graphground.graphs.loading.simplekg import SimpleKGFile


def checked(path: Path) -> dict[str, Any]:
    """Return the graph in a file, every record of which has passed the checks of loading."""
    checked_labels(SimpleKGFile(path))
    content = path.read_bytes()
    return dict(json.loads(gzip.decompress(content) if path.suffix == ".gz" else content))
