"""SimpleKG files that were written by the code under test."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphground.graphs.loading.importing.property_graph import file_source, import_records
from graphground.graphs.loading.into_database import checked_labels
from graphground.graphs.loading.simplekg import SimpleKGFile


def checked(path: Path) -> dict[str, Any]:
    """Return the graph in a file, every record of which has passed the checks of loading."""
    checked_labels(SimpleKGFile(path))
    content = path.read_bytes()
    return dict(json.loads(gzip.decompress(content) if path.suffix == ".gz" else content))


def node(key: str, labels: str, **properties: Any) -> dict[str, Any]:
    """Return a node of a JSON Lines export: `node("p1", "Person Director", name="Michael Mann")`."""
    return {"type": "node", "id": key, "labels": labels.split(), "properties": properties}


def link(type_: str, start: str, end: str, **properties: Any) -> dict[str, Any]:
    """Return a relationship of a JSON Lines export."""
    return {"type": "relationship", "label": type_, "start": start, "end": end, "properties": properties}


def imported(folder: Path, lines: Iterable[dict[str, Any]], name: str = "films") -> Path:
    """Import the lines of a JSON Lines export."""
    source, output = folder / f"{name}.jsonl", folder / f"{name}.json"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    import_records(file_source(source), name, output)
    return output
