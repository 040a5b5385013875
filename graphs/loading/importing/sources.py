"""Chooses the reader for a file or an address."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.loading.importing import graphml, json_lines, rdf
from graphground.graphs.loading.importing.problems import ImportRefused
from graphground.graphs.loading.importing.records import RecordSource

READERS: Mapping[str, type[json_lines.JsonLines] | type[graphml.GraphML]] = {
    **dict.fromkeys(json_lines.SUFFIXES, json_lines.JsonLines),
    **dict.fromkeys(graphml.SUFFIXES, graphml.GraphML),
}


def file_source(path: Path) -> RecordSource:
    """Return the reader for a file, chosen by the ending of its name.

    Raises:
        ImportRefused: files of this type are not supported, or the file cannot be read.
    """
    name = path.name.lower()
    if name.endswith(rdf.SUFFIXES):
        return rdf.Rdf(path)
    for suffix, reader in READERS.items():
        if name.endswith(suffix):
            return reader(path)
    known = ", ".join([*READERS, *rdf.SUFFIXES])
    raise ImportRefused(
        [
            f"{path.name}: files of this type cannot be imported; supported are .csv, .tsv, .parquet, {known}, or a "
            "folder of CSV and Parquet files"
        ],
        1,
    )


def database_source(address: BoltAddress, folder: Path, report: Callable[[str, int, int | None], None]) -> RecordSource:
    """Copy a database into `folder` and return the copy as a source of records.

    Raises:
        EngineError: the database does not respond, or refuses the user or a query; call again to resume.
        ImportRefused: the folder holds a copy of another database, or of an earlier state of this database.
    """
    from graphground.graphs.loading.importing.database_copy import DatabaseCopy  # the driver is loaded on first use

    copy = DatabaseCopy(address, folder)
    copy.fetch(report)
    return copy


def name_of(source: str) -> str:
    """Return a name for the graph in a file or at an address.

    >>> name_of("data/my films.jsonl.gz"), name_of("bolt://graphs.example:7687")
    ('my_films', 'graphs.example')
    """
    stem = urlsplit(source).hostname or "" if "://" in source else Path(source).name.partition(".")[0]
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", stem)
    return name if name[:1].isalpha() else f"graph_{name}"
