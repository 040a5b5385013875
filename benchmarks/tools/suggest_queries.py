"""Measures how often the first candidate of `suggest_queries`, or one of the first five, returns the gold rows.

    python -m benchmarks.tools.suggest_queries FOLDER [--graphs company biology] [--each 200] [--weights FILE] [--proxy]

FOLDER holds the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`). `--weights` ranks with
other weights than the package's, for example weights learned without the measured graph
(`benchmarks.tools.train_suggestions --without GRAPH`). `--proxy` compares the texts of queries instead of their rows,
which is quicker. `--typos` swaps two letters in each name of at least five letters. A miss is classified as `entity` (a
name was not found), `pattern` or `returns` (no candidate has the pattern or the RETURN of the gold query), or `ranked`
(ranked too low).
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from benchmarks.engines.graphs_for_queries import DEVELOPED, TRAIN, records
from benchmarks.tools.train_suggestions import gold_of, key_of
from graphground.cypher import parse, validate
from graphground.cypher import tree as t
from graphground.evals.metrics.execution_accuracy import tables_match
from graphground.evals.tasks.classify import classify
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from graphground.graphs.suggestions import Suggestion, mentions_in, space_of, suggest

WITHIN = 5


def questions(graph: str, count: int, seed: int) -> list[tuple[str, str]]:
    """Return at most `count` random pairs (question, gold query) of a graph: train tasks and recorded predictions."""
    gold_by_question: dict[str, str] = {}
    for name, key in (
        ("cypherbench_tasks/train", "nl_question"),
        ("predictions/cypherbench_scored", "question"),
        ("predictions/cypherbench_unscored", "question"),
    ):
        for record in records(f"{name}.jsonl.gz"):
            if record["graph"] == graph:
                gold_by_question.setdefault(str(record[key]), str(record["gold_cypher"]))
    pairs = sorted(gold_by_question.items())
    return random.Random(seed).sample(pairs, min(count, len(pairs)))


def names_of(gold: str) -> list[str]:
    """Return the texts in the property maps of a gold query's nodes, which are names."""
    return [
        entry.value.value
        for node in parse(gold).find(t.NodePattern)
        if isinstance(node.properties, t.MapLiteral)
        for entry in node.properties.entries
        if isinstance(entry.value, t.StringLiteral)
    ]


def with_typos(question: str, gold: str, rng: random.Random) -> str:
    """Return the question with two letters swapped in each name of at least five letters."""
    for name in names_of(gold):
        places = [at for at in range(1, len(name) - 2) if name[at].isalpha() and name[at + 1].isalpha()]
        places = [at for at in places if name[at] != name[at + 1]]
        if len(name) >= 5 and places:
            at = rng.choice(places)
            question = question.replace(name, name[:at] + name[at + 1] + name[at] + name[at + 2 :])
    return question


def right(graph: Graph, found: Suggestion, gold: str, rows: list[list[object]] | None) -> bool:
    """Whether a candidate returns `rows`; if `rows` is None, whether the candidate equals the gold query."""
    if rows is None or key_of(found.cypher) == key_of(gold):
        return key_of(found.cypher) == key_of(gold)
    try:
        return tables_match(graph.run(found.cypher, timeout=20).rows, rows, ordered="ORDER BY" in gold)
    except EngineError:
        return False


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graphs", nargs="*", default=[*TRAIN, *DEVELOPED])
    arguments.add_argument("--each", type=int, default=200, help="number of questions of each graph")
    arguments.add_argument("--seed", type=int, default=17)
    arguments.add_argument("--weights", type=Path)
    arguments.add_argument("--proxy", action="store_true")
    arguments.add_argument("--typos", action="store_true")
    arguments.add_argument("--misses", type=int, default=0, help="number of misses to print for each graph")
    options = arguments.parse_args()
    weights = json.loads(options.weights.read_text("utf-8")) if options.weights else None
    whole: Counter[str] = Counter()
    for name in options.graphs:
        graph = open_stored(name, Home(options.folder))
        whole.update(measured(graph, options, weights))
        if graph.engine is not None:
            graph.engine.close()
    print("all", line(whole))


def measured(graph: Graph, options: argparse.Namespace, weights: Mapping[str, float] | None) -> Counter[str]:
    """Measure one graph; print and return its counts."""
    assert graph.entities is not None
    rng = random.Random(options.seed)
    tally: Counter[str] = Counter()
    parts: dict[str, Counter[str]] = defaultdict(Counter)
    times: dict[bool, list[float]] = {True: [], False: []}
    shown = 0
    for original, gold in questions(graph.name, options.each, options.seed):
        question = with_typos(original, gold, rng) if options.typos else original
        rows = None
        if not options.proxy:
            rows = graph.run(gold, timeout=20).rows
            if not rows:
                continue
        found: list[Suggestion] = []
        for count in (False,) if options.proxy else (False, True):
            start = time.process_time() if not count else time.perf_counter()
            mentions = mentions_in(question, graph.entities, graph.schema)
            found = suggest(graph, question, mentions, limit=WITHIN, count=count, weights=weights)
            times[count].append((time.process_time() if not count else time.perf_counter()) - start)
        hits = [right(graph, candidate, gold, rows) for candidate in found]
        tally["asked"] += 1
        tally["first"] += hits[:1] == [True]
        tally["within"] += any(hits)
        tally["diagnosed"] += sum(bool(validate(candidate.cypher, graph.schema).diagnostics) for candidate in found[:3])
        tally["candidates"] += len(found[:3])
        for part in classify(gold):
            parts[part].update(asked=1, first=hits[:1] == [True], within=any(hits))
        if not any(hits):
            space = space_of(graph.schema)
            tally[gold_of(space.read(question, mentions), space, gold)[1] or "ranked"] += 1
        if hits[:1] != [True] and shown < options.misses:
            shown += 1
            print(f"MISSED {question}\n   {gold}")
            for candidate in found[:2]:
                print(f"   {candidate.cypher}\n      {candidate.reason}")
    for part, counts in sorted(parts.items()):
        print(f"   {part}: {counts['asked']}, first {share(counts, 'first')}, within five {share(counts, 'within')}")
    print(graph.name, line(tally))
    for count, seconds in times.items():
        if seconds:
            seconds.sort()
            title = "with counting (elapsed)" if count else "without counting (processor time)"
            print(
                f"   {title}: median {1000 * seconds[len(seconds) // 2]:.0f} ms, "
                f"p95 {1000 * seconds[int(0.95 * len(seconds))]:.0f} ms",
                flush=True,
            )
    return tally


def share(tally: Counter[str], outcome: str) -> str:
    return f"{100 * tally[outcome] / max(1, tally['asked']):.1f} %"


def line(tally: Counter[str]) -> str:
    """Return the counts as a line: `200 questions, first 81.5 %, within five 96.0 %; not within five: …`."""
    missed = {reason: tally[reason] for reason in ("entity", "pattern", "returns", "ranked") if tally[reason]}
    return (
        f"{tally['asked']} questions, first {share(tally, 'first')}, within five {share(tally, 'within')}; not within "
        f"five: {missed}; {tally['diagnosed']} of {tally['candidates']} candidates have a diagnostic"
    )


if __name__ == "__main__":
    main()
