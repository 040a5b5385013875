"""Compares our metrics with the published implementation, and lists the differences by reason.

    python -m benchmarks.evals.published_metrics FOLDER [--tables 4000] [--graphs flight_accident]

FOLDER holds the stand-in graphs, written by `recorded_scores --folder`. Both implementations score the same random
tables and the same real predictions. Both receive the rows of the same engine: the only part of the published code that
is replaced is its database connector.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.evals.recorded_scores import GRAPHS, TIMEOUT, measured, scored
from benchmarks.results import Figure, record
from graphground.evals.metrics.executable import attempt
from graphground.evals.metrics.execution_accuracy import orders, tables_match
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from tests.support.shared_data import SHARED

COMMAND = "benchmarks.evals.published_metrics"


def published() -> Any:
    """Return the published modules of EX and of PSJS, imported from ../reference."""
    sys.path.insert(0, str(SHARED.parent / "reference" / "cypherbench"))
    from cypherbench.metrics import execution_accuracy, provenance_subgraph_jaccard_similarity  # type: ignore[import]

    return sys.modules[execution_accuracy.__module__], sys.modules[provenance_subgraph_jaccard_similarity.__module__]


class Refused(Exception):
    """The failure of a query in the engine; the published metrics catch any exception."""


class Connector:
    """A substitute for the published database connector that runs queries on one of our graphs."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def run_query(self, cypher: str, timeout: float | None = None, **_: Any) -> list[dict[str, Any]]:
        outcome = attempt(self._graph, cypher, timeout=TIMEOUT)
        if outcome.table is None:
            raise Refused(outcome.message)
        return [
            {name: _as_driver(value) for name, value in zip(outcome.table.columns, row, strict=True)}
            for row in outcome.table.rows
        ]


def _as_driver(value: Any) -> Any:
    """Return a value in the form of the driver's `data()`, in which a node is a dictionary of its properties."""
    if isinstance(value, dict) and value.keys() == {"id", "labels", "properties"}:
        return value["properties"]
    return [_as_driver(item) for item in value] if isinstance(value, list) else value


VALUES = {
    "plain": lambda rng: rng.choice([None, "a", "b", "c", 1, 2, 3, 2.5]),
    "lists": lambda rng: [rng.choice("abc") for _ in range(rng.randrange(3))],
    "maps": lambda rng: {"a": rng.randrange(2), "b": rng.choice("xy")},
    "booleans": lambda rng: rng.choice([True, False, 0, 1]),
    "floats": lambda rng: rng.choice([0.3, 0.1 + 0.2, 1.0, 1]),
    "mixed lists": lambda rng: [rng.choice([1, "a", None]) for _ in range(2)],
}


def random_pair(rng: random.Random) -> tuple[list[list[Any]], list[list[Any]], bool, set[str]]:
    """Return a gold table, a similar predicted table, whether the order of rows counts, and the kinds of values."""
    kinds = [rng.choice(list(VALUES)) for _ in range(rng.randint(1, 5))]
    gold = [[VALUES[kind](rng) for kind in kinds] for _ in range(rng.randint(1, 7))]
    columns = list(range(len(kinds)))
    rng.shuffle(columns)
    predicted = [[row[place] for place in columns] for row in gold]
    if rng.random() < 0.5:
        rng.shuffle(predicted)
    if rng.random() < 0.5:
        place = rng.randrange(len(predicted))
        predicted[place] = [VALUES[kinds[column]](rng) for column in columns]
    if rng.random() < 0.1:
        predicted.append(list(rng.choice(predicted)))
    return gold, predicted, rng.random() < 0.3, set(kinds)


def compare_tables(theirs: Any, count: int) -> None:
    """Compare our verdicts, by the paper's rule and by the published rule, with the published verdicts.

    The tables are random; the counts are printed by reason of the difference.
    """
    rng = random.Random(7)
    reasons: Counter[str] = Counter()
    start = time.monotonic()
    for _ in range(count):
        gold, predicted, ordered, kinds = random_pair(rng)
        hashed: list[list[dict[str, Any]]] = []
        verdict: bool | str
        try:
            for table in (predicted, gold):
                hashed.append(
                    [{f"c{place}": theirs.to_hashable(value) for place, value in enumerate(row)} for row in table]
                )
            verdict = bool(theirs._compare_execution(*hashed, order_matters=ordered))
        except TypeError:
            verdict = False if not hashed else "raised"
        same = tables_match(predicted, gold, ordered=ordered, rule="published")
        paper = tables_match(predicted, gold, ordered=ordered)
        if verdict != "raised" and same != verdict:
            reasons["equal numbers or booleans are sorted by their text there, before rows are compared"] += 1
        if verdict != paper:
            if verdict == "raised" or (not verdict and "mixed lists" in kinds):
                reasons["lists of mixed types cannot be sorted there"] += 1
            elif not verdict and "floats" in kinds:
                reasons["floats equal within 1e-9 here"] += 1
            elif verdict and "booleans" in kinds:
                reasons["true equals 1 there"] += 1
            else:
                reasons["UNEXPLAINED"] += 1
        else:
            reasons["the same"] += 1
    print(f"random tables: {count}: {dict(reasons)}, {time.monotonic() - start:.1f} s", flush=True)


def reason(gold: str, predicted: str, ours: tuple[float, float], theirs: tuple[float, float]) -> str:
    """Return the reason why the published scores (EX, PSJS) of a prediction differ from ours, or `the same`."""
    if ours == theirs:
        return "the same"
    which = "EX: " if ours[0] != theirs[0] else "PSJS: "
    if which == "EX: ":
        if orders(gold) != ("order by" in gold.lower()):
            return which + "order"
        return which + "values (floats, booleans)"
    if re.search(r"(?i)(starts|ends)\s+with", predicted):
        return which + "STARTS WITH or ENDS WITH is cut there"
    if not predicted.strip().startswith(("MATCH", "CALL")):
        return which + "no MATCH is found there (it does not begin with MATCH)"
    if re.search(r"\*\d|\*\.|\*\]", predicted):
        return which + "inner nodes of paths"
    if re.search(r"\(\s*\)|\(\w+\s*\{|\(\s*\{|`", predicted):
        return which + "nodes without a label or a variable"
    if re.search(r"WITH[^{}]*?\bas\b", predicted, re.IGNORECASE) and predicted.upper().count("MATCH") > 1:
        return which + "a MATCH after a WITH that renames or groups"
    if "CALL" in predicted:
        return which + "CALL"
    from graphground.cypher import validate

    if not validate(predicted).valid:
        return which + "a text that does not compile: there, all before RETURN is run"
    if "|" in predicted:
        return which + "several labels or types"
    return which + "OTHER"


def compare_predictions(ex: Any, ps: Any, graph: Graph, name: str, most: int, shown: int) -> Counter[str]:
    """Compare both implementations' scores of real predictions on a stand-in graph; return how many agree."""
    reasons: Counter[str] = Counter()
    examples: Counter[str] = Counter()
    by_rule: Counter[bool] = Counter()
    connector = Connector(graph)
    chosen = [record for record in scored(name) if record["pred_cypher"] != record["gold_cypher"]]
    chosen = random.Random(3).sample(chosen, min(most, len(chosen)))
    for scores in chosen:
        gold, predicted = str(scores["gold_cypher"]), str(scores["pred_cypher"])
        ((accuracy, similarity, published_similarity),) = measured(graph, gold, [predicted])
        our_scores = (accuracy, similarity)
        with contextlib.redirect_stdout(io.StringIO()):
            published_scores = (
                ex.execution_accuracy(predicted, gold, connector),
                ps.provenance_subgraph_jaccard_similarity(predicted, gold, connector),
            )
        why = reason(
            gold,
            predicted,
            (our_scores[0], round(our_scores[1], 9)),
            (published_scores[0], round(published_scores[1], 9)),
        )
        reasons[why] += 1
        examples[why] += 1
        same_rule = abs(published_similarity - published_scores[1]) < 1e-9
        by_rule[same_rule] += 1
        if not same_rule:
            print(f'  PSJS with rule="published": {published_similarity}, theirs {published_scores[1]}: {predicted}')
        if why != "the same" and examples[why] <= shown:
            print(f"  {why}: ours {our_scores}, theirs {published_scores}\n    {gold}\n    {predicted}", flush=True)
    print(f"{name}: {len(chosen)} predictions: {dict(reasons)}", flush=True)
    explained = len(chosen) - sum(count for why, count in reasons.items() if why.endswith("OTHER"))
    print(f"  {explained:,} of {len(chosen):,} are the same, or differ for one of the reasons above", flush=True)
    print(f'  PSJS with rule="published": {by_rule[True]} equal, {by_rule[False]} different', flush=True)
    same_ex = len(chosen) - sum(count for why, count in reasons.items() if why.startswith("EX"))
    return Counter({"all": len(chosen), "EX": same_ex, "PSJS explained": explained, "PSJS": by_rule[True]})


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--tables", type=int, default=4_000)
    arguments.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    arguments.add_argument("--most", type=int, default=100_000)
    arguments.add_argument("--shown", type=int, default=2)
    options = arguments.parse_args()
    ex, ps = published()
    compare_tables(ex, options.tables)
    home = Home(options.folder / "home")
    agree: Counter[str] = Counter()
    try:
        for name in options.graphs:
            graph = open_stored(name, home)
            agree += compare_predictions(ex, ps, graph, name, options.most, options.shown)
            graph.close()
    finally:
        end_engine(home, kill=True)
    if set(options.graphs) >= set(GRAPHS):
        data, least = "all real predictions that have scores", f">= {agree['all']}"
        psjs = min(agree["PSJS"], agree["PSJS explained"])
        record(
            "evals",
            Figure("EX as the published code", data, agree["EX"], "", least, COMMAND),
            Figure("PSJS: equal by the published rule, explained by the paper's", data, psjs, "", least, COMMAND),
        )


if __name__ == "__main__":
    main()
