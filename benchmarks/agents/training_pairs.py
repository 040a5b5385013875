"""Measures how often a query that returns a question's answers is found without the gold query.

    python -m benchmarks.agents.training_pairs FOLDER [--graphs art soccer] [--each 15] [--misses]

FOLDER holds the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`). The questions are those
whose gold query has one or two relationships. The rows of the gold query are used as the question's answers; the query
itself is not used. Everything goes through MCP over stdio. The weights of `suggest_queries` were learned from gold
queries of art, biology, soccer and terrorist_attack, so fictional_character and flight_accident are held out.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from pathlib import Path

import anyio

from benchmarks.engines.graphs_for_queries import TRAIN
from benchmarks.tools.suggest_queries import questions
from graphground.agents.server_connection import ServerConnection, connect
from graphground.agents.training.pairs import naming_of, pair_of
from graphground.agents.training.questions import AnsweredQuestion
from graphground.evals.metrics.execution_accuracy import tables_match

ROWS = 3_000


async def measure(options: argparse.Namespace) -> None:
    whole: Counter[str] = Counter()
    async with connect((sys.executable, "-m", "graphground", "serve", "--home", str(options.folder))) as server:
        for graph in options.graphs:
            tally = await measure_graph(server, graph, options)
            print(graph, line(tally), flush=True)
            whole.update(tally)
    print("all", line(whole))


async def measure_graph(server: ServerConnection, graph: str, options: argparse.Namespace) -> Counter[str]:
    """Choose a query for each of `--each` random questions of a graph, and count the outcomes."""
    tally: Counter[str] = Counter()
    naming = await naming_of(server, graph)
    pairs = [pair for pair in questions(graph, 100_000, options.seed) if re.search(r"\[r[01]:", pair[1])]
    for question, gold in random.Random(options.seed).sample(pairs, options.each):
        arguments = {"graph": graph, "query": gold, "limit": ROWS}
        answer = (await server.call("execute_cypher", arguments)).require()
        if not answer["rows"] or answer["truncated"]:
            continue
        tally["asked"] += 1
        start = time.monotonic()
        pair = await pair_of(server, graph, AnsweredQuestion(question, tuple(map(tuple, answer["rows"]))), naming)
        tally["ms"] += round(1000 * (time.monotonic() - start))
        rows: list[list[object]] = []
        if pair is not None:
            tally["calls"] = max(tally["calls"], pair.calls)
            arguments["query"] = pair.best.query
            rows = (await server.call("execute_cypher", arguments)).require()["rows"]
        right = tables_match(rows, answer["rows"], ordered="ORDER BY" in gold)
        tally["right"] += right
        tally[pair.best.source if pair else "none"] += 1
        if options.misses and not right:
            print(f"  Q {question}\n  G {gold}\n  P {pair.best if pair else None}")
    return tally


def line(tally: Counter[str]) -> str:
    """Return the figures of a tally as a line of text."""
    questions_asked = max(1, tally["asked"])
    return (
        f"{tally['right']} of {tally['asked']} right ({tally['right'] / questions_asked:.1%}), {tally['none']} without a pair, "
        f"{tally['enumerated']} enumerated; {tally['ms'] / questions_asked / 1000:.1f} s a question"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graphs", nargs="*", default=[*TRAIN, "fictional_character", "flight_accident"])
    arguments.add_argument("--each", type=int, default=15)
    arguments.add_argument("--seed", type=int, default=29)
    arguments.add_argument("--misses", action="store_true")
    anyio.run(measure, arguments.parse_args())


if __name__ == "__main__":
    main()
