"""Learns the weights that rank suggested queries, from CypherBench's train questions and their gold queries.

    python -m training.schema_patterns FOLDER [--without GRAPH …] [--out FILE]

FOLDER holds the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`). The model is log-linear
over the candidate queries, and is fitted with Adam to the negative log-likelihood of the gold query. The negative
examples are the candidates that rank best with the weights of the previous round, and some random ones. `--without`
leaves graphs out of training, so that they can be used for measuring.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.engines.graphs_for_queries import TRAIN, records
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from graphground.graphs.suggestions.mentions import mentions_in
from graphground.graphs.suggestions.pattern_features import Features, PatternFeatures
from graphground.graphs.suggestions.patterns import Pattern
from graphground.graphs.suggestions.question import Question
from graphground.graphs.suggestions.ranker import SuggestionSpace, Weights
from graphground.graphs.suggestions.return_features import ReturnFeatures, kind_and_returns
from graphground.graphs.suggestions.returns import Returns, returns_of
from graphground.graphs.suggestions.space import patterns

SHIPPED = Path(__file__).resolve().parents[1] / "graphs/suggestions/weights.json"
NEGATIVES, RANDOM = 60, 20
_TEXT = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_ALIASES = str.maketrans({"\\": None})
START = {
    "a.near": 2.0,
    "a.score": 1.0,
    "a.lead_here": 3.0,
    "m.unused.value": -1.0,
    "r.unused_value": -2.0,
    "t.score.asked": 1.0,
    "e.score": 1.0,
    "m.unused.name": -3.0,
    "m.unused.word": -1.0,
    "x.strong": -1.0,
    "x.weak": -0.5,
    "f.score.chain": 1.0,
    "f.score.grouping": 1.0,
    "f.score.optional": 1.0,
    "s.unsaid.fork": -1.0,
    "s.one_word.fork": -2.0,
    "fork.one_name": -2.5,
    "union.one_name": -2.5,
    "s.unsaid.union": -1.0,
    "s.unsaid.ring": -1.0,
    "s.one_word.ring": -2.0,
    "f.score.ring": 1.5,
    "k.ring.same": 2.5,
    "k.ring.both": 2.0,
    "k.ring.mentions0": 1.0,
    "k.ring": -3.0,
    "k.ring.also": 2.0,
    "k.comparison.compared": 2.0,
    "d.of.akin": -1.5,
    "d.has.akin": 0.5,
    "d.has.akin.then_of": 0.5,
    **{f"d.of.{context}": 1.5 for context in ("then_of", "possessive", "are", "are_then")},
    **{f"d.of.{context}": -1.5 for context in ("have", "name_as")},
    **{f"d.has.{context}": -1.5 for context in ("then_of", "possessive", "are", "are_then")},
    **{f"d.has.{context}": 1.5 for context in ("have", "name_as", "name_then")},
    **{f"d.by.{context}": 1.5 for context in ("then_by", "are_then", "name_then")},
    "d.by.plain": -1.5,
    "d.by.have": -0.5,
    **{
        f"d.{form}.{context}": 1.0 for form in ("in", "on", "to", "with", "from", "at") for context in ("then", "plain")
    },
    **{f"d.{form}.name_then": -1.5 for form in ("in", "on", "to", "with", "from", "at")},
    **{f"d.plain.{context}": -1.0 for context in ("then_of", "possessive")},
}
"""Initial weights of features that occur in few graphs; training hardly changes the weights without evidence."""


LEAST = {
    "a.near": 1.0,
    "a.score": 0.5,
    "a.lead": 0.0,
    "a.lead_here": 2.0,
    "e.score": 1.0,
    "e.label": 0.0,
    "a.only": 0.0,
}
MOST = {"a.none": 0.0, "s.unsaid.anchored": -0.5, "s.unsaid.chain": 0.0, "s.unsaid.grouping": 0.0, "x.strong": -1.0}
"""Upper bounds of weights that training sets too high: in the train graphs, few types connect the same labels."""


def key_of(text: str) -> tuple[str, str]:
    """Return the pattern and the rest of a query in a normal form, equal for queries that differ only in notation."""
    texts: list[str] = []

    def hide(found: re.Match[str]) -> str:
        texts.append((found[1] if found[1] is not None else found[2]).translate(_ALIASES))
        return f"'{len(texts) - 1}'"

    hidden = _TEXT.sub(hide, text)

    def shown(part: str) -> str:
        return re.sub(r"'(\d+)'", lambda found: "'" + texts[int(found[1])] + "'", part)

    head, between, tail = hidden.partition(" WITH ")
    if not between:
        head, _, tail = hidden.partition(" RETURN ")
    tail = tail.replace("count(DISTINCT n)", "count(n)")
    if head.startswith("CALL {"):
        halves = re.findall(r"MATCH (.*?) RETURN n, m\d as m", head)
    else:
        halves = re.split(r",(?=\(n:)", head.removeprefix("MATCH "))
    if len(halves) == 2 and not ("(m0" in halves[0] and "(m0" in halves[1]):
        halves = [re.sub(r"\[r\d", "[r", re.sub(r"\(m\d", "(m", shown(half))) for half in halves]
    else:
        halves = [re.sub(r"\[r\d", "[r", shown(half)) for half in halves]
    return ("union " if head.startswith("CALL") else "") + " | ".join(sorted(halves)), shown(tail)


def query_of(pattern: Pattern, returns: Returns) -> str:
    """Return the Cypher text of a candidate."""
    return f"{pattern.match()} {returns.cypher('name', pattern.kind == 'union')}"


@dataclass
class Example:
    """A question and its gold query; `gold` is None, and `miss` the reason, if the gold query is not a candidate."""

    graph: str
    text: str
    query: str
    question: Question
    space: SuggestionSpace
    gold: tuple[Pattern, Returns] | None
    miss: str = ""


def examples_of(name: str, folder: Path, pairs: list[tuple[str, str]]) -> list[Example]:
    """Return an example for each pair (question, gold query), with mentions from the graph's entity index."""
    graph = open_stored(name, Home(folder))
    assert graph.entities is not None
    space = SuggestionSpace(graph.schema)
    found = []
    for text, query in pairs:
        mentions = mentions_in(text, graph.entities, graph.schema)
        question = space.read(text, mentions)
        gold, miss = gold_of(question, space, query)
        found.append(Example(name, text, query, question, space, gold, miss))
    if graph.engine is not None:
        graph.engine.close()
    return found


def gold_of(question: Question, space: SuggestionSpace, query: str) -> tuple[tuple[Pattern, Returns] | None, str]:
    """Find the gold query among the candidates; return the gold query and an empty text.

    If it is missing, return None and what no candidate has: `entity` (a name), `pattern` or `returns`.
    """
    gold_pattern, rest = key_of(query)
    found = None
    for pattern in patterns(question, space.steps, lambda step, entity: 0.0):
        if key_of(pattern.match() + " RETURN x")[0] == gold_pattern or (
            pattern.kind == "comparison" and key_of(pattern.clauses() + " RETURN x")[0] == gold_pattern
        ):
            found = pattern
            tail = pattern.projection().removeprefix("WITH ")
            if not rest.startswith(tail):
                continue
            for returns in returns_of(space.schema.labels[pattern.target], pattern.kind, question):
                if key_of(query_of(pattern, returns)) == (gold_pattern, rest):
                    return (pattern, returns), ""
    if found:
        return None, "returns"
    names = {entity.name for mention in question.mentions for entity in mention.meanings}
    missing = [
        text for text in re.findall(r"name: '((?:[^'\\]|\\.)*)'", query) if text.translate(_ALIASES) not in names
    ]
    return None, "entity" if missing else "pattern"


class Trainer:
    """The training of the weights on the examples."""

    def __init__(self, examples: list[Example], seed: int = 1) -> None:
        self._examples = [example for example in examples if example.gold]
        self._names: dict[str, int] = {}
        self._rng = random.Random(seed)

    def fit(self, rounds: int, steps: int, decay: float) -> dict[str, float]:
        weights: dict[str, float] = dict(START)
        for number in range(rounds):
            start = time.perf_counter()
            data = self._collect(weights)
            print(
                f"round {number}: {len(self._examples)} questions, {len(data[0])} values, "
                f"{time.perf_counter() - start:.0f} s",
                flush=True,
            )
            weights = self._descend(weights, data, steps, decay)
        return weights

    def _collect(self, weights: Weights) -> tuple[np.ndarray, ...]:
        """Return the features of all candidates: arrays of feature numbers, values and rows, and the group of each row.

        A row is a candidate, and a group is a question; the gold query is the first row of its group.
        """
        places: list[int] = []
        values: list[float] = []
        rows: list[int] = []
        groups: list[int] = []
        row = 0
        for group, example in enumerate(self._examples):
            assert example.gold
            for features in self._rows(example, weights):
                for name, value in features.items():
                    if value:
                        places.append(self._names.setdefault(name, len(self._names)))
                        values.append(value)
                        rows.append(row)
                groups.append(group)
                row += 1
        return (
            np.array(places, np.int32),
            np.array(values, np.float32),
            np.array(rows, np.int32),
            np.array(groups, np.int32),
        )

    def _rows(self, example: Example, weights: Weights) -> list[Features]:
        assert example.gold
        question, space = example.question, example.space
        features = PatternFeatures(question, space.steps.by_target)
        gold_pattern, gold_returns = example.gold
        ranked = space.rank(question, NEGATIVES, weights=weights)
        chosen = {(gold_pattern, gold_returns): None}
        chosen |= {(item.pattern, item.returns): None for item in ranked}
        for item in ranked[:12]:
            if item.pattern.target == gold_pattern.target:
                chosen[item.pattern, gold_returns] = None
            chosen[gold_pattern, item.returns] = None
        best = space.best_patterns(question, weights)
        for _, pattern in self._rng.sample(best, min(RANDOM, len(best))):
            options = list(returns_of(space.schema.labels[pattern.target], pattern.kind, question))
            if options:
                chosen[pattern, self._rng.choice(options)] = None
        gold_options = list(returns_of(space.schema.labels[gold_pattern.target], gold_pattern.kind, question))
        allowed = set(gold_options)
        for returns in self._rng.sample(gold_options, min(RANDOM, len(gold_options))):
            chosen[gold_pattern, returns] = None
        features_of: dict[Pattern, Features] = {}
        of_label: dict[str, ReturnFeatures] = {}
        found = []
        for pattern, returns in chosen:
            if pattern == gold_pattern and returns not in allowed:
                continue
            if pattern not in features_of:
                features_of[pattern] = features.of(pattern)
            label = space.schema.labels[pattern.target]
            if label.name not in of_label:
                of_label[label.name] = ReturnFeatures(question, label.name, label.properties)
            found.append(
                features_of[pattern] | of_label[label.name].of(returns) | kind_and_returns(pattern.kind, returns)
            )
        return found

    def _descend(self, weights: Weights, data: tuple[np.ndarray, ...], steps: int, decay: float) -> dict[str, float]:
        places, values, rows, groups = data
        start, prior = np.zeros(len(self._names)), np.zeros(len(self._names))
        for name, place in self._names.items():
            start[place], prior[place] = weights.get(name, 0.0), START.get(name, 0.0)
        current, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
        least = np.full_like(start, -np.inf)
        most = np.full_like(start, np.inf)
        for bound, values_of in ((least, LEAST), (most, MOST)):
            for name, value in values_of.items():
                if name in self._names:
                    bound[self._names[name]] = value
        firsts = np.concatenate(([0], np.flatnonzero(np.diff(groups)) + 1))
        count = len(firsts)
        gold = np.zeros(len(groups))
        gold[firsts] = 1.0
        loss = 0.0
        for step in range(1, steps + 1):
            scores = np.bincount(rows, values * current[places], minlength=len(groups))
            highest = np.maximum.reduceat(scores, firsts)
            parts = np.exp(scores - highest[groups])
            mass = np.add.reduceat(parts, firsts)
            shares = parts / mass[groups]
            loss = float(-np.mean(np.log(shares[firsts] + 1e-12)))
            slope = np.bincount(places, values * (shares - gold)[rows], minlength=len(current)) / count + decay * (
                current - prior
            )
            mean = 0.9 * mean + 0.1 * slope
            square = 0.999 * square + 0.001 * slope**2
            rate = 0.05 * (0.1 ** (step / steps))
            current -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
            current = np.clip(current, least, most)
        print(f"   loss {loss:.3f}", flush=True)
        learned = {name: round(float(current[place]), 3) for name, place in self._names.items()}
        return {name: value for name, value in (START | learned).items() if abs(value) >= 0.005}


def train_questions(graph: str, count: int, seed: int = 3) -> list[tuple[str, str]]:
    """Return a random sample of a graph's train questions with their gold queries."""
    tasks = [record for record in records("cypherbench_tasks/train.jsonl.gz") if record["graph"] == graph]
    chosen = random.Random(seed).sample(tasks, min(count, len(tasks)))
    return [(str(record["nl_question"]), str(record["gold_cypher"])) for record in chosen]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--without", nargs="*", default=[])
    arguments.add_argument("--each", type=int, default=250, help="number of questions of each graph")
    arguments.add_argument("--rounds", type=int, default=2)
    arguments.add_argument("--steps", type=int, default=200)
    arguments.add_argument("--decay", type=float, default=0.0005)
    arguments.add_argument("--out", type=Path, default=SHIPPED)
    options = arguments.parse_args()
    examples: list[Example] = []
    for graph in TRAIN:
        if graph not in options.without:
            found = examples_of(graph, options.folder, train_questions(graph, options.each))
            print(
                graph,
                len(found),
                "questions, gold query among the candidates:",
                sum(example.gold is not None for example in found),
                flush=True,
            )
            examples += found
    weights = Trainer(examples).fit(options.rounds, options.steps, options.decay)
    options.out.write_text(json.dumps(dict(sorted(weights.items())), indent=0) + "\n", "utf-8")
    print(len(weights), "weights")


if __name__ == "__main__":
    main()
