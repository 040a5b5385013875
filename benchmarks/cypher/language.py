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
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from graphground.cypher import parse, validate
from graphground.cypher.schema import PropertyGraphSchema
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


def fuzz(oracle: Oracle, seed: int, count: int) -> float:
    """Compare our verdicts on random queries with Neo4j's; return the share of different verdicts."""
    different: list[str] = []
    refused = access = 0
    for text in queries(seed, count):
        verdict = oracle.ask(text)
        report = validate(text)
        refused += verdict.refused
        if verdict.refused == report.valid:
            different.append(
                f"{text[:300]!r}: Neo4j {f'rejects it: {verdict.message[:150]}' if verdict.refused else 'accepts it'}"
            )
        elif report.valid and "LOAD CSV" not in text:
            access += (verdict.access == "r") != (report.access == "read")
    print(
        f"fuzzing: seed {seed}, {count} queries, {refused} rejected by Neo4j, different: {len(different)} "
        f"({len(different) / count:.2%}); access differs: {access}"
    )
    for line in different:
        print("  ", line)
    return len(different) / count


def check_broken(cases: Iterable[tuple[str, PropertyGraphSchema | None]]) -> None:
    """Print how many broken queries raise an exception, take over 50 ms or are still valid, and the longest time."""
    count = slow = raised = valid = 0
    worst = 0.0
    for text, schema in cases:
        count += 1
        begin = time.process_time()
        try:
            valid += validate(text, schema).valid
        except Exception as error:
            raised += 1
            print("  exception:", repr(error)[:100], repr(text[:200]))
        seconds = time.process_time() - begin
        worst = max(worst, seconds)
        slow += seconds > 0.05
    print(
        f"mutants: {count}, exceptions: {raised}, over 50 ms: {slow}, slowest {worst * 1e3:.1f} ms, "
        f"still valid {valid / count:.1%}"
    )


def print_times(what: str, work: Callable[[Any], object], items: Sequence[Any]) -> None:
    """Print how long `work` takes for each item, in processor time and in elapsed time, after 500 items."""
    for item in items[:500]:
        work(item)
    gc.collect()
    samples = []
    for item in items:
        begin, busy = time.perf_counter(), time.process_time()
        work(item)
        samples.append((time.process_time() - busy, time.perf_counter() - begin))
    for clock, times in zip(("processor time", "elapsed"), map(sorted, zip(*samples, strict=True)), strict=True):
        print(
            f"{what}, {clock}: p50 {times[len(times) // 2] * 1e3:.3f} ms, p99 {times[len(times) * 99 // 100] * 1e3:.3f} "
            f"ms, slowest {times[-1] * 1e3:.2f} ms"
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
    texts = [row["query"] for row in rows if "gold_train" in row["sets"]]
    print_times(f"parse: {len(texts)} train gold queries", parse, texts)
    print_times(f"validate: {len(texts)} train gold queries", validate, texts)
    verdicts(rows)
    oracle = Oracle(options.neo4j, options.user, options.password) if options.neo4j else None
    tck(oracle)
    if oracle is not None:
        fuzz(oracle, options.seed, options.fuzz)
        oracle.close()
    source = random.Random(7)
    check_broken((broken(source.choice(rows)["query"], source), None) for _ in range(options.mutants))


if __name__ == "__main__":
    main()
