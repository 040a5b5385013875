"""Compares our scores of real predictions on stand-in graphs with their recorded scores on the original graphs.

    python -m benchmarks.evals.recorded_scores [--graphs company flight_accident] [--folder FOLDER] [--shown 10]

The predictions and their scores (`../shared/data/predictions`, without `metrics_suspect`) come from graphs that are not
available. On a stand-in graph every gold query returns rows, so EX there is only an estimate: a prediction with the
recorded score 0 should score 0 here. Recorded scores of 1 are reported separately: a prediction that contradicts the
schema returned nothing, and was right only if the gold answer was empty too.

The recorded PSJS come from the published implementation, in which even texts that do not compile can score above 0, so
our PSJS is compared both by the published implementation's definition and by the paper's. The correlation is also given
without the gold queries that matched nothing on the original graph. Such a gold query is recognized by its recorded
scores: a prediction that contradicts the schema was scored right, and no prediction except the gold query itself has a
PSJS above 0.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.engines.graphs_for_queries import gold_queries, records, schema_of
from benchmarks.stand_ins import stand_in
from graphground.cypher import CypherSyntaxError, validate
from graphground.cypher.schema import PropertyGraphSchema
from graphground.evals.metrics.executable import attempt
from graphground.evals.metrics.execution_accuracy import Rule, orders, tables_match
from graphground.evals.metrics.provenance_similarity import jaccard, provenance_nodes
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from tests.support.shared_data import SHARED

GRAPHS = ("company", "fictional_character", "flight_accident")
RULES: tuple[Rule, ...] = ("paper", "published")
IMPOSSIBLE = frozenset(("unknown_label", "unknown_relationship_type", "impossible_pattern", "reversed_direction"))
"""Diagnostic codes of patterns that match nothing on any graph of the schema."""
TIMEOUT = 20.0
START_SECONDS = 300.0
"""The longest wait for the engine's start; this wait does not count as time of a query."""


def schema_with_symmetry(graph: str) -> PropertyGraphSchema:
    """Return the schema of a graph, in which the relationships that `graph_info.json` calls symmetric are marked."""
    schema = schema_of(graph)
    listed = json.loads((SHARED / "cypherbench_tasks" / "graph_info.json").read_text("utf-8"))[graph]["relations"]
    symmetric = {relation["label"] for relation in listed if relation["is_symmetric"]}
    return replace(
        schema, patterns=tuple(replace(pattern, symmetric=pattern.type in symmetric) for pattern in schema.patterns)
    )


def scored(graph: str) -> list[dict[str, Any]]:
    """Return the distinct predictions for a graph, except empty ones and those whose recorded scores are suspect."""
    found: dict[tuple[Any, Any], dict[str, Any]] = {}
    for record in records("predictions/cypherbench_scored.jsonl.gz"):
        if record["graph"] == graph and not record.get("metrics_suspect") and record["pred_cypher"]:
            found[record["gold_cypher"], record["pred_cypher"]] = record
    return list(found.values())


def spearman(ours: list[float], theirs: list[float]) -> float:
    """Return Spearman's rank correlation; tied values have their mean rank."""

    def ranks(values: list[float]) -> list[float]:
        places = defaultdict(list)
        for place, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
            places[values[index]].append(place)
        return [sum(places[value]) / len(places[value]) for value in values]

    our_ranks, their_ranks = ranks(ours), ranks(theirs)
    mean = (len(our_ranks) - 1) / 2
    covariance = sum((a - mean) * (b - mean) for a, b in zip(our_ranks, their_ranks, strict=True))
    return float(
        covariance / (sum((a - mean) ** 2 for a in our_ranks) * sum((b - mean) ** 2 for b in their_ranks)) ** 0.5
    )


class Scores(NamedTuple):
    """The scores of one prediction: EX, PSJS by the paper's definition, and PSJS by the published implementation."""

    accuracy: float
    similarity: float
    published: float


def measured(graph: Graph, gold: str, predictions: Sequence[str]) -> list[Scores]:
    """Return the scores of all predictions for one gold query."""
    gold_rows = graph.run(gold, timeout=TIMEOUT).rows
    nodes = {rule: _nodes(graph, gold, rule) for rule in RULES}
    found = []
    for predicted in predictions:
        if predicted == gold:
            found.append(Scores(1.0, 1.0, 1.0))
            continue
        outcome = attempt(graph, predicted, timeout=TIMEOUT)
        accuracy = outcome.table is not None and tables_match(
            outcome.table.rows, gold_rows, ordered=orders(gold, graph.language)
        )
        found.append(Scores(float(accuracy), *(jaccard(_nodes(graph, predicted, rule), nodes[rule]) for rule in RULES)))
    return found


def _nodes(graph: Graph, query: str, rule: Rule) -> set[str]:
    """Return the nodes of a query's provenance subgraph; an empty set if the query fails."""
    try:
        return provenance_nodes(query, graph, timeout=TIMEOUT, rule=rule)
    except (CypherSyntaxError, EngineError):
        return set()


def known_empty(chosen: Iterable[Mapping[str, Any]], schema: PropertyGraphSchema) -> set[str]:
    """Return the gold queries that, by their recorded scores and the schema, matched nothing on the original graph."""

    @cache
    def impossible(query: str) -> bool:
        report = validate(query, schema, read_only=True)
        return any(found.code in IMPOSSIBLE and found.severity == "error" for found in report.diagnostics)

    empty, matched = set(), set()
    for record in chosen:
        gold, predicted, scores = record["gold_cypher"], record["pred_cypher"], record["metrics"]
        if predicted != gold and scores["psjs"] > 0:
            matched.add(gold)
        if scores["execution_accuracy"] == 1 and impossible(predicted):
            empty.add(gold)
    return empty - matched


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    arguments.add_argument("--folder", type=Path)
    arguments.add_argument("--most", type=int, default=1_000_000)
    arguments.add_argument("--shown", type=int, default=0)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        home = Home(folder / "home")
        try:
            for name in options.graphs:
                compare(name, folder, home, options.most, options.shown)
        finally:
            end_engine(home, kill=True)


def compare(name: str, folder: Path, home: Home, most: int, shown: int) -> None:
    """Generate the stand-in for one graph, and compare our scores on the stand-in with the recorded scores.

    The scores are also written to a file in `folder`.
    """
    start = time.monotonic()
    schema = schema_with_symmetry(name)
    gold = gold_queries(name)
    made = stand_in(schema, gold, 3_000, 9_000, seed=1)
    counts = write_simplekg(folder / f"{name}.json", made.schema, made.entities(), made.relations())
    load_file(folder / f"{name}.json", home, name=name)
    graph = open_stored(name, home)
    graph.run("MATCH (n) RETURN count(n)", timeout=START_SECONDS)
    empty = sum(
        not any(value not in (None, 0, []) for row in graph.run(query, timeout=TIMEOUT).rows for value in row)
        for query in gold
    )
    print(
        f"{name}: {counts[0]} nodes, {counts[1]} relationships, {len(gold)} gold queries, {empty} without an answer, "
        f"{time.monotonic() - start:.0f} s",
        flush=True,
    )
    chosen = scored(name)[:most]
    by_gold: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in chosen:
        by_gold[record["gold_cypher"]].append(record)
    with ThreadPoolExecutor(2) as pool:
        made_scores = pool.map(
            lambda query: measured(graph, query, [record["pred_cypher"] for record in by_gold[query]]), by_gold
        )
        chosen = [record for group in by_gold.values() for record in group]
        found = [scores for group in made_scores for scores in group]
    agreed: Counter[tuple[str, bool]] = Counter()
    for record, (accuracy, _, _) in zip(chosen, found, strict=True):
        recorded_accuracy = record["metrics"]["execution_accuracy"]
        valid = validate(record["pred_cypher"], schema, read_only=True).valid
        kind = (
            "scored 0"
            if recorded_accuracy == 0
            else "scored 1, fits the schema"
            if valid
            else "scored 1, contradicts the schema"
        )
        agreed[kind, accuracy == recorded_accuracy] += 1
        if accuracy != recorded_accuracy and shown and agreed[kind, False] <= shown:
            print(f"  {kind}, ours {accuracy}:\n    {record['gold_cypher']}\n    {record['pred_cypher']}")
    for kind in sorted({kind for kind, _ in agreed}):
        right, wrong = agreed[kind, True], agreed[kind, False]
        print(f"  {kind}: {right} of {right + wrong} agree ({right / (right + wrong):.2%})")
    empty = known_empty(chosen, schema)
    pairs = [(scores, record) for scores, record in zip(found, chosen, strict=True)]
    for words, scored_pairs in (
        ("all", pairs),
        (
            f"without {len(empty)} gold queries that were empty there",
            [(scores, record) for scores, record in pairs if record["gold_cypher"] not in empty],
        ),
    ):
        recorded = [float(record["metrics"]["psjs"]) for _, record in scored_pairs]
        print(
            f"  PSJS, Spearman, {words}: {spearman([scores.published for scores, _ in scored_pairs], recorded):.3f} by the "
            f"published rule, {spearman([scores.similarity for scores, _ in scored_pairs], recorded):.3f} by the paper's, over "
            f"{len(scored_pairs)}"
        )
    print(f"  {time.monotonic() - start:.0f} s", flush=True)
    (folder / f"{name}.scores.json").write_text(
        json.dumps([{**record, "ours": pair} for record, pair in zip(chosen, found, strict=True)], ensure_ascii=False)
    )
    if graph.engine is not None:
        graph.engine.close()


if __name__ == "__main__":
    main()
