"""Measures how often correct queries receive a diagnostic, by code, and the time to check an answer.

    python -m benchmarks.engines.graphs_for_queries FOLDER
    python -m benchmarks.tools.hints FOLDER [--graphs art soccer] [--queries 500] [--out hints.jsonl]
    python -m benchmarks.tools.hints FOLDER --questions HOME:messy=/questions/messy.jsonl …

With `--questions`, gold queries are instead checked with their questions, those of FOLDER's graphs and those of files
with `question` and `cypher` on each line: a hint `question_not_covered` about a gold query is false.

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
from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.graphs.opening.stored import open_stored, stored_sources
from graphground.graphs.storage.home import Home
from graphground.graphs.suggestions.question_check import CODE
from graphground.graphs.why_empty import second_look as room
from graphground.tools.diagnostics import report_on
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import ToolFailure


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


def check_with_questions(options: argparse.Namespace) -> None:
    """Print for each graph the share of gold queries with a hint that they do not cover their question."""
    sets = [(options.folder, name, [(q, g) for g, q in questions_of(name).items()]) for name in options.graphs]
    for text in options.questions:
        place, _, file = text.partition("=")
        home, _, name = place.rpartition(":")
        lines = map(json.loads, Path(file).read_text("utf-8").splitlines())
        sets.append((Path(home), name, [(line["question"], line["cypher"]) for line in lines if line["cypher"]]))
    for home, name, asked in sets:
        graph = open_stored(name, Home(home))
        asked = random.Random(1).sample(asked, min(options.queries, len(asked)))
        false = 0
        for question, gold in asked:
            said = [d.message for d in report_on(graph, gold, None, question).diagnostics if d.code == CODE]
            false += bool(said)
            if said and options.shown:
                print(f"  {question}\n    {gold}\n    {said}")
        print(
            f"{name}: {false} of {len(asked)} gold queries with a false hint ({false / max(len(asked), 1):.1%})",
            flush=True,
        )
        graph.close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graphs", nargs="*", default=list(TRAIN))
    arguments.add_argument("--queries", type=int, default=500)
    arguments.add_argument("--out", type=Path)
    arguments.add_argument("--questions", nargs="*", metavar="HOME:NAME=FILE")
    arguments.add_argument("--shown", action="store_true", help="print the false hints")
    options = arguments.parse_args()
    if options.questions is not None:
        check_with_questions(options)
        return
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
