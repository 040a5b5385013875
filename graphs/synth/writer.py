"""Writes a made-up graph as a SimpleKG file, record by record."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Protocol

import orjson

from graphground.graphs.synth.graph import SyntheticGraph


def write_simplekg(graph: SyntheticGraph, path: Path) -> tuple[int, int]:
    """Write `graph` to `path` (gzip where it ends in `.gz`); answers how many nodes and relationships there are.

    The file looks as CypherBench's do: `{"schema": {…}, "entities": [{"eid": "Movie#0", …}], "relations": […]}`.
    """
    if path.suffix == ".gz":
        with gzip.open(path, "wb", compresslevel=3) as packed:
            return _write(graph, packed)
    with path.open("wb") as file:
        return _write(graph, file)


class _Writable(Protocol):
    def write(self, data: bytes, /) -> int: ...


def _write(graph: SyntheticGraph, file: _Writable) -> tuple[int, int]:
    counts = []
    file.write(b'{"schema": ' + orjson.dumps(graph.schema.to_cypherbench()))
    for key, records in ((b"entities", graph.entities()), (b"relations", graph.relations())):
        file.write(b',\n"' + key + b'": [')
        count, pending = 0, []
        for record in records:
            pending.append(orjson.dumps(record))
            count += 1
            if len(pending) == 1_000:
                file.write((b"\n" if count == 1_000 else b",\n") + b",\n".join(pending))
                pending = []
        if pending:
            file.write((b"\n" if count == len(pending) else b",\n") + b",\n".join(pending))
        file.write(b"]")
        counts.append(count)
    file.write(b"}\n")
    return counts[0], counts[1]
