"""Measures how often each filtering method keeps the schema elements of a gold query, and its share of the tokens.

    python -m benchmarks.schemas.filtering                 the train questions, and three held-out graphs
    python -m benchmarks.schemas.filtering --no-index      without an entity index
    python -m benchmarks.schemas.filtering --large         the schema of 2,000 labels
    python -m benchmarks.schemas.filtering --model all-MiniLM-L6-v2 --sample 40     with the extra `vectors`

The entity index holds all values of a graph's gold queries, as the index of a loaded graph does. Words and rules were
tuned on art and soccer; the other graphs were only measured. The shares of tokens are relative to two forms of the
whole schema: `base` is our base form with all properties that the loader adds to a node; in `strict`, as in the paper's
schemas, only `name` is added.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import statistics
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace

from benchmarks.schemas.gold_elements import Elements, elements_of, kind_of
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.vectors.encoders import STATIC, loaded_encoder
from graphground.graphs.schemas.filtering.filter import Method, SchemaFilter
from graphground.graphs.schemas.filtering.mentions import KnownValues
from graphground.graphs.schemas.filtering.similarity import Embedder
from graphground.graphs.schemas.forms import base_form
from graphground.graphs.schemas.token_count import estimate_tokens
from tests.support.large_schema import large_schema, questions
from tests.support.shared_data import SHARED

TUNED, REPORTED = ("art", "soccer"), ("biology", "terrorist_attack")
HELD_OUT = ("company", "fictional_character", "flight_accident")


@dataclass
class Score:
    """The summed results of one method over questions."""

    questions: int = 0
    kept: int = 0
    share: float = 0.0
    strict: float = 0.0
    milliseconds: list[float] = field(default_factory=list)
    missed: Counter[str] = field(default_factory=Counter)

    def line(self) -> str:
        """Return the results as a row of a Markdown table."""
        number = max(self.questions, 1)
        return (
            f"{self.questions:,} | {100 * self.kept / number:.2f} % | {100 * self.share / number:.1f} % | "
            f"{100 * self.strict / number:.1f} % | {statistics.median(self.milliseconds):.2f} ms"
        )

    def add(self, other: Score) -> None:
        """Add the results of `other` to these results."""
        self.questions += other.questions
        self.kept += other.kept
        self.share += other.share
        self.strict += other.strict
        self.milliseconds += other.milliseconds
        self.missed += other.missed


def records(graph: str) -> list[tuple[str, str]]:
    """Return pairs (question, gold query) of a graph, from the train tasks and from the recorded predictions."""
    found: list[tuple[str, str]] = []
    for folder, name, question in (
        ("cypherbench_tasks", "train", "nl_question"),
        ("predictions", "cypherbench_scored", "question"),
        ("predictions", "cypherbench_unscored", "question"),
    ):
        with gzip.open(SHARED / folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            found += [
                (record[question], record["gold_cypher"])
                for record in map(json.loads, file)
                if record["graph"] == graph
            ]
    return found if graph in TUNED + REPORTED else list(dict.fromkeys(found))


def lost(gold: Elements, part: PropertyGraphSchema) -> list[str]:
    """Return the elements of the gold query that are missing in `part` of the schema."""
    patterns = {(pattern.type, pattern.start, pattern.end) for pattern in part.patterns}
    missing = [*(gold.labels - part.labels.keys()), *map(str, gold.patterns - patterns)]
    missing += [
        f"{label}.{key}"
        for label, key in gold.properties
        if label not in part.labels or key not in part.labels[label].properties
    ]
    return missing + [
        f"{type_}.{key}"
        for type_, key in gold.type_properties
        if key not in part.relationship_properties.get(type_, {})
    ]


def measure(
    graph: str, methods: list[Method], index: bool, embedder: Embedder | None, sample: int | None = None
) -> dict[tuple[str, str], Score]:
    """Return the scores of one graph by method and kind of question."""
    schema = PropertyGraphSchema.from_cypherbench((SHARED / "schemas" / f"{graph}.json").read_bytes())
    pairs = records(graph)
    if sample is not None:
        pairs = random.Random(8).sample(pairs, min(sample, len(pairs)))
    golds = [elements_of(query) for _, query in pairs]
    entities = KnownValues(value for gold in golds for value in gold.values) if index else None
    base = estimate_tokens(base_form(schema))
    names = estimate_tokens(
        base_form(
            replace(
                schema,
                labels={
                    label.name: replace(
                        label,
                        properties={
                            key: type_
                            for key, type_ in label.properties.items()
                            if key == "name" or key not in label.reserved
                        },
                    )
                    for label in schema.labels.values()
                },
            )
        )
    )
    filtering = SchemaFilter(schema)
    scores: dict[tuple[str, str], Score] = defaultdict(Score)
    for method in methods:
        filtering.filter("Who?", method, entities=entities, embedder=embedder)
        for (question, query), gold in zip(pairs, golds, strict=True):
            score = scores[method, kind_of(query)]
            begin = time.perf_counter()
            found = filtering.filter(question, method, entities=entities, embedder=embedder)
            score.milliseconds.append((time.perf_counter() - begin) * 1e3)
            tokens = estimate_tokens(base_form(found.schema))
            missing = lost(gold, found.schema)
            score.questions += 1
            score.kept += not missing
            score.share += tokens / base
            score.strict += tokens / names
            score.missed.update(missing)
    return scores


def total(scores: dict[tuple[str, str], Score], method: str) -> Score:
    """Return the sum of a method's scores over all kinds of question."""
    summed = Score()
    for (its_method, _), score in scores.items():
        if its_method == method:
            summed.add(score)
    return summed


def large() -> None:
    """Measure whether filtering a schema of 2,000 labels keeps the needed elements, and how long it takes."""
    schema = large_schema()
    begin = time.perf_counter()
    filtering = SchemaFilter(schema)
    print(
        f"\n{len(schema.labels):,} labels, {len(schema.patterns):,} patterns; index built in "
        f"{(time.perf_counter() - begin) * 1e3:.0f} ms\n\n| budget | kept | mean tokens | most | median | worst |"
    )
    print("|---|---|---|---|---|---|")
    for budget in (None, 2000, 1000, 500):
        times, kept, tokens = [], 0, []
        for question, pattern, key in questions(schema, 200):
            begin = time.perf_counter()
            part = filtering.filter(question, max_tokens=budget).schema
            times.append((time.perf_counter() - begin) * 1e3)
            tokens.append(estimate_tokens(base_form(part)))
            kept += str(pattern) in map(str, part.patterns) and key in part.labels[pattern.start].properties
        print(
            f"| {budget} | {kept / 2:.1f} % | {statistics.mean(tokens):.0f} | {max(tokens)} | "
            f"{statistics.median(times):.1f} ms | {max(times):.1f} ms |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-index", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--model", default=STATIC, help="embedding model for `similarity` and `auto`")
    parser.add_argument("--sample", type=int, help="number of random questions of each graph; all without this option")
    parser.add_argument("--kinds", action="store_true", help="also print results by kind of question")
    parsed = parser.parse_args()
    if parsed.large:
        large()
        return
    embedder = loaded_encoder(parsed.model)
    methods: list[Method] = ["exact", "masked", "similarity", "auto"]
    print("| graphs | method | questions | kept | base | strict | median |\n|---|---|---|---|---|---|---|")
    for name, graphs in (("tuned on", TUNED), ("measured only", REPORTED), ("held out", HELD_OUT)):
        group: dict[str, Score] = defaultdict(Score)
        kinds: dict[tuple[str, str], Score] = defaultdict(Score)
        for graph in graphs:
            scores = measure(graph, methods, not parsed.no_index, embedder, parsed.sample)
            for method in methods:
                score = total(scores, method)
                print(f"| {graph} | {method} | {score.line()} |")
                group[method].add(score)
            for key, score in scores.items():
                kinds[key].add(score)
        for method in methods:
            print(f"| **{name}** | {method} | {group[method].line()} |")
        print(f"| missed by auto: {group['auto'].missed.most_common(6)} |", file=sys.stderr)
        if parsed.kinds:
            for (method, kind), score in sorted(kinds.items()):
                if method == "auto":
                    print(f"| {name}: {kind} | {method} | {score.line()} |")


if __name__ == "__main__":
    main()
