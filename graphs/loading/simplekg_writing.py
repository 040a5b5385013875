"""Writes a graph as SimpleKG, a stream of records; the form is described in `simplekg`, which reads it.

write_simplekg(Path("movie.json.gz"), schema, entities, relations)  →  (7, 12)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any, cast

import orjson

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.storage.atomic import replacing


def write_simplekg(
    path: Path,
    schema: PropertyGraphSchema,
    entities: Iterable[Mapping[str, Any]],
    relations: Iterable[Mapping[str, Any]],
) -> tuple[int, int]:
    """Write a file as a stream, gzipped if its name ends in .gz; return the numbers of entities and relations.

    The file is renamed to `path` when it is complete.
    """
    counts = [0, 0]
    with replacing(Path(path)) as raw, _zipped(raw) if path.suffix == ".gz" else nullcontext(raw) as file:
        file.write(b'{"schema": ' + orjson.dumps(schema.to_cypherbench()))
        for place, (name, records) in enumerate((("entities", entities), ("relations", relations))):
            file.write(f',\n"{name}": ['.encode())
            for record in records:
                file.write((b",\n" if counts[place] else b"\n") + orjson.dumps(record))
                counts[place] += 1
            file.write(b"\n]")
        file.write(b"}\n")
    return counts[0], counts[1]


def _zipped(file: IO[bytes]) -> AbstractContextManager[IO[bytes]]:
    import gzip  # needed for zipped files alone

    return cast("AbstractContextManager[IO[bytes]]", gzip.open(file, "wb", compresslevel=6))
