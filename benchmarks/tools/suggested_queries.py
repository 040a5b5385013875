"""Measures how many predictions of real models are right as written, and how many after a suggestion replaces them.

    python -m benchmarks.tools.suggested_queries FOLDER [--graphs company fictional_character] [--share 5] [--misses 20]

The first run stores the stand-in graphs and the verdicts in FOLDER, so that later runs only compute new suggestions.
`--share 5` takes every fifth question. A prediction is right if it returns the gold query's rows on the stand-in graph.
Suggestions are computed without the question and with it. For both, the output is the numbers of predictions that are
right afterwards, that a suggestion made right and that a suggestion made wrong, and the numbers by error category.
`--misses` prints a sample of the predictions that are wrong afterwards. Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.engines.graphs_for_queries import gold_queries, records
from benchmarks.evals.recorded_scores import GRAPHS, schema_with_symmetry
from benchmarks.stand_ins import stand_in
from graphground.evals.metrics.executable import attempt
from graphground.evals.metrics.execution_accuracy import orders, tables_match
from graphground.evals.runs.scoring import categories_of
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.engines.engine import EngineError, Table
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Catalog, Home
from graphground.tools.diagnostics import report_on

TIMEOUT = 4.0
MOST_ROWS = 20_000
WAYS = ("without", "with")


class Prediction(NamedTuple):
    """A query that a model wrote (`text`), with the question and its gold query."""

    question: str
    gold: str
    text: str


def predictions(graph: str, share: int) -> list[Prediction]:
    """Return the distinct predictions for every `share`-th question of a graph."""
    found = {
        Prediction(str(record["question"]), str(record["gold_cypher"]), text): None
        for name in ("scored", "unscored")
        for record in records(f"predictions/cypherbench_{name}.jsonl.gz")
        if record["graph"] == graph
        and not record.get("metrics_suspect")
        and isinstance(text := record["pred_cypher"], str)
        and text.strip()
    }
    questions = sorted({prediction.question for prediction in found})
    chosen = set(questions[::share])
    return [prediction for prediction in found if prediction.question in chosen]


class Judge:
    """Verdicts on whether queries return the gold query's rows, cached in memory and in a file."""

    def __init__(self, graph: Graph, file: Path) -> None:
        self._graph, self._file = graph, file
        self._gold: dict[str, Table] = {}
        self._known: dict[str, str] = json.loads(file.read_text("utf-8")) if file.exists() else {}

    def of(self, gold: str, text: str) -> str:
        """Return the verdict on a query: `right`, `timeout`, or the category of the mistake."""
        key = f"{gold}\n\n{text}"
        if key not in self._known:
            self._known[key] = self._verdict_on(gold, text)
        return self._known[key]

    def _verdict_on(self, gold: str, text: str) -> str:
        if gold not in self._gold:
            self._gold[gold] = self._graph.run(gold, timeout=30)
        gold_table = self._gold[gold]
        try:
            outcome = attempt(self._graph, text, timeout=TIMEOUT, limit=MOST_ROWS)
        except EngineError as error:
            print(f"  {error}: {text}")
            return "timeout"
        rows = outcome.table.rows if outcome.table is not None else []
        if (
            outcome.table is not None
            and not outcome.table.truncated
            and tables_match(rows, gold_table.rows, ordered=orders(gold, self._graph.language))
        ):
            return "right"
        diagnostics = report_on(self._graph, text, None).diagnostics
        return categories_of(text, gold, outcome.failure, diagnostics, rows, gold_table.rows)[0]

    def keep(self) -> None:
        """Write the verdicts to the file."""
        self._file.write_text(json.dumps(self._known, ensure_ascii=False), encoding="utf-8")


def opened(name: str, folder: Path) -> Graph:
    """Open the stand-in graph of a schema; generate and load the graph if it is missing."""
    home = Home(folder)
    if name not in {entry.name for entry in Catalog(home).entries()}:
        graph_data = stand_in(schema_with_symmetry(name), gold_queries(name), 3_000, 9_000, seed=1)
        file = folder / f"{name}.json"
        write_simplekg(file, graph_data.schema, graph_data.entities(), graph_data.relations())
        load_file(file, home, name=name)
    return open_stored(name, home)


def measure(name: str, folder: Path, share: int, misses: int) -> Counter[str]:
    """Measure one graph; print and return its counts."""
    graph = opened(name, folder)
    judge = Judge(graph, folder / f"{name}.judged.json")
    chosen = predictions(name, share)
    with ThreadPoolExecutor(2) as pool:
        before = list(pool.map(lambda prediction: judge.of(prediction.gold, prediction.text), chosen))
    counts: Counter[str] = Counter({"all": len(chosen), "right": before.count("right")})
    categories: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[str] = []
    for way in WAYS:
        start = time.process_time()
        suggested = [
            report_on(graph, prediction.text, None, prediction.question if way == "with" else None).suggested_query
            for prediction in chosen
        ]
        counts[f"{way} ms"] = round(1000 * (time.process_time() - start))
        with ThreadPoolExecutor(2) as pool:
            after = list(
                pool.map(
                    lambda pair: judge.of(pair[0].gold, pair[1]) if pair[1] is not None else "",
                    zip(chosen, suggested, strict=True),
                )
            )
        for prediction, first, then, text in zip(chosen, before, after, suggested, strict=True):
            last = then or first
            counts[f"{way} given"] += bool(then)
            counts[f"{way} right"] += last == "right"
            counts[f"{way} made right"] += first != "right" == last
            counts[f"{way} made wrong"] += first == "right" != last
            categories[first][f"{way} given"] += bool(then)
            categories[first][f"{way} right"] += last == "right"
            categories[first]["all"] += way == "with"
            if first == "right" != last or (way == "with" and last != "right"):
                kind = "MADE WRONG" if first == "right" else "wrong suggestion" if then else "no suggestion"
                wrong.append(
                    f"{kind} {way} ({first})\n  Q {prediction.question}\n  G {prediction.gold}\n  P {prediction.text}\n  S {text}"
                )
    judge.keep()
    report(name, counts)
    for category, numbers in sorted(categories.items(), key=lambda pair: -pair[1]["all"]):
        print(f"    {category}: {dict(numbers)}")
    random.Random(7).shuffle(wrong)
    wrong.sort(key=lambda text: not text.startswith("MADE WRONG"))
    for text in wrong[:misses]:
        print(text)
    if graph.engine is not None:
        graph.engine.close()
    return counts


def report(name: str, counts: Counter[str]) -> None:
    """Print the figures of one graph, or of all graphs together."""
    total = counts["all"]
    print(f"{name}: {total} predictions, right as written {counts['right']} ({counts['right'] / total:.2%})")
    for way in WAYS:
        print(
            f"  {way} the question: right {counts[f'{way} right']} ({counts[f'{way} right'] / total:.2%}), suggestion "
            f"given {counts[f'{way} given']}, made right {counts[f'{way} made right']}, made wrong "
            f"{counts[f'{way} made wrong']} ({counts[f'{way} made wrong'] / max(1, counts['right']):.2%} of the right "
            f"ones); {counts[f'{way} ms'] / total:.2f} ms of processor time each",
            flush=True,
        )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    arguments.add_argument("--share", type=int, default=1)
    arguments.add_argument("--misses", type=int, default=0)
    options = arguments.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    total: Counter[str] = Counter()
    try:
        for name in options.graphs:
            total.update(measure(name, options.folder, options.share, options.misses))
        report("all", total)
    finally:
        end_engine(Home(options.folder), kill=True)


if __name__ == "__main__":
    main()
