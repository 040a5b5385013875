"""Learns how candidate queries are ranked, and how far the first one can be trusted: graphs/suggestions/model.json.

    python -m training.suggestions --cypherbench FOLDER --metaqa HOME:metaqa --questions HOME:messy=messy_dev.jsonl …

The sets are those of `benchmarks.tools.strangers`, without the graphs and questions of CypherBench and MetaQA that it
measures. Questions that a graph cannot answer teach only the confidence.

The first round ranks candidates only by how much of the question they cover; the second proposes them with
the weights of the first. The candidates are run; those that return the gold rows are right. A log-linear model is
fitted to them from zeros, with Adam and an L1 term. Nothing is random; no weight is set by hand.

Then each graph is left out in turn, to see how well the others teach it, and how sure one may be of one never seen.
The gate: if a group that is left out loses more than 2 points and one standard error against the figures in the file
that would be replaced, nothing is written. (One question of a group of 38 is 2.6 points, so 2 points alone are chance.)
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.tools.strangers import HELD_OUT, Asked, Judge, cypherbench_questions, file_questions, metaqa_questions
from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.question.read import read
from graphground.graphs.storage.home import Home
from graphground.graphs.suggestions.propose import Proposal
from graphground.graphs.suggestions.suggest import Weights, certainty, confidence_of, count_answers, propose, total

SHIPPED = Path(__file__).resolve().parents[1] / "graphs/suggestions/model.json"
CYPHERBENCH = ("art", "biology", "soccer", "terrorist_attack")
"""The graphs of CypherBench to learn from; those in `HELD_OUT` are only measured."""
FIRST: Mapping[str, float] = {"cover": 1.0}
"""The weights with which the first round proposes candidates."""
ROUNDS = (3, 1)
"""How each round proceeds: every third question, all."""
CANDIDATES = 25
MAX_WEIGHTS = 300
TIMEOUT = 30.0
READING = 30.0
"""The time limit for the relationships of one question: none is cut off, so that a second run proposes the same."""
STEPS = 200
L1, PAIRED = 0.001, 2.0
"""The L1 term, and how much larger it is for what a form has with an operator."""
MEASURED = 40
"""The number of MetaQA's questions of each number of hops that are only measured."""
FEWEST = 100
"""Up to how many questions a group counts by their number: many small graphs do not outweigh the large ones."""
MAX_LOSS = 0.02
Shares = dict[str, tuple[float, float]]
"""For each group, the shares of questions whose first candidate, and of which one of five, is right."""


@dataclass(frozen=True)
class Example:
    """A question with the features of its candidates, which of them are right, and which return no rows."""

    asked: Asked
    graph: str
    features: list[dict[str, float]]
    right: list[bool]
    empty: list[bool]


def collect(graph: Graph, questions: Sequence[Asked], weights: Mapping[str, float], judge: Judge) -> list[Example]:
    """Propose candidates for each question, and run them."""

    def judged(asked: Asked, proposals: Sequence[Proposal]) -> Example:
        counted = count_answers(graph, [proposal.candidate for proposal in proposals], READING)
        gold = len(asked.answer or judge.rows(asked.gold) or ())
        right, empty = [], []
        for candidate in (proposal.candidate for proposal in proposals):
            number = counted.get(candidate.counting())
            rows = len(judge.rows(candidate.cypher()) or ()) if number is None else candidate.rows(number)
            # Candidates with far more or fewer rows than the gold query are not run: most are such.
            right.append(rows <= 2 * gold <= 4 * rows and judge.right(candidate.cypher(), asked))
            empty.append(not rows)
        return Example(asked, graph.name, [proposal.features for proposal in proposals], right, empty)

    with ThreadPoolExecutor(1) as pool:  # while the candidates of one question run, those of the next are proposed
        waiting = [
            pool.submit(
                judged,
                asked,
                propose(graph, read(asked.question, graph, seconds=READING), weights, READING)[:CANDIDATES],
            )
            for asked in questions
            if judge.askable(asked)
        ]
        found = [example.result() for example in waiting]
    among = sum(any(example.right) for example in found)
    print(f"{graph.name}: {len(found)} questions, gold query among the candidates: {among}", flush=True)
    return found


def fit(examples: Sequence[Example], steps: int = STEPS, l1: float = L1) -> dict[str, float]:
    """Return weights under which right candidates are the most probable; a large group counts by its square root."""
    sizes = Counter(example.asked.group for example in examples)
    names: dict[str, int] = {}
    rows: list[dict[str, float]] = []
    groups: list[int] = []
    right: list[bool] = []
    shares: list[float] = []
    for example in examples:
        if not any(example.right) or all(example.right):
            continue
        for features, is_right, empty in zip(example.features, example.right, example.empty, strict=True):
            if empty and not is_right:
                continue  # candidates without answers are left out after counting
            for name in features:
                names.setdefault(name, len(names))
            rows.append(features)
            groups.append(len(shares))
            right.append(is_right)
        shares.append(max(sizes[example.asked.group], FEWEST) ** -0.5)
    if not rows:
        return {}
    table = np.zeros((len(rows), len(names)), dtype=np.float32)
    for number, features in enumerate(rows):
        for name, value in features.items():
            table[number, names[name]] = value
    columns = np.ascontiguousarray(table.T)
    group, gold, share = np.array(groups), np.array(right, np.float32), np.array(shares, np.float32)
    share /= share.sum()
    firsts = np.concatenate(([0], np.flatnonzero(np.diff(group)) + 1))
    # What one form has with one operator is seen rarely, and says little of other graphs.
    penalty = np.array([l1 * (PAIRED if name.count(".") > 1 else 1.0) for name in names], np.float32)
    current = np.zeros(len(names), np.float32)
    mean, square = np.zeros_like(current), np.zeros_like(current)
    for step in range(1, steps + 1):
        scores = table @ current
        parts = np.exp(scores - np.maximum.reduceat(scores, firsts)[group])
        mass, good = np.add.reduceat(parts, firsts), np.add.reduceat(parts * gold, firsts)
        wanted = parts * gold / np.maximum(good[group], 1e-12)
        slope = columns @ ((parts / mass[group] - wanted) * share[group]) + 1e-4 * current
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        rate = 0.12 * 0.05 ** (step / steps)
        current = current - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        current = np.sign(current) * np.maximum(0.0, np.abs(current) - 30 * rate * penalty)
    largest = sorted(names, key=lambda name: -abs(current[names[name]]))[:MAX_WEIGHTS]
    return {name: round(float(current[names[name]]), 3) for name in sorted(largest) if abs(current[names[name]]) > 0.01}


def order(example: Example, weights: Mapping[str, float]) -> list[int]:
    """Return the numbers of the candidates, best first; those without rows come last."""
    scores = [total(features, weights) for features in example.features]
    return sorted(range(len(scores)), key=lambda place: (example.empty[place], -scores[place]))


def fit_confidence(examples: Sequence[Example], weights: Mapping[str, Weights]) -> dict[str, float]:
    """Return the weights of the probability that the first candidate is right (a logistic regression).

    `weights` are for each graph what the others teach, by which its questions are ranked: a model is too sure of the
    graphs that it has seen, and those of users are others. Of 124 first candidates of graphs that were left out with a
    confidence of 0.9 or more, 116 are right. If all four of CypherBench are left out at once, nothing is as sure.
    """
    rows, right, shares = [], [], []
    sizes = Counter(example.graph for example in examples)
    for example in examples:
        ranked = order(example, weights[example.graph])
        if ranked:
            scores = [total(example.features[place], weights[example.graph]) for place in ranked]
            rows.append(certainty(example.features[ranked[0]], scores, 0))
            right.append(example.right[ranked[0]])
            shares.append(sizes[example.graph] ** -0.5)
    names = list(rows[0])
    table, wanted = np.array([[row[name] for name in names] for row in rows]), np.array(right, float)
    share = np.array(shares) / sum(shares)
    current = np.zeros(len(names))
    for _ in range(3_000):
        current -= 0.1 * (table.T @ (share * (1 / (1 + np.exp(-table @ current)) - wanted)) + 1e-3 * current)
    return {name: round(float(value), 3) for name, value in zip(names, current, strict=True)}


def report(
    examples: Sequence[Example], weights: Mapping[str, float], confidence: Mapping[str, float], title: str
) -> Shares:
    """Print and return the figures of each group."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for example in examples:
        ranked = order(example, weights)
        tally = counts[example.asked.group]
        scores = [total(example.features[place], weights) for place in ranked]
        sure = bool(ranked) and confidence_of(example.features[ranked[0]], scores, 0, confidence) >= 0.9
        first = bool(ranked) and example.right[ranked[0]]
        tally.update(
            asked=example.asked.answerable, first=first, within=any(example.right[place] for place in ranked[:5])
        )
        tally.update(sure=sure, sure_right=sure and first)
    found: Shares = {}
    for group, tally in sorted(counts.items()):
        found[group] = (tally["first"] / tally["asked"], tally["within"] / tally["asked"])
        print(
            f"{title} {group}: {tally['asked']}, first {found[group][0]:.1%}, within five {found[group][1]:.1%}, "
            f"confident {tally['sure_right']} of {tally['sure']} right",
            flush=True,
        )
    return found


def leave_out(examples: Sequence[Example], weights: Mapping[str, Weights]) -> Shares:
    """Return how well each graph does if the model, and its confidence, are learned from the others."""
    found: Shares = {}
    for graph, its_weights in weights.items():
        others = [example for example in examples if example.graph != graph]
        confidence = fit_confidence(others, weights) if others else {}
        its = report([e for e in examples if e.graph == graph], its_weights, confidence, "left out")
        found |= {f"{graph}: {group}": shares for group, shares in its.items()}
    return found


def write(model: Path, examples: Sequence[Example], *, accept: bool = False) -> None:
    """Learn the model and write it, unless a group that is left out loses more than `MAX_LOSS` beyond chance.

    Raises:
        SystemExit: the gate is closed; the message names the groups. `accept` opens it.
    """
    graphs = sorted({example.graph for example in examples})
    weights = fit(examples)
    by_graph = {graph: fit([example for example in examples if example.graph != graph]) for graph in graphs}
    confidence = fit_confidence(examples, by_graph)
    report(examples, weights, confidence, "learned")
    shares = leave_out(examples, by_graph)
    before: Shares = json.loads(model.read_text("utf-8")).get("left_out", {}) if model.exists() else {}
    asked = Counter(f"{example.graph}: {example.asked.group}" for example in examples)
    worse = [
        f"{group} ({old:.1%} before, {new:.1%} now)"
        for group in sorted(before.keys() & shares.keys())
        for old, new in zip(before[group], shares[group], strict=True)
        if new < old - MAX_LOSS - (old * max(0.0, 1 - old) / asked[group]) ** 0.5
    ]
    if worse and not accept:
        raise SystemExit(f"not written: left out, these groups lose more than {MAX_LOSS:.0%}: {', '.join(worse)}")
    left_out = {group: [round(share, 3) for share in its] for group, its in shares.items()}
    document = {"features": sorted(weights), "weights": weights, "confidence": confidence, "left_out": left_out}
    model.write_text(json.dumps(document, indent=0) + "\n", "utf-8")
    print(len(weights), "weights written")


def sets(options: argparse.Namespace) -> Iterator[tuple[Path, str, list[Asked]]]:
    """Yield the data folder, the graph and the questions of each set."""
    for name in CYPHERBENCH if options.cypherbench else ():
        yield options.cypherbench, name, cypherbench_questions(name, options.cypherbench_each)
    if options.metaqa:
        home, _, name = options.metaqa.rpartition(":")
        measured = {asked.question for asked in metaqa_questions(MEASURED)}
        others = metaqa_questions(2 * options.each, seed=11)
        yield Path(home), name, [asked for asked in others if asked.question not in measured]
    for text in options.questions:
        where, _, file = text.partition("=")
        home, _, name = where.rpartition(":")
        yield Path(home), name, file_questions(Path(file), name)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cypherbench", type=Path, metavar="FOLDER")
    arguments.add_argument("--metaqa", metavar="HOME:NAME")
    arguments.add_argument("--questions", nargs="*", default=[], metavar="HOME:NAME=FILE")
    arguments.add_argument("--cypherbench-each", type=int, default=90, help="questions of each graph of CypherBench")
    arguments.add_argument("--each", type=int, default=24, help="half the questions of each number of MetaQA's hops")
    arguments.add_argument(
        "--accept", action="store_true", help="write the model even if a group that is left out loses"
    )
    arguments.add_argument("--out", type=Path, default=SHIPPED)
    options = arguments.parse_args()
    assert not set(CYPHERBENCH) & set(HELD_OUT)
    weights: Mapping[str, float] = FIRST
    examples: list[Example] = []
    graphs: dict[str, Graph] = {}
    judges: dict[str, Judge] = {}
    for stride in ROUNDS:
        examples = []
        for home, name, questions in sets(options):
            graph = graphs[name] = graphs.get(name) or open_stored(name, Home(home))
            judge = judges[name] = judges.get(name) or Judge(graph, TIMEOUT)
            examples += collect(graph, questions[::stride], weights, judge)
        weights = fit(examples)
    for graph in graphs.values():
        graph.close()
    write(options.out, examples, accept=options.accept)


if __name__ == "__main__":
    main()
