"""Measures the copy of a Neo4j of the movie graph's size, and compares the copy with the Neo4j record by record.

    python -m benchmarks.importing.database_copy                  as many nodes and relationships as the movie graph
    python -m benchmarks.importing.database_copy --share 0.1      a tenth of them
    python -m benchmarks.importing.database_copy --uri bolt://… --user … --password …    a server that is filled already

The time is that of `graphground graphs import bolt://…`: reading, inferring the schema, converting, loading, indexing.
The comparison shares no code with the copy. Both databases are read through the driver, and each record is hashed with
its properties and their types; a node also with its id and labels, a relationship also with its end nodes. The exit
status is 1 if a record differs or the time is over the bar. At full size it needs 5 GB of memory and 4 GB of disk;
filling the Neo4j takes longer than the copy.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import neo4j.time

from benchmarks.databases.movie_size import HEAP, MEMORY
from benchmarks.importing.csv_rows import processors
from benchmarks.schemas.statistics import fill
from graphground.graphs.engines.embedded.archive import archive_file, make_archive
from graphground.graphs.engines.embedded.launcher import end_engine, ensure_engine
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home
from tests.support.neo4j_server import LTS, Neo4jServer, running_neo4j, seeded

BAR_SECONDS = 180.0
VARIED = (
    "MATCH (m:Movie) WHERE m.i % 10 = 0 SET m.tags = ['tag ' + (m.i % 7), 'film'], m.restored = m.i % 20 = 0, "
    "m.added = datetime({epochSeconds: 1000000000 + m.i})",
    "MATCH (m:Movie) WHERE m.i % 100 = 3 REMOVE m.runtime_minute SET m:Documentary",
)
"""Statements that add further types of properties, missing properties, and nodes with two labels."""
EMPTY_FIELDS = ("aliases", "provenance")
"""Fields that every entity of a loaded graph has; they are empty in this copy, so they are not compared."""
Hashes = dict[str, "array[int]"]
"""Sorted hashes of records: of the nodes, under `nodes`, and of the relationships, under their type."""


def hash_of(*parts: Any) -> int:
    """Return a hash of the parts, an integer of 64 bits."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=8).digest())


def typed(properties: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the name, the type and the value of each property; times with a zone are converted to UTC."""
    return sorted((key, type(value).__name__, _text(value)) for key, value in properties.items())


def _text(value: Any) -> str:
    if isinstance(value, neo4j.time.DateTime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return str(value.iso_format()) if hasattr(value, "iso_format") else repr(value)


class Reading:
    """A database read through the driver: `Reading(driver, None).hashes("elementId({0})", frozenset())`."""

    def __init__(self, driver: neo4j.Driver, database: str | None) -> None:
        self._driver, self._database = driver, database

    def hashes(self, key: str, left_out: frozenset[str]) -> Hashes:
        """Return the hashes of all records.

        `key` is the Cypher expression of a node's original id, with `{0}` for the node. Properties in `left_out` do not
        count.
        """
        found = {"nodes": array("Q")}
        for node, labels, values in self._rows(f"MATCH (n) RETURN {key.format('n')}, labels(n), properties(n)"):
            compared = {name: value for name, value in values.items() if name not in left_out}
            found["nodes"].append(hash_of(node, sorted(labels), typed(compared)))
        for type_, count in list(self._rows("MATCH ()-[r]->() RETURN type(r), count(*)")):
            ends = f"{key.format('a')}, {key.format('b')}"
            rows = self._rows(f"MATCH (a)-[r:`{type_}`]->(b) RETURN {ends}, properties(r)")
            found[type_] = array("Q", (hash_of(start, end, typed(values)) for start, end, values in rows))
            if len(found[type_]) != count:
                raise SystemExit(f"{type_}: {len(found[type_]):,} of {count:,} relationships were read")
        return {name: array("Q", sorted(hashes)) for name, hashes in found.items()}

    def _rows(self, query: Any) -> Iterator[list[Any]]:
        with self._driver.session(database=self._database, fetch_size=5000) as session:
            for record in session.run(query):
                yield record.values()


def copied(home: Home, name: str) -> Hashes:
    """Return the hashes of the copy in the embedded engine."""
    entry = Catalog(home).find(name)
    assert entry is not None
    state = ensure_engine(home)
    try:
        with neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{state.port}", auth=("reader", state.reader)) as driver:
            return Reading(driver, entry.id).hashes("{0}.eid", frozenset(("eid", *EMPTY_FIELDS)))
    finally:
        end_engine(home)


def run_command(server: Neo4jServer, home: Path) -> bool:
    """Copy the database with the command, as a user does; print the time, and return whether it is within the bar."""
    start, used = time.perf_counter(), processors()
    command = [sys.executable, "-m", "graphground", "graphs", "import", server.uri, "--user", server.user]
    subprocess.run(
        [*command, "--name", "movie", "--home", str(home)],
        env={**os.environ, "NEO4J_PASSWORD": server.password},
        check=True,
        stderr=subprocess.DEVNULL,
    )
    seconds = time.perf_counter() - start
    print(
        f"copied in {seconds:.1f} s (bar {BAR_SECONDS:.0f} s), {processors() - used:.1f} processor seconds", flush=True
    )
    return seconds <= BAR_SECONDS


def measure(server: Neo4jServer, folder: Path) -> bool:
    """Copy the database and compare the copy; return whether the copy is equal and was made within the bar."""
    archive = archive_file()
    if archive is not None:
        make_archive(archive)  # as a server does in its first minute
    is_fast = run_command(server, folder / "home")
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        expected = Reading(driver, None).hashes("elementId({0})", frozenset())
    found = copied(Home(folder / "home"), "movie")
    for name in sorted(expected.keys() | found.keys()):
        left, right = (Counter(hashes.get(name, array("Q"))) for hashes in (expected, found))
        missing, added = (left - right).total(), (right - left).total()
        print(f"{name}: {left.total():,} in the Neo4j, {missing:,} missing or different, {added:,} added", flush=True)
    return is_fast and expected == found


def main() -> int:
    """Measure with the Neo4j whose address is given, or with a new one that is filled first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--uri")
    parser.add_argument("--user", default="neo4j")
    parser.add_argument("--password", default=os.environ.get("NEO4J_PASSWORD", ""))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.uri is not None:
            return not measure(Neo4jServer(options.uri, options.user, options.password, "", folder, 0), folder)
        with running_neo4j(folder / "neo4j", LTS, heap=HEAP, settings=MEMORY) as server:
            start = time.perf_counter()
            fill(server, options.share)
            seeded(server, *VARIED)
            print(f"filled in {time.perf_counter() - start:.0f} s", flush=True)
            return not measure(server, folder)


if __name__ == "__main__":
    sys.exit(main())
