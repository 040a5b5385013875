"""Measures the engines alone: start, small answers, 10,000 rows, runaway queries, loading.

    python -m benchmarks.engines.engine FILE [--neo4j bolt://… --user neo4j --password …]

FILE is the SimpleKG file of a graph with the labels Movie and Person; the file is loaded into a temporary data folder.
Queries are sent in turns through graphground and through the bare driver, to the same engine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import neo4j

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import end_engine, ensure_engine
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.loading.load import load_file
from graphground.graphs.storage.home import Home

TEN_THOUSAND = "UNWIND range(1, 10000) AS i RETURN i, 'name ' + toString(i) AS name, i * 1.5 AS x, i % 7 AS y"
RUNAWAY = {
    "cartesian product": "UNWIND range(1, 3000000) AS a UNWIND range(1, 3000000) AS b "
    "WITH a, b WHERE a + b < 0 RETURN count(*)",
    "unbounded path": "MATCH p = (a)-[*]-(b) RETURN count(p)",
    "reduce": "UNWIND range(1, 500) AS i RETURN i, reduce(s = 0, x IN range(1, 6000000) | s + x * i)",
    "sort": "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b RETURN a, b ORDER BY b, a",
    "collect": "UNWIND range(1, 3000000) AS a UNWIND range(1, 3000000) AS b RETURN collect(a + b)",
}


def median_ms(many: int, *functions: Callable[[], Any]) -> list[float]:
    """Call the functions in turns, `many` times each, and return the median time of each in milliseconds."""
    times_of_each: list[list[float]] = [[] for _ in functions]
    for _ in range(many):
        for times, function in zip(times_of_each, functions, strict=True):
            begin = time.perf_counter()
            function()
            times.append((time.perf_counter() - begin) * 1000)
    return [round(statistics.median(times), 2) for times in times_of_each]


def compare(title: str, run: Callable[..., Any], driver: neo4j.Driver, database: str | None) -> None:
    """Print the times of one row and of 10,000 rows with graphground and with the bare driver.

    Also print the time of the first 100 of 1,000,000 rows with graphground.
    """

    def bare(query: str) -> Callable[[], Any]:
        def ask() -> list[list[Any]]:
            with driver.session(database=database, default_access_mode="READ") as session:
                return [record.values() for record in session.run(query)]

        return ask

    for name, query, many in (("RETURN 1", "RETURN 1", 300), ("10,000 rows", TEN_THOUSAND, 30)):
        our_ms, driver_ms = median_ms(many, lambda query=query: run(query, limit=20_000, timeout=60), bare(query))
        print(
            f"{title}: {name}: {our_ms} ms, bare driver {driver_ms} ms, {our_ms / driver_ms:.2f} times, {our_ms - driver_ms:+.2f} ms"
        )
    begin = time.perf_counter()
    table = run("UNWIND range(1, 1000000) AS i RETURN i, 'some text ' + toString(i)", limit=100, timeout=60)
    print(f"{title}: 100 of 1,000,000 rows: {(time.perf_counter() - begin) * 1000:.0f} ms, truncated {table.truncated}")


def runaways(title: str, run: Callable[..., Any], timeout: float = 3.0) -> None:
    """Measure how long each runaway query runs beyond its time limit, and how long the next call takes."""
    for name, query in RUNAWAY.items():
        begin, outcome = time.perf_counter(), "an answer"
        try:
            run(query, timeout=timeout)
        except EngineError as error:
            outcome = type(error).__name__
        seconds = time.perf_counter() - begin
        begin = time.perf_counter()
        run("RETURN 1", timeout=30)
        print(
            f"{title}: {name}: {outcome} after {seconds:.2f} s (limit {timeout:g} s), next call "
            f"{time.perf_counter() - begin:.2f} s"
        )


def embedded(path: Path, home: Home) -> None:
    steps: dict[str, float] = {}
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    entry = load_file(
        path, home, progress=lambda step, read, size: steps.setdefault(step, time.perf_counter() - begin) and None
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = sum(file.stat().st_size for file in (home.databases / entry.id).iterdir()) / 1e6
    index = sum(file.stat().st_size for file in (home.graphs / entry.id).rglob("*") if file.is_file()) / 1e6
    print(
        f"load {entry.nodes:,} / {entry.relationships:,}: {time.perf_counter() - begin:.1f} s, {cpu:.1f} s of "
        f"processor, largest process {after.ru_maxrss / 1e6:.2f} GB, {size:.0f} MB of engine files, "
        f"{index:.0f} MB of index; steps began at {json.dumps({step: round(at, 1) for step, at in steps.items()})}"
    )
    for name in ("cold", "again after kill -9"):
        engine = EmbeddedEngine(home, entry.id)
        begin = time.perf_counter()
        engine.run("MATCH (m:Movie) RETURN m.name", limit=1)
        print(f"first row, engine {name}: {time.perf_counter() - begin:.2f} s")
        engine.close()
        os.kill(ensure_engine(home).pid, 9)
    engine = EmbeddedEngine(home, entry.id)
    engine.warm()
    engine.run("MATCH (m:Movie) RETURN m.name", limit=1)
    state = ensure_engine(home)
    os.kill(state.pid, 9)
    begin = time.perf_counter()
    engine.run("MATCH (m:Movie) RETURN m.name", limit=1)
    print(f"next call after kill -9 of the engine: {time.perf_counter() - begin:.2f} s")
    fresh = EmbeddedEngine(home, entry.id)
    begin = time.perf_counter()
    fresh.run("MATCH (m:Movie) RETURN m.name", limit=1)
    print(f"first row of another client, engine running: {time.perf_counter() - begin:.2f} s")
    names = [row[0] for row in fresh.run("MATCH (m:Movie) RETURN m.name", limit=200).rows]
    lookups = iter(names * 10)
    print(
        "name lookup:",
        median_ms(
            300, lambda: fresh.run("MATCH (m:Movie {name: $name}) RETURN m.eid", {"name": next(lookups)}, timeout=10)
        )[0],
        "ms",
    )
    state = ensure_engine(home)
    with neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{state.port}", auth=("reader", state.reader)) as driver:
        compare("embedded", fresh.run, driver, entry.id)
    runaways("embedded", fresh.run)
    rss = Path(f"/proc/{ensure_engine(home).pid}/status")
    if rss.exists():
        print("engine process:", next(line for line in rss.read_text().splitlines() if line.startswith("VmRSS")))
    engine.close()
    fresh.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--neo4j")
    parser.add_argument("--user", default="neo4j")
    parser.add_argument("--password", default="")
    options = parser.parse_args()
    print(time.strftime("%Y-%m-%d %H:%M"), f"load average {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="graphground-bench-") as folder:
        home = Home(Path(folder)).make()
        try:
            embedded(options.file, home)
        finally:
            end_engine(home, kill=True)
    if options.neo4j:
        bolt = BoltEngine(BoltAddress(options.neo4j, options.user, options.password))
        with neo4j.GraphDatabase.driver(options.neo4j, auth=(options.user, options.password)) as driver:
            compare("neo4j", bolt.run, driver, None)
        runaways("neo4j", bolt.run)
        bolt.close()


if __name__ == "__main__":
    main()
