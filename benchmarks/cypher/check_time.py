"""Measures the time to check gold queries against a schema, alone and beside EXPLAIN, and the time of the import."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from typing import Any

from graphground.cypher import validate
from graphground.cypher.schema import PropertyGraphSchema


def speed(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema]) -> None:
    for row in rows[:200]:
        validate(row["gold_cypher"], known[row["graph"]])
    wall_times = []
    processor_times = []
    for row in rows:
        start, busy = time.perf_counter(), time.process_time()
        validate(row["gold_cypher"], known[row["graph"]])
        processor_times.append((time.process_time() - busy) * 1000)
        wall_times.append((time.perf_counter() - start) * 1000)
    for name, figures in (("elapsed", sorted(wall_times)), ("processor time", sorted(processor_times))):
        print(
            f"check of the train gold queries against their schemas, {name}: p50 {statistics.median(figures):.3f} ms, "
            f"p99 {figures[int(len(figures) * 0.99)]:.3f} ms, slowest {figures[-1]:.3f} ms"
        )
    imports = []
    for _ in range(9):
        code = (
            "import time; s, b = time.perf_counter(), time.process_time(); import graphground.cypher; "
            "print((time.perf_counter() - s) * 1000, (time.process_time() - b) * 1000)"
        )
        printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        imports.append([float(part) for part in printed.split()])
    print(
        f"import graphground.cypher: {statistics.median(sample[0] for sample in imports):.1f} ms elapsed, "
        f"{statistics.median(sample[1] for sample in imports):.1f} ms of processor time"
    )


def beside_explain(
    rows: list[dict[str, Any]],
    known: dict[str, PropertyGraphSchema],
    uri: str,
    user: str,
    password: str,
    count: int = 1_000,
) -> None:
    """Compare the time of our check with that of EXPLAIN in a running Neo4j, for queries outside its plan cache."""
    import neo4j

    chosen = random.Random(1).sample(rows, min(count, len(rows)))
    our_times, neo4j_times = [], []
    with (
        neo4j.GraphDatabase.driver(uri, auth=(user, password), notifications_min_severity="OFF") as driver,
        driver.session() as session,
    ):
        for number, row in enumerate(chosen):
            begin = time.perf_counter()
            validate(row["gold_cypher"], known[row["graph"]])
            middle = time.perf_counter()
            session.run(f"EXPLAIN {row['gold_cypher']} // {number}").consume()
            neo4j_times.append(time.perf_counter() - middle)
            our_times.append(middle - begin)
    our_median, neo4j_median = statistics.median(our_times) * 1000, statistics.median(neo4j_times) * 1000
    print(
        f"beside EXPLAIN on {len(chosen)} gold queries: {our_median:.3f} and {neo4j_median:.2f} ms at the median, "
        f"{neo4j_median / our_median:.0f} times faster"
    )
