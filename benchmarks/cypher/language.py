"""Measures the Cypher front end without a schema, and prints all its figures.

    python -m benchmarks.cypher.language [--neo4j bolt://127.0.0.1:7687 --password …] [--fuzz 10000] [--mutants 200000]

Times are CPU times, which other load on the machine hardly affects. Needs ../shared/data. `--neo4j` is the address of a
running Neo4j 5.26, whose verdicts on random queries and on the openCypher compatibility kit are compared with ours.
Queries are sent to the server only with EXPLAIN. Without `--neo4j`, no random queries are compared, and the kit's own
verdicts are used.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import random
import subprocess
import sys
import time
from collections import Counter
from typing import Any

from graphground.cypher import parse, validate
from graphground.cypher.printer import to_text
from tests.support.cypher_fuzz import broken, queries
from tests.support.cypher_oracle import Oracle
from tests.support.opencypher_tck import cases
from tests.support.shared_data import SHARED


def verdict_rows() -> list[dict[str, Any]]:
    """Return Neo4j's recorded verdicts on 33,512 queries."""
    with gzip.open(SHARED / "neo4j_verdicts" / "neo4j_5.26_explain.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def verdicts(rows: list[dict[str, Any]]) -> None:
    """Measure how often our verdicts agree with Neo4j's recorded verdicts."""
    missed = alarms = placed = elsewhere = unplaced = access = 0
    for row in rows:
        report = validate(row["query"])
        if not row["error"]:
            alarms += not report.valid
            access += report.valid and (report.access == "read") != (row["access"] == "r")
        elif report.valid:
            missed += 1
        elif row["line"] is None:
            unplaced += 1
        else:
            first = report.diagnostics[0]
            same = (first.line, first.column) == (row["line"], row["column"])
            placed += same
            elsewhere += not same
    rejected = sum(bool(row["error"]) for row in rows)
    print(
        f"verdicts: {len(rows)} queries; of {rejected} rejected ones {rejected - missed} get an error "
        f"({(rejected - missed) / rejected:.2%}); false errors on {len(rows) - rejected} accepted ones: "
        f"{alarms}; access differs: {access}"
    )
    share = placed / (placed + elsewhere)
    print(
        f"  position: equal in {placed} of {placed + elsewhere} with a recorded position ({share:.1%}); "
        f"{unplaced} have no recorded position"
    )


def tck(oracle: Oracle | None) -> None:
    """Compare our verdicts on the openCypher compatibility kit with Neo4j's or, without Neo4j, with the kit's own."""
    found = list(cases(SHARED / "opencypher-tck" / "tck"))
    different: Counter[str] = Counter()
    for case in found:
        refused = bool(case.compile_error) if oracle is None else oracle.refuses(case.query)
        if refused == validate(case.query).valid:
            different[case.query] += 1
    against = "the kit" if oracle is None else "Neo4j"
    wrong = sum(bool(case.compile_error) for case in found)
    print(
        f"openCypher TCK: {len(found)} queries ({wrong} with a compile-time error), different "
        f"from {against}: {sum(different.values())} ({sum(different.values()) / len(found):.2%})"
    )
    for query in different:
        print("  ", repr(query[:200]))


def fuzz(oracle: Oracle, seed: int, count: int) -> None:
    """Compare our verdicts on random queries with Neo4j's."""
    different: list[str] = []
    refused = access = 0
    for text in queries(seed, count):
        verdict = oracle.ask(text)
        report = validate(text)
        refused += verdict.refused
        if verdict.refused == report.valid:
            different.append(text)
        elif report.valid and "LOAD CSV" not in text:
            access += (verdict.access == "r") != (report.access == "read")
    print(
        f"fuzzing: seed {seed}, {count} queries, {refused} rejected by Neo4j, different: {len(different)} "
        f"({len(different) / count:.2%}); access differs: {access}"
    )
    for text in different:
        print("  ", repr(text[:300]))


def mutants(rows: list[dict[str, Any]], count: int) -> None:
    """Print how many of `count` broken queries raise an exception, how many take over 50 ms, and the longest time."""
    source = random.Random(7)
    worst = 0.0
    slow = raised = 0
    for _ in range(count):
        text = broken(source.choice(rows)["query"], source)
        begin = time.process_time()
        try:
            validate(text)
        except Exception as error:
            raised += 1
            print("  exception:", repr(error)[:100], repr(text[:200]))
        seconds = time.process_time() - begin
        worst = max(worst, seconds)
        slow += seconds > 0.05
    print(f"mutants: {count}, exceptions: {raised}, over 50 ms: {slow}, slowest {worst * 1e3:.1f} ms")


def round_trip(rows: list[dict[str, Any]]) -> None:
    """Print the number of queries whose printed tree, parsed again, is a different tree."""
    texts = [row["query"] for row in rows] + list(queries(3, 5000))
    parsed = different = 0
    for text in texts:
        try:
            query = parse(text)
        except ValueError:
            continue
        parsed += 1
        different += parse(to_text(query)).body.shape() != query.body.shape()
    print(f"printer: {parsed} queries printed and parsed again, different trees: {different}")


def speed(rows: list[dict[str, Any]]) -> None:
    """Measure the time of parsing and of validating the train gold queries."""
    texts = [row["query"] for row in rows if "gold_train" in row["sets"]]
    for name, work in (("parse", parse), ("validate", validate)):
        for text in texts[:500]:
            work(text)
        gc.collect()
        times = []
        for text in texts:
            begin = time.process_time()
            work(text)
            times.append(time.process_time() - begin)
        times.sort()
        print(
            f"{name}: {len(texts)} train gold queries, p50 {times[len(times) // 2] * 1e3:.3f} ms, "
            f"p99 {times[len(times) * 99 // 100] * 1e3:.3f} ms, slowest {times[-1] * 1e3:.2f} ms"
        )


def import_time() -> None:
    """Print the median and the shortest time to import `graphground.cypher` in ten new interpreters."""
    code = "import time; t = time.process_time(); import graphground.cypher; print(time.process_time() - t)"
    run = [sys.executable, "-c", code]
    times = sorted(float(subprocess.run(run, capture_output=True, text=True, check=True).stdout) for _ in range(10))
    print(f"import graphground.cypher: median {times[5] * 1e3:.1f} ms, shortest {times[0] * 1e3:.1f} ms")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--neo4j", default="")
    parser.add_argument("--user", default="neo4j")
    parser.add_argument("--password", default="")
    parser.add_argument("--fuzz", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=200_000)
    options = parser.parse_args()
    rows = verdict_rows()
    import_time()
    speed(rows)
    verdicts(rows)
    round_trip(rows)
    oracle = Oracle(options.neo4j, options.user, options.password) if options.neo4j else None
    tck(oracle)
    if oracle is not None:
        fuzz(oracle, options.seed, options.fuzz)
        oracle.close()
    mutants(rows, options.mutants)


if __name__ == "__main__":
    main()
