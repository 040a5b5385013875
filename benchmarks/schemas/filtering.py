"""Measures how often the filtered schema keeps what a gold query needs, and its share of the tokens.

    python -m benchmarks.schemas.filtering FOLDER [--each 60] [--graphs art soccer]
    python -m benchmarks.schemas.filtering FOLDER --graph messy --questions FILE.jsonl …
    python -m benchmarks.schemas.filtering --large

FOLDER is the data folder of the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`) or of the
given graph. The questions are read with the graph's own index and database. A file of questions holds the relationship
types that each needs, as `../shared/data/wd50k_labelled/questions_example.jsonl` does. `--large` measures a schema of
2,000 labels. The share of tokens is relative to the base form of the whole schema.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import Counter
from pathlib import Path

from benchmarks.engines.graphs_for_queries import DEVELOPED, TRAIN
from benchmarks.engines.graphs_for_queries import records as read_records
from benchmarks.schemas.gold_elements import Elements, elements_of
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.filtering.filter import filter_schema
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.question.read import read, read_text
from graphground.graphs.schemas.forms import base_form, estimate_tokens
from graphground.graphs.storage.home import Home
from tests.support.large_schema import large_schema, questions


def records(graph: str) -> list[tuple[str, str]]:
    """Return pairs (question, gold query) of a graph, from the train tasks and from the recorded predictions."""
    found: list[tuple[str, str]] = []
    for file, question in (
        ("cypherbench_tasks/train", "nl_question"),
        ("predictions/cypherbench_scored", "question"),
        ("predictions/cypherbench_unscored", "question"),
    ):
        found += [
            (str(record[question]), str(record["gold_cypher"]))
            for record in read_records(f"{file}.jsonl.gz")
            if record["graph"] == graph
        ]
    return list(dict.fromkeys(found))


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


def measure(name: str, home: Home, each: int) -> tuple[int, int, float]:
    """Print and return the number of questions, those with all that is needed, and the summed share of tokens."""
    graph = open_stored(name, home)
    pairs = records(name)
    pairs = random.Random(8).sample(pairs, min(each, len(pairs)))
    base, kept, share, times, missed = estimate_tokens(base_form(graph.schema)), 0, 0.0, [], Counter[str]()
    for question, query in pairs:
        begin = time.perf_counter()
        part = filter_schema(read(question, graph), graph.schema, facts=graph.statistics()).schema
        times.append((time.perf_counter() - begin) * 1e3)
        missing = lost(elements_of(query), part)
        kept += not missing
        share += estimate_tokens(base_form(part)) / base
        missed.update(missing)
    graph.close()
    print(
        f"| {name} | {len(pairs)} | {100 * kept / len(pairs):.2f} % | {100 * share / len(pairs):.1f} % | "
        f"{statistics.median(times):.0f} ms | {missed.most_common(3)}",
        flush=True,
    )
    return len(pairs), kept, share


def measure_file(name: str, home: Home, files: list[Path]) -> None:
    """Print how often all relationship types that a question needs are kept, and the tokens that this takes."""
    graph = open_stored(name, home)
    rows = [json.loads(line) for file in files for line in file.open(encoding="utf-8")]
    rows = [row for row in rows if row["types"]]
    tokens, missed = [], Counter[str]()
    kept = 0
    for row in rows:
        facts = graph.statistics()
        part = filter_schema(read(row["question"], graph), graph.schema, facts=facts).schema
        missing = [type_ for type_ in row["types"] if type_ not in part.relationship_types]
        kept += not missing
        missed.update(missing)
        tokens.append(estimate_tokens(base_form(part, facts)))
    graph.close()
    print(
        f"| {name} | {len(rows)} | all types for {100 * kept / len(rows):.1f} % | {statistics.mean(tokens):.0f} tokens, "
        f"{max(tokens)} at most | {missed.most_common(8)}"
    )


def measure_large() -> None:
    """Measure whether filtering a schema of 2,000 labels keeps the needed elements, and how long it takes."""
    schema = large_schema()
    read_text("Who?", schema, None)  # the words of the names are read at the first question
    print(
        f"{len(schema.labels):,} labels, {len(schema.patterns):,} patterns\n\n| budget | kept | tokens | median | worst |"
    )
    print("|---|---|---|---|---|")
    for budget in (2000, 1000, 500):
        times, kept, tokens = [], 0, []
        for question, pattern, key in questions(schema, 100):
            begin = time.perf_counter()
            part = filter_schema(read_text(question, schema, None), schema, max_tokens=budget).schema
            times.append((time.perf_counter() - begin) * 1e3)
            tokens.append(estimate_tokens(base_form(part)))
            kept += str(pattern) in map(str, part.patterns) and key in part.labels[pattern.start].properties
        print(
            f"| {budget} | {kept:.1f} % | {statistics.mean(tokens):.0f} | "
            f"{statistics.median(times):.1f} ms | {max(times):.1f} ms |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--each", type=int, default=60)
    parser.add_argument("--graphs", nargs="+", default=[*TRAIN, *DEVELOPED])
    parser.add_argument("--graph")
    parser.add_argument("--questions", type=Path, nargs="+")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    if options.large:
        measure_large()
        return
    home = Home(options.folder.absolute())
    if options.graph:
        measure_file(options.graph, home, options.questions)
        return
    print("| graph | questions | kept | share of tokens | median |\n|---|---|---|---|---|")
    total = [
        sum(column) for column in zip(*(measure(name, home, options.each) for name in options.graphs), strict=True)
    ]
    print(f"| **all** | {total[0]} | {100 * total[1] / total[0]:.2f} % | {100 * total[2] / total[0]:.1f} % |")


if __name__ == "__main__":
    main()
