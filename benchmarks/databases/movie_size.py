"""Measures how long the schema and index of a large, unprepared Neo4j take, and how much other clients are slowed.

    python -m benchmarks.databases.movie_size                  as many nodes and relationships as the movie graph
    python -m benchmarks.databases.movie_size --share 0.1      a tenth of them
    python -m benchmarks.databases.movie_size --uri bolt://… --user … --password …    a server that is filled already

The output: the seconds until the first schema; the seconds until the background build of the entity index is complete,
with the 95th percentile of another client's queries before and during the build; and the seconds for the statistics.
Then one percent of the nodes are renamed, added or removed, and a label is added: the output is the seconds until the
schema has the new label and until the index is current, with the percentile meanwhile. At the end, look-ups through a
full-text index are measured. At full size it needs 4 GB of memory; most of its time goes into filling the database.

The other client is a separate process that sends one query after another, with `PAUSE_SECONDS` between them. A query's
time includes the client's wait for a processor, so on a busy machine the percentiles are an upper bound.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import neo4j

from benchmarks.schemas.statistics import fill
from graphground.graphs.engines.address import Database
from graphground.graphs.entities.own_index import OwnIndex
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.graphs.schemas.statistics.live import LiveStatistics
from graphground.graphs.schemas.statistics.queried import query_statistics
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources
from tests.support.neo4j_server import LTS, Neo4jServer, running_neo4j, seeded

PAUSE_SECONDS, QUIET_SECONDS = 0.02, 10.0
WAIT_SECONDS, MENTIONS = 400.0, 200
HEAP, MEMORY = "1500m", {"server.memory.pagecache.size": "768m"}
"""The memory of the database: at the size of the movie graph its files take about 600 MB."""
OTHERS = (
    "MATCH (m:Movie {i: $i})-[:hasCastMember]->(p:Person) RETURN m.name, p.name LIMIT 50",
    "MATCH (p:Person {i: $i})<-[:directedBy]-(m:Movie) RETURN m.name, m.released",
    "MATCH (g:Genre {i: $i % 1000})<-[:hasGenre]-(m:Movie) WHERE m.seen = 3 RETURN count(m) AS films",
)
"""The queries of the other client: two index look-ups, and a query over a few hundred nodes."""

NEW = (("Movie", "Renamed Movie 1001"), ("Festival", "Nordlys"))
"""Label and new name of a node that `CHANGES` renames, and of a node that `CHANGES` adds."""
CHANGES = (
    "MATCH (n:Movie|Person) WHERE n.i % 1000 < 8 SET n.name = 'Renamed ' + n.name",
    "MATCH (n:Movie|Person) WHERE n.i % 1000 = 8 DETACH DELETE n",
    "MATCH (n:Movie|Person) WHERE n.i % 1000 = 9 CREATE (:Movie {i: -n.i, name: 'Added ' + n.name, seen: 1})",
    "CREATE (:Festival {name: 'Nordlys'})",
)
"""Statements that, per 1,000 films and people, rename 8, remove one and add one, and that add a new label."""


def other_client(server: Neo4jServer, films: int, stop: Path) -> None:
    """Send queries until the file `stop` exists; print the start time and the milliseconds of every query."""
    rng = random.Random(7)
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        while not stop.exists():
            begin = time.monotonic()
            driver.execute_query(rng.choice(OTHERS), i=rng.randrange(films))
            print(begin, (time.monotonic() - begin) * 1e3, flush=True)
            time.sleep(PAUSE_SECONDS)


class OtherClient:
    """A running client; `percentile(begin, end)` describes the times of the queries that began in that period."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def percentile(self, begin: float, end: float) -> str:
        lines = [line.split() for line in self._log.read_text().splitlines()]
        times = [float(line[1]) for line in lines if len(line) == 2 and begin <= float(line[0]) < end]
        if len(times) < 20:
            return f"too few queries for a p95 ({len(times)})"
        cuts = statistics.quantiles(times, n=20)
        return f"p50 {statistics.median(times):.1f} ms, p95 {cuts[-1]:.1f} ms of {len(times)} queries of another client"


@contextmanager
def querying(server: Neo4jServer, films: int, folder: Path) -> Iterator[OtherClient]:
    """Run another client in a separate process while the block runs."""
    stop, log = folder / "stop", folder / "others.txt"
    command = [sys.executable, "-m", "benchmarks.databases.movie_size", "--client", str(films), "--stop", str(stop)]
    secret = {**os.environ, "NEO4J_PASSWORD": server.password}
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--uri", server.uri, "--user", server.user], stdout=output, env=secret, cwd=Path.cwd()
        )
        try:
            yield OtherClient(log)
        finally:
            stop.touch()
            process.wait(60)


def until(reached: Callable[[], bool], seconds: float = WAIT_SECONDS) -> float:
    """Wait until a condition holds, checking it 50 times a second, and return the seconds of the wait.

    Raises:
        TimeoutError: the condition does not hold within `seconds`.
    """
    begin = time.monotonic()
    while not reached():
        if time.monotonic() - begin > seconds:
            raise TimeoutError(f"not reached within {seconds:.0f} s")
        time.sleep(0.02)
    return time.monotonic() - begin


def films_of(server: Neo4jServer) -> int:
    """Return the number of films in the database."""
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        return int(driver.execute_query("MATCH (m:Movie) RETURN count(m) AS films").records[0]["films"])


def measure(server: Neo4jServer, folder: Path) -> None:
    """Open the database as a server with an empty data folder does, and print the figures."""
    films = films_of(server)
    database = Database("movie", server.uri, server.user, server.password)
    with querying(server, films, folder) as others:
        until(lambda: (folder / "others.txt").stat().st_size > 0, 60)
        quiet_start = time.monotonic()
        time.sleep(QUIET_SECONDS)
        begin = time.monotonic()
        graphs = graph_sources(Settings(databases=(database,), home=str(folder / "home")), may_be_provisional=True)
        try:
            graph = graphs.get("movie")
            labels = len(graph.schema.labels)
            print(f"first schema, {labels} labels: {time.monotonic() - begin:.2f} s (bar 1.5 s)", flush=True)
            print(f"before: {others.percentile(quiet_start, begin)}", flush=True)
            measure_index(graph, others, begin)
            measure_statistics(graph)
            measure_change(server, graphs, others)
        finally:
            graphs.close()


def measure_index(graph: Graph, others: OtherClient, begin: float) -> None:
    """Measure the builds of the index and the statistics, which start in the background when the database is opened."""
    names, facts = graph.entities, graph.statistics_reader
    assert isinstance(names, OwnIndex)
    assert isinstance(facts, LiveStatistics)
    until(lambda: not names.stale)
    end = time.monotonic()
    print(f"entity index: {end - begin:.1f} s after opening, {names.texts:,} names (bar 60 s)", flush=True)
    until(lambda: facts.now(fresh=True) is not None)
    print(f"statistics, read beside the index: {time.monotonic() - begin:.1f} s after opening", flush=True)
    print(f"until the index is built: {others.percentile(begin, end)} (bar: p95 at most doubled)", flush=True)
    print(f"until index and statistics are built: {others.percentile(begin, time.monotonic())}", flush=True)


def measure_statistics(graph: Graph) -> None:
    """Measure the time to read all statistics again, now that the index is complete."""
    assert graph.engine is not None
    begin = time.monotonic()
    facts = query_statistics(graph.engine, graph.schema)
    print(f"statistics alone: {time.monotonic() - begin:.2f} s (bar 2 s), complete: {facts.complete}", flush=True)


def measure_change(server: Neo4jServer, graphs: OpenGraphs, others: OtherClient) -> None:
    """Change one percent of the nodes and add a label; measure when the schema and the index have the changes."""
    graph = graphs.get("movie")
    names = graph.entities
    assert isinstance(names, OwnIndex)
    before = names.info
    assert before is not None
    seeded(server, *CHANGES)
    begin, processor_start = time.monotonic(), time.process_time()
    graph.check_for_changes()
    look_seconds = time.monotonic() - begin
    found = {name: names.find(name, label=label) for label, name in NEW}
    right = [bool(candidates) and candidates[0].name == name for name, candidates in found.items()]
    answer_seconds, outdated = time.monotonic() - begin, names.stale
    print(
        f"after a change of 1 % of the nodes: looking for changes takes {look_seconds * 1e3:.0f} ms; look-ups of a renamed film and of"
    )
    print(
        f"  the new festival put them first: {right}, {answer_seconds:.2f} s after the change, index outdated: {outdated}"
    )
    if "Festival" not in graph.schema.labels:
        graph.await_current_schema()
    if "Festival" not in graph.schema.labels:
        print("the schema is read again in the background, since that takes too long for a call", flush=True)
        until(lambda: "Festival" in graph.schema.labels)
    schema_seconds = time.monotonic() - begin
    print(f"  a call that needs the new schema has it after {schema_seconds:.2f} s (bar 5 s)", flush=True)
    until(lambda: not names.stale)
    end, info = time.monotonic(), names.info
    assert info is not None
    print(
        f"  the entity index is current {end - begin:.2f} s after the change (bar 5 s); the refresh took "
        f"{info.seconds:.2f} s, all {time.process_time() - processor_start:.2f} s of our processor time; {names.texts:,} names, "
        f"{before.texts:,} before",
        flush=True,
    )
    print(f"meanwhile: {others.percentile(begin, end)} (bar: p95 at most doubled)", flush=True)
    found = {name: names.find(name, label=label) for label, name in NEW}
    right = [bool(candidates) and candidates[0].name == name for name, candidates in found.items()]
    print(f"  a renamed film and the new festival are found first: {right}", flush=True)
    begin = time.monotonic()
    time.sleep(QUIET_SECONDS)
    print(f"afterwards: {others.percentile(begin, time.monotonic())}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--uri")
    parser.add_argument("--user", default="neo4j")
    parser.add_argument("--password", default=os.environ.get("NEO4J_PASSWORD", ""))
    parser.add_argument("--client", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--stop", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "measured").mkdir()
        if options.uri is None:
            with running_neo4j(folder / "neo4j", LTS, heap=HEAP, settings=MEMORY) as server:
                begin = time.perf_counter()
                fill(server, options.share)
                print(f"filled in {time.perf_counter() - begin:.0f} s", flush=True)
                measure(server, folder / "measured")
            return
        server = Neo4jServer(options.uri, options.user, options.password, LTS, folder, 0)
        if options.client is not None:
            other_client(server, options.client, options.stop)
        else:
            measure(server, folder / "measured")


if __name__ == "__main__":
    main()
