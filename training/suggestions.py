"""Learns how candidate queries are ranked, and how far the first one can be trusted: graphs/suggestions/model.json.

    python -m training.suggestions --cypherbench FOLDER --metaqa HOME:metaqa --questions HOME:messy=messy_dev.jsonl …

The sets are those of `benchmarks.tools.strangers`. For each question the candidates are proposed with the current
weights and run; those that return the gold rows are right. A log-linear model is fitted to them with Adam and an L1
term. `--leave-out GROUP` reports on a group without learning from it; nothing is then written. `--examples FOLDER`
keeps the candidates of each graph, so that a second run does not ask the database again.

CypherBench's questions are those of three graphs from which the weights of the schema's patterns were not learned.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.engines.graphs_for_queries import DEVELOPED
from benchmarks.tools.strangers import Asked, Judge, cypherbench_questions, file_questions, metaqa_questions
from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.question.read import read
from graphground.graphs.storage.home import Home
from graphground.graphs.suggestions.suggest import START, certainty, confidence_of, propose, total

SHIPPED = Path(__file__).resolve().parents[1] / "graphs/suggestions/model.json"
CANDIDATES = 25
MAX_WEIGHTS = 300
TIMEOUT = 1.0
STEPS = 400
L1 = 0.002


@dataclass(frozen=True)
class Example:
    """A question with the features of its candidates, which of them are right, and which return no rows."""

    asked: Asked
    features: list[dict[str, float]]
    right: list[bool]
    empty: list[bool]


def collect(graph: Graph, questions: Sequence[Asked], weights: Mapping[str, float]) -> list[Example]:
    """Propose candidates for each question, and run them."""
    judge = Judge(graph, TIMEOUT)
    found = []
    for asked in questions:
        if not judge.askable(asked):
            continue
        proposals = propose(graph, read(asked.question, graph), weights, seconds=3.0)[:CANDIDATES]
        texts = [proposal.candidate.cypher() for proposal in proposals]
        with ThreadPoolExecutor(3) as pool:
            right = list(pool.map(judge.right, texts, [asked] * len(texts)))
        empty = [not judge.rows(text) for text in texts]
        found.append(Example(asked, [proposal.features for proposal in proposals], right, empty))
    among = sum(any(example.right) for example in found)
    print(f"{graph.name}: {len(found)} questions, gold query among the candidates: {among}", flush=True)
    return found


def fit(
    examples: Sequence[Example], start: Mapping[str, float], steps: int = STEPS, l1: float = L1
) -> dict[str, float]:
    """Return weights under which right candidates are the most probable; every group counts by its square root."""
    names: dict[str, int] = {}
    columns: list[int] = []
    values: list[float] = []
    rows: list[int] = []
    groups: list[int] = []
    right: list[bool] = []
    shares: list[float] = []
    sizes = Counter(example.asked.group for example in examples)
    for example in examples:
        if not any(example.right) or all(example.right):
            continue
        for features, is_right, empty in zip(example.features, example.right, example.empty, strict=True):
            if empty and not is_right:
                continue  # candidates without answers are left out after counting
            for name, value in features.items():
                if value:
                    columns.append(names.setdefault(name, len(names)))
                    values.append(value)
                    rows.append(len(groups))
            groups.append(len(shares))
            right.append(is_right)
        shares.append(sizes[example.asked.group] ** -0.5)
    place, value, row, group = (np.array(items) for items in (columns, values, rows, groups))
    gold, share = np.array(right, float), np.array(shares) / sum(shares)
    firsts = np.concatenate(([0], np.flatnonzero(np.diff(group)) + 1))
    current = np.array([start.get(name, 0.0) for name in names])
    mean, square = np.zeros_like(current), np.zeros_like(current)
    for step in range(1, steps + 1):
        scores = np.bincount(row, value * current[place], minlength=len(group))
        parts = np.exp(scores - np.maximum.reduceat(scores, firsts)[group])
        mass, good = np.add.reduceat(parts, firsts), np.add.reduceat(parts * gold, firsts)
        wanted = parts * gold / np.maximum(good[group], 1e-12)
        slope = np.bincount(place, value * ((parts / mass[group] - wanted) * share[group])[row], minlength=len(current))
        slope += 1e-4 * current
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        rate = 0.06 * 0.05 ** (step / steps)
        current -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        current = np.sign(current) * np.maximum(0.0, np.abs(current) - 30 * rate * l1)
    largest = sorted(names, key=lambda name: -abs(current[names[name]]))[:MAX_WEIGHTS]
    return {name: round(float(current[names[name]]), 3) for name in sorted(largest) if abs(current[names[name]]) > 0.01}


def order(example: Example, weights: Mapping[str, float]) -> list[int]:
    """Return the numbers of the candidates, best first; those without rows come last."""
    scores = [total(features, weights) for features in example.features]
    return sorted(range(len(scores)), key=lambda place: (example.empty[place], -scores[place]))


def fit_confidence(examples: Sequence[Example], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of the probability that the first candidate is right (a logistic regression)."""
    rows, right = [], []
    for example in examples:
        ranked = order(example, weights)
        if ranked:
            scores = [total(example.features[place], weights) for place in ranked]
            rows.append(certainty(example.features[ranked[0]], scores, 0))
            right.append(example.right[ranked[0]])
    names = list(rows[0])
    table, wanted = np.array([[row[name] for name in names] for row in rows]), np.array(right, float)
    current = np.zeros(len(names))
    for _ in range(3_000):
        current -= 0.1 * (table.T @ (1 / (1 + np.exp(-table @ current)) - wanted) / len(wanted) + 1e-3 * current)
    return {name: round(float(value), 3) for name, value in zip(names, current, strict=True)}


def report(examples: Sequence[Example], weights: Mapping[str, float], confidence: Mapping[str, float]) -> None:
    """Print the figures of each group."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for example in examples:
        ranked = order(example, weights)[:5]
        tally = counts[example.asked.group]
        scores = [total(example.features[place], weights) for place in ranked]
        sure = bool(ranked) and confidence_of(example.features[ranked[0]], scores, 0, confidence) >= 0.9
        first = bool(ranked) and example.right[ranked[0]]
        tally.update(asked=1, first=first, within=any(example.right[place] for place in ranked))
        tally.update(sure=sure, sure_right=sure and first)
    for group, tally in sorted(counts.items()):
        print(
            f"   {group}: {tally['asked']}, first {tally['first'] / tally['asked']:.1%}, within five "
            f"{tally['within'] / tally['asked']:.1%}, confident {tally['sure_right']} of {tally['sure']} right"
        )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cypherbench", type=Path, metavar="FOLDER")
    arguments.add_argument("--metaqa", metavar="HOME:NAME")
    arguments.add_argument("--questions", nargs="*", default=[], metavar="HOME:NAME=FILE")
    arguments.add_argument("--each", type=int, default=60, help="questions of each graph, or of each number of hops")
    arguments.add_argument("--examples", type=Path, help="a folder in which candidates are kept")
    arguments.add_argument("--leave-out", default="", metavar="GROUP")
    arguments.add_argument("--out", type=Path, default=SHIPPED)
    options = arguments.parse_args()
    examples: list[Example] = []

    def add(home: Path, name: str, questions: Sequence[Asked]) -> None:
        kept = options.examples / f"{name}.pickle" if options.examples else None
        if kept is not None and kept.exists():
            examples.extend(pickle.loads(kept.read_bytes()))
            return
        graph = open_stored(name, Home(home))
        found = collect(graph, questions, START)
        if graph.engine is not None:
            graph.engine.close()
        if kept is not None:
            kept.write_bytes(pickle.dumps(found))
        examples.extend(found)

    for name in DEVELOPED if options.cypherbench else ():
        add(options.cypherbench, name, cypherbench_questions(name, options.each))
    if options.metaqa:
        home, _, name = options.metaqa.rpartition(":")
        add(Path(home), name, metaqa_questions(options.each, seed=11))
    for text in options.questions:
        where, _, file = text.partition("=")
        home, _, name = where.rpartition(":")
        add(Path(home), name, file_questions(Path(file), Path(file).stem))
    learned = [example for example in examples if not options.leave_out or options.leave_out not in example.asked.group]
    weights = fit(learned, START)
    confidence = fit_confidence(learned, weights)
    print(len(weights), "weights")
    report(examples, weights, confidence)
    if not options.leave_out:
        model = {"features": sorted(weights), "weights": weights, "confidence": confidence}
        options.out.write_text(json.dumps(model, indent=0) + "\n", "utf-8")


if __name__ == "__main__":
    main()
