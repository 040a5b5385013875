"""Measures how often correct queries receive a diagnostic, by code, and the time to check an answer.

    python -m benchmarks.engines.graphs_for_queries FOLDER
    python -m benchmarks.tools.hints FOLDER [--graphs art soccer] [--queries 500] [--out hints.jsonl]

Gold queries are run through `execute_cypher` on generated graphs on which they return rows. The output is the share of
queries with each code, and the time that the check of an answer adds: median and 99th percentile in milliseconds, of
the wall time, and of the processor time of the process. `--out` writes each query with its
diagnostics, for review.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.engines.graphs_for_queries import TRAIN, gold_queries, records
from graphground.graphs.engines.table import Table
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home
from graphground.graphs.why_empty import second_look as room
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.failure import ToolFailure


class Clock:
    """A wrapper of `second_look`, which checks an answer; records the time and the number of queries of each check."""

    def __init__(self) -> None:
        self.looks: list[float] = []
        self.work: list[float] = []
        self.asked: list[int] = []
        self._look = room.second_look
        room.second_look = self

    def __call__(self, graph: Graph, query: Any, table: Table, parameters: Any = None) -> Any:
        begin, work, asked = time.perf_counter(), time.process_time(), 0
        run = graph.run

        def counted(*arguments: Any, **named: Any) -> Table:
            nonlocal asked
            asked += 1
            return run(*arguments, **named)

        graph.run = counted  # type: ignore[method-assign]
        try:
            return self._look(graph, query, table, parameters)
        finally:
            del graph.run
            self.looks.append((time.perf_counter() - begin) * 1e3)
            self.work.append((time.process_time() - work) * 1e3)
            self.asked.append(asked)


def questions_of(graph: str) -> dict[str, str]:
    """Return a graph's questions, keyed by gold query."""
    files = {"cypherbench_tasks/train.jsonl.gz": "nl_question", "predictions/cypherbench_scored.jsonl.gz": "question"}
    return {
        str(record["gold_cypher"]): str(record[key])
        for file, key in files.items()
        for record in records(file)
        if record["graph"] == graph
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graphs", nargs="+", default=list(TRAIN))
    arguments.add_argument("--queries", type=int, default=500)
    arguments.add_argument("--out", type=Path)
    options = arguments.parse_args()
    graphs = OpenGraphs(stored_sources(Home(options.folder)))
    clock, written = Clock(), []
    codes: Counter[str] = Counter()
    total = touched = 0
    for name in options.graphs:
        questions = questions_of(name)
        queries = gold_queries(name)
        for query in random.Random(1).sample(queries, min(options.queries, len(queries))):
            try:
                answer = execute_cypher(graphs, ExecuteCypherRequest(query=query, graph=name))
            except ToolFailure as failure:
                codes[f"failed: {failure.error}"] += 1
                continue
            total += 1
            found = [(diagnostic.code, diagnostic.severity, diagnostic.message) for diagnostic in answer.diagnostics]
            codes.update({code for code, _, _ in found})
            touched += bool(found)
            written.append(
                {
                    "graph": name,
                    "question": questions.get(query),
                    "query": query,
                    "rows": answer.rows[:3],
                    "said": found,
                }
            )
    graphs.close()
    print(f"{total} queries, {touched} with a diagnostic ({touched / max(total, 1):.2%})")
    for code, count in codes.most_common():
        print(f"  {code}: {count} ({count / max(total, 1):.2%})")
    for label, values in (("wall time in ms", clock.looks), ("processor time in ms", clock.work)):
        ordered = sorted(values)
        print(
            f"check of an answer, {label}: median {statistics.median(ordered):.2f}, p99 {ordered[int(len(ordered) * 0.99)]:.2f}"
        )
    print(f"check of an answer, queries sent: {Counter(clock.asked).most_common()}")
    if options.out:
        options.out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in written), "utf-8")


if __name__ == "__main__":
    main()
