"""Measures the cost of statistics: on top of a load, in a connected Neo4j, and on disk.

    python -m benchmarks.schemas.statistics load FILE [--runs 3]
        a SimpleKG file, loaded with and without statistics
    python -m benchmarks.schemas.statistics published FOLDER [GRAPH …]
        each graph at its published size, without an engine
    python -m benchmarks.schemas.statistics bolt URI USER PASSWORD
        read by bounded queries
    python -m benchmarks.schemas.statistics neo4j [--share 1.0]
        as bolt, on a new Neo4j of the movie graph's size
    python -m benchmarks.schemas.statistics neo4j --sparse
        also remove each property from one node or relationship

`load` runs `graphs.loading.load_process` in child processes, in turns with the real collector and with a collector
that does nothing. The wall times are compared, and the processor times of the thread that reads the file; the other
threads do the same work in both cases. `published` reads each file as a load does, but writes nothing into an engine:
its output is the processor time of collecting statistics, and their bytes on disk. Missing files are generated in
FOLDER, as by `engines.scale`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.engines.scale import SIZES, make
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.engines.embedded import batch
from graphground.graphs.loading import worker
from graphground.graphs.schemas.extraction.extract import extract
from graphground.graphs.schemas.statistics.collected import Collected
from graphground.graphs.schemas.statistics.model import Statistics
from graphground.graphs.schemas.statistics.queried import query_statistics
from tests.support.neo4j_server import LTS, Neo4jServer, running_neo4j, seeded


class Nothing:
    """A collector that collects nothing."""

    def __init__(self, schema: object) -> None:
        self.ends: Any = defaultdict(lambda: (array("I"), array("I")))

    def nodes(self, label: str, rows: object) -> None:
        """Collect nothing."""

    relationships = nodes

    def statistics(self) -> Statistics:
        """Return no statistics."""
        return Statistics()


class TimedCollected(Collected):
    """The real collector, with the processor time of its methods added up in `seconds`."""

    seconds = 0.0

    def nodes(self, label: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Count a block of nodes."""
        with self.timed():
            super().nodes(label, rows)

    def relationships(self, type_: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Count a block of relationships."""
        with self.timed():
            super().relationships(type_, rows)

    def statistics(self, seconds: float = 0.0) -> Statistics:
        """Return the collected statistics."""
        with self.timed():
            return super().statistics(seconds)

    @classmethod
    @contextmanager
    def timed(cls) -> Iterator[None]:
        """Add the processor time of the `with` block to `seconds`."""
        begin = time.thread_time()
        yield
        cls.seconds += time.thread_time() - begin


class NoEngine:
    """A writer of graphs that writes nothing."""

    def __init__(self, *_: object) -> None: ...

    def nodes(self, label: str, rows: Sequence[object]) -> list[str]:
        """Return the same invented record id for each node."""
        return ["#0:0"] * len(rows)

    def relationships(self, type_: str, rows: object) -> None:
        """Write nothing."""

    def finish(self) -> None:
        """Write nothing."""


def measure_published(folder: Path, names: Sequence[str], share: float) -> None:
    """Print the processor time and the size of each graph's statistics, and the sums over all graphs."""
    folder.mkdir(parents=True, exist_ok=True)
    seconds = size = 0.0
    for name in names or SIZES:
        file = make(name, folder, share)
        TimedCollected.seconds, begin = 0.0, time.thread_time()
        with (
            tempfile.TemporaryDirectory() as output,
            mock.patch.object(worker, "Collected", TimedCollected),
            mock.patch.object(batch, "GraphWriter", NoEngine),
        ):
            nodes, relationships, _ = worker.load(file, Path(output), lambda _: None)
            seconds_of_reading = time.thread_time() - begin
            its_size = (Path(output) / "graph" / "statistics.json").stat().st_size
        print(
            f"{name}: {nodes:,} nodes, {relationships:,} relationships: statistics {TimedCollected.seconds:.2f} s of "
            f"{seconds_of_reading:.1f} s of reading without an engine, {its_size:,} bytes",
            flush=True,
        )
        seconds, size = seconds + TimedCollected.seconds, size + its_size
    print(f"all: {seconds:.1f} s of processor time, {size:,.0f} bytes")


def load_once(kind: str, file: Path) -> None:
    """Load a file in this process, and print the figures as JSON."""
    folder = Path(tempfile.mkdtemp())
    begin, work = time.perf_counter(), time.thread_time()
    with mock.patch.object(worker, "Collected", Nothing if kind == "without" else Collected):
        nodes, relationships, _ = worker.load(file, folder, lambda _: None)
    seconds = {"clock": time.perf_counter() - begin, "reader": time.thread_time() - work}
    size = (folder / "graph" / "statistics.json").stat().st_size
    print(json.dumps({**seconds, "counts": [nodes, relationships], "bytes": size}), flush=True)
    shutil.rmtree(folder, ignore_errors=True)


def measure_load(file: Path, runs: int) -> None:
    """Print the times of loads without and with statistics: medians of `runs` runs, which take turns."""
    found: dict[str, list[dict[str, Any]]] = {"with": [], "without": []}
    for _ in range(runs):
        for kind, answers in found.items():
            command = [sys.executable, "-m", "benchmarks.schemas.statistics", "load-once", kind, str(file)]
            answers.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout.splitlines()[-1]))
    print(f"nodes, relationships: {found['with'][0]['counts']}; statistics.json {found['with'][0]['bytes']:,} bytes")
    for measure in ("reader", "clock"):
        own, none = (statistics.median(answer[measure] for answer in found[kind]) for kind in ("with", "without"))
        print(f"{measure}: {none:.2f} s without, {own:.2f} s with: {own - none:+.2f} s")
    clock = statistics.median(answer["clock"] for answer in found["without"])
    reader = [statistics.median(answer["reader"] for answer in found[kind]) for kind in ("with", "without")]
    print(f"processor time added, as a share of a load's wall time: {(reader[0] - reader[1]) / clock:.1%} (bar 5 %)")


def measure_bolt(uri: str, user: str, password: str) -> None:
    """Print the seconds for reading all statistics from a connected database."""
    engine = bolt_engine(BoltAddress(uri, user, password, None))
    schema = extract(engine, "graph").schema
    for turn in ("first", "again", "again"):
        begin = time.perf_counter()
        published: list[Statistics] = []
        facts = query_statistics(engine, schema, publish=published.append)
        seconds = time.perf_counter() - begin
        sampled = f"provisional after {published[0].seconds:.2f} s (bar 2 s), " if published else ""
        print(f"{turn}: {sampled}all after {seconds:.2f} s (bar 2 s), complete: {facts.complete}", flush=True)
    engine.close()


def make_sparse(server: Neo4jServer) -> None:
    """Remove each property of `fill`, except `i` and `name`, from one record, so that the property must be counted."""
    kinds = (
        *((f"(n:{label})", keys) for label, keys in (("Movie", "runtime_minute released seen"), ("Genre", "kind"))),
        ("(n:Person)", "born gender height_cm"),
        *((f"()-[n:{type_}]->()", "year") for type_ in ("hasCastMember", "directedBy", "hasGenre")),
    )
    for pattern, keys in kinds:
        seeded(server, *(f"MATCH {pattern} WITH n LIMIT 1 REMOVE n.{key}" for key in keys.split()))


def fill(server: Neo4jServer, share: float) -> None:
    """Fill a server with films, people and genres: about the size of the published movie graph, times `share`."""
    nodes, relationships = (round(size * share) for size in SIZES["movie"])
    films, people = round(nodes * 0.45), round(nodes * 0.54)
    rows = "CALL (i) { %s } IN TRANSACTIONS OF 20000 ROWS"
    labels_to_create = {
        "Movie": (films, "runtime_minute: toFloat(60 + i % 120), released: date({year: 1920 + i % 100}), seen: i % 7"),
        "Person": (
            people,
            "born: date({year: 1850 + i % 150}), gender: ['male', 'female'][i % 2], height_cm: 150 + i % 50",
        ),
        "Genre": (1000, "kind: 'g' + (i % 9)"),
    }
    for label, (count, properties) in labels_to_create.items():
        seeded(server, f"CREATE INDEX {label.lower()}_i IF NOT EXISTS FOR (n:{label}) ON (n.i)")
        create = f"CREATE (:{label} {{i: i, name: '{label} ' + (i / 2 * 2 + i % 3), {properties}}})"
        seeded_apart(server, f"UNWIND range(0, {count - 1}) AS i {rows % create}")
    seeded(server, "CALL db.awaitIndexes(600)")
    for type_, end, count, part in (
        ("hasCastMember", "Person", people, 0.6),
        ("directedBy", "Person", people, 0.1),
        ("hasGenre", "Genre", 1000, 0.3),
    ):
        ends = f"(a:Movie {{i: i % {films}}}), (b:{end} {{i: (i * 7919) % {count}}})"
        step = f"MATCH {ends} CREATE (a)-[:{type_} {{year: 1900 + i % 120}}]->(b)"
        seeded_apart(server, f"UNWIND range(0, {round(relationships * part) - 1}) AS i {rows % step}")


def seeded_apart(server: Neo4jServer, statement: str) -> None:
    """Run a statement with CALL … IN TRANSACTIONS, which must not run inside another transaction."""
    import neo4j

    with (
        neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver,
        driver.session() as session,
    ):
        session.run(statement).consume()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["load", "load-once", "published", "bolt", "neo4j"])
    parser.add_argument("where", nargs="*")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--sparse", action="store_true")
    options = parser.parse_args()
    if options.kind == "load-once":
        load_once(options.where[0], Path(options.where[1]))
    elif options.kind == "load":
        measure_load(Path(options.where[0]), options.runs)
    elif options.kind == "published":
        measure_published(Path(options.where[0]), options.where[1:], options.share)
    elif options.kind == "bolt":
        measure_bolt(*options.where)
    else:
        with tempfile.TemporaryDirectory() as folder, running_neo4j(Path(folder), LTS, heap="1g") as server:
            begin = time.perf_counter()
            fill(server, options.share)
            if options.sparse:
                make_sparse(server)
            print(f"filled in {time.perf_counter() - begin:.0f} s", flush=True)
            measure_bolt(server.uri, server.user, server.password)


if __name__ == "__main__":
    main()
